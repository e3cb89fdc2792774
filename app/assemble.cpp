#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/state_names.h"
#include "app/verbs.h"

#include "haltere/analysis/assembly.h"
#include "haltere/io/model/initial_text.h"
#include "haltere/io/result/analysis_json.h"
#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

struct AssembleArguments {
  ModelArguments model;
  std::vector<std::string> keep, solve;
  std::string json, output;
};

/// Values that --keep puts in place of the guess.
void set_values(const std::string& text, const std::string& glob, const CoordinateSelection& selection,
                const std::vector<StateCoordinate>& coordinates, int nq, Eigen::VectorXd* y) {
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const StateCoordinate& c = coordinates[i];
    if (selection.positions[i]) {
      if (c.motion == Motion::kTurn)
        throw wrong_input("--keep", fmt::format("'{}' is no single number", c.position),
                          "give it in `initial`, or by --set initial.JOINT.orientation=...");
      (*y)[c.q] = read_quantity("--keep " + glob, text, std::string(c.position_unit));
    }
    if (selection.velocities[i])
      (*y)[nq + static_cast<int>(i)] = read_quantity("--keep " + glob, text, std::string(c.velocity_unit));
  }
}

/// What the options name; values of --keep into the guess.
Partition read_partition(const AssembleArguments& a, const Equations& equations, Eigen::VectorXd* guess) {
  const Model& model = equations.model();
  const std::vector<StateCoordinate> coordinates = list_coordinates(model);
  CoordinateSelection keep(coordinates.size()), solve(coordinates.size());
  for (const std::string& text : a.keep) {
    const std::size_t sign = text.find('=');
    const std::string glob = text.substr(0, sign);
    const CoordinateSelection named = select_coordinates(model, glob, "--keep");
    keep.add(named);
    if (sign != std::string::npos)
      set_values(text.substr(sign + 1), glob, named, coordinates, equations.sizes().nq, guess);
  }
  for (const std::string& glob : a.solve) solve.add(select_coordinates(model, glob, "--solve"));
  return make_partition(keep, solve);
}

void print_table(const StateNames& names, const AssemblyRoles& roles, const Assembly& assembly) {
  const auto nq = static_cast<int>(names.q.size());
  const int width = std::max(calc_width(names.q), calc_width(names.v));
  fmt::print(stderr, "{:<{}}  {:>14} {:>14} {:>14}\n", "", width, "guess", "assembled", "change");
  const auto print = [&](const std::string& name, std::string_view role, int i) {
    fmt::print(stderr, "{:<{}}  {:>14.8g} {:>14.8g} {:>14.3g} {:<6} {}\n", name, width, assembly.guess[i],
               assembly.y[i], assembly.y[i] - assembly.guess[i], names.unit(name), role);
  };
  for (int i = 0; i < nq; ++i) print(names.q[i], to_word(roles.q[i]), i);
  for (int i = 0; i < static_cast<int>(names.v.size()); ++i) print(names.v[i], to_word(roles.v[i]), nq + i);
  for (const std::string& note : assembly.notes) fmt::print(stderr, "note: {}\n", note);
}

int assemble_model(const AssembleArguments& a) {
  const Model model = a.model.read();
  require_outputs({a.json, a.output}, model.files);
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  Eigen::VectorXd guess = equations->calc_initial_state();
  const Partition partition = read_partition(a, *equations, &guess);
  print_warnings(model);
  const Assembly assembly = assemble(partition, guess, equations.get());
  if (!assembly.failure.empty()) throw RunError(assembly.failure);

  const StateNames names(*equations);
  const AssemblyRoles roles = calc_roles(partition, equations->model());
  print_table(names, roles, assembly);
  if (!a.json.empty()) write_output(a.json, make_assembly_json(names, roles, assembly, *equations));
  if (a.output.empty() && a.json == "-") return kSuccess;
  const Sizes sizes = equations->sizes();
  write_output(a.output.empty() ? "-" : a.output,
               make_initial_text(model, sizes.q(assembly.y), sizes.v(assembly.y)));
  return kSuccess;
}

}  // namespace

void add_assemble(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand(
      "assemble", "positions and velocities that obey all constraints, from any guess");
  const auto a = std::make_shared<AssembleArguments>();
  a->model.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, const char* type, auto* list) {
    verb->add_option(option, *list, what)->type_name(type)->expected(1)->take_all();
  };
  add_list("--keep", "a coordinate that stays, by name or glob, perhaps with a value; may be repeated",
           "NAME[=VALUE]", &a->keep);
  add_list("--solve", "a coordinate that may move, all others stay; may be repeated", "NAME", &a->solve);
  verb->add_option("--json", a->json, "all that was found as JSON; - is stdout")->type_name("FILE");
  verb->add_option("-o,--output", a->output, "the `initial:` block, instead of stdout")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere assemble andrews\n"
      "  haltere assemble four-bar --set N=1 --keep joint.ground0.angle='-40 deg' --keep "
      "joint.ground0.rate=2\n"
      "stdout is an `initial:` block for the model file; stderr says what moved.");
  verb->callback([=] { *action = [=] { return assemble_model(*a); }; });
}

}  // namespace haltere
