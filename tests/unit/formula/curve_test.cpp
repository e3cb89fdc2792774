#include "haltere/formula/curve.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "haltere/formula/expression.h"

namespace haltere {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

/// Points of a function, unevenly spread.
template <class F>
Curve make_curve(int n, const F& f) {
  std::vector<double> x, y;
  for (int i = 0; i < n; ++i) {
    x.push_back(-1 + 3.0 * i / (n - 1) + 0.1 * std::sin(5.0 * i));
    y.push_back(f(x.back()));
  }
  return {x, y};
}

// not-a-knot at both ends: a cubic comes back, also outside of its points             (source: analytic)
TEST(Curve, ThroughPointsOfACubicIsTheCubic) {
  const auto f = [](double x) { return 1 - 2 * x + 0.5 * x * x + 0.3 * x * x * x; };
  for (const int n : {4, 5, 9, 30}) {
    const Curve curve = make_curve(n, f);
    for (double x = -2; x < 3; x += 0.07) {
      const Jet<double> at = curve.calc(Jet<double>::time(x));
      const double rounding =
          1e3 * kEps * n;  // machine: differences of neighbours, divided by their distance
      EXPECT_NEAR(at.value, f(x), rounding);
      EXPECT_NEAR(at.d1, -2 + x + 0.9 * x * x, 10 * rounding);
      EXPECT_NEAR(at.d2, 1 + 1.8 * x, 100 * rounding);
    }
  }
}

TEST(Curve, ThroughFewPointsIsALineOrAParabola) {
  const Curve line({1, 3}, {5, 1});
  EXPECT_DOUBLE_EQ(line.calc(0.0), 7);
  EXPECT_DOUBLE_EQ(line.calc(4.0), -1);
  const Curve parabola({0, 1, 3}, {1, 2, 10});
  for (double x = -1; x < 4; x += 0.3) EXPECT_NEAR(parabola.calc(x), 1 + x * x, 100 * kEps);
}

TEST(Curve, HitsItsPointsAndIsTwiceDifferentiable) {
  const std::vector<double> x{0, 0.5, 0.7, 1.5, 2, 2.1}, y{1, -1, 0.5, 2, 2, -3};
  const Curve curve(x, y);
  EXPECT_EQ(curve.first(), 0);
  EXPECT_EQ(curve.last(), 2.1);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(curve.calc(x[i]), y[i], 100 * kEps);
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    const Jet<double> before = curve.calc(Jet<double>::time(std::nextafter(x[i], -1))),
                      after = curve.calc(Jet<double>::time(x[i]));
    EXPECT_NEAR(before.d1, after.d1, 1e-11);  // machine: second derivatives of some hundreds
    EXPECT_NEAR(before.d2, after.d2, 1e-9);
  }
}

TEST(Curve, IsOfFourthOrder) {
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    std::vector<double> x, y;
    const int n = 40 << i;
    for (int k = 0; k <= n; ++k) {
      x.push_back(4.0 * k / n);
      y.push_back(std::sin(3 * x.back()));
    }
    const Curve curve(x, y);
    errors[i] = 0;
    for (double at = 0; at < 4; at += 0.001)
      errors[i] = std::max(errors[i], std::abs(curve.calc(at) - std::sin(3 * at)));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.3);
}

// analytic: the first and the last value; the points of one period; the first and the last cubic
TEST(Curve, IsBeyondItsPointsWhatItIsSaidToBe) {
  const std::vector<double> x{0, 1, 2, 4}, y{1, 3, 2, 1};
  const Curve held(x, y, Outside::kHold), periodic(x, y, Outside::kPeriodic), longer(x, y);
  for (const double at : {-1.0, -1e300}) EXPECT_EQ(held.calc(at), 1);
  for (const double at : {4.5, 1e300}) EXPECT_EQ(held.calc(at), 1);
  const Jet<double> beyond = held.calc(Jet<double>::time(5));
  EXPECT_EQ(beyond.d1, 0);
  EXPECT_EQ(beyond.d2, 0);
  for (double at = 0; at < 4; at += 0.25) {
    EXPECT_NEAR(held.calc(at), longer.calc(at), 10 * kEps);
    for (const int turns : {-3, -1, 1, 7}) {
      const Jet<double> there = periodic.calc(Jet<double>::time(at + 4 * turns)),
                        here = periodic.calc(Jet<double>::time(at));
      EXPECT_EQ(there.value, here.value);
      EXPECT_EQ(there.d1, here.d1);
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(periodic.calc(x[i]), y[i], 10 * kEps);
}

// analytic: a periodic spline goes on smoothly where it begins again, and is of fourth order there, too
TEST(Curve, BeginsAgainAsItEnds) {
  const std::vector<double> x{0, 0.5, 0.7, 1.5, 2}, y{1, -1, 0.5, 2, 1};
  const Curve curve(x, y, Outside::kPeriodic);
  for (const double at : x) {
    const Jet<double> before = curve.calc(Jet<double>::time(at - 1e-9)),
                      after = curve.calc(Jet<double>::time(at + 1e-9));
    EXPECT_NEAR(before.d1, after.d1, 1e-6);  // second derivatives of some hundreds, times 2e-9
    EXPECT_NEAR(before.d2, after.d2, 1e-4);
  }
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    std::vector<double> at, value;
    const int n = 20 << i;
    for (int k = 0; k <= n; ++k) {
      at.push_back(2.0 * k / n);
      value.push_back(std::sin(3.141592653589793 * at.back()));
    }
    const Curve sine(at, value, Outside::kPeriodic);
    errors[i] = 0;
    for (double t = -3; t < 5; t += 0.001)
      errors[i] = std::max(errors[i], std::abs(sine.calc(t) - std::sin(3.141592653589793 * t)));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.2);
  for (const int n : {2, 3}) {  // one piece is a constant, two share both ends
    const Curve few({0, 1, 3}, {2, n == 2 ? 2.0 : 5.0, 2}, Outside::kPeriodic);
    EXPECT_NEAR(few.calc(4.0), n == 2 ? 2 : 5, 10 * kEps);
  }
  EXPECT_EQ(Curve({0, 1}, {2, 2}, Outside::kPeriodic).calc(7.3), 2);
}

TEST(Curve, SaysWhereItWasLeft) {
  const Curve curve({1, 2, 3}, {1, 4, 9}, Outside::kError, "'a.csv', column 'y'");
  double y = 0;
  EXPECT_EQ(find_curve_fault([&] { y = curve.calc(2.5); }), "");
  EXPECT_NEAR(y, 6.25, 10 * kEps);
  const std::string fault = find_curve_fault([&] { y = curve.calc(3.25); });
  EXPECT_TRUE(std::isnan(y));
  EXPECT_EQ(fault.substr(0, fault.find(';')),
            "table 'a.csv', column 'y' is asked for 3.25, but has points from 1 to 3 only");
  EXPECT_EQ(find_curve_fault([] {}), "");                  // that of before is forgotten
  EXPECT_TRUE(std::isfinite(curve.calc(3 * (1 + kEps))));  // the end, but for rounding
  EXPECT_TRUE(std::isnan(curve.calc(0.999)));
}

// analytic: the third derivative of a cubic spline jumps at its points, but not at the second and the last
// but one, and not where all points lie on one cubic
TEST(Curve, KnowsWhereItBends) {
  const std::vector<double> x{0, 1, 2, 3, 4, 5}, y{0, 1, 0, 2, 0, 3};
  const double never = std::numeric_limits<double>::infinity();
  const Curve curve(x, y);
  EXPECT_EQ(curve.find_kink(-1, true), 2);
  EXPECT_EQ(curve.find_kink(2, true), 3);
  EXPECT_EQ(curve.find_kink(3, true), never);
  EXPECT_EQ(curve.find_kink(3, false), 2);
  EXPECT_EQ(curve.find_kink(2, false), -never);
  for (const Outside outside : {Outside::kError, Outside::kHold}) {
    EXPECT_EQ(Curve(x, y, outside).find_kink(-1, true), 0);
    EXPECT_EQ(Curve(x, y, outside).find_kink(3, true), 5);
  }
  EXPECT_EQ(Curve({0, 1, 2, 3, 4}, {0, 1, 4, 9, 16}).find_kink(0, true), never);
  const Curve periodic({0, 1, 2, 3}, {0, 1, 5, 0}, Outside::kPeriodic);
  EXPECT_EQ(periodic.find_kink(2, true), 3);
  EXPECT_EQ(periodic.find_kink(3, true), 4);
  EXPECT_EQ(periodic.find_kink(30.5, true), 31);
  EXPECT_EQ(periodic.find_kink(30, false), 29);
}

TEST(Curve, PassesOnWhatIsNoNumber) {
  EXPECT_TRUE(std::isnan(Curve({0, 1, 2}, {0, 1, 4}).calc(std::nan(""))));
}

// -- in formulas

Scope make_scope() {
  Scope scope{
      [](std::string_view name) -> std::optional<Variable> {
        if (name == "t")
          return Variable{Variable::Source::kLocal, 0, {Measure::Kind::kExact, unit_of("s").dimension}};
        return std::nullopt;
      },
      [] { return std::vector<std::string>{"t"}; }};
  scope.find_curve = [](std::string_view file, std::string_view column, const CurveSpec& spec,
                        TextProblem* problem) -> std::shared_ptr<const Curve> {
    if (file != "a.csv" || column != "y") {
      *problem = {file == "a.csv" ? 0 : -1, "there is none", "try another"};
      return nullptr;
    }
    return std::make_shared<const Curve>(std::vector<double>{0, 1, 2}, std::vector<double>{1, 2, 5}, spec,
                                         "'a.csv'");  // 1 + x^2
  };
  return scope;
}

Expression parse(const std::string& text, std::vector<TextProblem>* problems,
                 std::optional<Dimension> expected = std::nullopt) {
  return Expression::parse(text, make_scope(), expected, problems);
}

std::string problem_of(const std::string& text) {
  std::vector<TextProblem> problems;
  parse(text, &problems);
  return problems.empty() ? "" : std::to_string(problems[0].offset) + ": " + problems[0].message;
}

TEST(Table, IsAFunctionOfItsArgument) {
  std::vector<TextProblem> problems;
  const Expression e = parse("2*table(\"a.csv\", 'y', 3*t) - 1", &problems);
  ASSERT_TRUE(problems.empty());
  const Jet<double> t = Jet<double>::time(0.2);
  const Jet<double> x = e.calc<Jet<double>, double>(nullptr, &t);
  EXPECT_NEAR(x.value, 2 * (1 + 0.36) - 1, 100 * kEps);
  EXPECT_NEAR(x.d1, 2 * 18 * 0.2, 100 * kEps);
  EXPECT_NEAR(x.d2, 2 * 18, 1000 * kEps);
  Dual at(0.2);
  at.d[1] = 1;
  EXPECT_NEAR((e.calc<Dual, Dual>(nullptr, &at).d[1]), 2 * 18 * 0.2, 100 * kEps);
  EXPECT_TRUE(e.uses_locals());
}

TEST(Table, OfANumberIsANumber) {
  std::vector<TextProblem> problems;
  const Expression e = parse("table(\"a.csv\", \"y\", 2)", &problems);
  ASSERT_TRUE(problems.empty());
  EXPECT_TRUE(e.is_constant());
  EXPECT_DOUBLE_EQ((e.calc<double, double>(nullptr, nullptr)), 5);
}

TEST(Table, FitsEveryDimension) {
  std::vector<TextProblem> problems;
  for (const char* unit : {"N m", "1", "rad/s"})
    parse("table(\"a.csv\", \"y\", t)", &problems, unit_of(unit).dimension);
  EXPECT_TRUE(problems.empty());
}

TEST(Table, IsTheSameInOtherUnits) {
  std::vector<TextProblem> problems;
  const Expression e = parse("table(\"a.csv\", \"y\", t)", &problems);
  const double t = 0.7, t_scaled = 8 * t;
  EXPECT_EQ((e.in_units(4, {8}).calc<double, double>(nullptr, &t_scaled)),
            4 * (e.calc<double, double>(nullptr, &t)));
}

TEST(Table, SaysThatANumberLiesBeyondItsPoints) {
  EXPECT_EQ(problem_of("1 + table(\"a.csv\", \"y\", 2.5)").substr(0, 70),
            "4: table 'a.csv' is asked for 2.5, but has points from 0 to 2 only; \"h");
  std::vector<TextProblem> problems;
  EXPECT_EQ(
      (parse("table(\"a.csv\", \"y\", 2.5, \"hold\")", &problems).calc<double, double>(nullptr, nullptr)), 5);
  EXPECT_NEAR(
      (parse("table('a.csv', 'y', 3, 'extrapolate')", &problems).calc<double, double>(nullptr, nullptr)), 10,
      100 * kEps);
  EXPECT_TRUE(problems.empty());
}

// analytic: a parabola through 0, 1, 2 bends nowhere but ends at both; lines in time reach them at times that
// one can tell. t: local 0; what follows it is not known in advance
TEST(Table, OfTimeIsKnownInAdvance) {
  const double never = std::numeric_limits<double>::infinity();
  const std::vector<LineInTime> locals{LineInTime::time(), {}};
  Scope scope = make_scope();
  scope.find = [find = scope.find](std::string_view name) -> std::optional<Variable> {
    if (name == "state") return Variable{Variable::Source::kLocal, 1, {}};
    return find(name);
  };
  const auto look = [&](const std::string& text, double t) {
    std::vector<TextProblem> problems;
    const Expression e = Expression::parse(text, scope, std::nullopt, &problems);
    EXPECT_TRUE(problems.empty()) << text;
    LineInTime value;
    return e.look_ahead(t, nullptr, locals.data(), &value);
  };
  struct Case {
    const char* argument;
    double t, kink, end;
  };
  for (const Case& c : std::vector<Case>{
           {"t", 0, 2, 2},
           {"t", 1, 2, 2},
           {"t - 1", 0, 1, 0},  // it has not begun
           {"t - 1", 1, 3, 3},
           {"t/(60 s)", 0, 120, 120},
           {"2 - t/2", 0, 4, 4},  // backwards
           {"mod(t, 1.5)", 0, 1.5, never},
           {"mod(t, 1.5)", 3, 4.5, never},
           {"clamp(t - 1, 0, 2)", 0, 1, never},
           {"clamp(t - 1, 0, 2)", 1, 3, never},
           {"clamp(t - 1, 0, 2)", 3, never, never},
           {"abs(t - 1)", 0, 1, never},
           {"abs(t - 1)", 1, 3, 3},
           {"t < 1 ? 0 : t - 1", 0, 1, never},
           {"t < 1 ? 0 : t - 1", 1, 3, 3},
           {"floor(t/1 s)/10", 2, 3, never},
           {"step(t - 4)", 0, 4, never},
           {"min(t, 1)", 1, never, never},
           {"sin(t/1 s)", 0, never, never},  // no line
           {"state", 0, never, never},
           {"t + state", 0, never, never},
           {"state < 0 ? 0 : t", 0, never, never},
       }) {
    const TableOutlook outlook = look(std::string("2*table('a.csv', 'y', ") + c.argument + ") + 1", c.t);
    EXPECT_DOUBLE_EQ(outlook.kink, c.kink) << c.argument << " at " << c.t;
    EXPECT_DOUBLE_EQ(outlook.end, c.end) << c.argument << " at " << c.t;
  }
  EXPECT_DOUBLE_EQ(look("table('a.csv', 'y', t, 'hold')", 0).kink, 2);
  EXPECT_EQ(look("table('a.csv', 'y', t, 'hold')", 0).ended, nullptr);
  EXPECT_EQ(look("table('a.csv', 'y', t, 'extrapolate')", 0).kink, never);
}

TEST(Table, SaysWhatIsWrong) {
  EXPECT_EQ(problem_of("1 + table(\"b.csv\", \"y\", t)"), "10: there is none");
  EXPECT_EQ(problem_of("table(\"a.csv\", \"z\", t)"), "14: there is none");
  const std::string how =
      "table takes the name of a file and of a column, both in quotation marks, a value, and words for what "
      "lies beyond the points and for a fit";
  EXPECT_EQ(problem_of("table(a.csv, y, t)"), "6: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv\", t)"), "15: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv"), "6: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv\", \"y\")"), "18: unexpected ')'");
  EXPECT_EQ(problem_of("table(\"a.csv\", \"y\", t, t)"), "23: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv\", \"y\", t, \"hold\", 1)"), "31: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv\", \"y\", t, \"holt\")"),
            "23: a table can be no 'holt' beyond its points");
  EXPECT_EQ(problem_of("table + 1"), "0: 'table' is a function");
  std::vector<TextProblem> problems;
  Expression::parse("table(\"a.csv\", \"y\", 1)", {}, std::nullopt, &problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].message, "formulas have no tables here");
  EXPECT_TRUE(is_reserved_name("table"));
}

}  // namespace
}  // namespace haltere
