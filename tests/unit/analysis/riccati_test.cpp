#include "haltere/analysis/riccati.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;

// x" = u with cost x^2 + v^2 + u^2: P = [sqrt 3, 1; 1, sqrt 3], K = [1, sqrt 3]          (source: analytic)
TEST(Regulator, OfADoubleIntegrator) {
  const Matrix A{{0, 1}, {0, 0}}, B{{0}, {1}};
  const LinearRegulator found = calc_regulator(A, B, Matrix::Identity(2, 2), Matrix::Identity(1, 1));
  ASSERT_EQ(found.failure, "");
  EXPECT_NEAR(found.K(0, 0), 1, 1e-13);
  EXPECT_NEAR(found.K(0, 1), std::sqrt(3), 1e-13);
  EXPECT_NEAR(found.P(0, 0), std::sqrt(3), 1e-13);
  EXPECT_LT(found.residual, 1e-13);
}

// dx/dt = a x + b u: k = (a + sqrt(a^2 + b^2 q/r))/b                                       (source: analytic)
TEST(Regulator, OfOneUnstableState) {
  const Matrix A{{2}}, B{{3}}, Q{{5}}, R{{0.7}};
  const LinearRegulator found = calc_regulator(A, B, Q, R);
  EXPECT_NEAR(found.K(0, 0), (2 + std::sqrt(4 + 9 * 5 / 0.7)) / 3, 1e-13);
}

TEST(Regulator, LeavesAloneWhatCostsNothing) {
  // the position of a cart that only its speed pays for
  const Matrix A{{0, 1}, {0, 0}}, B{{0}, {1}}, Q{{0, 0}, {0, 4}};
  const LinearRegulator found = calc_regulator(A, B, Q, Matrix::Identity(1, 1));
  ASSERT_EQ(found.failure, "");
  EXPECT_EQ(found.n_unseen, 1);
  EXPECT_NEAR(found.K(0, 0), 0, 1e-14);
  EXPECT_NEAR(found.K(0, 1), 2, 1e-13);
}

TEST(Regulator, SaysWhereNoInputReaches) {
  const Matrix A{{1, 0}, {0, -1}}, B{{0}, {1}};
  EXPECT_NE(calc_regulator(A, B, Matrix::Identity(2, 2), Matrix::Identity(1, 1)).failure, "");
}

// b' = 0, a' = a + b + u: where b stands, a = -b rests; 2 P - P^2 + 1 = 0 for what is left (source: analytic)
TEST(Regulator, LeavesAloneWhatItCannotReachAndWhatDoesNotGrow) {
  const Matrix A{{0, 0}, {1, 1}}, B{{0}, {1}};
  const LinearRegulator found = calc_regulator(A, B, Matrix::Identity(2, 2), Matrix::Identity(1, 1));
  ASSERT_EQ(found.failure, "");
  EXPECT_EQ(found.n_unreached, 1);
  EXPECT_NEAR(found.K(0, 0), 1 + std::sqrt(2), 1e-13);
  EXPECT_NEAR(found.K(0, 1), 1 + std::sqrt(2), 1e-13);
}

// b' = 0, a' = b + c, c' = -c + u: with b, nothing rests without a steady u                (source: analytic)
TEST(Regulator, SaysWhereTheRestIsDrivenWithoutEnd) {
  const Matrix A{{0, 0, 0}, {1, 0, 1}, {0, 0, -1}}, B{{0}, {0}, {1}};
  EXPECT_THAT(calc_regulator(A, B, Matrix::Identity(3, 3), Matrix::Identity(1, 1)).failure,
              testing::HasSubstr("driven without end"));
}

}  // namespace
}  // namespace haltere
