#pragma once

#include <vector>

#include <Eigen/Core>

namespace haltere {

/// Finds x = h(x) where h is known by its values alone: Newton's method on what the differences of earlier values tell
/// of the residual h(x) - x, plain iteration in all other directions.
///   interface quasi-Newton with a least-squares model (IQN-ILS)                              [degroote2009]
/// Differences of the problem before serve the next one, which is near it. Entries must be of one size, for their sums of
/// squares are compared.
class SecantIteration {
 public:
  /// The next problem.
  void begin();
  /// After h(x) = hx: where to look next.
  Eigen::VectorXd calc_next(const Eigen::VectorXd& x, const Eigen::VectorXd& hx);

  template <class Archive>
  void visit_state(Archive& archive) {
    archive.grow(kept_);
    archive(n_);
  }

 private:
  int count() const { return n_ == 0 ? 0 : static_cast<int>(kept_.size()) / (2 * n_); }
  void keep(const Eigen::VectorXd& residual, const Eigen::VectorXd& value);

  std::vector<double>
      kept_;   // differences of residuals and of values, one pair after the other, the last ones last
  int n_ = 0;  // unknowns
  bool has_last_ = false;
  Eigen::VectorXd last_residual_, last_value_;
};

}  // namespace haltere
