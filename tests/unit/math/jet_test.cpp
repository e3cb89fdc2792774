#include "haltere/math/jet.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace haltere {
namespace {

using Jetd = Jet<double>;
constexpr double kEps = std::numeric_limits<double>::epsilon();

struct Case {
  std::string name;
  std::function<Jetd(Jetd)> jet;
  std::function<double(double)> value, d1, d2;
  std::vector<double> points;
};

#define HALTERE_CASE(expression, first, second, ...)                                                                      \
  Case {                                                                                                                  \
#expression, [](Jetd t) -> Jetd { return expression; }, []([[maybe_unused]] double t) -> double { return expression; }, \
        []([[maybe_unused]] double t) -> double { return first; }, []([[maybe_unused]] double t) -> double { return second; }, __VA_ARGS__ \
  }

double square(double x) {
  return x * x;
}
double cube(double x) {
  return x * x * x;
}

// source: analytic, derivatives with respect to t
std::vector<Case> list_cases() {
  using namespace std;  // NOLINT: the same text for double (std) and Jet (found by its argument)
  const vector<double> everywhere{-1.7, -0.3, 0, 1e-8, 0.6, 2.2};
  const vector<double> inside{-0.8, 0, 0.3, 0.9};
  const vector<double> positive{0.1, 1, 7};
  return {
      HALTERE_CASE(0.3 * sin(40.0 * t + 0.2), 12 * std::cos(40 * t + 0.2), -480 * std::sin(40 * t + 0.2),
                   everywhere),
      HALTERE_CASE(sin(t), std::cos(t), -std::sin(t), everywhere),
      HALTERE_CASE(cos(t * t), -2 * t * std::sin(t * t), -2 * std::sin(t * t) - 4 * t * t * std::cos(t * t),
                   everywhere),
      HALTERE_CASE(tan(t), 1 / square(std::cos(t)), 2 * std::tan(t) / square(std::cos(t)), everywhere),
      HALTERE_CASE(asin(t), 1 / std::sqrt(1 - t * t), t / cube(std::sqrt(1 - t * t)), inside),
      HALTERE_CASE(acos(t), -1 / std::sqrt(1 - t * t), -t / cube(std::sqrt(1 - t * t)), inside),
      HALTERE_CASE(atan(t), 1 / (1 + t * t), -2 * t / square(1 + t * t), everywhere),
      HALTERE_CASE(sinh(t), std::cosh(t), std::sinh(t), everywhere),
      HALTERE_CASE(cosh(t), std::sinh(t), std::cosh(t), everywhere),
      HALTERE_CASE(tanh(t), 1 / square(std::cosh(t)), -2 * std::tanh(t) / square(std::cosh(t)), everywhere),
      HALTERE_CASE(exp(-2.0 * t), -2 * std::exp(-2 * t), 4 * std::exp(-2 * t), everywhere),
      HALTERE_CASE(log(t), 1 / t, -1 / (t * t), positive),
      HALTERE_CASE(sqrt(t), 0.5 / std::sqrt(t), -0.25 / cube(std::sqrt(t)), positive),
      HALTERE_CASE(abs(t * t - 4.0), -2 * t, -2, {-1.0, 0.0, 1.5}),
      HALTERE_CASE(abs(t * t - 4.0), 2 * t, 2, {-3.0, 2.5}),
      HALTERE_CASE(floor(t), 0, 0, {-1.5, 0.5}),
      HALTERE_CASE(t * t * t, 3 * t * t, 6 * t, everywhere),
      HALTERE_CASE(1.0 / (1.0 + t * t), -2 * t / square(1 + t * t), (6 * t * t - 2) / cube(1 + t * t),
                   everywhere),
      HALTERE_CASE(pow(t, 2.0), 2 * t, 2, everywhere),
      HALTERE_CASE(pow(t, 1.0), 1, 0, everywhere),
      HALTERE_CASE(pow(t, 0.0), 0, 0, everywhere),
      HALTERE_CASE(pow(t, 5.0), 5 * std::pow(t, 4), 20 * std::pow(t, 3), everywhere),
      HALTERE_CASE(pow(t, 2.5), 2.5 * std::pow(t, 1.5), 3.75 * std::sqrt(t), positive),
      HALTERE_CASE(pow(2.0, t), std::log(2.0) * std::pow(2.0, t), square(std::log(2.0)) * std::pow(2.0, t),
                   everywhere),
      HALTERE_CASE(atan2(sin(t), cos(t)), 1, 0, everywhere),
      HALTERE_CASE(atan2(t, 2.0), 2 / (t * t + 4), -4 * t / square(t * t + 4), everywhere),
      HALTERE_CASE(mod(t * t, 0.7), 2 * t, 2, {-1.1, 0.5, 1.3}),
  };
}
#undef HALTERE_CASE

TEST(Jet, HasTheClosedFormDerivativesOfEveryFunction) {
  for (const Case& c : list_cases())
    for (const double t : c.points) {
      const Jetd y = c.jet(Jetd::time(t));
      // machine: a handful of roundings, amplified by the size of the derivatives
      EXPECT_NEAR(y.value, c.value(t), 10 * kEps * (1 + std::abs(c.value(t)))) << c.name << " at " << t;
      EXPECT_NEAR(y.d1, c.d1(t), 40 * kEps * (1 + std::abs(c.d1(t)))) << c.name << " at " << t;
      EXPECT_NEAR(y.d2, c.d2(t), 80 * kEps * (1 + std::abs(c.d1(t)) + std::abs(c.d2(t))))
          << c.name << " at " << t;
    }
}

TEST(Jet, DifferentiatesAParameterThroughTheMotion) {
  // x(t) = A sin(w t) with A in direction 0 and w in direction 1; source: analytic
  const double A = 0.4, w = 3, t = 0.7;
  const auto x =
      Jet<Dual>::constant(Dual(A, 0)) * sin(Jet<Dual>::constant(Dual(w, 1)) * Jet<Dual>::time(Dual(t)));
  const double s = std::sin(w * t), c = std::cos(w * t);
  const double tolerance = 20 * kEps;  // machine, numbers of order one to ten
  EXPECT_NEAR(x.value.value, A * s, tolerance);
  EXPECT_NEAR(x.d1.value, A * w * c, tolerance);
  EXPECT_NEAR(x.d2.value, -A * w * w * s, tolerance);
  EXPECT_NEAR(x.value.d[0], s, tolerance);
  EXPECT_NEAR(x.d1.d[0], w * c, tolerance);
  EXPECT_NEAR(x.d2.d[0], -w * w * s, tolerance);
  EXPECT_NEAR(x.value.d[1], A * t * c, tolerance);
  EXPECT_NEAR(x.d1.d[1], A * (c - w * t * s), tolerance);
  EXPECT_NEAR(x.d2.d[1], -A * (2 * w * s + w * w * t * c), tolerance);
}

TEST(Jet, KeepsTheDerivativeInAnExponentThatHappensToBeZeroOrOne) {
  // d/dn of t^n and of its rate n t^(n-1); source: analytic
  const double t = 1.5, L = std::log(t);
  const auto power = [&](double n) { return pow(Jet<Dual>::time(t), Jet<Dual>::constant(Dual(n, 0))); };
  const double tolerance = 20 * kEps;  // machine, numbers of order one
  EXPECT_NEAR(power(0).value.d[0], L, tolerance);
  EXPECT_NEAR(power(0).d1.d[0], 1 / t, tolerance);
  EXPECT_NEAR(power(1).d1.d[0], 1 + L, tolerance);
  EXPECT_NEAR(power(1).d2.d[0], 1 / t, tolerance);
}

TEST(Jet, FollowsAMovingExponent) {
  // t^t: d1 = t^t (log t + 1), d2 = t^t ((log t + 1)^2 + 1/t); source: analytic
  const double t = 1.3, f = std::pow(t, t), a = std::log(t) + 1;
  const Jetd y = pow(Jetd::time(t), Jetd::time(t));
  EXPECT_NEAR(y.value, f, 4 * kEps * f);
  EXPECT_NEAR(y.d1, f * a, 40 * kEps);                // machine, numbers of order one
  EXPECT_NEAR(y.d2, f * (a * a + 1 / t), 40 * kEps);  // machine, numbers of order one
}

TEST(Jet, RestsWhereItsArgumentRests) {
  for (const Jetd& y : {sqrt(Jetd(0)), log(Jetd(0)), asin(Jetd(1)), pow(Jetd(0), Jetd(0.5))}) {
    EXPECT_EQ(y.d1, 0);
    EXPECT_EQ(y.d2, 0);
  }
}

TEST(Jet, AddsIntoItself) {
  Jetd x = Jetd::time(2);
  x += 1.0;
  x *= Jetd::time(2);
  x -= 2.0;
  x /= 2.0;
  // ((t + 1) t - 2)/2 at t = 2; source: analytic, exact in binary
  EXPECT_EQ(x.value, 2);
  EXPECT_EQ(x.d1, 2.5);
  EXPECT_EQ(x.d2, 1);
  EXPECT_EQ(value_of(+x), 2);
}

}  // namespace
}  // namespace haltere
