#pragma once

#include <functional>
#include <memory>

#include <Eigen/Core>

namespace haltere {

/// Solves A x = b where it is known what A does, and an approximation P of A^-1: the method of generalised minimal
/// residuals (a Krylov method) with P on the left. Asks for memory the first time alone.
class Gmres {
 public:
  using Vector = Eigen::Map<Eigen::VectorXd>;
  using ConstVector = Eigen::Map<const Eigen::VectorXd>;
  using Operator = std::function<void(const ConstVector& x, Vector out)>;

  Gmres();
  ~Gmres();
  Gmres(const Gmres&);  // nothing is kept from one solution to the next
  Gmres& operator=(const Gmres&);

  /// Begins at x. Whether |P (b - A x)| came to `part` of |P b| within `most` steps; A and P are linear.
  bool solve(const Operator& A, const Operator& P, const Eigen::VectorXd& b, double part, int most,
             Eigen::VectorXd* x);
  int steps() const { return steps_; }  // of the last time

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
  int steps_ = 0;
};

}  // namespace haltere
