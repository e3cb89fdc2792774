#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/linear_model.h"
#include "app/output_file.h"
#include "app/quantity.h"
#include "app/wrong_input.h"

#include "haltere/analysis/riccati.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

struct LqrArguments {
  LinearArguments linear;
  std::vector<std::string> q, r;
  std::string output;
};

/// NAME=VALUE for each name or glob, 0 or more.
Eigen::VectorXd read_weights(const std::vector<std::string>& texts, const char* option,
                             const std::vector<std::string>& names, double otherwise) {
  Eigen::VectorXd weights =
      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(names.size()), texts.empty() ? otherwise : 0);
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos)
      throw wrong_input(option, fmt::format("'{}' has no value", text), "write NAME=VALUE");
    const std::string glob = text.substr(0, sign);
    const double value = read_quantity(option, text.substr(sign + 1), "");
    if (!(value >= 0)) throw wrong_input(option, fmt::format("'{}' must not be negative", text));
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (matches_glob(glob, names[i])) {
        weights[static_cast<Eigen::Index>(i)] = value;
        found = true;
      }
    if (!found) {
      std::string hint = hint_for_glob(glob, names);
      if (hint.empty()) hint = fmt::format("there are {}", fmt::join(names, ", "));
      throw wrong_input(option, fmt::format("nothing is called '{}'", glob), hint);
    }
  }
  return weights;
}

/// Values of the states at the equilibrium; turns are deviations by themselves.
std::vector<double> read_states(const StateSpace& system, const SteadyState& state) {
  const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
  const int nq = state.equations->sizes().nq;
  std::vector<double> values;
  for (const std::string& name : system.states) {
    double value = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (coordinates[i].position == name && coordinates[i].motion != Motion::kTurn)
        value = state.equilibrium.y[coordinates[i].q];
      if (coordinates[i].velocity == name) value = state.equilibrium.y[nq + static_cast<int>(i)];
    }
    values.push_back(value);
  }
  return values;
}

/// `forces:` of a model file: each input with its gains and what makes it zero at the equilibrium.
std::string write_forces(const StateSpace& system, const LinearRegulator& regulator, const SteadyState& state,
                         const std::vector<InputCoordinate>& inputs) {
  const std::vector<double> values = read_states(system, state);
  const double largest = regulator.K.size() > 0 ? regulator.K.cwiseAbs().maxCoeff() : 0;
  std::string text = "forces:\n";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const JointSpec& joint = state.model.joints[inputs[i].joint];
    const std::string coordinate =
        joint.nv() > 1 ? fmt::format("{}.{}", joint.name(), inputs[i].coordinate) : joint.name();
    std::string gains;
    double offset = 0;
    for (std::size_t k = 0; k < system.states.size(); ++k) {
      const double gain = -regulator.K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      if (std::abs(gain) <= 1e-12 * largest) continue;
      const bool is_turn = system.states[k].find(".turn.") != std::string::npos;
      gains += fmt::format("      {}{}: {}{}\n", is_turn ? "# " : "", system.states[k], gain,
                           is_turn ? "  # no signal: replace it by a formula of the orientation" : "");
      offset -= gain * values[k];
    }
    text += fmt::format("  regulator{}:\n    kind: feedback\n    joint: {}\n", i + 1, coordinate);
    text += gains.empty() ? "    gains: {}\n" : "    gains:\n" + gains;
    if (offset != 0) text += fmt::format("    offset: {}\n", offset);
  }
  return text;
}

int make_regulator(const LqrArguments& a) {
  if (!a.output.empty()) require_writable(a.output);
  const Model model = a.linear.steady.model.read();
  print_warnings(model);
  const std::unique_ptr<SteadyState> state = require_steady_state(a.linear.steady, model);
  const Linearization linearization = make_linear_model(a.linear, *state);
  if (linearization.inputs.empty())
    throw wrong_input(model.name, "has no input: no coordinate is driven",
                      "name one by --input joint.NAME.torque");
  const StateSpace system = make_state_space(linearization);
  const Eigen::VectorXd q = read_weights(a.q, "--q", system.states, 1),
                        r = read_weights(a.r, "--r", system.inputs, 1);
  if (!(r.minCoeff() > 0))
    throw wrong_input("--r", "every input must cost something", "give all of them a value");
  const LinearRegulator regulator = calc_regulator(system.A, system.B, q.asDiagonal(), r.asDiagonal());
  if (!regulator.failure.empty())
    throw RunError(regulator.failure + "\n  try: --q for fewer states, or more --input");
  fmt::print(stderr, "eigenvalues of the closed loop [1/s]:");
  for (const std::complex<double>& x : regulator.eigenvalues) {
    if (x.imag() < 0) continue;
    fmt::print(stderr, " {:.5g}", x.real());
    if (x.imag() > 0) fmt::print(stderr, " +- {:.5g} i", x.imag());
  }
  fmt::print(stderr, "\nresidual of the Riccati equation: {:.1e}\n", regulator.residual);
  if (regulator.n_unseen > 0)
    fmt::print(stderr, "note: {} directions of the state cost nothing and are left alone\n",
               regulator.n_unseen);
  write_output(a.output.empty() ? "-" : a.output,
               write_forces(system, regulator, *state, linearization.inputs));
  return kSuccess;
}

}  // namespace

void add_lqr(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("lqr", "the feedback that keeps an equilibrium at least cost");
  const auto a = std::make_shared<LqrArguments>();
  a->linear.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, auto* list) {
    verb->add_option(option, *list, what)->type_name("NAME=VALUE")->expected(1)->take_all();
  };
  add_list("--q", "cost of the square of a state, SI; all 1 where none is given, else 0 for the others",
           &a->q);
  add_list("--r", "cost of the square of an input, SI; 1 by default", &a->r);
  verb->add_option("-o,--output", a->output, "the `forces:` block, instead of stdout")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere lqr cart-pole --set initial.hinge=0 --input joint.track.force --q joint.hinge.angle=10 --q "
      "joint.track.position=1\n"
      "stdout is a `forces:` block for the model file; stderr says the rest.");
  verb->callback([=] { *action = [=] { return make_regulator(*a); }; });
}

}  // namespace haltere
