#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/find_model.h"
#include "app/motion_file.h"
#include "app/output_file.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/signals.h"
#include "app/table.h"
#include "app/verbs.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/io/model/validation.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

namespace fs = std::filesystem;

struct ValidateArguments {
  std::vector<std::string> models;
  std::string formulation = "recursive";
  std::string json, report;
};

fs::path expectations_of(const fs::path& model_file) {
  return model_file.parent_path() / "expected.yaml";
}

/// A model and what it is held to, read before anything runs.
struct Candidate {
  fs::path model;
  std::vector<Expectation> expectations;
};

Candidate read_candidate(const std::string& name) {
  const fs::path model = find_model(name);
  const fs::path expected = expectations_of(model);
  if (!fs::exists(expected))
    throw wrong_input(expected.string(), "is not there",
                      "a model is held to the values in its expected.yaml");
  Candidate candidate{model, read_expectations(expected)};
  check_expectations(model, candidate.expectations);
  return candidate;
}

/// Those that were named, else all shipped ones with an expected.yaml.
std::vector<std::string> list_candidates(const ValidateArguments& a) {
  if (!a.models.empty()) return a.models;
  std::vector<std::string> names;
  std::vector<ShippedModel> shipped = require_shipped_models();
  for (const ShippedModel& model : shipped)
    if (fs::exists(expectations_of(model.file))) names.push_back(model.name);
  if (names.empty())
    throw wrong_input(shipped.front().file.parent_path().parent_path().string(),
                      "no model there has an expected.yaml", "name a model that has one");
  return names;
}

/// Files that a table must not go over.
std::vector<std::string> list_inputs(const std::vector<Candidate>& candidates) {
  std::vector<std::string> inputs;
  for (const Candidate& candidate : candidates) {
    inputs.push_back(expectations_of(candidate.model).string());
    const std::vector<std::string> files = read_model(candidate.model).files;
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  return inputs;
}

void print(const std::vector<ValidatedModel>& all) {
  Table table;
  table.add({"model", "quantity", "source", "expected", "ours", "difference", "verdict"});
  for (const ValidatedModel& v : all)
    for (const Comparison& c : v.comparisons) {
      const Expectation& e = c.expected;
      const std::string model = e.case_name.empty() ? v.model : v.model + " " + e.case_name;
      table.add({model, e.quantity(), e.source, fmt::format("{:.10g}", e.value),
                 c.failure.empty() ? fmt::format("{:.10g}", c.ours) : "-",
                 c.failure.empty() ? fmt::format("{:.1e}", c.ours - e.value) : "-", c.verdict()});
    }
  table.print();
}

/// A table of each model: what publications and others say, what came out, how far that is.
/// Models that say what their reports shall show are run, and play beside their table.
void write_validation_page(const ValidateArguments& a, const std::vector<Candidate>& candidates,
                           const std::vector<ValidatedModel>& all, const std::atomic<bool>* interrupt) {
  const ValidationTally tally = count_verdicts(all);
  ReportContent content{fmt::format("validation: {} values, {} differ as known, {} failed", tally.count,
                                    tally.differing, tally.failed)};
  std::vector<std::unique_ptr<RunFile>> runs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ValidatedModel& v = all[i];
    int result = -1;
    const Model model = read_model(candidates[i].model);
    if (!model.presets.empty() && !interrupt->load()) {
      runs.push_back(std::make_unique<RunFile>(model, interrupt));
      result = static_cast<int>(content.results.size());
      content.results.push_back({&runs.back()->result(), v.model});
    }
    ReportTable table{v.model,
                      {{"case", false},
                       {"quantity", false},
                       {"source", false},
                       {"where", false},
                       {"expected", true},
                       {"ours", true},
                       {"difference", true},
                       {"tolerance", true},
                       {"verdict", false}}};
    for (const Comparison& c : v.comparisons) {
      const Expectation& e = c.expected;
      table.rows.push_back({e.case_name, e.quantity(), e.source, e.place, fmt::format("{:.10g}", e.value),
                            c.failure.empty() ? fmt::format("{:.10g}", c.ours) : "-",
                            c.failure.empty() ? fmt::format("{:.1e}", c.ours - e.value) : "-",
                            fmt::format("{:.1e}", e.tolerance), c.verdict()});
      table.results.push_back(result);
    }
    content.tables.push_back(std::move(table));
  }
  write_report(a.report, content);
  fmt::print(stderr, "wrote {}\n", a.report);
}

int validate(const ValidateArguments& a) {
  std::vector<Candidate> candidates;
  for (const std::string& name : list_candidates(a)) candidates.push_back(read_candidate(name));
  if (!a.json.empty() || !a.report.empty()) require_outputs({a.json, a.report}, list_inputs(candidates));
  if (!a.report.empty()) require_page(a.report, true);
  std::optional<ProgressBar> bar(true);
  ExpectationRuns how{a.formulation, catch_signals()};
  std::vector<ValidatedModel> all;
  for (const Candidate& candidate : candidates) {
    const std::string label = calc_model_label(candidate.model);
    if (bar->is_shown())
      how.progress = [&](int done, int of, const Progress& p) {
        bar->say(fmt::format("model {} of {}, {}: run {} of {}, t = {:.4g} of {:.4g} s", all.size() + 1,
                             candidates.size(), label, done + 1, of, p.t, p.until));
      };
    if (how.interrupt->load()) break;
    all.push_back({label, compare_with_expectations(candidate.model, candidate.expectations, how)});
  }
  bar.reset();
  if (a.json.empty())
    print(all);
  else
    write_output(a.json, make_validation_json(all));
  if (!a.report.empty()) write_validation_page(a, candidates, all, how.interrupt);
  const ValidationTally tally = count_verdicts(all);
  fmt::print(stderr, "{} values: {} agree, {} differ as known, {} failed\n", tally.count,
             tally.count - tally.differing - tally.failed, tally.differing, tally.failed);
  if (how.interrupt->load()) {
    fmt::print(stderr, "interrupted in model {} of {}\n", all.size(), candidates.size());
    return interrupted_status();
  }
  return tally.failed == 0 ? kSuccess : kComputationFailed;
}

}  // namespace

void add_validate(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("validate", "hold models to closed forms, publications and other programs");
  const auto a = std::make_shared<ValidateArguments>();
  verb->add_option("MODEL", a->models, "models with an expected.yaml; all shipped ones by default");
  verb->add_option("--formulation", a->formulation, "see haltere list formulations")->type_name("NAME");
  verb->add_option("--json", a->json, "the table as JSON; - is stdout")->type_name("FILE");
  verb->add_option("--report", a->report, "a page with the tables, on which models that have `report:` play")
      ->type_name("FILE");
  verb->footer(
      "Example:\n  haltere validate x-hale\nExit status 1 if a value is not met, 2 where there is no model, "
      "130 after "
      "Ctrl-C, with what was compared by then.");
  verb->callback([=] { *action = [=] { return validate(*a); }; });
}

}  // namespace haltere
