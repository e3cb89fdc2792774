#pragma once

#include <vector>

#include "haltere/math/semidefinite.h"

namespace haltere {

// Eigen's indexed views copy their indices: no use where nothing may be allocated.
/// part = all[rows]
inline void gather(ConstRef all, const std::vector<int>& rows, Ref part) {
  for (std::size_t i = 0; i < rows.size(); ++i) part[static_cast<Eigen::Index>(i)] = all[rows[i]];
}
/// all[rows] = part, and 0 elsewhere
inline void scatter(ConstRef part, const std::vector<int>& rows, Ref all) {
  all.setZero();
  for (std::size_t i = 0; i < rows.size(); ++i) all[rows[i]] = part[static_cast<Eigen::Index>(i)];
}

/// What rows feel of each other, Phi = A M^-1 A^T: small, dense, perhaps singular. Forces and velocities are
/// solved for with all rows, positions with the holonomic ones alone: a wheel that is lifted onto its plane
/// need not roll there.
class RowSystem {
 public:
  /// `position_rows`: those that are holonomic.
  void resize(int n_rows, std::vector<int> position_rows);

  Eigen::MatrixXd Phi;    // to be filled before factor()
  Eigen::VectorXd sizes;  // of its diagonal, see SemidefiniteSolver
  void factor();
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
  void solve(Ref x) { all_.solve(x); }  // r in, x out
  /// The same; nonholonomic rows ask for nothing and carry nothing.
  void solve_positions(Ref x);
  std::vector<int> find_dependent() const { return SemidefiniteSolver::find_dependent(Phi, sizes); }

 private:
  std::vector<int> position_rows_;
  SemidefiniteSolver all_, positions_;
  bool is_factored_ = false;  // positions_
  Eigen::MatrixXd position_Phi_;
  Eigen::VectorXd position_sizes_, part_;
};

}  // namespace haltere
