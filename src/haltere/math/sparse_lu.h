#pragma once

#include <memory>
#include <vector>

#include "haltere/math/types.h"

namespace haltere {

/// Factors of a sparse matrix whose pattern stays. Rows and columns are scaled to entries of size one first,
/// so that steps of a method do not matter. The order of elimination is found once (KLU); after the first
/// factor() nothing takes memory, unless a pivot has become too small and is chosen anew. The last rows may
/// be those of constraints, [S A^T; A 0], and depend on each other: a little is subtracted from their
/// diagonal, and what nothing feels is taken out of the multipliers again. Rows that contradict each other
/// are then met as well as they can be, with loads that stay bounded.
class SparseLu {
 public:
  /// Row numbers of the entries of each column, ascending; those from `first_constraint` on have their
  /// diagonal.
  SparseLu(const std::vector<std::vector<int>>& columns, int first_constraint);
  ~SparseLu();
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;

  int size() const { return n_; }
  /// Values, column after column.
  std::vector<double>& values() { return values_; }
  int first(int column) const { return starts_[column]; }  // its first value
  int row(int entry) const { return rows_[entry]; }
  /// The value at a place of the pattern.
  double& at(int row, int column);
  /// Rows and columns in units of their own, so that all entries of a row can be compared. False where the
  /// matrix is singular.
  bool factor(const Eigen::VectorXd& row_units, const Eigen::VectorXd& column_units);
  bool chose_pivots() const { return chose_pivots_; }  // in the last factor()
  void solve(Ref b);
  /// Reciprocal condition of the scaled matrix, a cheap estimate.
  double calc_condition() const;

 private:
  struct Factors;
  double calc_scale(int i, double largest) const;
  void take_out_unfelt(Ref x);
  void scale(const Eigen::VectorXd& row_units, const Eigen::VectorXd& column_units);

  int n_ = 0;
  int first_constraint_;
  std::vector<int> starts_, rows_;
  std::vector<double> values_, scaled_;
  Eigen::VectorXd row_scale_, column_scale_;
  Eigen::VectorXd unfelt_;     // multipliers
  std::vector<int> diagonal_;  // entries of the rows of constraints
  bool chose_pivots_ = false;
  std::unique_ptr<Factors> factors_;
};

}  // namespace haltere
