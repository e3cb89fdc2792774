#include "haltere/formula/expression.h"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;

Measure measure_of(const char* unit) {
  return {Measure::Kind::kExact, unit_of(unit).dimension};
}
const Measure kAny{Measure::Kind::kAny};

// Parameters A = 0.5 [rad], f = 25 [1/s], L = 2 [m], m = 3 [kg], k = 7 (plain), w = 4 [rad/s], n = 0 (plain);
// locals t [s] and joint.hinge.angle [rad].
class Formula {
 public:
  Formula() {
    add("A", 0.5, measure_of("rad"));
    add("f", 25, measure_of("Hz"));
    add("L", 2, measure_of("m"));
    add("m", 3, measure_of("kg"));
    add("k", 7, kAny);
    add("w", 4, measure_of("rad/s"));
    add("n", 0, kAny);
    variables_["t"] = {Variable::Source::kLocal, 0, measure_of("s")};
    variables_["joint.hinge.angle"] = {Variable::Source::kLocal, 1, measure_of("rad")};
    scope_.find = [this](std::string_view name) -> std::optional<Variable> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
    scope_.names = [this] {
      std::vector<std::string> names;
      for (const auto& [name, variable] : variables_) names.push_back(name);
      return names;
    };
  }
  Formula(const Formula&) = delete;
  Formula& operator=(const Formula&) = delete;

  Expression parse(std::string_view text, const char* unit = nullptr) {
    problems.clear();
    std::optional<Dimension> expected;
    if (unit) expected = unit_of(unit).dimension;
    return Expression::parse(text, scope_, expected, &problems);
  }
  // the value at t = 0.3, angle = 0.2; NaN where there was a problem
  double calc(std::string_view text, const char* unit = nullptr) {
    const Expression expression = parse(text, unit);
    if (!problems.empty()) return std::nan("");
    const std::array<double, 2> locals{0.3, 0.2};
    return expression.calc<double, double>(parameters.data(), locals.data());
  }
  std::string message(std::string_view text, const char* unit = nullptr) {
    parse(text, unit);
    return problems.empty() ? "" : problems[0].message;
  }
  std::string hint(std::string_view text, const char* unit = nullptr) {
    parse(text, unit);
    return problems.empty() ? "" : problems[0].hint;
  }
  bool is_fine(std::string_view text, const char* unit = nullptr) {
    parse(text, unit);
    return problems.empty();
  }

  std::vector<TextProblem> problems;
  std::vector<double> parameters;

 private:
  void add(const std::string& name, double value, const Measure& measure) {
    variables_[name] = {Variable::Source::kParameter, static_cast<int>(parameters.size()), measure};
    parameters.push_back(value);
  }
  std::map<std::string, Variable, std::less<>> variables_;
  Scope scope_;
};

// source of the values: analytic
TEST(Expression, ComputesValues) {
  Formula formula;
  const std::vector<std::pair<std::string, double>> rows{
      {"0", 0},
      {"42", 42},
      {"-3.5e-2", -3.5e-2},
      {".5", 0.5},
      {"2.", 2},
      {"1E3", 1000},
      {"pi", kPi},
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"7 - 2 - 1", 4},
      {"8/4/2", 1},
      {"8/(4/2)", 4},
      {"2*3/4*2", 3},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"2^3^2", 512},
      {"2^-2^2", 0.0625},
      {"--3", 3},
      {"+3", 3},
      {"2--3", 5},
      {"2*-3", -6},
      {"-2*-3", 6},
      {"10^-3", 1e-3},
      {"9^0.5", 3},
      {"sqrt(16)", 4},
      {"pow(2, 10)", 1024},
      {"abs(-2)", 2},
      {"floor(-1.5)", -2},
      {"min(3, 2)", 2},
      {"max(3, 2)", 3},
      {"min(3, 2, 5, 1)", 1},
      {"max(3, 2, 5, 1)", 5},
      {"mod(7, 3)", 1},
      {"mod(-7, 3)", 2},
      {"mod(7, -3)", -2},
      {"step(-1)", 0},
      {"step(0)", 1},
      {"step(2)", 1},
      {"smoothstep(-0.1)", 0},
      {"smoothstep(0.25)", 53.0 / 512},  // x^3 (10 - 15 x + 6 x^2) at 1/4
      {"smoothstep(0.5)", 0.5},
      {"smoothstep(3)", 1},
      {"clamp(5, 0, 1)", 1},
      {"clamp(-5, 0, 1)", 0},
      {"clamp(0.5, 0, 1)", 0.5},
      {"atan2(1, -1)", 3 * kPi / 4},
      {"sin(pi/2)", 1},
      {"log(exp(2))", 2},
      {"1 < 2", 1},
      {"2 <= 2", 1},
      {"1 > 2", 0},
      {"2 >= 3", 0},
      {"1 == 1", 1},
      {"1 != 1", 0},
      {"1 + 1 == 2", 1},
      {"1 < 2 ? 10 : 20", 10},
      {"1 > 2 ? 10 : 20", 20},
      {"0 ? 1 : 0 ? 2 : 3", 3},
      {"1 ? 0 ? 1 : 2 : 3", 2},
      {"(1 ? 2 : 3) + 4", 6},
      {"1 ? 2 : 3 + 4", 2},
      {"k > 5 ? 1 : 2", 1},
      {"(k > 5 ? 1 : 2) + 3", 4},
      {"3 + (k < 5 ? 1 : 2)", 5},
      {"2*(1 ? (k < 5 ? 1 : 2) : 9) + 3", 7},
      {"(k < 5 ? k < 3 ? 1 : 2 : k < 8 ? 3 : 4)*10", 30},
      {"k", 7},
      {"t", 0.3},
      {"joint.hinge.angle", 0.2},
      {"k - 2*L/(1 m)", 3},
      {"\tk\n+ 1 ", 8},
      {"k^2", 49},
      {"k^0", 1},
      {"k^-1", 1. / 7},
      {"n^2", 0},
      {"min(k, 9) + max(k, 9)", 16},
      {"clamp(k, 1, 3)", 3},
  };
  for (const auto& [text, value] : rows) {
    EXPECT_DOUBLE_EQ(formula.calc(text), value) << text;  // machine: a rounding or two
    for (const TextProblem& p : formula.problems)
      ADD_FAILURE() << text << ": " << p.message << "; " << p.hint;
  }
}

// source of the values: analytic, the SI brochure
TEST(Expression, ReadsQuantities) {
  Formula formula;
  struct Row {
    std::string text;
    const char* unit;
    double value;
  };
  const std::vector<Row> rows{
      {"5 deg", "rad", 5 * (kPi / 180)},
      {"5deg", "rad", 5 * (kPi / 180)},
      {"2.5 mg", "kg", 2.5e-6},
      {"100 N*m/rad", "N m/rad", 100},
      {"100 N m/rad", "N m/rad", 100},
      {"100 N.m/rad", "N m/rad", 100},
      {"100 (N m)/rad", "N m/rad", 100},
      {"-3 mm", "m", -0.003},
      {"+3 mm", "m", 0.003},
      {" 3 mm ", "m", 0.003},
      {"(3 mm)", "m", 0.003},
      {"1e-3 kg*m^2", "kg m2", 1e-3},
      {"9.81 m/s^2", "m/s2", 9.81},
      {"9.81 m/s2", "m/s2", 9.81},
      {"25 1/s", "1/s", 25},
      {"25 s-1", "1/s", 25},
      {"25 s^-1", "1/s", 25},
      {"60 rpm", "rad/s", 2 * kPi},
      {"3 \u00b5m", "m", 3e-6},
      {"90\u00b0", "rad", kPi / 2},
      {"3", "m", 3},
      {"pi rad", "rad", kPi},
      {"2*pi rad/s", "rad/s", 2 * kPi},
      {"2*pi*25 Hz", "rad/s", 50 * kPi},
      {"25*2*pi rad/s", "rad/s", 50 * kPi},
      {"10 rad/s/(2*pi)", "1/s", 10 / (2 * kPi)},
      {"5 deg + 0.1", "rad", 5 * (kPi / 180) + 0.1},
      {"A*sin(2*pi*f*t) + 5 deg", "rad", 0.5 * std::sin(2 * kPi * 25 * 0.3) + 5 * (kPi / 180)},
      {"2 m^2/(1 m)", "m", 2},
      {"(2 m)^2", "m2", 4},
      {"6 N/(2 kg*L)", "1/s2", 1.5},
      {"0.5 rad/s*t", "rad", 0.15},
      {"0.5 rad / s * t", "rad", 0.15},
      // with a parameter m: after * and / the parameter, unless the whole text is the quantity asked for
      {"100 N/m", "m/s2", 100. / 3},
      {"100 N/m", "N/m", 100},
      {"100 N/m", nullptr, 100},
      {"1*100 N/m", nullptr, 100. / 3},
      {"2 m*L", "m2", 4},
  };
  for (const Row& row : rows) {
    EXPECT_DOUBLE_EQ(formula.calc(row.text, row.unit), row.value) << row.text;
    for (const TextProblem& p : formula.problems)
      ADD_FAILURE() << row.text << ": " << p.message << "; " << p.hint;
  }
}

TEST(Expression, AQuantityIsTheNumberTypedInSi) {
  Formula formula;
  EXPECT_EQ(formula.calc("3 mm", "m"), 0.003);
  EXPECT_EQ(formula.calc("1.7 mg", "kg"), 1.7e-6);
  EXPECT_EQ(formula.calc("180 deg", "rad"), kPi);
}

TEST(Expression, FrequencyIsNoAngularRate) {
  Formula formula;
  EXPECT_EQ(formula.message("25 Hz", "rad/s"), "25 Hz is not an angular rate");
  EXPECT_EQ(formula.hint("25 Hz", "rad/s"), "write 25*2*pi rad/s");
  EXPECT_EQ(formula.hint("-25 Hz", "rad/s"), "write -25*2*pi rad/s");
  EXPECT_EQ(formula.message("1/s", "rad/s"), "'s' is a unit, not a variable here");
  EXPECT_EQ(formula.hint("3 kHz", "rad/s"), "write 2*pi*3 kHz");
  EXPECT_EQ(formula.message("f", "rad/s"), "'f' is not an angular rate");
  EXPECT_EQ(formula.hint("f", "rad/s"), "write 2*pi*f");
  EXPECT_EQ(formula.message("10 rad/s", "1/s"), "10 rad/s is an angular rate, not a frequency");
  EXPECT_EQ(formula.hint("10 rad/s", "1/s"), "write 10 rad/s/(2*pi)");
  EXPECT_EQ(formula.hint("w", "1/s"), "write w/(2*pi)");
  // what the hints say is accepted
  for (const char* text : {"25*2*pi rad/s", "-25*2*pi rad/s", "2*pi*3 kHz", "2*pi*f", "w"})
    EXPECT_TRUE(formula.is_fine(text, "rad/s")) << text;
  for (const char* text : {"10 rad/s/(2*pi)", "w/(2*pi)", "f"})
    EXPECT_TRUE(formula.is_fine(text, "1/s")) << text;
}

TEST(Expression, ABareQuantityOrNameMustMatchExactly) {
  Formula formula;
  EXPECT_EQ(formula.message("5 deg", "m"), "5 deg is measured in rad; expected m");
  EXPECT_EQ(formula.message("100 N*m", "N m/rad"), "100 N*m is measured in N m; expected N m/rad");
  EXPECT_EQ(formula.message("L", "rad"), "'L' is measured in m; expected rad");
  EXPECT_EQ(formula.message("5 deg", "1"), "5 deg is measured in rad; expected 1");
  EXPECT_EQ(formula.message("A", "1"), "'A' is measured in rad; expected 1");
  // in a formula radians are pure numbers; plain numbers and parameters without unit fit everywhere
  for (const char* text : {"2*A", "A + 1", "sin(A)", "3", "k", "2*k", "0.3*sin(w*t)"})
    EXPECT_TRUE(formula.is_fine(text, "1")) << text;
  for (const char* text :
       {"L", "2*L", "3", "k", "k*t", "L*sin(A)", "L + 3", "0.3*sin(w*t)", "k + L", "3 mm + L"})
    EXPECT_TRUE(formula.is_fine(text, "m")) << text << ": " << formula.problems[0].message;
}

TEST(Expression, WhatAFormulaMadeIsNotHeldToItsAngle) {
  // a parameter `omega: 2*pi*f` is 1/s by its formula, and yet an angular rate
  Formula formula;
  const Measure made = formula.parse("2*pi*f").measure();
  EXPECT_EQ(made.kind, Measure::Kind::kExact);
  EXPECT_EQ(made.dimension, unit_of("1/s").dimension);
  EXPECT_FALSE(made.is_strict);
  Scope scope;
  scope.find = [&](std::string_view) { return Variable{Variable::Source::kParameter, 0, made}; };
  std::vector<TextProblem> problems;
  Expression::parse("omega", scope, unit_of("rad/s").dimension, &problems);
  EXPECT_TRUE(problems.empty());
  Expression::parse("omega", scope, unit_of("m").dimension, &problems);
  EXPECT_EQ(problems.size(), 1u);
}

TEST(Expression, InfersDimensions) {
  Formula formula;
  const std::vector<std::pair<std::string, std::string>> rows{
      {"L*w^2", "m s-2 rad2"},
      {"m*L^2", "kg m2"},
      {"sqrt(L/(9.81 m/s2))", "s"},
      {"sqrt(L)/sqrt(9.81 m/s2)", "s"},
      {"(L^3)^(1/3)", "m"},
      {"L^(2/3)*L^(1/3)", "m"},
      {"pow(L, 2)", "m2"},
      {"L^0", "1"},
      {"L^-1", "1/m"},
      {"1/t", "1/s"},
      {"abs(L)", "m"},
      {"min(L, 3 mm)", "m"},
      {"mod(L, 1)", "m"},
      {"clamp(L, 0, 1 km)", "m"},
      {"atan2(L, 2 m)", "rad"},
      {"t > 1 ? L : 0", "m"},
      {"L/L", "1"},
      {"acos(L/(5 m))", "rad"},
      {"sqrt(100 N m/rad/(m*L^2))", "1/s"},
  };
  for (const auto& [text, unit] : rows) {
    const Expression expression = formula.parse(text);
    for (const TextProblem& p : formula.problems)
      ADD_FAILURE() << text << ": " << p.message << "; " << p.hint;
    EXPECT_EQ(expression.measure().kind, Measure::Kind::kExact) << text;
    EXPECT_EQ(to_string(expression.measure().dimension), unit) << text;
  }
  for (const char* text : {"3", "sin(A)", "2*pi", "t > 1", "exp(-t/(2 s))", "step(t - 1)"})
    EXPECT_EQ(formula.parse(text).measure().kind, Measure::Kind::kNumber) << text;
  for (const char* text : {"k", "k*L", "sqrt(k)", "k^2", "k + 1", "k^n", "sqrt(L)"})
    EXPECT_EQ(formula.parse(text).measure().kind, Measure::Kind::kAny) << text;
}

struct Mistake {
  std::string text;
  const char* unit;
  int offset;
  std::string message;
  std::string hint;
};

TEST(Expression, NamesEveryMistakeWithItsPlace) {
  Formula formula;
  const std::string plain = "a plain number in a product has no unit; does one need a unit?";
  const std::vector<Mistake> rows{
      {"", nullptr, 0, "a number or a formula is missing", ""},
      {"   ", nullptr, 0, "a number or a formula is missing", ""},
      {"1 +", nullptr, 3, "the formula ends too early", ""},
      {"(1 + 2", nullptr, 6, "')' is missing", ""},
      {"1 + 2)", nullptr, 5, "unexpected ')'", ""},
      {"1 2", nullptr, 2, "an operator is missing before '2'", "write * for a product"},
      {"5 1/2", nullptr, 2, "an operator is missing before '1'", "write * for a product"},
      {"2 k", nullptr, 2, "an operator is missing before 'k'", "write * for a product"},
      {"2 sin(1)", nullptr, 2, "an operator is missing before 'sin'", "write * for a product"},
      {"2 t", nullptr, 2, "an operator is missing before 't'", "write * for a product"},
      {"2*pi t", nullptr, 5, "an operator is missing before 't'", "write * for a product"},
      {"k (1)", nullptr, 0, "'k' is no function", "write * before the bracket"},
      {"2 ** 3", nullptr, 2, "unexpected '**'", "powers are written with ^"},
      {"1 = 1", nullptr, 2, "unexpected '='", "comparisons are written with =="},
      {"1 < 2 < 3", nullptr, 6, "unexpected '<'", "comparisons cannot be chained; use brackets"},
      {"1 == 2 == 3", nullptr, 7, "unexpected '='", "comparisons cannot be chained; use brackets"},
      {"1 ? 2", nullptr, 5, "':' is missing", ""},
      {"1, 2", nullptr, 1, "unexpected ','", ""},
      {"$", nullptr, 0, "unexpected '$'", ""},
      {"2*\u03c6", nullptr, 2, "unexpected '\u03c6'", ""},
      {"\xff", nullptr, 0, "unexpected '\\xff'", ""},
      {".", nullptr, 0, "unexpected '.'", ""},
      {"sin()", nullptr, 4, "unexpected ')'", ""},
      {"sin(1, 2)", nullptr, 0, "sin takes 1 argument, not 2", ""},
      {"atan2(1)", nullptr, 0, "atan2 takes 2 arguments, not 1", ""},
      {"clamp(1, 2)", nullptr, 0, "clamp takes 3 arguments, not 2", ""},
      {"min(1)", nullptr, 0, "min takes 2 or more arguments, not 1", ""},
      {"sine(1)", nullptr, 0, "'sine' is no function", "did you mean 'sin'?"},
      {"1 + joint.hinge.angel", nullptr, 4, "unknown name 'joint.hinge.angel'",
       "did you mean 'joint.hinge.angle'?"},
      {"1 + zebra", nullptr, 4, "unknown name 'zebra'", ""},
      {"1 + sin", nullptr, 4, "'sin' is a function", "write sin(...)"},
      {"2*deg", nullptr, 2, "'deg' is a unit, not a variable here", "write it after a number, as in '1 deg'"},
      {"5 degs", nullptr, 2, "unknown unit 'degs'", "did you mean 'deg'?"},
      {"5 Nm", nullptr, 2, "unknown unit 'Nm'", "did you mean 'N m'?"},
      {"1 + 5 Nm", nullptr, 6, "unknown unit 'Nm'", "did you mean 'N m'?"},
      {"5 m^x", nullptr, 3, "the exponent of a unit must be a whole number", "write it as in m^2 or s^-1"},
      {"5 mm-1 mm", "m", 2, "'mm-1 mm' can be read in two ways",
       "write s^-1 for a power, or a space on each side of a minus"},
      {"1e999", nullptr, 0, "'1e999' is too large or too small for a number", ""},
      {"2*1e-999", nullptr, 2, "'1e-999' is too large or too small for a number", ""},
      {"1e308 km", "m", 0, "'1e308 km' is too large", ""},
      {"1/0", nullptr, 0, "'1/0' is not a finite number", ""},
      {"k + 1/0", nullptr, 4, "'1/0' is not a finite number", ""},
      {"sqrt(-1)", nullptr, 0, "'sqrt(-1)' is not a finite number", ""},
      {"log(0)", nullptr, 0, "'log(0)' is not a finite number", ""},
      {"1e300*1e300", nullptr, 0, "'1e300*1e300' is not a finite number", ""},
      {"(1 ? 0 : 1)^-1", nullptr, 0, "'(1 ? 0 : 1)^-1' is not a finite number", ""},
      {"t*100 N*m/rad", nullptr, 10, "'rad' is a unit, not a variable here",
       "'m' is a variable here; in a unit write ' m' for '*m' and ' m^-1' for '/m'"},
      {"1*100 N/m", "N/m", 0, "'1*100 N/m' is measured in m/s2; expected N/m",
       "'m' is a variable here; in a unit write ' m' for '*m' and ' m^-1' for '/m'"},
      {"L + t", nullptr, 4, "both sides of + differ in dimension: m and s", ""},
      {"L - 3 kg", nullptr, 4, "both sides of - differ in dimension: m and kg", ""},
      {"L + 2*t", nullptr, 4, "both sides of + differ in dimension: m and s", plain},
      {"L < t", nullptr, 4, "both sides of a comparison differ in dimension: m and s", ""},
      {"min(L, 3, t)", nullptr, 10, "the arguments of min differ in dimension: m and s", ""},
      {"k > 0 ? L : t", nullptr, 12, "the branches of ?: differ in dimension: m and s", ""},
      {"L ? 1 : 2", nullptr, 0, "the condition is measured in m", "compare it with something"},
      {"sin(2*pi*t)", nullptr, 4, "sin of '2*pi*t', which is measured in s; must be an angle or a number",
       plain},
      {"exp(L)", nullptr, 4, "exp of 'L', which is measured in m; must be a number", ""},
      {"2^L", nullptr, 2, "the exponent is measured in m; must be a number", ""},
      {"L^k", nullptr, 2, "the exponent of 'L', which is measured in m, must be a constant", ""},
      {"L^0.1234", nullptr, 0, "no unit is the power 0.1234 of m", ""},
      {"((L^99)^99)^99", nullptr, 1, "no unit is the power 99 of m99", ""},
      {"0.5*t", "rad", 0, "'0.5*t' is measured in s; expected rad", plain},
      {"sqrt(L)", "m", 0, "'sqrt(L)' is measured in m^(1/2); expected m", ""},
  };
  for (const Mistake& row : rows) {
    const Expression expression = formula.parse(row.text, row.unit);
    ASSERT_FALSE(formula.problems.empty()) << row.text;
    EXPECT_EQ(formula.problems[0].offset, row.offset) << row.text;
    EXPECT_EQ(formula.problems[0].message, row.message) << row.text;
    EXPECT_EQ(formula.problems[0].hint, row.hint) << row.text;
    EXPECT_EQ(formula.problems.size(), 1u) << row.text << ": " << formula.problems.back().message;
    EXPECT_EQ((expression.calc<double, double>(nullptr, nullptr)), 0) << "the number 0 after a problem";
    EXPECT_EQ(expression.text(), row.text);
  }
}

TEST(Expression, ReportsAllMistakesAtOnce) {
  Formula formula;
  formula.parse("foo + sin(L) + bar(1) + (L + t)*1/0");
  std::vector<int> offsets;
  for (const TextProblem& p : formula.problems) offsets.push_back(p.offset);
  EXPECT_THAT(offsets, testing::ElementsAre(0, 10, 15, 29));
  std::vector<TextProblem> before{{0, "of others", ""}};
  Expression::parse("1", {}, std::nullopt, &before);
  EXPECT_EQ(before.size(), 1u);
}

TEST(Expression, WorksWithoutAScope) {
  std::vector<TextProblem> problems;
  const Expression expression = Expression::parse("2*pi + 3 mm/(1 m)", {}, std::nullopt, &problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_DOUBLE_EQ((expression.calc<double, double>(nullptr, nullptr)), 2 * kPi + 0.003);
  Expression::parse("x", {}, std::nullopt, &problems);
  EXPECT_EQ(problems.size(), 1u);
}

TEST(Expression, FoldsAConstantOfItsScope) {
  Scope scope;
  scope.find = [](std::string_view) { return Variable{Variable::Source::kConstant, 0, {}, 3}; };
  std::vector<TextProblem> problems;
  const Expression e = Expression::parse("2^i + 10 mm*i", scope, std::nullopt, &problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(e.is_constant());
  EXPECT_DOUBLE_EQ((e.calc<double, double>(nullptr, nullptr)), 8.03);  // source: analytic
}

TEST(Expression, KnowsWhatItReads) {
  Formula formula;
  const Expression e = formula.parse("A*sin(w*t) + A*f*0 s");
  EXPECT_FALSE(e.is_constant());
  EXPECT_TRUE(e.uses_locals());
  EXPECT_TRUE(e.uses_local(0));
  EXPECT_FALSE(e.uses_local(1));
  EXPECT_THAT(e.parameters(), testing::ElementsAre(0, 1, 5));
  EXPECT_TRUE(formula.parse("2*(3 + sin(1)) > 0 ? min(1, 2) : t/(1 s)").is_constant()) << "folded";
  EXPECT_TRUE(Expression().is_constant());
  EXPECT_EQ((Expression(2.5).calc<double, double>(nullptr, nullptr)), 2.5);
  EXPECT_EQ(Expression(2.5).text(), "2.5");
  EXPECT_EQ((Expression().calc<Dual, Dual>(nullptr, nullptr).value), 0);
}

// -- derivatives

TEST(Expression, JetsGiveRateAndAccelerationOfAMotion) {
  // A sin(2 pi f t) + 5 deg; source: analytic
  Formula formula;
  const Expression e = formula.parse("A*sin(2*pi*f*t) + 5 deg", "rad");
  for (const double t : {0.0, 1e-8, 0.0123, 0.7}) {
    const Jet<double> time = Jet<double>::time(t);
    const Jet<double> x = e.calc<Jet<double>, double>(formula.parameters.data(), &time);
    const double w = 2 * kPi * 25;
    // machine, with the phase w t of up to a hundred turned into an error of the sine
    EXPECT_NEAR(x.value, 0.5 * std::sin(w * t) + 5 * kPi / 180, 100 * kEps);
    EXPECT_NEAR(x.d1, 0.5 * w * std::cos(w * t), 100 * kEps * w);
    EXPECT_NEAR(x.d2, -0.5 * w * w * std::sin(w * t), 100 * kEps * w * w);
  }
}

TEST(Expression, DualsGiveDerivativesInParametersAndLocals) {
  // L w^2 cos(w t) in L (direction 0), w (1), t (2); source: analytic
  Formula formula;
  const Expression e = formula.parse("L*w^2*cos(w*t)");
  std::vector<Dual> parameters(formula.parameters.begin(), formula.parameters.end());
  parameters[2] = Dual(2, 0);
  parameters[5] = Dual(4, 1);
  const std::array<Dual, 2> locals{Dual(0.3, 2), Dual(0)};
  const Dual y = e.calc<Dual, Dual>(parameters.data(), locals.data());
  const double L = 2, w = 4, t = 0.3, s = std::sin(w * t), c = std::cos(w * t);
  const double tolerance = 300 * kEps;  // machine, numbers of order a hundred
  EXPECT_NEAR(y.value, L * w * w * c, tolerance);
  EXPECT_NEAR(y.d[0], w * w * c, tolerance);
  EXPECT_NEAR(y.d[1], 2 * L * w * c - L * w * w * t * s, tolerance);
  EXPECT_NEAR(y.d[2], -L * w * w * w * s, tolerance);
  EXPECT_EQ(y.d[3], 0);

  // the same through Jet<Dual>: d/dL of the acceleration is -w^4 cos(w t)
  const std::array<Jet<Dual>, 2> moving{Jet<Dual>::time(Dual(t)), Jet<Dual>(0)};
  const Jet<Dual> x = e.calc<Jet<Dual>, Dual>(parameters.data(), moving.data());
  EXPECT_NEAR(x.d1.value, -L * w * w * w * s, tolerance);
  EXPECT_NEAR(x.d2.value, -L * w * w * w * w * c, 4 * tolerance);
  EXPECT_NEAR(x.d2.d[0], -w * w * w * w * c, 4 * tolerance);
}

TEST(Expression, EveryOperationHasTheDerivativeOfItsValue) {
  // d1 and d2 against central differences of the value; source: independent
  Formula formula;
  const double h = 1e-4;
  for (const char* text : {"sin(x)",
                           "cos(x)",
                           "tan(x)",
                           "asin(x/3)",
                           "acos(x/3)",
                           "atan(x)",
                           "atan2(x, 2)",
                           "atan2(2, x)",
                           "sinh(x)",
                           "cosh(x)",
                           "tanh(x)",
                           "exp(x)",
                           "log(x)",
                           "sqrt(x)",
                           "abs(x)",
                           "abs(-x)",
                           "floor(x)",
                           "step(x)",
                           "smoothstep(x/2)",
                           "min(x, 5)",
                           "min(5, x*x)",
                           "max(x, 5)",
                           "max(x^3, x)",
                           "mod(x*x, 0.5)",
                           "clamp(x, 0, 1)",
                           "clamp(x^2, 0, 2)",
                           "x^2",
                           "x^12",
                           "x^-1",
                           "x^-3",
                           "x^2.5",
                           "x^x",
                           "2^x",
                           "pow(x, 3)",
                           "x > 1 ? x^2 : -x",
                           "x < 1 ? x^2 : -x^3",
                           "x/(1 + x^2)",
                           "-x + 3*x - x/4",
                           "x > 0",
                           "(x != 0)*x",
                           "x^70/1e10"}) {
    Scope scope;
    scope.find = [](std::string_view name) -> std::optional<Variable> {
      if (name != "x") return std::nullopt;
      return Variable{Variable::Source::kLocal, 0, {Measure::Kind::kNumber}};
    };
    std::vector<TextProblem> problems;
    const Expression e = Expression::parse(text, scope, std::nullopt, &problems);
    ASSERT_TRUE(problems.empty()) << text << ": " << problems[0].message;
    const auto f = [&](double x) { return e.calc<double, double>(nullptr, &x); };
    for (const double x : {0.83, 1.31}) {
      const Jet<double> moving = Jet<double>::time(x);
      const Dual shifted(x, 1);
      const Jet<double> y = e.calc<Jet<double>, double>(nullptr, &moving);
      const Dual d = e.calc<Dual, Dual>(nullptr, &shifted);
      // discretisation: h^2 times derivatives of up to a thousand times the value (x^70: more, so relative to
      // d2)
      const double scale = 1 + std::abs(y.value) + std::abs(y.d1) + std::abs(y.d2);
      EXPECT_EQ(y.value, f(x)) << text;
      EXPECT_EQ(d.value, f(x)) << text;
      EXPECT_NEAR(y.d1, (f(x + h) - f(x - h)) / (2 * h), 1e-5 * scale) << text;
      EXPECT_NEAR(y.d2, (f(x + h) - 2 * f(x) + f(x - h)) / (h * h), 1e-5 * scale) << text;
      EXPECT_NEAR(d.d[1], y.d1, 8 * kEps * scale) << text;  // machine
    }
  }
}

TEST(Expression, WholePowersAreExactAtZero) {
  // source: analytic
  Formula formula;
  const auto at_zero = [&](const char* text) {
    const Jet<double> time = Jet<double>::time(0);
    return formula.parse(text).calc<Jet<double>, double>(formula.parameters.data(), &time);
  };
  EXPECT_EQ(at_zero("t").d1, 1);
  EXPECT_EQ(at_zero("t^1").d1, 1);
  EXPECT_EQ(at_zero("t^2").d1, 0);
  EXPECT_EQ(at_zero("t^2").d2, 2);
  EXPECT_EQ(at_zero("t^12").d2, 0);
  EXPECT_EQ(at_zero("t^0").value, 1);
  EXPECT_EQ(at_zero("t^0").d2, 0);
  EXPECT_EQ(at_zero("pow(t, 2)").d2, 2);
  EXPECT_EQ(at_zero("pow(t, 70)").d2, 0);
  EXPECT_EQ(at_zero("sqrt(n)*t").d1, 0) << "the root of a parameter that is 0 stays at rest";
  EXPECT_EQ(at_zero("(1 + t/(1 s))^-1").d2, 2);
}

TEST(Expression, TheInactiveBranchLeavesNoTrace) {
  // at t = 0 the root has an infinite slope, and the other branch is taken; source: analytic
  Formula formula;
  const Expression e = formula.parse("t > 0 ? sqrt(t/(1 s)) : 2*t/(1 s)");
  const Jet<double> time = Jet<double>::time(0);
  const Jet<double> y = e.calc<Jet<double>, double>(formula.parameters.data(), &time);
  EXPECT_EQ(y.value, 0);
  EXPECT_EQ(y.d1, 2);
  EXPECT_EQ(y.d2, 0);
}

TEST(Expression, NanIsNeverHidden) {
  Formula formula;
  formula.parameters[4] = std::nan("");
  for (const char* text : {"min(k, 1)", "min(1, k)", "max(k, 1)", "max(1, k)", "clamp(k, 0, 1)",
                           "clamp(1, k, 2)", "step(k)", "abs(k)", "k^2", "mod(k, 2)", "k*0"})
    EXPECT_TRUE(std::isnan(formula.parse(text).calc<double, double>(formula.parameters.data(), nullptr)))
        << text;
}

// -- abuse

std::string repeat(const std::string& piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(Expression, LongFormulasWork) {
  Formula formula;
  EXPECT_EQ(formula.calc("1" + repeat("+1", 5000)), 5001);
  EXPECT_EQ(formula.calc("k" + repeat("+k", 5000)), 7 * 5001);
  EXPECT_EQ(formula.calc(repeat("k < 0 ? 1 : ", 80) + "5"), 5);
  EXPECT_EQ(formula.calc(repeat("(", 60) + "k" + repeat(")", 60)), 7);
  EXPECT_EQ(formula.calc(repeat("k+(", 60) + "k" + repeat(")", 60)), 7 * 61);
}

TEST(Expression, AbsurdNestingAndLengthAreRefused) {
  Formula formula;
  EXPECT_EQ(formula.message(repeat("k+(", 100) + "k" + repeat(")", 100)), "the formula is nested too deeply");
  for (const char* piece :
       {"(", "-", "2^", "sin(", "1?", "1?1:", "k+(", "min(1,", "5 m/(", "5 m/(m/", "f(", "1 ? (", "+"}) {
    EXPECT_EQ(formula.is_fine(repeat(piece, 3000)), false) << piece;
    EXPECT_LE(formula.problems.size(), 20u) << piece;
    EXPECT_EQ(formula.is_fine(repeat(piece, 3000) + "1"), false) << piece;
  }
  const std::string long_text(1000000, '(');
  EXPECT_EQ(formula.message(long_text), "the formula has 1000000 characters; at most 20000 are allowed");
  EXPECT_EQ(formula.problems.size(), 1u);
  EXPECT_EQ(formula.is_fine(std::string(20000, 'x')), false);
  EXPECT_LT(formula.problems[0].message.size(), 200u);
  EXPECT_EQ(formula.is_fine(repeat("x+", 9000) + "x"), false);
  EXPECT_EQ(formula.problems.size(), 20u) << "as many as help";
  EXPECT_EQ(formula.is_fine("5 " + repeat("m.", 9000) + "m"), false);
}

TEST(Expression, RandomTextNeverCrashesAndNeverGivesASilentNan) {
  Formula formula;
  std::mt19937 random(9);
  const std::vector<std::string> pieces{"1",
                                        "2.5",
                                        "k",
                                        "t",
                                        "L",
                                        "sin(",
                                        "min(",
                                        ")",
                                        "(",
                                        "+",
                                        "-",
                                        "*",
                                        "/",
                                        "^",
                                        "?",
                                        ":",
                                        ",",
                                        " ",
                                        "m",
                                        "deg",
                                        "N",
                                        "1e3",
                                        "pi",
                                        "<",
                                        "==",
                                        "0",
                                        ".",
                                        "\xff",
                                        std::string(1, '\0'),
                                        "\u00b5m",
                                        "s-1",
                                        "sqrt(",
                                        "f"};
  int accepted = 0;
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    for (unsigned n = random() % 9; n > 0; --n) text += pieces[random() % pieces.size()];
    const Expression e = formula.parse(text);
    for (const TextProblem& p : formula.problems) {
      EXPECT_GE(p.offset, 0);
      EXPECT_LE(p.offset, static_cast<int>(text.size()));
      EXPECT_FALSE(p.message.empty());
    }
    if (!formula.problems.empty()) continue;
    ++accepted;
    const std::array<double, 2> locals{0.3, 0.2};
    const double value = e.calc<double, double>(formula.parameters.data(), locals.data());
    if (e.is_constant()) {
      EXPECT_TRUE(std::isfinite(value)) << text;
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace haltere
