#include "haltere/analysis/regulator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

constexpr double kMostWeight = 1e30;  // a choice: products of two of them are still far from overflow
constexpr double kNoRate = 1e-10;     // part of its terms below which a rate is none; a choice

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
  costs.advance = (costs.advance.array().abs() > kNoRate * sizes.array()).select(costs.advance, 0.);
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

/// Weights of what can be named. What changes steadily has none, and may not be given one.
Eigen::VectorXd read_costs(const std::vector<std::string>& texts, const Costs& costs, Eigen::Index n_states,
                           std::vector<std::string>* notes) {
  Eigen::VectorXd q = read_weights(texts, "--q", costs.names, 0);
  if (texts.empty()) q.head(n_states).setOnes();
  std::vector<std::string> left;
  for (std::size_t i = 0; i < costs.names.size(); ++i) {
    double& own = q[static_cast<Eigen::Index>(i)];
    if (costs.advance[static_cast<Eigen::Index>(i)] == 0 || own == 0) continue;
    if (!texts.empty())
      throw wrong_input("--q",
                        fmt::format("'{}' changes steadily: there is no value to keep it at", costs.names[i]),
                        "give weights to the others, or to a signal that stays: --q signal.NAME=1");
    left.push_back(costs.names[i]);
    own = 0;
  }
  if (!left.empty())
    notes->push_back(
        fmt::format("no value to keep in a steady motion, and no cost: {}", fmt::join(left, ", ")));
  return q;
}

}  // namespace

RegulatorProblem pose_regulator(const SteadyState& state, const Linearization& linearization,
                                const RegulatorOptions& options) {
  require_no_states(state.model, "a regulator");
  if (state.equilibrium.turn.norm() > 0)
    throw RunError(
        "the steady motion turns, and a feedback of world axes would not turn with it: there is no "
        "regulator\n"
        "  try: an equilibrium, or a motion straight on (--set, --keep)");
  RegulatorProblem problem{.system = make_state_space(linearization), .Q = {}, .q = {}, .r = {}, .notes = {}};
  problem.r = read_weights(options.r, "--r", problem.system.inputs, 1);
  const Costs costs = list_costs(problem.system, linearization, state);
  problem.q = read_costs(options.q, costs, problem.system.A.rows(), &problem.notes);
  problem.Q = costs.slopes.transpose() * problem.q.asDiagonal() * costs.slopes;
  return problem;
}

LinearRegulator calc_regulator(const RegulatorProblem& problem) {
  if (!(problem.q.maxCoeff() > 0))
    throw wrong_input("--q", "nothing costs anything: there is nothing to regulate",
                      "give a state a weight above 0");
  if (!(problem.r.minCoeff() > 0))
    throw wrong_input("--r", "every input must cost something", "give all of them a value");
  return calc_regulator(problem.system.A, problem.system.B, problem.Q, problem.r.asDiagonal());
}

}  // namespace haltere
