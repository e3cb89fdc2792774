#include "haltere/simulate/measures.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

using Kind = MeasureSpec::Kind;

constexpr double kPi = std::numbers::pi;
// machine: sums of some hundred numbers of size one
constexpr double kRounding = 1e-14;

std::vector<double> sample(const std::function<double(double)>& x, int n = kPeriodSamples) {
  std::vector<double> list;
  for (int i = 0; i <= n; ++i) list.push_back(x(2 * kPi * i / n));
  return list;
}

// (source: analytic)
TEST(Measure, IsExactForHarmonicsBelowTheNumberOfSamples) {
  const auto x = sample([](double a) {
    return 0.3 + 2 * std::cos(a - 1.1) + 0.7 * std::sin(7 * a) + 0.2 * std::cos(200 * a + 0.4);
  });
  EXPECT_NEAR(calc_measure(Kind::kMean, x), 0.3, kRounding);
  EXPECT_NEAR(calc_measure(Kind::kAmplitude, x), 2, kRounding);
  EXPECT_NEAR(calc_measure(Kind::kPhase, x), 1.1, kRounding);
}

// 1/(1 + e cos a) has harmonics that fall as a geometric series: the error falls at once to rounding. Its
// mean is 1/sqrt(1 - e^2)                                                                  (source: analytic)
TEST(Measure, ConvergesSpectrally) {
  const double e = 0.8, expected = 1 / std::sqrt(1 - e * e);
  const auto calc_error = [&](int n) {
    return std::abs(
        calc_measure(Kind::kMean, sample([&](double a) { return 1 / (1 + e * std::cos(a)); }, n)) - expected);
  };
  EXPECT_GT(calc_error(16), 1e-5);
  EXPECT_LT(calc_error(64), 1e-13);  // ((1 - sqrt(1 - e^2))/e)^64 = 2^-64
}

TEST(Measure, APhaseLiesAboveMinusPi) {
  EXPECT_EQ(calc_measure(Kind::kPhase, sample([](double a) { return -std::cos(a); })), kPi);
}

// the samples miss the top by up to 7e-4 of it; a polynomial through nine of them does not: of the third
// harmonic (3 2 pi/256)^9 8!/9! = 7e-12 is left at the ends of the period, less within    (source: analytic)
TEST(Measure, APeakIsRefinedBetweenSamples) {
  for (const double shift : {0., 0.003, 0.01, 1.234}) {
    const auto x = sample([&](double a) { return -2.5 * std::cos(3 * (a - shift)); });
    EXPECT_NEAR(calc_measure(Kind::kPeak, x), 2.5, 2e-11) << shift;
  }
}

TEST(Measure, APeakAtACornerIsNotOvershot) {
  const auto x = sample([](double a) { return 1 - std::abs(a - 3.1); });
  EXPECT_LE(calc_measure(Kind::kPeak, x), 1 - (3.1 - 2 * kPi) + kRounding);
  const auto sawtooth = sample([](double a) { return a < 3.1 ? a : 0; });
  EXPECT_LE(calc_measure(Kind::kPeak, sawtooth), 3.1);
}

}  // namespace
}  // namespace haltere
