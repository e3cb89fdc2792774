#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/output_file.h"
#include "app/state_names.h"
#include "app/steady_arguments.h"

#include "haltere/analysis/steady_air.h"
#include "haltere/io/model/initial_text.h"
#include "haltere/io/result/analysis_json.h"

namespace haltere {
namespace {

struct EquilibriumArguments {
  SteadyArguments steady;
  std::string formulation = "recursive", json, output;
};

const char* to_word(SteadyRole role) {
  return role == SteadyRole::kAny ? "any" : role == SteadyRole::kDrifts ? "drifts" : "";
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
  const auto print = [&](const std::string& name, const char* role, int i) {
    fmt::print(stderr, "{:<{}}  {:>14.8g} {:>14.8g} {:<6} {}\n", name, width, state.guess[i], found.y[i],
               names.unit(name), role);
  };
  const SteadyRoles roles = calc_roles(state);
  for (int i = 0; i < nq; ++i) print(names.q[i], to_word(roles.q[i]), i);
  for (int i = 0; i < static_cast<int>(names.v.size()); ++i) print(names.v[i], to_word(roles.v[i]), nq + i);
}

void print_air(const SteadyAir& air) {
  const TunnelReading& r = air.reading;
  fmt::print(
      stderr,
      "\nsettled air: {:.6g} m/s, q {:.6g} Pa, S {:.6g} m2, b {:.6g} m, c {:.6g} m; moments about ({:.6g}, "
      "{:.6g}, {:.6g}) m\n{:>12} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
      r.stream.norm(), r.dynamic_pressure, r.area, r.span, r.chord, r.reference[0], r.reference[1],
      r.reference[2], "", "CL", "CD", "CY", "Cl", "Cm", "Cn");
  const auto print = [](std::string_view name, const AirCoefficients& c) {
    fmt::print(stderr, "{:>12}", name);
    for (const double x : {c.CL, c.CD, c.CY, c.Cl, c.Cm, c.Cn})
      fmt::print(stderr, " {:>11.6f}", std::abs(x) < 5e-7 ? 0. : x);  // no minus before zeros
    fmt::print(stderr, "\n");
  };
  print("all", r.total);
  if (r.surfaces.size() > 1)
    for (std::size_t i = 0; i < r.surfaces.size(); ++i) print(air.surfaces[i], r.surfaces[i]);
  for (std::size_t k = 0; k < TunnelReading::kVariables.size(); ++k)
    print(fmt::format("d/d{}", TunnelReading::kVariables[k]), r.derivatives[k]);
  fmt::print(stderr, "{:>12} {:>11} {:>11.6f}   (Trefftz)\n", "far field", "", r.CD_far);
}

int find(const EquilibriumArguments& a) {
  const Model model = a.steady.model.read();
  require_outputs({a.json, a.output}, model.files);
  print_warnings(model);
  make_equations(a.formulation, model);  // refuses what it does not know before anything is computed
  const std::unique_ptr<SteadyState> state = require_steady_state(model, a.steady.options);
  const Equilibrium& found = state->equilibrium;
  const StateNames names(*state->equations);
  const double acceleration = calc_acceleration_left(*state, a.formulation);
  const std::optional<SteadyAir> air = measure_steady_air(*state);
  print_table(names, *state);
  fmt::print(stderr, "{}\n", describe(*state));
  fmt::print(stderr,
             "{} iterations{}; residual {:.1e} of the largest load; accelerations left in {}: {:.1e}\n",
             found.iterations, found.settled ? " (sunk as in honey)" : "", found.residual, a.formulation,
             acceleration);
  for (const std::string& note : found.notes) fmt::print(stderr, "note: {}\n", note);
  if (air) print_air(*air);
  if (!a.json.empty())
    write_output(a.json, make_equilibrium_json(names, *state, acceleration, air ? &*air : nullptr));
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
      "  haltere equilibrium wing --case swept      coefficients and derivatives of a wing that is held in "
      "wind\n"
      "stdout is an `initial:` block for the model file; stderr says the rest.");
  verb->callback([=] { *action = [=] { return find(*a); }; });
}

}  // namespace haltere
