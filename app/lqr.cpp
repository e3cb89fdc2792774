#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/analysis_verbs.h"
#include "app/closed_loop.h"
#include "app/linear_arguments.h"
#include "app/output_file.h"
#include "app/regulator_text.h"

#include "haltere/analysis/riccati.h"
#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

constexpr double kMostWeight = 1e30;
constexpr double kRounding = 1e-10;  // part of its terms below which a rate is none

struct LqrArguments {
  LinearArguments linear;
  std::vector<std::string> q, r;
  std::string output;
};

/// What costs can be given to: states, then signals of the model.
struct Costs {
  std::vector<std::string> names;
  Eigen::MatrixXd slopes;   // by the states, one row a name
  Eigen::VectorXd advance;  // in the steady motion, where there is no value to keep them at
};

Costs list_costs(const StateSpace& system, const Linearization& linearization, const SteadyState& state) {
  const auto n = static_cast<Eigen::Index>(system.states.size());
  const Eigen::VectorXd rates = calc_advance(state);
  Eigen::VectorXd advance = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k)
    for (std::size_t i = 0; i < linearization.positions.size(); ++i)
      if (system.states[k] == linearization.positions[i]) advance[k] = rates[static_cast<Eigen::Index>(i)];
  std::vector<Eigen::Index> signals;
  for (std::size_t i = 0; i < system.outputs.size(); ++i)
    if (system.outputs[i].starts_with("signal.")) signals.push_back(static_cast<Eigen::Index>(i));
  Costs costs{system.states, Eigen::MatrixXd::Identity(n, n), {}};
  costs.slopes.conservativeResize(n + static_cast<Eigen::Index>(signals.size()), n);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    costs.names.push_back(system.outputs[signals[i]]);
    costs.slopes.row(n + static_cast<Eigen::Index>(i)) = system.C.row(signals[i]);
  }
  const Eigen::VectorXd sizes = costs.slopes.cwiseAbs() * advance.cwiseAbs();
  costs.advance = costs.slopes * advance;
  costs.advance = (costs.advance.array().abs() > kRounding * sizes.array()).select(costs.advance, 0.);
  return costs;
}

/// NAME=VALUE for each name or glob, 0 or more; those that are not named have `otherwise`.
Eigen::VectorXd read_weights(const std::vector<std::string>& texts, const char* option,
                             const std::vector<std::string>& names, double otherwise) {
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(names.size()), otherwise);
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos)
      throw wrong_input(option, fmt::format("'{}' has no value", text), "write NAME=VALUE");
    const std::string glob = text.substr(0, sign);
    const double value = read_quantity(option, text.substr(sign + 1), "");
    if (!(value >= 0)) throw wrong_input(option, fmt::format("'{}' must not be negative", text));
    if (value > kMostWeight || (value > 0 && value < 1 / kMostWeight))
      throw wrong_input(option, fmt::format("'{}' is beyond what can be computed with", text),
                        "weights are squares of units: 1e-30 to 1e30");
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

/// Weights of the states, as a matrix. What changes steadily has none, and may not be given one.
Eigen::MatrixXd read_costs(const LqrArguments& a, const Costs& costs, Eigen::Index n_states) {
  Eigen::VectorXd q = read_weights(a.q, "--q", costs.names, 0);
  if (a.q.empty()) q.head(n_states).setOnes();
  std::vector<std::string> left;
  for (std::size_t i = 0; i < costs.names.size(); ++i) {
    double& own = q[static_cast<Eigen::Index>(i)];
    if (costs.advance[static_cast<Eigen::Index>(i)] == 0 || own == 0) continue;
    if (!a.q.empty())
      throw wrong_input("--q",
                        fmt::format("'{}' changes steadily: there is no value to keep it at", costs.names[i]),
                        "give weights to the others, or to a signal that stays: --q signal.NAME=1");
    left.push_back(costs.names[i]);
    own = 0;
  }
  if (!left.empty())
    fmt::print(stderr, "note: no value to keep in a steady motion, and no cost: {}\n", fmt::join(left, ", "));
  if (!(q.maxCoeff() > 0))
    throw wrong_input("--q", "nothing costs anything: there is nothing to regulate",
                      "give a state a weight above 0");
  return costs.slopes.transpose() * q.asDiagonal() * costs.slopes;
}

void print_regulator(const LinearRegulator& regulator) {
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
  if (regulator.n_unreached > 0)
    fmt::print(stderr, "note: {} directions of the state are not reached by the inputs and are left alone\n",
               regulator.n_unreached);
}

int make_regulator(const LqrArguments& a) {
  const Model model = a.linear.steady.model.read();
  require_outputs({a.output}, model.files);
  print_warnings(model);
  const std::unique_ptr<SteadyState> state = require_steady_state(model, a.linear.steady.options);
  const Linearization linearization = linearize(*state, a.linear.options);
  if (linearization.inputs.empty())
    throw wrong_input(model.name, "has no input: no coordinate is driven",
                      "name one by --input joint.NAME.torque");
  if (a.linear.options.formulation != "recursive")
    throw wrong_input("--formulation", "a regulator feeds joint coordinates back", "leave it out");
  if (state->equilibrium.turn.norm() > 0)
    throw RunError(
        "the steady motion turns, and a feedback of world axes would not turn with it: there is no "
        "regulator\n"
        "  try: an equilibrium, or a motion straight on (--set, --keep)");
  const StateSpace system = make_state_space(linearization);
  const Eigen::VectorXd r = read_weights(a.r, "--r", system.inputs, 1);
  const Eigen::MatrixXd Q = read_costs(a, list_costs(system, linearization, *state), system.A.rows());
  if (!(r.minCoeff() > 0))
    throw wrong_input("--r", "every input must cost something", "give all of them a value");
  const LinearRegulator regulator = calc_regulator(system.A, system.B, Q, r.asDiagonal());
  if (!regulator.failure.empty())
    throw RunError(regulator.failure + "\n  try: --q for fewer states, or more --input");
  print_regulator(regulator);
  const std::string text = write_regulator(system, regulator.K, linearization, *state);
  fmt::print(stderr, "{}\n", check_closed_loop(text, a.linear, *state));
  write_output(a.output.empty() ? "-" : a.output, text);
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
  add_list("--q",
           "cost of the square of a state or signal.NAME, SI; where none is given 1 for all states, but for "
           "those that change steadily; else 0 for the others",
           &a->q);
  add_list("--r", "cost of the square of an input, SI; 1 where it is not given", &a->r);
  verb->add_option("-o,--output", a->output, "the `forces:` block, instead of stdout")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere lqr cart-pole --set initial.hinge=0 --input joint.track.force --q joint.hinge.angle=10 --q "
      "joint.track.position=1\n"
      "stdout is a `forces:` block for the model file, with `signals:` where a body that it reads names no "
      "Euler "
      "angles;\n"
      "stderr says the rest. Before it is written it is read back with\n"
      "the model, linearised, and run for some time constants; where the machine does not stay the exit "
      "status "
      "is 1 and\n"
      "nothing is written. Turns of a body that spins are read on one that does not.");
  verb->callback([=] { *action = [=] { return make_regulator(*a); }; });
}

}  // namespace haltere
