#include "haltere/formula/fit.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/formula/curve.h"
#include "haltere/formula/expression.h"

namespace haltere {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

constexpr double kEps = std::numeric_limits<double>::epsilon();

std::vector<double> make_grid(int n, double h, double unevenness = 0) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(h * (i + unevenness * std::sin(7.0 * i)));
  return x;
}

template <class F>
std::vector<double> values_at(const std::vector<double>& x, const F& f) {
  std::vector<double> y;
  for (const double at : x) y.push_back(f(at));
  return y;
}

CurveFit harmonics(int n, double period = 0) {
  return {.kind = CurveFit::Kind::kHarmonics, .harmonics = n, .period = period};
}
CurveFit smooth(double cut_off) {
  return {.kind = CurveFit::Kind::kSmooth, .cut_off = cut_off};
}

/// The value and three derivatives.
struct Derivatives {
  double d0, d1, d2, d3;
};
Derivatives derivatives_at(const Curve& curve, double x) {
  const Jet<Dual> at = curve.calc(Jet<Dual>(Dual(x, 0), Dual(1), Dual(0)));
  return {at.value.value, at.d1.value, at.d2.value, at.d2.d[0]};
}

// -- harmonics

// analytic: a wing beat of four harmonics, with the numbers of models/flapping-robot
struct Beat {
  std::vector<double> a{0.0354, 4.10e-5, -0.0322, -8.90e-7, 0.00046};
  std::vector<double> b{0, 0.3793, -1.95e-6, -0.0035, -3.60e-6};
  double period = 1 / 3.3, first = 0;

  /// The derivative of some order.
  double calc(double t, int order = 0) const {
    double sum = order == 0 ? a[0] : 0;
    for (std::size_t k = 1; k < a.size(); ++k) {
      const double w = 2 * pi * static_cast<double>(k) / period, phase = w * (t - first) + order * pi / 2;
      sum += std::pow(w, order) * (a[k] * std::cos(phase) + b[k] * std::sin(phase));
    }
    return sum;
  }
};

TEST(Harmonics, OfASeriesAreItsCoefficients) {
  const Beat beat;
  for (const double unevenness : {0.0, 0.3}) {
    for (const int n : {4, 7}) {
      const std::vector<double> x = make_grid(150, beat.period / 60, unevenness);
      const FourierSeries series =
          fit_harmonics(harmonics(n, beat.period), x, values_at(x, [&](double t) { return beat.calc(t); }));
      for (int k = 0; k <= n; ++k) {
        EXPECT_NEAR(series.a[k], k <= 4 ? beat.a[k] : 0, 1e-12);  // machine: 150 points
        EXPECT_NEAR(series.b[k], k <= 4 ? beat.b[k] : 0, 1e-12);
      }
    }
  }
}

TEST(Harmonics, HaveExactDerivatives) {
  const Beat beat;
  std::vector<double> x = make_grid(61, beat.period / 60);
  x.back() = beat.period;
  const std::vector<double> y = values_at(x, [&](double t) { return beat.calc(t); });
  const Curve curve(x, y, {Outside::kPeriodic, harmonics(4)});
  EXPECT_LT(curve.residual(), 1e-15);
  for (double t = -1; t < 2; t += 0.0137) {
    const Derivatives d = derivatives_at(curve, t);
    // machine: phases of some turns, times the frequency of the highest harmonic to the order
    const double w = 2 * pi * 4 / beat.period, rounding = 100 * kEps;
    EXPECT_NEAR(d.d0, beat.calc(t), rounding);
    EXPECT_NEAR(d.d1, beat.calc(t, 1), rounding * w);
    EXPECT_NEAR(d.d2, beat.calc(t, 2), rounding * w * w);
    EXPECT_NEAR(d.d3, beat.calc(t, 3), rounding * w * w * w);
  }
  EXPECT_EQ(curve.find_kink(0, true), std::numeric_limits<double>::infinity());
}

// analytic: of two beats and a half
TEST(Harmonics, OfAStatedPeriodGoOnBeyondThePoints) {
  const Beat beat;
  const std::vector<double> x = make_grid(150, beat.period / 60, 0.3);
  const Curve curve(x, values_at(x, [&](double t) { return beat.calc(t); }),
                    {Outside::kPeriodic, harmonics(4, beat.period)});
  for (double t = -3; t < 3; t += 0.0137) EXPECT_NEAR(curve.calc(t), beat.calc(t), 1e-13);
}

// analytic: what is left of a wave that the series does not have is the wave
TEST(Harmonics, TellWhatTheyLeave) {
  const std::vector<double> x = make_grid(101, 0.01);
  const Curve curve(
      x, values_at(x, [](double t) { return 3 + std::sin(2 * pi * t) + 0.02 * std::cos(2 * pi * 10 * t); }),
      {Outside::kPeriodic, harmonics(3)});
  EXPECT_NEAR(curve.residual(), 0.02 / std::sqrt(2.0), 1e-4);  // the last point stands for the first one, too
}

TEST(Harmonics, AskForPointsThatDetermineThem) {
  const auto fault = [](const CurveFit& fit, const std::vector<double>& x) {
    const std::optional<CurveFitFault> found = find_fit_fault(fit, x);
    return found ? found->message : "";
  };
  EXPECT_EQ(fault(harmonics(8), make_grid(18, 1)), "");
  EXPECT_EQ(fault(harmonics(8), make_grid(17, 1)),
            "8 harmonics have 17 coefficients, and there are 16 points");
  EXPECT_EQ(fault(harmonics(8, 17), make_grid(17, 1)), "");
  EXPECT_THAT(fault(harmonics(8, 17), make_grid(16, 1)), HasSubstr("there are 16 points"));
  // the points of a tenth of a period
  EXPECT_THAT(fault(harmonics(2, 10), make_grid(101, 0.01)),
              HasSubstr("the points from 0 to 1 do not say what 2 harmonics of a period of 10 are: noise"));
  // a hundred points, at four phases only
  EXPECT_THAT(fault(harmonics(2, 4), make_grid(100, 1)), HasSubstr("noise in them would be"));
  EXPECT_EQ(fault(harmonics(1, 4), make_grid(100, 1)), "");
}

// -- the smoothing spline

/// What becomes of a wave of frequency f at its top, in the middle of many points.
CurveNode measure_top(double f, double cut_off, double h, int n) {
  const std::vector<double> x = make_grid(n, h);
  const double middle = x[n / 2];
  const auto wave = [&](double t) { return std::cos(2 * pi * f * (t - middle)); };
  return calc_smooth_nodes(cut_off, x, values_at(x, wave), false)[n / 2];
}
double measure_gain(double f, double cut_off, double h, int n) {
  return measure_top(f, cut_off, h, n).value;
}

// analytic: a linear filter on even points; ends are 15 cycles of the cut-off away, exp(-15 pi) = 3e-21
TEST(Smoothing, HalvesAWaveOfTheCutOff) {
  const double h = 1.0 / 6000;
  for (const double cut_off : {100.0, 250.0, 1000.0, 2000.0, 2900.0}) {
    const int n = 2 * static_cast<int>(15 / (cut_off * h)) + 41;
    EXPECT_NEAR(measure_gain(cut_off, cut_off, h, n), 0.5, 1e-11) << cut_off;  // machine: smallest 60 points
    EXPECT_NEAR(measure_gain(0, cut_off, h, n), 1, 1e-11);
    // a Butterworth filter of third order, forward and back; spacing counts in the sixth order of it
    if (cut_off > 300) continue;
    for (const double ratio : {0.3, 0.7, 1.5, 3.0})
      EXPECT_NEAR(measure_gain(ratio * cut_off, cut_off, h, n), 1 / (1 + std::pow(ratio, 6)), 1e-3)
          << cut_off << ' ' << ratio;
  }
}

// analytic: 1/2 at the cut-off, with as many points a cycle as are allowed
TEST(Smoothing, LosesLittleToRoundingWithManyPoints) {
  const CurveNode top = measure_top(1, 1, 1.0 / 9999, 20 * 9999);
  // machine: 2e5 points
  EXPECT_NEAR(top.value, 0.5, 1e-11);
  EXPECT_NEAR(top.slope / (2 * pi), 0, 1e-11);
  EXPECT_NEAR(top.bend / (4 * pi * pi), -0.5, 1e-10);
}

/// g''' of a spline is a sum of quadratic B-splines, the penalty c^T R c with R c = D g, D the third divided
/// differences: dense matrices, no recursion.
Eigen::VectorXd smooth_densely(const std::vector<double>& x, const std::vector<double>& y, double lambda) {
  const int n = static_cast<int>(x.size()), m = n - 3;
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(m, n), R = Eigen::MatrixXd::Zero(m, m);
  for (int j = 0; j < m; ++j)
    for (int i = j; i <= j + 3; ++i) {
      D(j, i) = 6;
      for (int k = j; k <= j + 3; ++k)
        if (k != i) D(j, i) /= x[i] - x[k];
    }
  // of mass 1: 3/(x_3 - x_0) times the normalised one
  const auto spline = [&](int j, double at) {
    const auto hat = [&](int i) {  // of degree 1
      if (at < x[i] || at >= x[i + 2]) return 0.0;
      return at < x[i + 1] ? (at - x[i]) / (x[i + 1] - x[i]) : (x[i + 2] - at) / (x[i + 2] - x[i + 1]);
    };
    const double normalised =
        (at - x[j]) / (x[j + 2] - x[j]) * hat(j) + (x[j + 3] - at) / (x[j + 3] - x[j + 1]) * hat(j + 1);
    return 3 / (x[j + 3] - x[j]) * normalised;
  };
  const double root = std::sqrt(0.6);  // three points of Gauss: exact for the fourth degree
  for (int i = 0; i + 1 < n; ++i)
    for (int g = -1; g <= 1; ++g) {
      const double h = x[i + 1] - x[i], at = x[i] + h * (0.5 + 0.5 * g * root), w = h * (g == 0 ? 8 : 5) / 18;
      for (int a = 0; a < m; ++a)
        for (int b = 0; b < m; ++b) R(a, b) += w * spline(a, at) * spline(b, at);
    }
  Eigen::VectorXd weight(n);
  for (int i = 0; i < n; ++i) {
    const double left = i > 0 ? x[i] - x[i - 1] : x[1] - x[0], right = i + 1 < n ? x[i + 1] - x[i] : left;
    weight[i] = (left + right) / 2;
  }
  Eigen::MatrixXd A = lambda * D.transpose() * R.ldlt().solve(D);
  A.diagonal() += weight;
  return A.ldlt().solve(weight.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(y.data(), n)));
}

TEST(Smoothing, IsTheSplineOfDenseMatrices) {
  const std::vector<double> x = make_grid(40, 0.1, 0.3);
  std::vector<double> y;
  for (int i = 0; i < 40; ++i) y.push_back(std::sin(0.3 * i) + std::cos(12.9898 * i * i));
  const double h = (x.back() - x.front()) / 39;
  for (const double cut_off : {0.5, 2.0, 4.0}) {
    // lambda = h^6/(2 sin)^6 times what neighbours of degree 2 have in common
    const double phase = 2 * pi * cut_off * h;
    const double lambda = std::pow(h / (2 * std::sin(phase / 2)), 6) *
                          (66 + 52 * std::cos(phase) + 2 * std::cos(2 * phase)) / 120;
    const Eigen::VectorXd wanted = smooth_densely(x, y, lambda);
    const std::vector<CurveNode> nodes = calc_smooth_nodes(cut_off, x, y, false);
    for (int i = 0; i < 40; ++i)
      EXPECT_NEAR(nodes[i].value, wanted[i], 1e-9) << cut_off << ' ' << i;  // conditioning of the dense one
  }
}

TEST(Smoothing, KeepsParabolas) {
  const std::vector<double> x = make_grid(200, 0.01, 0.3);
  const Curve curve(x, values_at(x, [](double t) { return 1 - 2 * t + 3 * t * t; }),
                    {Outside::kExtrapolate, smooth(5)});
  for (double t = -1; t < 4; t += 0.07) {
    const Derivatives d = derivatives_at(curve, t);
    EXPECT_NEAR(d.d0, 1 - 2 * t + 3 * t * t, 1e-10);
    EXPECT_NEAR(d.d1, -2 + 6 * t, 1e-9);
    EXPECT_NEAR(d.d2, 6, 1e-8);
    EXPECT_NEAR(d.d3, 0, 1e-6);
  }
  EXPECT_LT(curve.residual(), 1e-12);
}

// analytic: four times differentiable at its points, a parabola beyond them; third derivatives here
TEST(Smoothing, HasAThirdDerivativeWithoutJumps) {
  const std::vector<double> x = make_grid(60, 0.1, 0.3);
  const Curve curve(x, values_at(x, [](double t) { return std::sin(3 * t) + 0.1 * std::cos(40 * t); }),
                    {Outside::kExtrapolate, smooth(2)});
  for (const double at : x) {
    const Derivatives before = derivatives_at(curve, std::nextafter(at, -9)),
                      after = derivatives_at(curve, at);
    EXPECT_NEAR(before.d0, after.d0, 1e-13);
    EXPECT_NEAR(before.d1, after.d1, 1e-12);
    EXPECT_NEAR(before.d2, after.d2, 1e-10);
    EXPECT_NEAR(before.d3, after.d3, 1e-7);
  }
  EXPECT_EQ(derivatives_at(curve, 100).d3, 0);
  // jets against differences of values
  for (double t = 0.03; t < 5.9; t += 0.1) {
    const Derivatives d = derivatives_at(curve, t);
    const double e = 1e-4;
    EXPECT_NEAR(d.d1, (curve.calc(t + e) - curve.calc(t - e)) / (2 * e), 1e-5);
    EXPECT_NEAR(d.d2, (curve.calc(t + e) - 2 * curve.calc(t) + curve.calc(t - e)) / (e * e), 1e-3);
  }
}

// analytic: white noise of size 1 through 1/(1 + (w/w_c)^6) has, with h the distance of points, the variance
// 5 h w_c/18 in the value and h w_c^5/18 in the second derivative; through a curve that hits every point it
// is of the order of 1/h^4 there. What a noise becomes is the root of the sum of squares of answers to single
// points
TEST(Smoothing, TakesNoiseOutOfAccelerations) {
  const int n = 241, middle = 120;
  const double h = 0.001, cut_off = 50, w = 2 * pi * cut_off;
  const std::vector<double> x = make_grid(n, h);
  double value = 0, bend = 0, through = 0;
  for (int i = 0; i < n; ++i) {
    std::vector<double> y(n, 0);
    y[i] = 1;
    const CurveNode node = calc_smooth_nodes(cut_off, x, y, false)[middle];
    value += node.value * node.value;
    bend += node.bend * node.bend;
    const double spline = Curve(x, y).calc(Jet<double>::time(x[middle])).d2;
    through += spline * spline;
  }
  EXPECT_NEAR(value / (5 * h * w / 18), 1, 1e-3);  // order of the method: the spacing, (h w)^6
  EXPECT_NEAR(bend / (h * std::pow(w, 5) / 18), 1, 1e-2);
  EXPECT_GT(through, 1e4 * bend);
}

// analytic: powers of two round nothing
TEST(Smoothing, IsTheSameBitsInOtherUnits) {
  const std::vector<double> x = make_grid(50, 0.013, 0.3);
  std::vector<double> y;
  for (int i = 0; i < 50; ++i) y.push_back(std::sin(0.4 * i) + 0.1 * std::cos(12.9898 * i * i));
  for (const bool periodic : {false, true})
    for (const int p : {-20, 7, 30})
      for (const int q : {-20, 3, 40}) {
        std::vector<double> x2, y2;
        for (const double v : x) x2.push_back(std::ldexp(v, p));
        for (const double v : y) y2.push_back(std::ldexp(v, q));
        const auto a = calc_smooth_nodes(8, x, y, periodic);
        const auto b = calc_smooth_nodes(std::ldexp(8, -p), x2, y2, periodic);
        for (std::size_t i = 0; i < a.size(); ++i) {
          EXPECT_EQ(std::ldexp(a[i].value, q), b[i].value);
          EXPECT_EQ(std::ldexp(a[i].slope, q - p), b[i].slope);
          EXPECT_EQ(std::ldexp(a[i].bend, q - 2 * p), b[i].bend);
        }
        const FourierSeries s = fit_harmonics(harmonics(5), x, y), t = fit_harmonics(harmonics(5), x2, y2);
        EXPECT_EQ(std::ldexp(s.period, p), t.period);
        for (int k = 0; k <= 5; ++k) {
          EXPECT_EQ(std::ldexp(s.a[k], q), t.a[k]);
          EXPECT_EQ(std::ldexp(s.b[k], q), t.b[k]);
        }
      }
}

// analytic: waves of the period pass as through endless points; the joint is as smooth as the rest
TEST(Smoothing, OfAPeriodGoesOnAsItBegan) {
  std::vector<double> x = make_grid(25, 1.0 / 24);
  x.back() = 1;
  std::vector<double> y =
      values_at(x, [](double t) { return 2 + std::cos(2 * pi * t) + 0.3 * std::sin(2 * pi * 3 * t); });
  y.front() -= 0.1;  // what is measured at the same phase differs: the mean counts
  y.back() += 0.1;
  const Curve curve(x, y, {Outside::kPeriodic, smooth(3)});
  const auto gain = [](double f) {
    const auto roughness = [](double phase) {
      return std::pow(2 * std::sin(phase / 2), 6) * 120 /
             (66 + 52 * std::cos(phase) + 2 * std::cos(2 * phase));
    };
    return 1 / (1 + roughness(2 * pi * f / 24) / roughness(2 * pi * 3 / 24));
  };
  EXPECT_NEAR(gain(3), 0.5, 1e-15);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (const int turns : {-7, 0, 12})
      EXPECT_NEAR(curve.calc(x[i] + turns),
                  2 + gain(1) * std::cos(2 * pi * x[i]) + gain(3) * 0.3 * std::sin(2 * pi * 3 * x[i]), 1e-13);
  const Derivatives before = derivatives_at(curve, 3 - 1e-13), after = derivatives_at(curve, 3 + 1e-13);
  EXPECT_NEAR(before.d1, after.d1, 1e-9);
  EXPECT_NEAR(before.d2, after.d2, 1e-8);
  EXPECT_NEAR(before.d3, after.d3, 1e-6);
}

TEST(Smoothing, IsHeldAtItsOwnEnds) {
  const std::vector<double> x = make_grid(30, 0.1),
                            y = values_at(x, [](double t) { return std::cos(50 * t); });
  const Curve held(x, y, {Outside::kHold, smooth(2)}), longer(x, y, {Outside::kExtrapolate, smooth(2)});
  EXPECT_EQ(held.calc(-1.0), longer.calc(x.front()));
  EXPECT_EQ(held.calc(99.0), longer.calc(x.back()));
  EXPECT_NE(held.calc(-1.0), y.front());
  EXPECT_TRUE(std::isnan(Curve(x, y, {Outside::kError, smooth(2)}).calc(99.0)));
  EXPECT_EQ(longer.find_kink(-1, true), x.front());
}

TEST(Smoothing, AsksForACutOffThatThePointsHave) {
  const auto fault = [](double cut_off, int n = 101) {
    const std::optional<CurveFitFault> found = find_fit_fault(smooth(cut_off), make_grid(n, 0.01));
    return found ? found->message : "";
  };
  EXPECT_EQ(fault(10), "");
  EXPECT_EQ(fault(49.9), "");
  EXPECT_EQ(fault(51), "the cut-off 51 is above 50, half the rate of the points");
  EXPECT_EQ(fault(0.9), "the cut-off 0.9 is below 1, one cycle in the whole table");
  EXPECT_EQ(fault(0.005, 100001),
            "a cycle of the cut-off 0.005 has 20000 points; at most 10000 can be smoothed");
}

// -- in formulas

struct Reading {
  CurveSpec spec;
  std::string problem;
};

/// What a formula asks for, or what is wrong with it.
Reading read_formula(const std::string& words, const std::string& argument = "t") {
  Reading reading;
  const auto find = [](std::string_view name) -> std::optional<Variable> {
    if (name != "t" && name != "alpha") return std::nullopt;
    const Dimension dimension = unit_of(name == "t" ? "s" : "rad").dimension;
    return Variable{Variable::Source::kLocal, 0, {Measure::Kind::kExact, dimension}};
  };
  Scope scope{find, [] { return std::vector<std::string>(); }};
  scope.find_curve = [&](std::string_view, std::string_view, const CurveSpec& spec, TextProblem*) {
    reading.spec = spec;
    return std::make_shared<const Curve>(std::vector<double>{0, 1}, std::vector<double>{0, 0});
  };
  std::vector<TextProblem> problems;
  Expression::parse("table('a.csv', 'y', " + argument + ", " + words + ")", scope, std::nullopt, &problems);
  for (const TextProblem& p : problems)
    reading.problem += std::to_string(p.offset) + ": " + p.message + "; " + p.hint + "\n";
  return reading;
}

TEST(FitWords, NameAFitAndWhatLiesBeyond) {
  const auto expect = [](const std::string& words, const CurveSpec& spec, const std::string& argument = "t") {
    const Reading reading = read_formula(words, argument);
    EXPECT_EQ(reading.problem, "") << words;
    EXPECT_TRUE(reading.spec == spec) << words;
  };
  expect("'smooth:1000 Hz'", {Outside::kError, smooth(1000)});
  expect("'smooth: 1 kHz', 'hold'", {Outside::kHold, smooth(1000)});
  expect("'periodic', 'smooth:1/(2 ms)'", {Outside::kPeriodic, smooth(500)});
  expect("'smooth:1000'", {Outside::kError, smooth(1000)});
  expect("'smooth:1000 Hz'", {Outside::kError, smooth(1000)}, "2*t - 1 ms");
  expect("'smooth:0.5'", {Outside::kError, smooth(0.5)}, "alpha/1 deg");
  expect("'smooth:2 1/rad'", {Outside::kError, smooth(2)}, "alpha");
  expect("'harmonics:8'", {Outside::kPeriodic, harmonics(8)});
  expect("'harmonics:8', 'periodic'", {Outside::kPeriodic, harmonics(8)});
  expect("'period:4 ms', 'harmonics:8', 'error'", {Outside::kError, harmonics(8, 0.004)});
}

TEST(FitWords, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(read_formula("'harmonics:0'").problem,
            "23: '0' is no number of harmonics; a whole number from 1 to 64, as in \"harmonics:8\"\n");
  for (const char* n :
       {"'harmonics:8.5'", "'harmonics:'", "'harmonics'", "'harmonics:65'", "'harmonics:8 Hz'"})
    EXPECT_THAT(read_formula(n).problem, HasSubstr("is no number of harmonics"));
  EXPECT_EQ(read_formula("'smooth:25 rad/s'").problem,
            "23: the cut-off is measured in rad/s, and must be in 1/s, as the argument of the table asks; "
            "cycles a second: 1 Hz is 1/s\n");
  EXPECT_THAT(read_formula("'smooth:25 rad/s'", "2*t").problem, HasSubstr("is measured in rad/s"));
  EXPECT_THAT(read_formula("'smooth:25 Hz'", "t/(1 s)").problem, HasSubstr("and must be in 1,"));
  EXPECT_THAT(read_formula("'smooth:0 Hz'").problem, HasSubstr("23: the cut-off is 0; must be positive"));
  EXPECT_THAT(read_formula("'smooth:-1 Hz'").problem, HasSubstr("must be positive"));
  EXPECT_THAT(read_formula("'smooth:f'").problem, HasSubstr("23: unknown name 'f'"));
  EXPECT_THAT(read_formula("'smooth:'").problem, HasSubstr("a number or a formula is missing"));
  EXPECT_THAT(read_formula("'period:3 m', 'harmonics:2'").problem,
              HasSubstr("the period is measured in m, and must be in s"));
  EXPECT_THAT(read_formula("'period:3 s'").problem, HasSubstr("23: only a table with \"harmonics:N\" has"));
  EXPECT_THAT(read_formula("'harmonics:2', 'hold'").problem,
              HasSubstr("38: harmonics are periodic, also beyond the points"));
  EXPECT_THAT(read_formula("'harmonics:2', 'smooth:1 Hz'").problem, HasSubstr("38: a second word for a fit"));
  EXPECT_THAT(read_formula("'hold', 'error'").problem, HasSubstr("31: a second word for what lies beyond"));
  EXPECT_THAT(read_formula("'smoth:3 Hz'").problem,
              HasSubstr("a table can be no 'smoth:3 Hz' beyond its points; one of error, hold, extrapolate, "
                        "periodic; or a fit"));
}

}  // namespace
}  // namespace haltere
