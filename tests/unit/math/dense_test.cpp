#include "haltere/math/dense.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "haltere/math/complex_dense.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double kPart = 1e-12;      // of the largest: what counts as nothing
constexpr double kRounding = 1e-13;  // some hundred last bits: a few operations on numbers about 1

Matrix make_random(Eigen::Index rows, Eigen::Index columns, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  return Matrix::NullaryExpr(rows, columns, [&] { return number(generator); });
}

/// Five rows in three directions of seven.
Matrix make_deficient() {
  return make_random(5, 3) * make_random(3, 7, 2);
}

TEST(Dense, TheKernelIsOrthonormalAndAllThatAMatrixDoesNotSee) {
  const Matrix A = make_deficient(), kernel = calc_kernel(A, kPart);
  ASSERT_EQ(kernel.cols(), 4);
  EXPECT_LT((A * kernel).norm(), kRounding);
  EXPECT_LT((kernel.transpose() * kernel - Matrix::Identity(4, 4)).norm(), kRounding);
  EXPECT_EQ(calc_kernel(Matrix(0, 3), kPart), Matrix::Identity(3, 3));
}

TEST(Dense, TheLeastSolutionSolvesAndIsOutsideTheKernel) {
  const Matrix A = make_deficient();
  const Vector b = A * make_random(7, 1, 3);
  const Vector x = solve_least(A, b, kPart), y = solve_least_vector(A, b, kPart);
  EXPECT_LT((A * x - b).norm(), kRounding);
  EXPECT_LT((calc_kernel(A, kPart).transpose() * x).norm(), kRounding);
  EXPECT_LT((x - y).norm(), kRounding);
}

TEST(Dense, SingularDirectionsAreThoseOfTheSingularValues) {
  const Matrix A = make_random(4, 6);
  const SingularValues svd = calc_singular_directions(A);
  EXPECT_LT(((A * svd.V).colwise().norm().transpose() - svd.values).norm(), kRounding);
  EXPECT_LT((calc_singular_values(A) - svd.values).norm(), kRounding);
}

/// Forty rows in thirty directions of fifty, by singular values from 1 to 1e-9.
TEST(Dense, LargeMatricesKeepTheirRankTheirKernelAndTheirSmallValues) {
  const Matrix U = calc_orthogonal(make_random(40, 40, 4)).leftCols(30),
               V = calc_orthogonal(make_random(50, 50, 5)).leftCols(30);
  const Vector sizes = Vector::NullaryExpr(30, [](Eigen::Index k) { return std::pow(10., -9. * k / 29); });
  const Matrix A = U * sizes.asDiagonal() * V.transpose(), kernel = calc_kernel(A, kPart);
  ASSERT_EQ(kernel.cols(), 20);
  EXPECT_LT((V.transpose() * kernel).norm(), 1e-6);  // rounding of A over its smallest value
  EXPECT_LT((A * kernel).norm(), kRounding);
  EXPECT_LT((calc_singular_values(A).head(30) - sizes).norm(), kRounding);
}

TEST(Dense, TheTriangleTellsLengthsAndAngles) {
  const Matrix A = make_random(6, 4), R = calc_triangle(A), wide = calc_triangle(A.transpose());
  EXPECT_EQ(R.rows(), 4);
  EXPECT_TRUE(R.isUpperTriangular(0));
  EXPECT_LT((R.transpose() * R - A.transpose() * A).norm(), kRounding);
  EXPECT_EQ(wide.rows(), 4);
  EXPECT_LT((wide.transpose() * wide - A * A.transpose()).norm(), kRounding);
}

TEST(Dense, ColumnsAreOrderedByWhatTheyAdd) {
  Matrix A = Matrix::Identity(3, 3);
  A.col(1) = 2 * A.col(2);  // the larger of two parallel ones comes first
  const ColumnOrder order = order_columns(A, kPart);
  EXPECT_EQ(order.rank, 2);
  EXPECT_THAT(order.columns, testing::ElementsAre(1, 0, 2));
  EXPECT_EQ(calc_range(A, kPart).cols(), 2);
}

TEST(Dense, TheFirstColumnsOfTheSquareFactorSpanTheMatrix) {
  const Matrix A = make_random(5, 2), Q = calc_orthogonal(A);
  EXPECT_LT((Q.transpose() * Q - Matrix::Identity(5, 5)).norm(), kRounding);
  EXPECT_LT((Q.rightCols(3).transpose() * A).norm(), kRounding);
}

TEST(Dense, EigenvectorsAreTurnedIntoMultiplesOfThemselves) {
  const Matrix A = make_random(6, 6);
  const Eigensystem system = calc_eigensystem(A);
  ASSERT_TRUE(system.exists);
  EXPECT_LT((A * system.vectors - system.vectors * system.values.asDiagonal()).norm(), kRounding);
  EXPECT_LT((calc_eigenvalues(A) - system.values).norm(), kRounding);
  EXPECT_LT((calc_inverse(system.vectors).matrix * system.vectors - Eigen::MatrixXcd::Identity(6, 6)).norm(),
            kRounding);
  EXPECT_FALSE(calc_inverse(Eigen::MatrixXcd::Zero(2, 2)).exists);
}

TEST(Dense, QuotientsMultipliedByTheirDivisorGiveBackWhatWasDivided) {
  const Matrix A = make_random(5, 5), B = make_random(3, 5, 4);
  EXPECT_LT((divide_right(B, A) * A - B).norm(), kRounding);
  const ScaledInverse inverse = calc_scaled_inverse(A);
  EXPECT_LT((inverse.matrix * A - Matrix::Identity(5, 5)).norm(), kRounding);
  EXPECT_NEAR(inverse.log_size, calc_singular_values(A).array().log().sum(), kRounding);
  const Eigen::MatrixXcd X = make_random(5, 5, 5), V = A;
  EXPECT_LT((V.transpose() * divide_both_sides(X, V) * V - X).norm(), kRounding);
}

TEST(Dense, TheExponentialOfATurnTurns) {
  Matrix turn(2, 2);
  turn << 0, -0.3, 0.3, 0;
  Matrix R(2, 2);
  R << std::cos(0.3), -std::sin(0.3), std::sin(0.3), std::cos(0.3);
  EXPECT_LT((calc_exponential(turn) - R).norm(), kRounding);
}

}  // namespace
}  // namespace haltere
