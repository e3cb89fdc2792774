#include "haltere/aero/lattice/leading_edge.h"

#include <numbers>

#include "haltere/math/dense.h"

namespace haltere {

/// sum_j gamma_j / (2 pi (x_i - x_j)) = U sin(alpha) at all points x_i of the segments x_j.
double calc_first_part(const std::vector<double>& sides) {
  const auto n = static_cast<Eigen::Index>(sides.size()) - 1;
  const auto at = [&](Eigen::Index i, double part) { return sides[i] + part * (sides[i + 1] - sides[i]); };
  Eigen::MatrixXd downwash(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      downwash(i, j) = 1 / (2 * std::numbers::pi * (at(i, 0.75) - at(j, 0.25)));
  DenseLu lu;
  lu.factor(downwash);
  const double chord = sides.back() - sides.front();
  return lu.solve(Eigen::VectorXd::Ones(n))[0] / (std::numbers::pi * chord);
}

}  // namespace haltere
