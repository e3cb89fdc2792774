#pragma once

#include <cmath>

#include "haltere/math/dual.h"

namespace haltere {

/// A function of time near one instant: value, first and second derivative. Formulas evaluated with a Jet
/// give prescribed motions with exact rates and accelerations, in any scalar T.
template <class T>
struct Jet {
  T value{0};
  T d1{0};  // d/dt
  T d2{0};  // d2/dt2

  constexpr Jet() = default;
  constexpr Jet(double v) : value(v) {}  // NOLINT(google-explicit-constructor): numbers are constants
  Jet(T v, T first, T second) : value(v), d1(first), d2(second) {}

  static Jet time(T t) { return {t, T(1), T(0)}; }
  static Jet constant(T v) { return {v, T(0), T(0)}; }

  /// f(a) by Faa di Bruno: f' a',  f'' a'^2 + f' a''.
  friend Jet chain(const Jet& a, const T& f, const T& f1, const T& f2) {
    return {f, f1 * a.d1, f2 * a.d1 * a.d1 + f1 * a.d2};
  }

  /// The same where the derivatives of f may be infinite (sqrt at 0): what rests stays at rest.
  friend Jet chain_singular(const Jet& a, const T& f, const T& f1, const T& f2) {
    return a.is_at_rest() ? constant(f) : chain(a, f, f1, f2);
  }
  bool is_at_rest() const { return is_constant(d1, 0) && is_constant(d2, 0); }

  Jet& operator+=(const Jet& b) { return *this = *this + b; }
  Jet& operator-=(const Jet& b) { return *this = *this - b; }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }
  Jet& operator/=(const Jet& b) { return *this = *this / b; }

  friend Jet operator+(const Jet& a) { return a; }
  friend Jet operator+(const Jet& a, const Jet& b) { return {a.value + b.value, a.d1 + b.d1, a.d2 + b.d2}; }
  friend Jet operator-(const Jet& a, const Jet& b) { return {a.value - b.value, a.d1 - b.d1, a.d2 - b.d2}; }
  friend Jet operator-(const Jet& a) { return {-a.value, -a.d1, -a.d2}; }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return {a.value * b.value, a.d1 * b.value + a.value * b.d1,
            a.d2 * b.value + T(2) * a.d1 * b.d1 + a.value * b.d2};
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const T q = a.value / b.value;
    const T q1 = (a.d1 - q * b.d1) / b.value;
    return {q, q1, (a.d2 - T(2) * q1 * b.d1 - q * b.d2) / b.value};
  }
  friend bool operator==(const Jet& a, const Jet& b) { return a.value == b.value; }
  friend bool operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
  friend bool operator>(const Jet& a, const Jet& b) { return a.value > b.value; }
  friend bool operator<=(const Jet& a, const Jet& b) { return a.value <= b.value; }
  friend bool operator>=(const Jet& a, const Jet& b) { return a.value >= b.value; }

  friend Jet sin(const Jet& a) {
    using std::cos, std::sin;
    const T s = sin(a.value);
    return chain(a, s, cos(a.value), -s);
  }
  friend Jet cos(const Jet& a) {
    using std::cos, std::sin;
    const T c = cos(a.value);
    return chain(a, c, -sin(a.value), -c);
  }
  friend Jet tan(const Jet& a) {
    using std::tan;
    const T f = tan(a.value);
    const T f1 = T(1) + f * f;
    return chain(a, f, f1, T(2) * f * f1);
  }
  friend Jet asin(const Jet& a) {
    using std::asin, std::sqrt;
    const T f1 = T(1) / sqrt((T(1) - a.value) * (T(1) + a.value));
    return chain_singular(a, asin(a.value), f1, a.value * f1 * f1 * f1);
  }
  friend Jet acos(const Jet& a) {
    using std::acos, std::sqrt;
    const T f1 = T(-1) / sqrt((T(1) - a.value) * (T(1) + a.value));
    return chain_singular(a, acos(a.value), f1, a.value * f1 * f1 * f1);
  }
  friend Jet atan(const Jet& a) {
    using std::atan;
    const T f1 = T(1) / (T(1) + a.value * a.value);
    return chain(a, atan(a.value), f1, T(-2) * a.value * f1 * f1);
  }
  friend Jet atan2(const Jet& y, const Jet& x) {
    using std::atan2;
    // angle' = (x y' - y x') / r2
    const T r2 = x.value * x.value + y.value * y.value;
    const T f1 = (x.value * y.d1 - y.value * x.d1) / r2;
    const T r2_d1 = T(2) * (x.value * x.d1 + y.value * y.d1);
    return {atan2(y.value, x.value), f1, (x.value * y.d2 - y.value * x.d2 - f1 * r2_d1) / r2};
  }
  friend Jet sinh(const Jet& a) {
    using std::cosh, std::sinh;
    const T s = sinh(a.value);
    return chain(a, s, cosh(a.value), s);
  }
  friend Jet cosh(const Jet& a) {
    using std::cosh, std::sinh;
    const T c = cosh(a.value);
    return chain(a, c, sinh(a.value), c);
  }
  friend Jet tanh(const Jet& a) {
    using std::tanh;
    const T f = tanh(a.value);
    const T f1 = T(1) - f * f;
    return chain(a, f, f1, T(-2) * f * f1);
  }
  friend Jet exp(const Jet& a) {
    using std::exp;
    const T e = exp(a.value);
    return chain(a, e, e, e);
  }
  friend Jet log(const Jet& a) {
    using std::log;
    const T f1 = T(1) / a.value;
    return chain_singular(a, log(a.value), f1, -f1 * f1);
  }
  friend Jet sqrt(const Jet& a) {
    using std::sqrt;
    const T s = sqrt(a.value);
    const T f1 = T(0.5) / s;
    return chain_singular(a, s, f1, T(-0.5) * f1 / a.value);
  }
  friend Jet abs(const Jet& a) { return a.value < T(0) ? -a : a; }
  friend Jet floor(const Jet& a) {
    using std::floor;
    return constant(floor(a.value));
  }
  friend Jet mod(const Jet& a, const Jet& b) {
    const T r = mod(a.value, b.value);
    const T turns(std::round(value_of((a.value - r) / b.value)));
    return {r, a.d1 - turns * b.d1, a.d2 - turns * b.d2};
  }
  friend Jet pow(const Jet& a, const Jet& b) {
    using std::log, std::pow;
    const T n = b.value;
    const T f = pow(a.value, n);
    if (!b.is_at_rest()) {
      const Jet power = exp(b * log(a));
      return {f, power.d1, power.d2};
    }
    // n a^(n-1), n (n-1) a^(n-2), where a whole n must not meet 0 times infinity at a = 0
    const bool is_flat = is_constant(n, 0), is_straight = is_flat || is_constant(n, 1);
    const T f1 = is_flat ? T(0) : n * pow(a.value, n - T(1));
    const T f2 = is_straight ? T(0) : n * (n - T(1)) * pow(a.value, n - T(2));
    return chain_singular(a, f, f1, f2);
  }
};

template <class T>
double value_of(const Jet<T>& x) {
  return value_of(x.value);
}

}  // namespace haltere

namespace Eigen {
template <class T>
struct NumTraits<haltere::Jet<T>> : NumTraits<double> {
  using Real = haltere::Jet<T>;
  using NonInteger = haltere::Jet<T>;
  using Nested = haltere::Jet<T>;
  using Literal = double;
  // NOLINTBEGIN(readability-identifier-naming): names of Eigen
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 3,
    AddCost = 3,
    MulCost = 10
  };
  // NOLINTEND(readability-identifier-naming)
};
}  // namespace Eigen
