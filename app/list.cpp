#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/find_model.h"
#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/table.h"
#include "app/verbs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/integrator.h"
#include "haltere/io/catalog/catalog.h"
#include "haltere/io/json.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/channels.h"

namespace haltere {
namespace {

struct ListArguments {
  std::string what, json;
  ModelArguments model;
};

/// Rows with named columns: lines for people, objects for programs.
class Listing {
 public:
  explicit Listing(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  /// `row`: as people read it; `values`: of the columns.
  void add(std::vector<std::string> row, const std::vector<Json>& values) {
    table_.add(std::move(row));
    Json& object = json_.emplace_back(Json::object());
    for (std::size_t i = 0; i < columns_.size(); ++i) object[columns_[i]] = values[i];
  }
  void show(const std::string& json) const {
    if (json.empty())
      table_.print();
    else
      write_output(json, to_text(json_));
  }

 private:
  std::vector<std::string> columns_;
  Table table_;
  Json json_ = Json::array();
};

Listing list_models() {
  Listing list({"name", "file", "cases"});
  for (const ShippedModel& model : require_shipped_models()) {
    const std::vector<std::string> cases = list_cases(model.file);
    list.add({model.name, cases.empty() ? "no cases" : fmt::format("cases: {}", fmt::join(cases, ", "))},
             {model.name, model.file.string(), cases});
  }
  return list;
}

Listing list_integrators() {
  Listing list({"name", "order", "summary", "source"});
  for (const IntegratorInfo& i : integrators()) {
    const IntegratorInfo::Parameter& p = i.parameter;
    const std::string more = p.name.empty() ? ""
                                            : fmt::format("; {}:{} from {:g} to {:.3g}, {:g} by default",
                                                          i.name, p.name, p.least, p.most, p.otherwise);
    list.add({std::string(i.name), fmt::format("order {}", i.order),
              fmt::format("{}{} [{}]", i.summary, more, i.source)},
             {i.name, i.order, fmt::format("{}{}", i.summary, more), i.source});
  }
  return list;
}

Listing list_formulations() {
  Listing list({"name", "summary"});
  for (const FormulationInfo& f : formulations())
    list.add({std::string(f.name), std::string(f.summary)}, {f.name, f.summary});
  return list;
}

Listing list_channels(const ModelArguments& arguments) {
  if (arguments.model.empty())
    throw wrong_input("list channels", "of which model?", "haltere list channels MODEL");
  Listing list({"name", "unit", "meaning"});
  for (const Channel& c : make_channels(arguments.read()))
    list.add({c.name, c.unit.empty() ? "1" : c.unit, c.meaning}, {c.name, c.unit, c.meaning});
  return list;
}

const std::vector<KindInfo>* find_kinds(const std::string& what) {
  if (what == "joints") return &joint_kinds();
  if (what == "constraints") return &constraint_kinds();
  if (what == "forces") return &force_kinds();
  if (what == "surfaces") return &surface_kinds();
  if (what == "shapes") return &shape_kinds();
  if (what == "states") return &state_kind_infos();
  return nullptr;
}

int list(const ListArguments& a) {
  require_outputs({a.json}, {});
  if (a.what == "kinds") {
    if (!a.json.empty())
      throw wrong_input("--json", "kinds are a page", "haltere list joints --json - and so on");
    write_output("-", make_kind_page());
  } else if (const std::vector<KindInfo>* kinds = find_kinds(a.what)) {
    write_output(a.json.empty() ? "-" : a.json,
                 a.json.empty() ? make_kind_list(*kinds) : make_kind_json(*kinds));
  } else {
    const Listing listing = a.what == "models"         ? list_models()
                            : a.what == "integrators"  ? list_integrators()
                            : a.what == "formulations" ? list_formulations()
                                                       : list_channels(a.model);
    listing.show(a.json);
  }
  return kSuccess;
}

}  // namespace

void add_list(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("list", "what there is: models, kinds, methods, channels");
  const auto a = std::make_shared<ListArguments>();
  verb->add_option("WHAT", a->what,
                   "models, joints, constraints, forces, surfaces, shapes, states, integrators, formulations "
                   "or channels; "
                   "kinds are joints, constraints, forces, surfaces, shapes and states as a Markdown page")
      ->required()
      ->check(CLI::IsMember({"models", "joints", "constraints", "forces", "surfaces", "shapes", "states",
                             "kinds", "integrators", "formulations", "channels"}))
      ->type_name("");
  a->model.add_to(verb);
  verb->get_option("MODEL")->required(false);
  verb->add_option("--json", a->json, "the same for other programs; - is stdout")->type_name("FILE");
  verb->footer("Examples:\n  haltere list forces\n  haltere list channels double-pendulum");
  verb->callback([=] { *action = [=] { return list(*a); }; });
}

}  // namespace haltere
