#include "haltere/math/secant_iteration.h"

#include <cstddef>

namespace haltere {
namespace {

// pairs of differences: what two or three iterations a step tell of the last steps; a choice
constexpr int kKept = 16;
// a difference of residuals that adds less than this part of itself to the later ones tells of rounding and curvature; a
// choice
constexpr double kNew = 1e-3;

}  // namespace

void SecantIteration::begin() {
  has_last_ = false;
}

void SecantIteration::keep(const Eigen::VectorXd& residual, const Eigen::VectorXd& value) {
  if (residual.isZero(0)) return;
  if (count() == kKept) kept_.erase(kept_.begin(), kept_.begin() + std::ptrdiff_t{2} * n_);
  kept_.insert(kept_.end(), residual.begin(), residual.end());
  kept_.insert(kept_.end(), value.begin(), value.end());
}

/// x+ = hx + dH c with the c that makes |r + dR c| least: Gram-Schmidt, from the latest difference back.
Eigen::VectorXd SecantIteration::calc_next(const Eigen::VectorXd& x, const Eigen::VectorXd& hx) {
  const Eigen::VectorXd residual = hx - x;
  if (n_ != residual.size()) kept_.clear();
  n_ = static_cast<int>(residual.size());
  if (has_last_) keep(residual - last_residual_, hx - last_value_);
  has_last_ = true;
  last_residual_ = residual;
  last_value_ = hx;

  Eigen::VectorXd next = hx, left = residual;
  std::vector<Eigen::VectorXd> directions, moves;
  for (int k = count() - 1; k >= 0; --k) {
    const double* own = kept_.data() + static_cast<std::ptrdiff_t>(2) * n_ * k;
    Eigen::VectorXd direction = Eigen::Map<const Eigen::VectorXd>(own, n_),
                    move = Eigen::Map<const Eigen::VectorXd>(own + n_, n_);
    const double size = direction.norm();
    for (int again = 0; again < 2; ++again)  // once more for what rounding left
      for (std::size_t i = 0; i < directions.size(); ++i) {
        const double part = directions[i].dot(direction);
        direction -= part * directions[i];
        move -= part * moves[i];
      }
    const double rest = direction.norm();
    if (!(rest > kNew * size)) continue;
    direction /= rest;
    move /= rest;
    const double part = direction.dot(left);
    left -= part * direction;
    next -= part * move;
    directions.push_back(direction);
    moves.push_back(move);
  }
  return next;
}

}  // namespace haltere
