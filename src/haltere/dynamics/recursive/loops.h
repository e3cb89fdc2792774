#pragma once

#include <memory>

#include "haltere/dynamics/recursive/response.h"
#include "haltere/dynamics/row_system.h"

namespace haltere {

/// Constraints on top of the tree. What their rows feel of each other through it, Phi = A M^-1 A^T (the
/// Delassus matrix), is sparse where loops stand side by side:
///   Phi lambda = A vdot_tree + bias - wanted,      M vdot = f - A^T lambda.        theory.md (E13), (E1)
class Loops {
 public:
  explicit Loops(const RecursiveSystem<double>& system);

  /// After calc_hybrid_dynamics(): Phi and its factors.
  void factor(const RecursiveSystem<double>& system, const Scene<double>& scene,
              RecursiveWorkspace<double>* work);
  /// Multipliers, and their part of all accelerations and loads. `wanted`: second derivatives of the rows.
  void solve(const RecursiveSystem<double>& system, const Eigen::VectorXd& wanted,
             RecursiveWorkspace<double>* work);
  /// The least dv (all coordinates of the tree), in the sense of dv^T M dv, with A dv = r: theory.md (E22).
  const Eigen::VectorXd& calc_change(const RecursiveSystem<double>& system,
                                     const RecursiveWorkspace<double>& work, ConstRef r);
  /// The same for the position rows alone.
  const Eigen::VectorXd& calc_position_change(const RecursiveSystem<double>& system,
                                              const RecursiveWorkspace<double>& work, ConstRef r);
  /// Residuals of all rows; of nonholonomic ones g is 0.
  void calc_drift(const Scene<double>& scene, const RecursiveWorkspace<double>& work, Ref g, Ref gdot) const;

  /// As response->calc() of the machine with its loops.
  void respond(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
               Response* response);
  /// The same, on top of what solve() found.
  void add_response(const RecursiveSystem<double>& system, Response* response,
                    RecursiveWorkspace<double>* work);

  const Eigen::VectorXd& lambda() const { return lambda_; }
  RowSystem& rows() { return phi_; }

 private:
  void update_blocks(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work);
  void update_columns(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work);
  void add_loads(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                 const Eigen::VectorXd& multipliers, double sign);
  void calc_row_accelerations(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                              const std::vector<Spatial<double>>& A, Eigen::Ref<Eigen::VectorXd> out) const;

  const Eigen::VectorXd& answer(const RecursiveSystem<double>& system,
                                const RecursiveWorkspace<double>& work);  // to the loads in unit_

  Response response_;
  RowPaths paths_;
  RowSystem phi_;
  SmallMatrix block_;
  Eigen::VectorXd lambda_, unit_, column_;
  Eigen::VectorXd answer_;                  // of respond(): multipliers ...
  std::vector<Spatial<double>> own_loads_;  // ... and wrenches on the nodes, with those of rows
};

}  // namespace haltere
