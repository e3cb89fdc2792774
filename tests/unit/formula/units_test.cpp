#include "haltere/formula/units.h"

#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr Dimension kTorque{.length = 2, .mass = 1, .time = -2};

struct Row {
  std::string text;
  double factor;
  Dimension dimension;  // length, mass, time, angle, current, temperature
};

// source: analytic, the SI brochure; factors are exact where they are decimal, or one rounding of pi
TEST(Units, EveryUnitHasItsFactorAndDimension) {
  const std::vector<Row> rows{
      {"m", 1, {1}},
      {"mm", 1e-3, {1}},
      {"cm", 1e-2, {1}},
      {"km", 1e3, {1}},
      {"um", 1e-6, {1}},
      {"\u00b5m", 1e-6, {1}},
      {"\u03bcm", 1e-6, {1}},
      {"nm", 1e-9, {1}},
      {"kg", 1, {0, 1}},
      {"g", 1e-3, {0, 1}},
      {"mg", 1e-6, {0, 1}},
      {"ug", 1e-9, {0, 1}},
      {"t", 1e3, {0, 1}},
      {"s", 1, {0, 0, 1}},
      {"ms", 1e-3, {0, 0, 1}},
      {"us", 1e-6, {0, 0, 1}},
      {"min", 60, {0, 0, 1}},
      {"h", 3600, {0, 0, 1}},
      {"rad", 1, {0, 0, 0, 1}},
      {"mrad", 1e-3, {0, 0, 0, 1}},
      {"deg", kPi / 180, {0, 0, 0, 1}},
      {"\u00b0", kPi / 180, {0, 0, 0, 1}},
      {"rev", 2 * kPi, {0, 0, 0, 1}},
      {"turn", 2 * kPi, {0, 0, 0, 1}},
      {"rpm", kPi / 30, {0, 0, -1, 1}},
      {"Hz", 1, {0, 0, -1}},
      {"kHz", 1e3, {0, 0, -1}},
      {"N", 1, {1, 1, -2}},
      {"mN", 1e-3, {1, 1, -2}},
      {"uN", 1e-6, {1, 1, -2}},
      {"kN", 1e3, {1, 1, -2}},
      {"Pa", 1, {-1, 1, -2}},
      {"kPa", 1e3, {-1, 1, -2}},
      {"MPa", 1e6, {-1, 1, -2}},
      {"GPa", 1e9, {-1, 1, -2}},
      {"bar", 1e5, {-1, 1, -2}},
      {"J", 1, {2, 1, -2}},
      {"mJ", 1e-3, {2, 1, -2}},
      {"kJ", 1e3, {2, 1, -2}},
      {"W", 1, {2, 1, -3}},
      {"mW", 1e-3, {2, 1, -3}},
      {"kW", 1e3, {2, 1, -3}},
      {"K", 1, {0, 0, 0, 0, 0, 1}},
      {"A", 1, {0, 0, 0, 0, 1}},
      {"mA", 1e-3, {0, 0, 0, 0, 1}},
      {"V", 1, {2, 1, -3, 0, -1}},
      {"ohm", 1, {2, 1, -3, 0, -2}},
      {"H", 1, {2, 1, -2, 0, -2}},
      {"L", 1e-3, {3}},
  };
  for (const Row& row : rows) {
    TextProblem problem;
    const std::optional<Unit> unit = parse_unit(row.text, &problem);
    ASSERT_TRUE(unit) << row.text << ": " << problem.message;
    EXPECT_EQ(unit->factor, row.factor) << row.text;
    EXPECT_EQ(unit->dimension, row.dimension) << row.text;
    EXPECT_TRUE(is_unit_name(row.text));
  }
}

// source: analytic
TEST(Units, ProductsQuotientsAndPowersAreReadInEveryWayOfWritingThem) {
  const Dimension stiffness{.length = 2, .mass = 1, .time = -2, .angle = -1};
  const Dimension inertia{.length = 2, .mass = 1};
  const Dimension acceleration{.length = 1, .time = -2};
  const std::vector<Row> rows{
      {"", 1, {}},
      {"  ", 1, {}},
      {"1", 1, {}},
      {"N*m/rad", 1, stiffness},
      {"N m/rad", 1, stiffness},
      {"N.m/rad", 1, stiffness},
      {"N\u00b7m/rad", 1, stiffness},
      {" N  *  m / rad ", 1, stiffness},
      {"(N m)/rad", 1, stiffness},
      {"((N) (m))/(rad)", 1, stiffness},
      {"N m rad^-1", 1, stiffness},
      {"N m rad-1", 1, stiffness},
      {"m N/rad", 1, stiffness},
      {"N m s/rad", 1, {2, 1, -1, -1}},
      {"N m/rad s", 1, {2, 1, -1, -1}},
      {"N/m/s", 1, {0, 1, -3}},
      {"N/(m s)", 1, {0, 1, -3}},
      {"kg m^2", 1, inertia},
      {"kg m2", 1, inertia},
      {"kg*m^2", 1, inertia},
      {"kg m\u00b2", 1, inertia},
      {"g mm^2", 1e-9, inertia},
      {"m/s^2", 1, acceleration},
      {"m/s2", 1, acceleration},
      {"m s-2", 1, acceleration},
      {"m/s/s", 1, acceleration},
      {"1/s", 1, {0, 0, -1}},
      {"s-1", 1, {0, 0, -1}},
      {"s^-1", 1, {0, 0, -1}},
      {"1 / s", 1, {0, 0, -1}},
      {"deg/s", kPi / 180, {0, 0, -1, 1}},
      {"km/h", 1e3 / 3600, {1, 0, -1}},
      {"mm^2", 1e-6, {2}},
      {"1/mm", 1e3, {-1}},
      {"(m/s)^2", 1, {2, 0, -2}},
      {"m^0", 1, {}},
      {"m99", 1, {99}},
  };
  for (const Row& row : rows) {
    TextProblem problem;
    const std::optional<Unit> unit = parse_unit(row.text, &problem);
    ASSERT_TRUE(unit) << row.text << ": " << problem.message;
    EXPECT_EQ(unit->factor, row.factor) << row.text;
    EXPECT_EQ(unit->dimension, row.dimension) << row.text << " is " << to_string(unit->dimension);
  }
}

TEST(Units, HertzIsNoAngularRate) {
  EXPECT_NE(unit_of("Hz").dimension, unit_of("rad/s").dimension);
}

TEST(Units, WrongTextIsNamedWithItsPlaceAndAHint) {
  struct Wrong {
    std::string text;
    int offset;
    std::string message;
    std::string hint;
  };
  const std::vector<Wrong> rows{
      {"Nm/rad", 0, "unknown unit 'Nm'", "did you mean 'N m'?"},
      {"kg/Meter", 3, "unknown unit 'Meter'", ""},
      {"kg meter", 3, "unknown unit 'meter'", "did you mean 'm'?"},
      {"Kg", 0, "unknown unit 'Kg'", "did you mean 'kg'?"},
      {"sec", 0, "unknown unit 'sec'", "did you mean 's'?"},
      {"degrees", 0, "unknown unit 'degrees'", "did you mean 'deg'?"},
      {"hz", 0, "unknown unit 'hz'", "did you mean 'Hz'?"},
      {"radd/s", 0, "unknown unit 'radd'", "did you mean 'rad'?"},
      {"N*", 2, "a unit is missing at the end", ""},
      {"/s", 0, "unexpected '/' in a unit", ""},
      {"N**m", 2, "unexpected '*' in a unit", ""},
      {"(N m", 0, "a bracket is not closed in a unit", ""},
      {"N m)", 3, "unexpected ')' in a unit", ""},
      {"m^x", 1, "the exponent of a unit must be a whole number", "write it as in m^2 or s^-1"},
      {"m^2.5", 1, "the exponent of a unit must be a whole number", ""},
      {"m^100", 1, "the exponent of a unit is too large", ""},
      {"m^99999999999999999999", 1, "the exponent of a unit is too large", ""},
      {"m99 m99", 0, "'m99 m99' is too large or too small for a unit", ""},
      {"km^99 km^20", 0, "'km^99 km^20' is too large or too small for a unit", ""},
      {"2 m", 0, "unexpected '2' in a unit", ""},
      {"m\xff", 1, "unexpected '\\xff' in a unit", ""},
  };
  for (const Wrong& row : rows) {
    TextProblem problem;
    EXPECT_FALSE(parse_unit(row.text, &problem)) << row.text;
    EXPECT_EQ(problem.offset, row.offset) << row.text;
    EXPECT_EQ(problem.message, row.message);
    if (!row.hint.empty()) {
      EXPECT_EQ(problem.hint, row.hint);
    }
    EXPECT_FALSE(parse_unit(row.text, nullptr)) << "the problem may be left out";
  }
}

TEST(Units, TextOfAnyLengthAndDepthIsSafe) {
  const std::size_t n = 1000000;
  std::string many;
  std::string dotted;
  for (std::size_t i = 0; i < n / 2; ++i) many += "m ";
  for (std::size_t i = 0; i < n / 2; ++i) dotted += "m.";
  for (const std::string& text : {std::string(n, 'm'), std::string(n, '('), std::string(n, '/'),
                                  std::string(n, '1'), many, dotted, "m^" + std::string(n, '9'),
                                  "m" + std::string(n, '9'), std::string(n, '\xc2'), std::string(n, '\0')}) {
    TextProblem problem;
    EXPECT_FALSE(parse_unit(text, &problem));
    EXPECT_LT(problem.message.size(), 200u);
  }
  EXPECT_TRUE(parse_unit(std::string(n, ' '), nullptr));
}

TEST(Units, RandomBytesNeverCrash) {
  std::mt19937 random(3);
  const std::string letters = "mNkgrads*/^.()-0123 \t\xc2\xb5\xb2\xff";
  int accepted = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (unsigned k = random() % 12; k > 0; --k) text += letters[random() % letters.size()];
    accepted += parse_unit(text, nullptr).has_value() ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);
}

TEST(Units, APrefixEndsWhereTheFormulaGoesOn) {
  struct Prefix {
    std::string text;
    std::string unit;
  };
  const auto is_variable = [](std::string_view name) { return name == "t" || name == "m" || name == "m2"; };
  const std::vector<Prefix> rows{
      {"N*s + 5", "N*s"}, {"rad/s*t", "rad/s"}, {"N*m", "N"},    {"N m*x", "N m"},
      {"N*m2", "N"},      {"N*min(1, 2)", "N"}, {"m/2", "m"},    {"N/(kg*s)*x", "N/(kg*s)"},
      {"N/(2*pi)", "N"},  {"N/(kg*x)", "N"},    {"deg)", "deg"}, {"m^2*3", "m^2"},
      {"s - 1", "s"},     {"1/s*t", "1/s"},     {"kg.m", "kg"},  {"mm, 5", "mm"}};
  for (const Prefix& row : rows) {
    const std::optional<UnitPrefix> prefix = parse_unit_prefix(row.text, is_variable, nullptr);
    ASSERT_TRUE(prefix) << row.text;
    EXPECT_EQ(row.text.substr(0, prefix->length), row.unit) << row.text;
  }
  EXPECT_TRUE(parse_unit_prefix("s-1", is_variable, nullptr)->has_minus);
  EXPECT_FALSE(parse_unit_prefix("s^-1", is_variable, nullptr)->has_minus);
  TextProblem problem;
  EXPECT_FALSE(parse_unit_prefix("foo*x", is_variable, &problem));
  EXPECT_EQ(problem.message, "unknown unit 'foo'");
}

TEST(Units, DimensionsHaveTheirCommonNames) {
  // source: analytic
  EXPECT_EQ(to_string(Dimension{}), "1");
  EXPECT_EQ(to_string(kTorque), "N m");
  EXPECT_EQ(to_string(unit_of("J/rad").dimension), "N m/rad");
  EXPECT_EQ(to_string(unit_of("deg/ms").dimension), "rad/s");
  EXPECT_EQ(to_string(unit_of("km/h/s").dimension), "m/s2");
  EXPECT_EQ(to_string(unit_of("Hz").dimension), "1/s");
  EXPECT_EQ(to_string(unit_of("kg m3/s2").dimension), "kg m3 s-2");
}

TEST(Units, EveryDimensionIsReadBackFromItsText) {
  std::mt19937 random(5);
  const auto power = [&](int size) {
    return static_cast<std::int8_t>(static_cast<int>(random() % (2 * size + 1)) - size);
  };
  for (int i = 0; i < 5000; ++i) {
    const int size = i % 2 ? 3 : 99;
    const Dimension d{power(size), power(size), power(size), power(3), power(2), power(1)};
    TextProblem problem;
    const std::optional<Unit> unit = parse_unit(to_string(d), &problem);
    ASSERT_TRUE(unit) << to_string(d) << ": " << problem.message;
    EXPECT_EQ(unit->dimension, d) << to_string(d);
    EXPECT_EQ(unit->factor, 1) << to_string(d);
  }
}

TEST(Units, DimensionsMultiplyAndDivide) {
  const Dimension force = unit_of("N").dimension, length = unit_of("m").dimension;
  EXPECT_EQ(force * length, kTorque);
  EXPECT_EQ(force * length / length, force);
  EXPECT_EQ(unit_of("N m/rad").dimension.without_angle(), kTorque);
  const Dimension large{.length = 127};
  EXPECT_EQ((large * large).length, 127) << "stays at the limit";
  EXPECT_EQ((Dimension{} / large / large).length, -127);
}

TEST(Units, QuantitiesInDecimalUnitsAreRoundedOnce) {
  // source: analytic, the same number typed in SI
  EXPECT_EQ(unit_of("mm").to_si(3), 0.003);
  EXPECT_EQ(unit_of("mg").to_si(2.5), 2.5e-6);
  EXPECT_EQ(unit_of("g mm2").to_si(1.7), 1.7e-9);
  EXPECT_EQ(unit_of("kN").to_si(1.1), 1100.0);
  EXPECT_EQ(unit_of("deg").to_si(180), kPi);
  EXPECT_EQ(unit_of("min").to_si(2), 120);
  for (int i = 1; i < 1000; ++i) EXPECT_EQ(unit_of("um").to_si(i), std::stod(std::to_string(i) + "e-6"));
}

TEST(Units, AWrongUnitOfAFieldIsADefect) {
  EXPECT_THROW(unit_of("Nm"), std::logic_error);
}

}  // namespace
}  // namespace haltere
