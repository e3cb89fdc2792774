#pragma once

#include <utility>
#include <vector>

#include "haltere/dynamics/row_paths.h"
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

/// What rows feel of each other, Phi = A M^-1 A^T, theory.md (E13): sparse, perhaps singular. Known as the
/// Delassus matrix [delassus1917], or as the (negative) Schur complement of M in the KKT system [M A^T; A 0].
/// Solved as theory.md (E19), (E20). Forces and velocities are solved for with all rows, positions with the
/// holonomic ones alone: a wheel that is lifted onto its plane need not roll there.
class RowSystem {
 public:
  /// `coupled`: pairs of sets, see RowPaths; `position_rows`: those that are holonomic.
  void resize(const std::vector<RowSet>& sets, const std::vector<std::pair<int, int>>& coupled,
              std::vector<int> position_rows);

  // -- to be filled before factor()
  /// Rows of two sets, the k-th coupled pair: both triangles.
  void set_block(std::size_t k, const SmallMatrix& block);
  /// A column of Phi, all of its rows.
  void set_column(int column, const Eigen::VectorXd& values);
  Eigen::VectorXd sizes;  // of its diagonal, see SemidefiniteSolver

  int n_rows() const { return static_cast<int>(Phi_.rows()); }
  void factor();
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
  void solve(Ref x) { all_.solve(x); }  // r in, x out
  /// The same; nonholonomic rows ask for nothing and carry nothing.
  void solve_positions(Ref x);
  int count_weak() const { return all_.count_weak(); }  // after factor()
  /// After factor(), which must be called again.
  std::vector<int> find_dependent() { return all_.find_dependent(); }

 private:
  using Matrix = SemidefiniteSolver::Matrix;
  struct Pair {  // of sets: first rows, and where their entries begin in each column of the other
    int s, t, s_in_t, t_in_s;
  };
  void select_positions();

  Matrix Phi_;
  std::vector<Pair> pairs_;
  std::vector<int> position_rows_;
  SemidefiniteSolver all_, positions_;
  bool is_factored_ = false;  // positions_
  Matrix position_Phi_;
  std::vector<int> position_places_;  // of its entries in Phi_
  Eigen::VectorXd position_sizes_, part_;
};

}  // namespace haltere
