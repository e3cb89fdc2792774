#include "haltere/math/dual.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace haltere {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// A function of one variable in both scalars, its derivative in closed form, and where to look.
struct Case {
  std::string name;
  std::function<Dual(Dual)> dual;
  std::function<double(double)> value;
  std::function<double(double)> slope;
  std::vector<double> points;
};

#define HALTERE_CASE(expression, slope_expression, ...)                                                                   \
  Case {                                                                                                                  \
#expression, [](Dual x) -> Dual { return expression; }, []([[maybe_unused]] double x) -> double { return expression; }, \
        []([[maybe_unused]] double x) -> double { return slope_expression; }, __VA_ARGS__ \
  }

std::vector<Case> list_cases() {
  using namespace std;  // NOLINT: the same text for double (std) and Dual (found by its argument)
  const vector<double> everywhere{-2.3, -0.4, 0, 1e-8, 0.7, 3.1};
  const vector<double> inside{-0.95, -0.3, 0, 0.5, 0.99};
  const vector<double> positive{1e-3, 0.5, 1, 20};
  return {
      HALTERE_CASE(sin(x), std::cos(x), everywhere),
      HALTERE_CASE(cos(x), -std::sin(x), everywhere),
      HALTERE_CASE(tan(x), 1 / (std::cos(x) * std::cos(x)), everywhere),
      HALTERE_CASE(asin(x), 1 / std::sqrt(1 - x * x), inside),
      HALTERE_CASE(acos(x), -1 / std::sqrt(1 - x * x), inside),
      HALTERE_CASE(atan(x), 1 / (1 + x * x), everywhere),
      HALTERE_CASE(sinh(x), std::cosh(x), everywhere),
      HALTERE_CASE(cosh(x), std::sinh(x), everywhere),
      HALTERE_CASE(tanh(x), 1 / (std::cosh(x) * std::cosh(x)), everywhere),
      HALTERE_CASE(exp(x), std::exp(x), everywhere),
      HALTERE_CASE(log(x), 1 / x, positive),
      HALTERE_CASE(sqrt(x), 0.5 / std::sqrt(x), positive),
      HALTERE_CASE(abs(x), x < 0 ? -1 : 1, {-2.0, 3.0}),
      HALTERE_CASE(floor(x), 0, {-1.5, 2.5}),
      HALTERE_CASE(-x, -1, everywhere),
      HALTERE_CASE(+x, 1, everywhere),
      HALTERE_CASE(x * x - 3 * x + 1, 2 * x - 3, everywhere),
      HALTERE_CASE(1 / x, -1 / (x * x), positive),
      HALTERE_CASE((x + 2) / (x * x + 1), (1 - 4 * x - x * x) / ((x * x + 1) * (x * x + 1)), everywhere),
      HALTERE_CASE(pow(x, 2.0), 2 * x, everywhere),
      HALTERE_CASE(pow(x, 1.0), 1, everywhere),
      HALTERE_CASE(pow(x, 0.0), 0, everywhere),
      HALTERE_CASE(pow(x, -1.0), -1 / (x * x), positive),
      HALTERE_CASE(pow(x, 2.5), 2.5 * std::pow(x, 1.5), positive),
      HALTERE_CASE(pow(2.0, x), std::log(2.0) * std::pow(2.0, x), everywhere),
      HALTERE_CASE(pow(x, x), std::pow(x, x) * (std::log(x) + 1), positive),
      HALTERE_CASE(atan2(x, 2.0), 2 / (x * x + 4), everywhere),
      HALTERE_CASE(atan2(2.0, x), -2 / (x * x + 4), everywhere),
      HALTERE_CASE(mod(x, 2.0), 1, {-3.3, -0.5, 0.5, 5.1}),
      HALTERE_CASE(mod(7.0, x), -std::floor(7 / x), {1.5, 2.5, -1.5}),
  };
}
#undef HALTERE_CASE

// source: analytic (first-year derivatives)
TEST(Dual, HasTheClosedFormDerivativeOfEveryFunction) {
  for (const Case& c : list_cases())
    for (const double x : c.points) {
      const Dual y = c.dual(Dual(x, 2));
      EXPECT_EQ(y.value, c.value(x)) << c.name << " at " << x;
      // machine: a handful of roundings in each form
      EXPECT_NEAR(y.d[2], c.slope(x), 20 * kEps * (1 + std::abs(c.slope(x)))) << c.name << " at " << x;
      EXPECT_EQ(y.d[0], 0) << c.name << " leaks into another direction at " << x;
    }
}

// source: independent (central differences)
TEST(Dual, AgreesWithCentralDifferences) {
  const double h = 1e-6;
  for (const Case& c : list_cases())
    for (const double x : c.points) {
      const double step = h * std::max(1e-3, std::abs(x));
      const double difference = (c.value(x + step) - c.value(x - step)) / (2 * step);
      // discretisation: h^2 f'''/6 and rounding of f over h, with derivatives of order one to a hundred
      const double tolerance = 1e-7 * (1 + std::abs(c.slope(x))) + 4 * kEps * std::abs(c.value(x)) / step;
      EXPECT_NEAR(c.dual(Dual(x, 0)).d[0], difference, tolerance) << c.name << " at " << x;
    }
}

TEST(Dual, CarriesFourDirectionsThroughABinaryFunction) {
  const Dual x(3, 0), y(2, 3);
  const Dual f = x * x * y + y / x;
  // source: analytic; every operation here is exact or rounds once
  EXPECT_DOUBLE_EQ(f.value, 18 + 2. / 3);
  EXPECT_DOUBLE_EQ(f.d[0], 12 - 2. / 9);
  EXPECT_DOUBLE_EQ(f.d[3], 9 + 1. / 3);
  EXPECT_EQ(f.d[1], 0);
  EXPECT_EQ(f.d[2], 0);
}

TEST(Dual, PowerIsExactAtZero) {
  // source: analytic
  const Dual x(0, 0);
  EXPECT_EQ(pow(x, Dual(2)).d[0], 0);
  EXPECT_EQ(pow(x, Dual(1)).d[0], 1);
  EXPECT_EQ(pow(x, Dual(0)).value, 1);
  EXPECT_EQ(pow(x, Dual(0)).d[0], 0);
  EXPECT_EQ(pow(x, Dual(2, 1)).d[1], 0) << "0^b does not depend on b > 0";
}

TEST(Dual, RestsWhereItsArgumentRestsEvenAtASingularPoint) {
  // a constant has no derivative, though the slope of the function is infinite there
  for (const Dual& y : {sqrt(Dual(0)), asin(Dual(1)), acos(Dual(-1)), log(Dual(0)), pow(Dual(0), Dual(0.5))})
    for (const double d : y.d) EXPECT_EQ(d, 0);
  EXPECT_TRUE(std::isinf(sqrt(Dual(0, 1)).d[1]));
}

TEST(Dual, ComparesByValueAlone) {
  EXPECT_TRUE(Dual(1, 0) == Dual(1, 1));
  EXPECT_TRUE(Dual(1, 0) < 2.0);
  EXPECT_TRUE(Dual(3, 0) >= Dual(3));
  EXPECT_FALSE(Dual(std::nan("")) < 0.0);
  EXPECT_FALSE(isfinite(Dual(std::nan(""))));
  EXPECT_TRUE(is_constant(Dual(2), 2));
  EXPECT_FALSE(is_constant(Dual(2, 0), 2));
}

TEST(Dual, ModTakesTheSignOfItsDivisor) {
  // source: analytic, a - b floor(a/b)
  EXPECT_EQ(mod(7.0, 3.0), 1);
  EXPECT_EQ(mod(-7.0, 3.0), 2);
  EXPECT_EQ(mod(7.0, -3.0), -2);
  EXPECT_EQ(mod(-6.0, 3.0), 0);
  EXPECT_EQ(mod(1e17 + 64, 3.0), std::fmod(1e17 + 64, 3.0)) << "exact far beyond where a - b floor(a/b) is";
}

TEST(Dual, IsAScalarOfMatrices) {
  // A(x) = [2 x; 1 3] at x = 5; source: analytic, d(A^-1) = -A^-1 dA A^-1 with det A = 6 - x = 1
  MatrixX<Dual> A(2, 2);
  A << Dual(2), Dual(5, 0), Dual(1), Dual(3);
  const MatrixX<Dual> inverse = A.partialPivLu().inverse();
  const Eigen::Matrix2d plain = (Eigen::Matrix2d() << 3, -5, -1, 2).finished();
  const Eigen::Matrix2d dA = (Eigen::Matrix2d() << 0, 1, 0, 0).finished();
  const Eigen::Matrix2d slope = -plain * dA * plain;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      // machine: condition number 39
      EXPECT_NEAR(inverse(i, j).value, plain(i, j), 100 * kEps);
      EXPECT_NEAR(inverse(i, j).d[0], slope(i, j), 1000 * kEps);
    }
  const Vector3<Dual> a(Dual(1, 0), 2, 3);
  const Vector3<Dual> b = 2.0 * a + Eigen::Matrix3d::Identity() * a;
  EXPECT_EQ(b[0].d[0], 3);
  EXPECT_EQ(b.cross(a).norm().value, 0);
}

}  // namespace
}  // namespace haltere
