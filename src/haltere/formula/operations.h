#pragma once

#include <cmath>
#include <cstdint>

#include "haltere/math/dual.h"
#include "haltere/math/jet.h"

/// The instructions of a parsed formula and what they do to numbers of any scalar.
namespace haltere {

enum class Operation : std::uint8_t {
  // -- push a value
  kNumber,
  kParameter,
  kLocal,
  // -- pop a value and go on `slot` instructions further if it is 0; go on `slot` instructions further
  kJumpUnless,
  kJump,
  // -- replace one value
  kNegate,
  kWholePower,  // to the power of `slot`
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLog,
  kSqrt,
  kAbs,
  kFloor,
  kStep,
  kSmoothstep,
  kTable,  // the curve `slot` of the formula
  // -- replace two values by one
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kAtan2,
  kMin,
  kMax,
  kMod,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
};

/// How many values an operation takes from the stack.
constexpr int arity_of(Operation operation) {
  if (operation >= Operation::kAdd) return 2;
  return operation >= Operation::kNegate || operation == Operation::kJumpUnless ? 1 : 0;
}

/// x^n by squaring: exact derivatives at x = 0, no logarithm.
template <class S>
S calc_whole_power(S x, int n) {
  if (n < 0) return S(1.0) / calc_whole_power<S>(x, -n);
  S result(1.0);
  for (; n > 0; n >>= 1) {
    if (n & 1) result = result * x;
    if (n > 1) x = x * x;
  }
  return result;
}

/// From 0 to 1 between x = 0 and x = 1, its first two derivatives zero at both ends: x^3 (10 - 15 x + 6 x^2).
template <class S>
S calc_smoothstep(const S& x) {
  const double value = value_of(x);
  if (std::isnan(value)) return x;
  if (value <= 0 || value >= 1) return S(value <= 0 ? 0.0 : 1.0);
  return x * x * x * (S(10.0) + x * (S(6.0) * x - S(15.0)));
}

/// Operations on one value; `slot` is the exponent of kWholePower.
template <class S>
S apply(Operation operation, int slot, const S& a) {
  using std::exp, std::log, std::sqrt, std::abs, std::floor;
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh;
  // clang-format off
  switch (operation) {
    case Operation::kNegate: return -a;
    case Operation::kWholePower: return calc_whole_power<S>(a, slot);
    case Operation::kSin: return sin(a);
    case Operation::kCos: return cos(a);
    case Operation::kTan: return tan(a);
    case Operation::kAsin: return asin(a);
    case Operation::kAcos: return acos(a);
    case Operation::kAtan: return atan(a);
    case Operation::kSinh: return sinh(a);
    case Operation::kCosh: return cosh(a);
    case Operation::kTanh: return tanh(a);
    case Operation::kExp: return exp(a);
    case Operation::kLog: return log(a);
    case Operation::kSqrt: return sqrt(a);
    case Operation::kAbs: return abs(a);
    case Operation::kFloor: return floor(a);
    case Operation::kStep: return std::isnan(value_of(a)) ? a : S(value_of(a) < 0 ? 0.0 : 1.0);
    case Operation::kSmoothstep: return calc_smoothstep(a);
    default: return a;
  }
  // clang-format on
}

/// Operations on two values. NaN is never hidden by min and max.
template <class S>
S apply(Operation operation, const S& a, const S& b) {
  using std::atan2, std::pow;
  const double x = value_of(a), y = value_of(b);
  // clang-format off
  switch (operation) {
    case Operation::kAdd: return a + b;
    case Operation::kSubtract: return a - b;
    case Operation::kMultiply: return a * b;
    case Operation::kDivide: return a / b;
    case Operation::kPower: return pow(a, b);
    case Operation::kAtan2: return atan2(a, b);
    case Operation::kMin: return x <= y || std::isnan(x) ? a : b;
    case Operation::kMax: return x >= y || std::isnan(x) ? a : b;
    case Operation::kMod: return mod(a, b);
    case Operation::kLess: return S(x < y ? 1.0 : 0.0);
    case Operation::kLessEqual: return S(x <= y ? 1.0 : 0.0);
    case Operation::kGreater: return S(x > y ? 1.0 : 0.0);
    case Operation::kGreaterEqual: return S(x >= y ? 1.0 : 0.0);
    case Operation::kEqual: return S(x == y ? 1.0 : 0.0);
    case Operation::kNotEqual: return S(x != y ? 1.0 : 0.0);
    default: return a;
  }
  // clang-format on
}

}  // namespace haltere
