#include "haltere/formula/inference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

namespace haltere {
namespace {

constexpr int kAnglePlace = 3;  // of angles in Dimension
constexpr int kLargest = std::numeric_limits<std::int8_t>::max() * Inferred::kParts;

using Powers = std::array<int, 6>;

Powers powers_of(const Dimension& d) {
  Powers powers{d.length, d.mass, d.time, d.angle, d.current, d.temperature};
  for (int& p : powers) p *= Inferred::kParts;
  return powers;
}

Powers without_angle(Powers powers) {
  powers[kAnglePlace] = 0;
  return powers;
}

// The dimension of whole exponents.
std::optional<Dimension> find_dimension(const Powers& powers) {
  for (const int p : powers)
    if (p % Inferred::kParts != 0 || std::abs(p) > kLargest) return std::nullopt;
  const auto power = [&](int i) { return static_cast<std::int8_t>(powers[i] / Inferred::kParts); };
  return Dimension{power(0), power(1), power(2), power(3), power(4), power(5)};
}

Inferred combine(const Inferred& a, const Inferred& b, int sign) {
  using Kind = Measure::Kind;
  if (a.kind == Kind::kAny || b.kind == Kind::kAny) return Inferred::any();
  if (a.kind == Kind::kNumber && b.kind == Kind::kNumber) return Inferred::number();
  Inferred result{Kind::kExact};
  // at twice the limit they stay: far enough to be refused, never an overflow
  for (std::size_t i = 0; i < a.powers.size(); ++i)
    result.powers[i] = std::clamp(a.powers[i] + sign * b.powers[i], -2 * kLargest, 2 * kLargest);
  result.is_scaled = a.kind == Kind::kNumber || b.kind == Kind::kNumber || a.is_scaled || b.is_scaled;
  return result;
}

}  // namespace

Inferred Inferred::exact(const Dimension& dimension) {
  return {Measure::Kind::kExact, powers_of(dimension), true};
}

Inferred Inferred::of(const Measure& measure) {
  return {measure.kind, powers_of(measure.dimension), measure.is_strict};
}

Measure Inferred::measure() const {
  if (kind != Measure::Kind::kExact) return {kind, {}, is_strict};
  const std::optional<Dimension> dimension = find_dimension(powers);
  return dimension ? Measure{kind, *dimension, is_strict} : Measure{Measure::Kind::kAny, {}, is_strict};
}

bool Inferred::may_be_pure() const {
  return kind != Measure::Kind::kExact || without_angle(powers) == Powers{};
}

bool Inferred::may_be(const Dimension& expected) const {
  if (kind != Measure::Kind::kExact) return true;
  const Powers wanted = powers_of(expected);
  return is_strict ? powers == wanted : without_angle(powers) == without_angle(wanted);
}

std::string Inferred::unit() const {
  if (const std::optional<Dimension> dimension = find_dimension(powers)) return to_string(*dimension);
  constexpr std::array<std::string_view, 6> names{"m", "kg", "s", "rad", "A", "K"};
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (powers[i] == 0) continue;
    const int divisor = std::gcd(powers[i], kParts);
    const int numerator = powers[i] / divisor, denominator = kParts / divisor;
    if (!text.empty()) text += ' ';
    text += denominator == 1 ? fmt::format("{}^{}", names[i], numerator)
                             : fmt::format("{}^({}/{})", names[i], numerator, denominator);
  }
  return text;
}

Inferred multiply(const Inferred& a, const Inferred& b) {
  return combine(a, b, 1);
}

Inferred divide(const Inferred& a, const Inferred& b) {
  return combine(a, b, -1);
}

std::optional<Inferred> raise(const Inferred& a, double exponent) {
  Inferred result = a;
  result.is_strict = false;
  if (a.kind != Measure::Kind::kExact) return result;
  for (std::size_t i = 0; i < a.powers.size(); ++i) {
    const double power = a.powers[i] * exponent;
    const double whole = std::round(power);
    const bool is_whole = std::abs(power - whole) <= 1e-9 * std::abs(power) && std::abs(whole) <= kLargest;
    if (!is_whole && i != kAnglePlace) return std::nullopt;
    result.powers[i] = is_whole ? static_cast<int>(whole) : 0;
  }
  // radians are pure numbers here: the root of N m/rad per kg m2 is 1/s
  if (result.powers[kAnglePlace] % Inferred::kParts != 0) result.powers[kAnglePlace] = 0;
  return result;
}

std::optional<Inferred> unify(const Inferred& a, const Inferred& b) {
  using Kind = Measure::Kind;
  Inferred result = b.kind == Kind::kExact ? b : a;
  if (a.kind == Kind::kExact && b.kind == Kind::kExact) {
    if (without_angle(a.powers) != without_angle(b.powers)) return std::nullopt;
    result = a;
  } else if (a.kind != b.kind && a.kind != Kind::kExact && b.kind != Kind::kExact) {
    result = Inferred::any();
  }
  result.is_strict = false;
  result.is_scaled = a.is_scaled || b.is_scaled;
  return result;
}

}  // namespace haltere
