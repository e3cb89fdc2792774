#pragma once

#include <string>
#include <vector>

#include "haltere/analysis/linear_model.h"
#include "haltere/analysis/riccati.h"

namespace haltere {

/// What a feedback is to keep small; NAME=VALUE, names or globs, as on the command line. The cost is the
/// integral of the sum of VALUE times the square of what is named.
struct RegulatorOptions {
  std::vector<std::string> q;  // of states and of `signal.NAME`; none: 1 for all states that stay
  std::vector<std::string> r;  // of inputs; 1 where it is not given
};

/// The feedback that is looked for: that of dx/dt = A x + B u at least cost.
struct RegulatorProblem {
  StateSpace system;
  Eigen::MatrixXd Q;
  Eigen::VectorXd q, r;            // weights of what can be named
  std::vector<std::string> notes;  // what was left out
};

/// InputError for names and weights that make no sense; RunError where the steady motion turns.
RegulatorProblem pose_regulator(const SteadyState& state, const Linearization& linearization,
                                const RegulatorOptions& options);

/// InputError where nothing costs anything, or an input nothing; a failed search is told in `failure`.
LinearRegulator calc_regulator(const RegulatorProblem& problem);

}  // namespace haltere
