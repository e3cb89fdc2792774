#include <cstdio>
#include <memory>
#include <string>
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
#include "haltere/io/model/model_reader.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/channels.h"

namespace haltere {
namespace {

struct ListArguments {
  std::string what;
  ModelArguments model;
};

void list_models() {
  Table table;
  for (const ShippedModel& model : require_shipped_models()) {
    const std::vector<std::string> cases = list_cases(model.file);
    table.add({model.name, cases.empty() ? "no cases" : fmt::format("cases: {}", fmt::join(cases, ", "))});
  }
  table.print();
}

void list_integrators() {
  Table table;
  for (const IntegratorInfo& i : integrators()) {
    const IntegratorInfo::Parameter& p = i.parameter;
    const std::string more = p.name.empty() ? ""
                                            : fmt::format("; {}:{} from {:g} to {:.3g}, {:g} by default",
                                                          i.name, p.name, p.least, p.most, p.otherwise);
    table.add({std::string(i.name), fmt::format("order {}", i.order),
               fmt::format("{}{} [{}]", i.summary, more, i.source)});
  }
  table.print();
}

void list_formulations() {
  Table table;
  for (const FormulationInfo& f : formulations()) table.add({std::string(f.name), std::string(f.summary)});
  table.print();
}

void list_channels(const ModelArguments& arguments) {
  if (arguments.model.empty())
    throw wrong_input("list channels", "of which model?", "haltere list channels MODEL");
  Table table;
  for (const Channel& c : make_channels(arguments.read()))
    table.add({c.name, c.unit.empty() ? "1" : c.unit, c.meaning});
  table.print();
}

int list(const ListArguments& a) {
  if (a.what == "models") list_models();
  if (a.what == "joints") write_output("-", make_kind_list(joint_kinds()));
  if (a.what == "constraints") write_output("-", make_kind_list(constraint_kinds()));
  if (a.what == "forces") write_output("-", make_kind_list(force_kinds()));
  if (a.what == "surfaces") write_output("-", make_kind_list(surface_kinds()));
  if (a.what == "shapes") write_output("-", make_kind_list(shape_kinds()));
  if (a.what == "states") write_output("-", make_kind_list(state_kind_infos()));
  if (a.what == "kinds") write_output("-", make_kind_page());
  if (a.what == "integrators") list_integrators();
  if (a.what == "formulations") list_formulations();
  if (a.what == "channels") list_channels(a.model);
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
  verb->footer("Examples:\n  haltere list forces\n  haltere list channels double-pendulum");
  verb->callback([=] { *action = [=] { return list(*a); }; });
}

}  // namespace haltere
