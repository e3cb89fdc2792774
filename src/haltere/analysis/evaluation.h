#pragma once

#include <string>
#include <vector>

#include "haltere/dynamics/equations.h"

namespace haltere {

/// The equations of motion at one instant: M vdot = f - A^T lambda, A v + b = 0.
struct Evaluation {
  double t = 0;
  std::vector<std::string> rows;  // of A v + b = 0
  Eigen::VectorXd q, v, vdot, f, b;
  Eigen::MatrixXd M, A;
  Snapshot snapshot;
  std::vector<std::vector<std::string>> constraint_rows;  // names, of each of snapshot.constraints
  std::vector<std::string> notes;                         // on the state
};

/// At the state with which a run begins. RunError where the equations cannot be evaluated.
Evaluation evaluate_start(Equations* equations);
/// At any state (the work done in it does not matter); quaternions are made unit. Notes say which constraints
/// it does not obey.
Evaluation evaluate(double t, const Eigen::VectorXd& y, Equations* equations);

}  // namespace haltere
