#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "haltere/math/types.h"

namespace haltere {

/// Solves P x = r for a symmetric matrix that is not negative but may be singular, as long as r is in its
/// range: dependent constraint rows. Rows are scaled to a unit diagonal, a small multiple of 1 is added, and
/// the answer is refined against P itself: what P determines comes out to rounding, and x gets (almost)
/// nothing of what it does not. `sizes`: of what was added up in each diagonal entry, so that one which is
/// all rounding is seen as such. Where fluids make P unsymmetric, or not positive, the same is done with
/// factors that do not mind.
class SemidefiniteSolver {
 public:
  void factor(const Eigen::MatrixXd& P, const Eigen::VectorXd& sizes);
  void solve(Ref x);  // r in, x out
  /// Rows that depend on others, to rounding; found by pivoting.
  static std::vector<int> find_dependent(const Eigen::MatrixXd& P, const Eigen::VectorXd& sizes);

 private:
  Eigen::MatrixXd P_;      // scaled
  Eigen::VectorXd scale_;  // of rows
  Eigen::LLT<Eigen::MatrixXd> factor_;
  bool is_general_ = false;
  Eigen::PartialPivLU<Eigen::MatrixXd> general_;  // where it is
  Eigen::VectorXd r_, x_, dx_, before_;
};

}  // namespace haltere
