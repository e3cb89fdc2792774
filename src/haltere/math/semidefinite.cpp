#include "haltere/math/semidefinite.h"

#include <Eigen/QR>

namespace haltere {
namespace {

// Added to the scaled matrix. An eigenvalue x comes out as x / (1 - (e / (x + e))^6), e = kAdded: to rounding
// down to x = 1e-3, to 1e-12 at 1e-4, and much smaller ones are passed over. A machine that goes through a
// singular position would otherwise be thrown by what its constraints are off: a deviation is amplified by
// about 1 / sqrt(e) at most. In return the motion lacks about e of its acceleration for the short time of the
// passage. 1e-6: of 1e-8 ... 1e-5 the only one with which the parallelogram of tests/validation keeps to 1e-7
// in all formulations and methods tried.
constexpr double kAdded = 1e-6;
constexpr int kRefinements = 5;
// of the largest pivot: below it a scaled row is a combination of others
constexpr double kDependent = 1e-9;

// of the scaled matrix: differences of its triangles that are more than rounding; below it refinement takes
// them away
constexpr double kUnsymmetric = 1e-9;

// of the size of a diagonal entry: below it, it is rounding
constexpr double kNothing = 1e-11;

void calc_scale(const Eigen::MatrixXd& P, const Eigen::VectorXd& sizes, Eigen::VectorXd* scale) {
  *scale = P.diagonal();
  for (int i = 0; i < scale->size(); ++i) {
    const double size = (*scale)[i] > kNothing * sizes[i] ? (*scale)[i] : sizes[i];
    (*scale)[i] = size > 0 ? 1 / std::sqrt(size) : 1;
  }
}

bool is_unsymmetric(const Eigen::MatrixXd& P) {
  for (int j = 0; j < P.cols(); ++j)
    for (int i = 0; i < j; ++i)
      if (std::abs(P(i, j) - P(j, i)) > kUnsymmetric) return true;
  return false;
}

}  // namespace

void SemidefiniteSolver::factor(const Eigen::MatrixXd& P, const Eigen::VectorXd& sizes) {
  calc_scale(P, sizes, &scale_);
  P_ = P;
  for (int j = 0; j < P.cols(); ++j) P_.col(j) = scale_[j] * P_.col(j).cwiseProduct(scale_);
  P_.diagonal().array() += kAdded;
  is_general_ = is_unsymmetric(P_);
  if (!is_general_) {
    factor_.compute(P_);
    is_general_ = factor_.info() != Eigen::Success;
  }
  if (is_general_) general_.compute(P_);
  P_.diagonal().array() -= kAdded;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void SemidefiniteSolver::solve(Ref x) {
  r_ = scale_.cwiseProduct(x);
  x_.setZero(r_.size());
  dx_ = r_;
  for (int i = 0;; ++i) {
    if (is_general_) {
      before_ = dx_;
      dx_ = general_.solve(before_);
    } else {
      factor_.solveInPlace(dx_);
    }
    x_ += dx_;
    if (i == kRefinements) break;
    dx_ = r_;
    dx_.noalias() -= P_ * x_;
  }
  x = scale_.cwiseProduct(x_);
}

std::vector<int> SemidefiniteSolver::find_dependent(const Eigen::MatrixXd& P, const Eigen::VectorXd& sizes) {
  if (P.size() == 0) return {};
  Eigen::VectorXd scale;
  calc_scale(P, sizes, &scale);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scale.asDiagonal() * P * scale.asDiagonal());
  qr.setThreshold(kDependent);
  std::vector<int> dependent;
  for (int i = static_cast<int>(qr.rank()); i < P.cols(); ++i)
    dependent.push_back(static_cast<int>(qr.colsPermutation().indices()[i]));
  std::sort(dependent.begin(), dependent.end());
  return dependent;
}

}  // namespace haltere
