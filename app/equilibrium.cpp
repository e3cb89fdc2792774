#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/json_file.h"
#include "app/output_file.h"
#include "app/state_names.h"
#include "app/steady_arguments.h"

#include "haltere/io/model/initial_text.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

struct EquilibriumArguments {
  SteadyArguments steady;
  std::string formulation = "recursive", json, output;
};

/// Accelerations in the given formulation less those of a steady motion: largest, in scales a second squared.
double check_steadiness(const SteadyState& state, const std::string& formulation) {
  const Equilibrium& found = state.equilibrium;
  const std::unique_ptr<Equations> equations = make_equations(formulation, state.model);
  Snapshot at_start, seen;
  const auto demand = [&](Status status) {
    if (status != Status::kOk)
      throw RunError(fmt::format("the equilibrium cannot be evaluated in {}", formulation));
  };
  demand(state.equations->observe(0, found.y, &at_start));
  const Eigen::VectorXd y = formulation == "recursive" ? found.y : equations->calc_state(at_start.scene);
  demand(equations->observe(0, y, &seen));
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  const Eigen::VectorXd scales =
      state.equations->calc_scales().segment(state.equations->sizes().nq, state.equations->sizes().nv);
  double worst = 0;
  int i = 0;
  for (int j = 0; j < state.model.n_tree(); ++j)
    for (int k = 0; k < state.model.joints[j].nv(); ++k) {
      if (state.model.joints[j].mode(k) == CoordinateMode::kPrescribed) continue;
      const double vdot = seen.vdot[seen.scene.v_start[j] + k];
      worst = std::max(worst, std::abs(vdot - found.vdot[i]) / scales[i]);
      ++i;
    }
  return worst;
}

/// What a position or velocity does in this equilibrium.
std::vector<std::string> name_roles(const SteadyState& state, bool of_velocities) {
  const Equilibrium& found = state.equilibrium;
  const Sizes sizes = state.equations->sizes();
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  std::vector<std::string> roles(of_velocities ? sizes.nv : sizes.nq);
  const Eigen::MatrixXd& drift = found.symmetry.drift;
  for (int i = 0; i < sizes.nv; ++i) {
    const bool is_free = of_velocities ? found.undetermined_velocities[i] : found.undetermined_positions[i];
    const double speed = found.y[sizes.nq + i];
    std::string role = is_free ? "any" : "";
    if (!of_velocities && drift.row(i).norm() > 0 && speed != 0) role = "drifts";
    const int width = coordinates[i].motion == Motion::kTurn ? 4 : 1;
    if (of_velocities)
      roles[i] = role;
    else
      for (int k = 0; k < width; ++k)
        if (roles[coordinates[i].q + k].empty()) roles[coordinates[i].q + k] = role;
  }
  return roles;
}

std::string describe(const SteadyState& state) {
  const Equilibrium& found = state.equilibrium;
  std::string text = found.is_at_rest() ? "at rest" : "steady motion";
  if (found.turn.norm() > 0)
    text += fmt::format(", turning at {:.6g} rad/s about ({:.4g}, {:.4g}, {:.4g})", found.turn.norm(),
                        found.turn[0] / found.turn.norm(), found.turn[1] / found.turn.norm(),
                        found.turn[2] / found.turn.norm());
  if (found.push.size() > 0 && found.push.lpNorm<Eigen::Infinity>() > 1e-12) {
    Eigen::Index i = 0;
    found.vdot.cwiseAbs().maxCoeff(&i);
    text += fmt::format(", accelerating steadily: {:.6g} {}/s2 of {}", found.vdot[i],
                        is_rotary(list_coordinates(state.model)[i].motion) ? "rad" : "m",
                        list_coordinates(state.model)[i].position);
  }
  return text;
}

void print_table(const StateNames& names, const SteadyState& state) {
  const Equilibrium& found = state.equilibrium;
  const auto nq = static_cast<int>(names.q.size());
  const int width = std::max(calc_width(names.q), calc_width(names.v));
  fmt::print(stderr, "{:<{}}  {:>14} {:>14}\n", "", width, "start", "equilibrium");
  const auto print = [&](const std::string& name, const std::string& role, int i) {
    fmt::print(stderr, "{:<{}}  {:>14.8g} {:>14.8g} {:<6} {}\n", name, width, state.guess[i], found.y[i],
               names.unit(name), role);
  };
  const std::vector<std::string> of_q = name_roles(state, false), of_v = name_roles(state, true);
  for (int i = 0; i < nq; ++i) print(names.q[i], of_q[i], i);
  for (int i = 0; i < static_cast<int>(names.v.size()); ++i) print(names.v[i], of_v[i], nq + i);
}

std::vector<std::string> name_chosen(const std::vector<std::string>& names,
                                     const std::vector<std::string>& roles) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!roles[i].empty()) chosen.push_back(names[i]);
  return chosen;
}

Json make_json(const StateNames& names, const SteadyState& state, double acceleration) {
  const Equilibrium& found = state.equilibrium;
  const auto nq = static_cast<int>(names.q.size());
  Json q = Json::object(), v = Json::object(), loads = Json::object();
  for (int i = 0; i < nq; ++i) q[names.q[i]] = found.y[i];
  for (int i = 0; i < static_cast<int>(names.v.size()); ++i) v[names.v[i]] = found.y[nq + i];
  for (int i = 0; i < found.lambda.size(); ++i) loads[state.equations->row_name(i)] = found.lambda[i];
  return {{"haltere", version()},
          {"model", state.model.name},
          {"case", state.model.case_name},
          {"at_rest", found.is_at_rest()},
          {"q", q},
          {"v", v},
          {"turn", to_json(found.turn)},
          {"multipliers", loads},
          {"residual", found.residual},
          {"acceleration_left", acceleration},
          {"iterations", found.iterations},
          {"settled", found.settled},
          {"not_determined",
           {{"q", name_chosen(names.q, name_roles(state, false))},
            {"v", name_chosen(names.v, name_roles(state, true))}}},
          {"notes", found.notes}};
}

int find(const EquilibriumArguments& a) {
  const Model model = a.steady.model.read();
  require_outputs({a.json, a.output}, model.files);
  print_warnings(model);
  make_equations(a.formulation, model);  // refuses what it does not know before anything is computed
  const std::unique_ptr<SteadyState> state = require_steady_state(model, a.steady.options);
  const Equilibrium& found = state->equilibrium;
  const StateNames names(*state->equations);
  const double acceleration = check_steadiness(*state, a.formulation);
  print_table(names, *state);
  fmt::print(stderr, "{}\n", describe(*state));
  fmt::print(stderr,
             "{} iterations{}; residual {:.1e} of the largest load; accelerations left in {}: {:.1e}\n",
             found.iterations, found.settled ? " (sunk as in honey)" : "", found.residual, a.formulation,
             acceleration);
  for (const std::string& note : found.notes) fmt::print(stderr, "note: {}\n", note);
  if (!a.json.empty()) write_json(make_json(names, *state, acceleration), a.json);
  if (a.output.empty() && a.json == "-") return kSuccess;
  const Sizes sizes = state->equations->sizes();
  write_output(a.output.empty() ? "-" : a.output,
               make_initial_text(model, sizes.q(found.y), sizes.v(found.y)));
  return kSuccess;
}

}  // namespace

void add_equilibrium(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("equilibrium", "where the machine rests, or moves steadily");
  const auto a = std::make_shared<EquilibriumArguments>();
  a->steady.add_to(verb);
  verb->add_option("--formulation", a->formulation, "whose accelerations check the result")
      ->type_name("NAME");
  verb->add_option("--json", a->json, "all that was found as JSON; - is stdout")->type_name("FILE");
  verb->add_option("-o,--output", a->output, "the `initial:` block, instead of stdout")->type_name("FILE");
  verb->footer(
      "The equilibrium nearest to the initial state; with initial velocities the nearest steady motion, "
      "straight\n"
      "or in a circle about the vertical. Coordinates that the equations do not notice may drift, and are "
      "marked;\n"
      "`any`: every value would do, this one is nearest to the start.\n"
      "Examples:\n"
      "  haltere equilibrium x-hale\n"
      "  haltere equilibrium double-pendulum --settle\n"
      "  haltere equilibrium heavy-top --case precession\n"
      "stdout is an `initial:` block for the model file; stderr says the rest.");
  verb->callback([=] { *action = [=] { return find(*a); }; });
}

}  // namespace haltere
