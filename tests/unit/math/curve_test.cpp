#include "haltere/math/curve.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "haltere/math/expression.h"

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
  scope.find_curve = [](std::string_view file, std::string_view column,
                        TextProblem* problem) -> std::shared_ptr<const Curve> {
    if (file != "a.csv" || column != "y") {
      *problem = {file == "a.csv" ? 0 : -1, "there is none", "try another"};
      return nullptr;
    }
    return std::make_shared<const Curve>(std::vector<double>{0, 1, 2},
                                         std::vector<double>{1, 2, 5});  // 1 + x^2
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

TEST(Table, SaysWhatIsWrong) {
  EXPECT_EQ(problem_of("1 + table(\"b.csv\", \"y\", t)"), "10: there is none");
  EXPECT_EQ(problem_of("table(\"a.csv\", \"z\", t)"), "14: there is none");
  const std::string how =
      "table takes the name of a file and of a column, both in quotation marks, and a value";
  EXPECT_EQ(problem_of("table(a.csv, y, t)"), "6: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv\", t)"), "15: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv"), "6: " + how);
  EXPECT_EQ(problem_of("table(\"a.csv\", \"y\")"), "18: unexpected ')'");
  EXPECT_EQ(problem_of("table(\"a.csv\", \"y\", t, t)"), "21: unexpected ','");
  EXPECT_EQ(problem_of("table + 1"), "0: 'table' is a function");
  std::vector<TextProblem> problems;
  Expression::parse("table(\"a.csv\", \"y\", 1)", {}, std::nullopt, &problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].message, "formulas have no tables here");
  EXPECT_TRUE(is_reserved_name("table"));
}

}  // namespace
}  // namespace haltere
