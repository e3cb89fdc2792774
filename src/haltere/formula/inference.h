#pragma once

#include <array>
#include <optional>
#include <string>

#include "haltere/formula/expression.h"
#include "haltere/formula/units.h"

/// The algebra of dimensions inside formulas, used while an Expression is read.
namespace haltere {

/// What is known of the dimension of a part of a formula: a Measure whose exponents may be fractions, because
/// sqrt(L)/sqrt(g) is a time though neither factor has a unit.
struct Inferred {
  static constexpr int kParts = 60;  // exponents count in sixtieths: halves, thirds, quarters, fifths

  Measure::Kind kind = Measure::Kind::kNumber;
  std::array<int, 6> powers{};  // in the order of Dimension
  bool is_strict = false;       // one quantity or name: its angle counts
  bool is_scaled = false;       // a plain number is a factor of it

  static Inferred number() { return {}; }
  static Inferred any() { return {Measure::Kind::kAny}; }
  static Inferred exact(const Dimension& dimension);
  static Inferred of(const Measure& measure);

  /// As far as integers allow; fractions become kAny.
  Measure measure() const;
  /// No contradiction to a pure number (or an angle).
  bool may_be_pure() const;
  /// No contradiction to the dimension that a place asks for.
  bool may_be(const Dimension& expected) const;
  /// The SI unit as text: `m/s`, `m^(1/2)`.
  std::string unit() const;
};

Inferred multiply(const Inferred& a, const Inferred& b);
Inferred divide(const Inferred& a, const Inferred& b);
/// a^exponent; nothing where no unit can express it.
std::optional<Inferred> raise(const Inferred& a, double exponent);
/// What a sum of a and b has; nothing where they contradict each other.
std::optional<Inferred> unify(const Inferred& a, const Inferred& b);

}  // namespace haltere
