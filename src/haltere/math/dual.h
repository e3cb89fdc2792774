#pragma once

#include <array>
#include <cmath>
#include <compare>

#include "haltere/math/types.h"

namespace haltere {

/// a modulo b with the sign of b: a - b floor(a/b), without the rounding of the quotient.
inline double mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// A number with its derivatives in four directions at once: f(x + e d) = f(x) + e f'(x) d exactly.
/// Comparisons look at the value alone, so that a Dual takes the same branches as its double.
struct Dual {
  static constexpr int kDirections = 4;

  double value = 0;
  std::array<double, kDirections> d{};

  constexpr Dual() = default;
  constexpr Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): numbers are constants
  constexpr Dual(double v, int direction) : value(v) { d[direction] = 1; }

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  /// f(a), given its value and slope at a.
  friend Dual chain(const Dual& a, double f, double slope) {
    Dual r(f);
    for (int i = 0; i < kDirections; ++i) r.d[i] = slope * a.d[i];
    return r;
  }
  /// The same where the slope may be infinite (sqrt at 0): a direction in which a rests stays at rest.
  friend Dual chain_singular(const Dual& a, double f, double slope) {
    Dual r(f);
    for (int i = 0; i < kDirections; ++i) r.d[i] = a.d[i] == 0 ? 0 : slope * a.d[i];
    return r;
  }
  /// f(a, b), given its value and partial derivatives.
  friend Dual chain(const Dual& a, const Dual& b, double f, double slope_a, double slope_b) {
    Dual r(f);
    for (int i = 0; i < kDirections; ++i) r.d[i] = slope_a * a.d[i] + slope_b * b.d[i];
    return r;
  }

  friend Dual operator+(const Dual& a, const Dual& b) { return chain(a, b, a.value + b.value, 1, 1); }
  friend Dual operator-(const Dual& a, const Dual& b) { return chain(a, b, a.value - b.value, 1, -1); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return chain(a, b, a.value * b.value, b.value, a.value);
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double q = a.value / b.value;
    return chain(a, b, q, 1 / b.value, -q / b.value);
  }
  friend Dual operator+(const Dual& a) { return a; }
  friend Dual operator-(const Dual& a) { return chain(a, -a.value, -1); }

  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }

  friend Dual sin(const Dual& a) { return chain(a, std::sin(a.value), std::cos(a.value)); }
  friend Dual cos(const Dual& a) { return chain(a, std::cos(a.value), -std::sin(a.value)); }
  friend Dual tan(const Dual& a) {
    const double t = std::tan(a.value);
    return chain(a, t, 1 + t * t);
  }
  friend Dual asin(const Dual& a) {
    return chain_singular(a, std::asin(a.value), 1 / std::sqrt((1 - a.value) * (1 + a.value)));
  }
  friend Dual acos(const Dual& a) {
    return chain_singular(a, std::acos(a.value), -1 / std::sqrt((1 - a.value) * (1 + a.value)));
  }
  friend Dual atan(const Dual& a) { return chain(a, std::atan(a.value), 1 / (1 + a.value * a.value)); }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const double r2 = x.value * x.value + y.value * y.value;
    return chain(y, x, std::atan2(y.value, x.value), x.value / r2, -y.value / r2);
  }
  friend Dual sinh(const Dual& a) { return chain(a, std::sinh(a.value), std::cosh(a.value)); }
  friend Dual cosh(const Dual& a) { return chain(a, std::cosh(a.value), std::sinh(a.value)); }
  friend Dual tanh(const Dual& a) {
    const double t = std::tanh(a.value);
    return chain(a, t, 1 - t * t);
  }
  friend Dual exp(const Dual& a) {
    const double e = std::exp(a.value);
    return chain(a, e, e);
  }
  friend Dual log(const Dual& a) { return chain_singular(a, std::log(a.value), 1 / a.value); }
  friend Dual sqrt(const Dual& a) {
    const double s = std::sqrt(a.value);
    return chain_singular(a, s, 0.5 / s);
  }
  friend Dual abs(const Dual& a) { return a.value < 0 ? -a : a; }
  friend Dual floor(const Dual& a) { return {std::floor(a.value)}; }
  friend Dual mod(const Dual& a, const Dual& b) {
    const double r = mod(a.value, b.value);
    return chain(a, b, r, 1, -std::round((a.value - r) / b.value));
  }
  friend Dual pow(const Dual& a, const Dual& b) {
    const double p = std::pow(a.value, b.value);
    const double slope_a = b.value == 0 ? 0 : b.value * std::pow(a.value, b.value - 1);
    // d/db = p log(a), whose limit at a = 0, b > 0 is 0
    const double slope_b = p == 0 ? 0 : p * std::log(a.value);
    return chain_singular(a, p, slope_a) + chain_singular(b, 0, slope_b);
  }
  friend bool isfinite(const Dual& a) {
    bool finite = std::isfinite(a.value);
    for (const double x : a.d) finite &= std::isfinite(x);
    return finite;
  }
};

/// The number without its derivatives.
inline double value_of(double x) {
  return x;
}
inline double value_of(const Dual& x) {
  return x.value;
}

/// Whether x is the number c in every direction, not only at this point.
inline bool is_constant(double x, double c) {
  return x == c;
}
inline bool is_constant(const Dual& x, double c) {
  return x.value == c && x.d == decltype(x.d){};
}

}  // namespace haltere

namespace Eigen {
template <>
struct NumTraits<haltere::Dual> : NumTraits<double> {
  using Real = haltere::Dual;
  using NonInteger = haltere::Dual;
  using Nested = haltere::Dual;
  using Literal = double;
  // NOLINTBEGIN(readability-identifier-naming): names of Eigen
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 5,
    AddCost = 5,
    MulCost = 10
  };
  // NOLINTEND(readability-identifier-naming)
};
// a matrix of Duals times a plain number or a plain matrix
template <class Operation>
struct ScalarBinaryOpTraits<haltere::Dual, double, Operation> {
  using ReturnType = haltere::Dual;
};
template <class Operation>
struct ScalarBinaryOpTraits<double, haltere::Dual, Operation> {
  using ReturnType = haltere::Dual;
};
}  // namespace Eigen
