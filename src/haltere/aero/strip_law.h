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

/// The angle 0 .. pi between velocity and chord, whichever side the air meets: 0 for a strip that goes
/// forward along its chord; defined as 0 where it does not move in the section.
template <class T>
T calc_incidence(const T& a, const T& n) {
  using std::abs;
  using std::atan2;
  return value_of(a) == 0 && value_of(n) == 0 ? T(0) : T(atan2(abs(n), a));
}

/// The angle of attack in (-pi, pi], positive where the strip moves towards its lower side with `sink`.
template <class T>
T calc_alpha(const T& a, const T& sink) {
  using std::atan2;
  // the sum: a zero with a minus is no side of its own
  return value_of(a) == 0 && value_of(sink) == 0 ? T(0) : T(atan2(sink + T(0), a));
}

/// A law without angles.
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

/// Lift with any coefficient of a plate that has no upper side: along the part of t normal to the velocity.
template <class T>
std::array<T, 3> calc_plate_lift(const LawOptions& options, const T& coefficient, const T& a, const T& n,
                                 const T& s_given) {
  using std::sqrt;
  const T s = options.velocity == StripVelocity::kSection ? T(0) : s_given;
  const T across = n * n + s * s, V2 = a * a + across;
  const T V = where_positive(V2, sqrt(V2));
  T lift = coefficient;
  if (options.direction == LiftDirection::kUnit)
    lift = lift * V * where_positive(across, T(1) / sqrt(across));
  return {lift * across, -lift * (a * n), -lift * (a * s)};
}

/// Lift of a section whose upper side is that of side * w: from the velocity a quarter turn towards that
/// side. Smooth through alpha = 0. Where the velocity along the span counts, or the length of u, it is that
/// of a plate with the sign of alpha.
template <class T>
std::array<T, 3> calc_section_lift(const LawOptions& options, const T& coefficient, const T& a, const T& n,
                                   const T& s, int side) {
  using std::sqrt;
  const T sink = T(-side) * n;
  if (options.velocity != StripVelocity::kSection || options.direction != LiftDirection::kUnit)
    return calc_plate_lift<T>(options, value_of(sink) < 0 ? -coefficient : coefficient, a, n, s);
  const T V2 = a * a + n * n, lift = coefficient * where_positive(V2, sqrt(V2));
  return {lift * sink, T(side) * (lift * a), T(0)};
}

template <class T>
std::array<T, 3> calc_drag(const LawOptions& options, const T& coefficient, const T& a, const T& n,
                           const T& s_given) {
  using std::sqrt;
  const T s = options.velocity == StripVelocity::kSection ? T(0) : s_given;
  const T across = n * n + s * s, V2 = a * a + across;
  const T drag = -coefficient * where_positive(V2, sqrt(V2));
  return {drag * a, drag * n, drag * s};
}

}  // namespace haltere
