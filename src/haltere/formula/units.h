#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace haltere {

/// Exponents of the base dimensions. Angle is a dimension of its own, so that Hz and rad/s differ.
struct Dimension {
  std::int8_t length = 0;
  std::int8_t mass = 0;
  std::int8_t time = 0;
  std::int8_t angle = 0;
  std::int8_t current = 0;
  std::int8_t temperature = 0;

  friend bool operator==(const Dimension&, const Dimension&) = default;
  /// Exponents beyond what can be stored stay at the limit; no text that is accepted gets there.
  friend Dimension operator*(const Dimension& a, const Dimension& b);
  friend Dimension operator/(const Dimension& a, const Dimension& b);
  /// The same without the angle: what a formula is compared by, where radians count as pure numbers.
  Dimension without_angle() const;
};

/// A unit is a factor to SI and a dimension: 1 unit = factor SI.
struct Unit {
  double factor = 1;
  Dimension dimension{};

  /// `number` of this unit in SI. Rounded once where the factor is a decimal fraction: 3 mm is the double
  /// 0.003.
  double to_si(double number) const;
};

/// What is wrong inside a piece of text, at a byte offset from its start.
struct TextProblem {
  int offset = 0;
  std::string message;
  std::string hint;
};

/// Reads `N*m/rad`, `N m/rad`, `N.m`, `kg m^2`, `kg m2`, `1/s`, `s-1`, `(N m)/rad`. A `/` applies to the next
/// factor only: `N m/rad s` is `N m s/rad`. Empty text is the pure number. Returns nothing and fills
/// `problem` where the text is no unit (with a "did you mean").
std::optional<Unit> parse_unit(std::string_view text, TextProblem* problem);

/// A unit at the start of a longer text.
struct UnitPrefix {
  Unit unit;
  int length = 0;                       // bytes read
  std::vector<std::string_view> names;  // as written
  bool has_minus = false;               // an exponent is written as in `s-1`
};

/// Reads a unit as far as it goes. After * and /, a name that `is_variable`, that is no unit or that stands
/// before a bracket ends it. May be called without `is_variable`.
std::optional<UnitPrefix> parse_unit_prefix(std::string_view text,
                                            const std::function<bool(std::string_view)>& is_variable,
                                            TextProblem* problem);

/// The unit of a field description; the text is ours, so a mistake in it is a defect of the program.
Unit unit_of(std::string_view text);

/// Whether the text is the name of one unit: `mm`, `deg`.
bool is_unit_name(std::string_view text);

/// The SI unit of a dimension as text, `N m/rad` where a name is common, `kg m2 s-2` otherwise; `1` for
/// numbers.
std::string to_string(const Dimension& dimension);

}  // namespace haltere
