#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/find_model.h"
#include "app/json_file.h"
#include "app/table.h"
#include "app/verbs.h"
#include "app/wrong_input.h"

#include "haltere/io/expectations.h"

namespace haltere {
namespace {

namespace fs = std::filesystem;

struct ValidateArguments {
  std::vector<std::string> models;
  std::string formulation = "recursive";
  std::string json;
};

struct Validated {
  std::string model;
  std::vector<Comparison> comparisons;
};

fs::path expectations_of(const fs::path& model_file) {
  return model_file.parent_path() / "expected.yaml";
}

Validated validate_model(const std::string& name, const std::string& formulation) {
  const fs::path model = find_model(name);
  const fs::path expected = expectations_of(model);
  if (!fs::exists(expected))
    throw wrong_input(expected.string(), "is not there",
                      "a model is held to the values in its expected.yaml");
  return {calc_model_label(model),
          compare_with_expectations(model, read_expectations(expected), formulation)};
}

void print(const std::vector<Validated>& all) {
  Table table;
  table.add({"model", "quantity", "source", "expected", "ours", "difference", "verdict"});
  for (const Validated& v : all)
    for (const Comparison& c : v.comparisons) {
      const Expectation& e = c.expected;
      const std::string model = e.case_name.empty() ? v.model : v.model + " " + e.case_name;
      table.add({model, e.quantity(), e.source, fmt::format("{:.10g}", e.value),
                 c.failure.empty() ? fmt::format("{:.10g}", c.ours) : "-",
                 c.failure.empty() ? fmt::format("{:.1e}", c.ours - e.value) : "-", c.verdict()});
    }
  table.print();
}

Json to_json(const std::vector<Validated>& all) {
  Json list = Json::array();
  for (const Validated& v : all)
    for (const Comparison& c : v.comparisons) {
      const Expectation& e = c.expected;
      Json entry{{"model", v.model},         {"case", e.case_name}, {"quantity", e.quantity()},
                 {"source", e.source},       {"place", e.place},    {"expected", e.value},
                 {"tolerance", e.tolerance}, {"reason", e.reason},  {"verdict", c.verdict()},
                 {"passes", c.passes()}};
      if (c.failure.empty()) entry["ours"] = c.ours;
      list.push_back(std::move(entry));
    }
  return list;
}

int validate(ValidateArguments a) {
  if (a.models.empty())
    for (const ShippedModel& model : find_shipped_models())
      if (fs::exists(expectations_of(model.file))) a.models.push_back(model.name);
  std::vector<Validated> all;
  for (const std::string& model : a.models) all.push_back(validate_model(model, a.formulation));
  if (a.json.empty())
    print(all);
  else
    write_json(to_json(all), a.json);
  long failed = 0, differing = 0, count = 0;
  for (const Validated& v : all)
    for (const Comparison& c : v.comparisons) {
      ++count;
      failed += c.passes() ? 0 : 1;
      differing += c.passes() && !c.agrees() ? 1 : 0;
    }
  fmt::print(stderr, "{} values: {} agree, {} differ as known, {} failed\n", count,
             count - differing - failed, differing, failed);
  return failed == 0 ? kSuccess : kComputationFailed;
}

}  // namespace

void add_validate(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("validate", "hold models to closed forms, publications and other programs");
  const auto a = std::make_shared<ValidateArguments>();
  verb->add_option("MODEL", a->models, "models with an expected.yaml; all shipped ones by default");
  verb->add_option("--formulation", a->formulation, "see haltere list formulations")->type_name("NAME");
  verb->add_option("--json", a->json, "the table as JSON; - is stdout")->type_name("FILE");
  verb->footer("Example:\n  haltere validate x-hale\nExit status 1 if a value is not met.");
  verb->callback([=] { *action = [=] { return validate(*a); }; });
}

}  // namespace haltere
