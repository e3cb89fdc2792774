#include "haltere/math/secant_iteration.h"

#include <gtest/gtest.h>

namespace haltere {
namespace {

/// x = B x + c with eigenvalues of B of 0.9, -3 and 0.2: plain iteration goes off.
struct Affine {
  Eigen::Matrix3d B = (Eigen::Matrix3d() << 0.9, 1, 0, 0, -3, 0.5, 0, 0, 0.2).finished();
  Eigen::Vector3d c{1, 2, 3};
  Eigen::VectorXd operator()(const Eigen::VectorXd& x) const { return B * x + c; }
  Eigen::VectorXd solution() const {
    // (1 - B) x = c from the last row up
    const double z = 3 / 0.8, y = (2 + 0.5 * z) / 4, x = (1 + y) / 0.1;
    return Eigen::Vector3d(x, y, z);
  }
};

int count_iterations(const Affine& h, SecantIteration* secants, Eigen::VectorXd x,
                     const Eigen::VectorXd& end) {
  secants->begin();
  for (int i = 1; i < 50; ++i) {
    x = secants->calc_next(x, h(x));
    if ((x - end).norm() < 1e-12 * end.norm()) return i;
  }
  return 50;
}

// analytic: three differences tell all of a linear map of three unknowns, whatever its size
TEST(SecantIteration, SolvesWhatIsLinearInAsManyStepsAsItHasUnknowns) {
  SecantIteration secants;
  const Affine h;
  EXPECT_LE(count_iterations(h, &secants, Eigen::Vector3d::Zero(), h.solution()), 5);
}

TEST(SecantIteration, KnowsTheNextProblemFromTheOneBefore) {
  SecantIteration secants;
  Affine h;
  count_iterations(h, &secants, Eigen::Vector3d::Zero(), h.solution());
  EXPECT_LE(count_iterations(h, &secants, Eigen::Vector3d(5, -1, 2), h.solution()), 2);
}

// it is used to stay where it is at a solution
TEST(SecantIteration, StaysAtASolution) {
  SecantIteration secants;
  const Affine h;
  const Eigen::VectorXd end = h.solution();
  count_iterations(h, &secants, Eigen::Vector3d::Zero(), end);
  EXPECT_NEAR((secants.calc_next(end, h(end)) - end).norm(), 0, 1e-12 * end.norm());
}

}  // namespace
}  // namespace haltere
