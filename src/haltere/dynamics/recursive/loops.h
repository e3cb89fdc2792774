#pragma once

#include <memory>

#include "haltere/dynamics/recursive/response.h"
#include "haltere/dynamics/row_system.h"

namespace haltere {

/// Constraints on top of the tree. The tree answers unit loads of each row in O(n); what the rows then feel
/// of each other, Phi = A M^-1 A^T, is small and dense:
///   Phi lambda = A vdot_tree + bias - wanted,      M vdot = f - A^T lambda.
class Loops {
 public:
  explicit Loops(const RecursiveSystem<double>& system);

  /// After calc_hybrid_dynamics(): Phi and its factors.
  void factor(const RecursiveSystem<double>& system, RecursiveWorkspace<double>* work);
  /// Multipliers, and their part of all accelerations and loads. `wanted`: second derivatives of the rows.
  void solve(const RecursiveSystem<double>& system, const Eigen::VectorXd& wanted,
             RecursiveWorkspace<double>* work);
  /// The least dv (all coordinates of the tree) with A dv = r.
  const Eigen::VectorXd& calc_change(const RecursiveSystem<double>& system,
                                     const RecursiveWorkspace<double>& work, ConstRef r);
  /// The same for the position rows alone.
  const Eigen::VectorXd& calc_position_change(const RecursiveSystem<double>& system,
                                              const RecursiveWorkspace<double>& work, ConstRef r);
  /// Residuals of all rows; of nonholonomic ones g is 0.
  void calc_drift(const RecursiveWorkspace<double>& work, Ref g, Ref gdot) const;

  const Eigen::VectorXd& lambda() const { return lambda_; }
  std::vector<int> find_dependent() const { return phi_.find_dependent(); }

 private:
  void add_loads(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                 const Eigen::VectorXd& multipliers, double sign);
  void calc_row_accelerations(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                              const std::vector<Spatial<double>>& A, Eigen::Ref<Eigen::VectorXd> out) const;

  const Eigen::VectorXd& answer(const RecursiveSystem<double>& system,
                                const RecursiveWorkspace<double>& work);  // to the loads in unit_

  Response response_;
  RowSystem phi_;
  Eigen::VectorXd lambda_, unit_;
};

}  // namespace haltere
