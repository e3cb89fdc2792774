// The four-lane vectors of the recursion against Eigen, for numbers and for duals.
#include "haltere/math/vec3.h"

#include <random>

#include <gtest/gtest.h>

#include "haltere/math/dual.h"

namespace haltere {
namespace {

template <class T>
class Lanes : public testing::Test {
 protected:
  T number() { return T(uniform_(generator_)); }
  Vector3<T> vector() { return {number(), number(), number()}; }
  Matrix3<T> matrix() {
    Matrix3<T> m;
    for (int i = 0; i < 9; ++i) m(i % 3, i / 3) = number();
    return m;
  }
  std::mt19937 generator_{7};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

// numbers of size 1, a few operations each
constexpr double kRounding = 1e-15;

template <class A, class B>
void expect_equal(const A& ours, const B& eigen) {
  for (int i = 0; i < eigen.rows(); ++i)
    for (int j = 0; j < eigen.cols(); ++j)
      EXPECT_NEAR(value_of(ours(i, j)), value_of(eigen(i, j)), kRounding) << i << ", " << j;
}

Matrix3<double> skew_of(const Vector3<double>& a) {
  Matrix3<double> m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

using Scalars = testing::Types<double, Dual>;
TYPED_TEST_SUITE(Lanes, Scalars);

TYPED_TEST(Lanes, VectorsAreThoseOfEigen) {
  using T = TypeParam;
  const Vector3<T> a = this->vector(), b = this->vector();
  const auto x = Vec3<T>::of(a), y = Vec3<T>::of(b);
  const T s = this->number();
  expect_equal((x + y).eigen(), Vector3<T>(a + b));
  expect_equal((x - y).eigen(), Vector3<T>(a - b));
  expect_equal((s * x).eigen(), Vector3<T>(s * a));
  expect_equal(cross(x, y).eigen(), Vector3<T>(a.cross(b)));
  EXPECT_NEAR(value_of(dot(x, y)), value_of(a.dot(b)), kRounding);
}

TYPED_TEST(Lanes, MatricesAreThoseOfEigen) {
  using T = TypeParam;
  const Matrix3<T> A = this->matrix(), B = this->matrix();
  const Vector3<T> a = this->vector(), b = this->vector();
  const auto X = Mat3<T>::of(A), Y = Mat3<T>::of(B);
  const auto x = Vec3<T>::of(a), y = Vec3<T>::of(b);
  expect_equal((X + Y).eigen(), Matrix3<T>(A + B));
  expect_equal((X - Y).eigen(), Matrix3<T>(A - B));
  expect_equal((X * Y).eigen(), Matrix3<T>(A * B));
  expect_equal((X * x).eigen(), Vector3<T>(A * a));
  expect_equal(transpose(X).eigen(), Matrix3<T>(A.transpose()));
  expect_equal(outer(x, y).eigen(), Matrix3<T>(a * b.transpose()));
}

TEST(Vec3, CrossProductsOfMatrices) {
  const Vector3<double> p(0.3, -0.7, 1.1);
  Matrix3<double> m;
  m << 1, 2, 3, -4, 5, 6, 7, -8, 9;
  const auto x = Vec3<double>::of(p);
  const auto M = Mat3<double>::of(m);
  const Matrix3<double> s = skew_of(p);
  expect_equal(skew(x).eigen(), s);
  EXPECT_NEAR((cross(x, M).eigen() - s * m).norm(), 0, 20 * kRounding);  // entries of size 10
  EXPECT_NEAR((cross(M, x).eigen() + m * s).norm(), 0, 20 * kRounding);
}

// what lies in it would spoil sums over all lanes
TEST(Vec3, TheFourthLaneStaysZero) {
  const auto a = Vec3<double>::make(1, 2, 3), b = Vec3<double>::make(-4, 5, 0.5);
  const Mat3<double> m{{a, b, cross(a, b)}};
  for (const Vec3<double>& v : {a + b, a - b, 2.0 * a, cross(a, b), m * a}) EXPECT_EQ(v.x[3], 0);
  for (const Vec3<double>& column : transpose(m).c) EXPECT_EQ(column.x[3], 0);
}

TEST(Spatial, ProductIsPower) {
  Vector6<double> V, F;
  V << 1, 2, 3, 4, 5, 6;
  F << -1, 0.5, 2, 1, -3, 0.25;
  EXPECT_NEAR(dot(Spatial<double>::of(V), Spatial<double>::of(F)), V.dot(F), 20 * kRounding);
  EXPECT_EQ((Spatial<double>::of(V) + Spatial<double>::of(F)).eigen(), Vector6<double>(V + F));
  EXPECT_EQ((Spatial<double>::of(V) - Spatial<double>::of(F)).eigen(), Vector6<double>(V - F));
  EXPECT_EQ((2.0 * Spatial<double>::of(V)).eigen(), Vector6<double>(2 * V));
}

}  // namespace
}  // namespace haltere
