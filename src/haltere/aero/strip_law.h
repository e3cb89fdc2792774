#pragma once

#include <array>
#include <cmath>

#include "haltere/math/dual.h"
#include "haltere/math/vec3.h"
#include "haltere/model/surfaces/blade_element.h"

/// Lift and drag of one strip over rho/2 c, from its velocity (a, n, s) against the air: a towards the
/// leading edge, n normal to the wing, s along the span. No direction is divided by a speed that may be zero.
namespace haltere {

template <class S>
struct StripForce {
  std::array<S, 3> lift, drag;
};
template <class S>
struct Polar {
  S lift{0}, drag{0};
};
struct LawOptions {
  StripVelocity velocity{};
  LiftDirection direction{};
};

/// a where x is positive, else 0 with no derivative.
inline double where_positive(double x, double a) {
  return x > 0 ? a : 0;
}
inline Dual where_positive(const Dual& x, const Dual& a) {
  return x.value > 0 ? a : Dual(0);
}

/// 0 for a strip that goes forward along its chord; defined as 0 where it does not move in the section.
template <class T>
T calc_alpha(const T& a, const T& n) {
  using std::abs;
  using std::atan2;
  return value_of(a) == 0 && value_of(n) == 0 ? T(0) : T(atan2(abs(n), a));
}

/// C_L = lift sin 2 alpha, C_D = drag - drag_change cos 2 alpha: functions of a and n without angles.
struct DoubleAngle {
  double lift, drag, drag_change;
};
constexpr DoubleAngle kPorez{1.8, 1.92, 1.55};  // [porez2014] sec. IV
struct RationalLaw {
  DoubleAngle coefficients;
  LawOptions options;
};

/// sin 2 alpha = 2 |n| a / (a^2 + n^2), and |n| shortens against the length of u where that is the section's.
template <class S>
HALTERE_INLINE StripForce<S> calc_strip_force(const RationalLaw& law, const S& a, const S& n,
                                              const S& s_given) {
  using std::abs;
  using std::sqrt;
  const bool section = law.options.velocity == StripVelocity::kSection;
  const S s = section ? S(0) : s_given;
  const S a2 = a * a, n2 = n * n, in_section = a2 + n2, across = n2 + s * s, V2 = in_section + s * s;
  const S V = where_positive(V2, sqrt(V2));
  const S over = where_positive(in_section, S(1) / in_section);
  S lift = S(2 * law.coefficients.lift) * a * over;  // C_L over |n|
  if (law.options.direction == LiftDirection::kProjected)
    lift = lift * abs(n);
  else if (section)
    lift = lift * V;
  else
    lift = lift * V * where_positive(across, abs(n) / sqrt(across));
  // where nothing moves in the section, alpha is 0
  const S cos2 = where_positive(in_section, (a2 - n2) * over - S(1)) + S(1);
  const S drag = -(S(law.coefficients.drag) - S(law.coefficients.drag_change) * cos2) * V;
  return {{lift * across, -lift * (a * n), -lift * (a * s)}, {drag * a, drag * n, drag * s}};
}

/// The same for any coefficients.
template <class T>
StripForce<T> calc_strip_force(const LawOptions& options, const Polar<T>& polar, const T& a, const T& n,
                               const T& s_given) {
  using std::sqrt;
  const T s = options.velocity == StripVelocity::kSection ? T(0) : s_given;
  const T across = n * n + s * s, V2 = a * a + across;
  const T V = where_positive(V2, sqrt(V2));
  T lift = polar.lift;
  if (options.direction == LiftDirection::kUnit)
    lift = lift * V * where_positive(across, T(1) / sqrt(across));
  const T drag = -polar.drag * V;
  return {{lift * across, -lift * (a * n), -lift * (a * s)}, {drag * a, drag * n, drag * s}};
}

}  // namespace haltere
