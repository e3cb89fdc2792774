#pragma once

#include <cmath>
#include <numbers>

#include "haltere/model/kind.h"
#include "haltere/model/surfaces/air_fields.h"
#include "haltere/model/values.h"

namespace haltere {

class Findings;

/// Known laws of lift and drag of a plate that has no upper side: functions of the angle 0 .. pi between its
/// chord and the velocity.
///   porez      C_L = 1.8 sin 2 alpha,                        C_D = 1.92 - 1.55 cos 2 alpha   [porez2014]
///   sec. IV dickinson  C_L = 0.225 + 1.58 sin(2.13 alpha - 7.2 deg), C_D = 1.92 - 1.55 cos(2.04 alpha - 9.82
///   deg)
///                                                                                          [dickinson1999]
enum class Coefficients { kDickinson, kPorez };
template <>
struct Words<Coefficients> {
  static constexpr std::array<std::string_view, 2> kNames{"dickinson", "porez"};
};

template <class S>
struct Polar {
  S lift{0}, drag{0};
};

/// C_L = lift sin 2 alpha, C_D = drag - drag_change cos 2 alpha.
struct DoubleAngle {
  double lift, drag, drag_change;
};
constexpr DoubleAngle kPorez{1.8, 1.92, 1.55};

template <class T>
Polar<T> calc_known_polar(Coefficients law, const T& alpha) {
  using std::cos;
  using std::sin;
  constexpr double kDegree = std::numbers::pi / 180;
  if (law == Coefficients::kDickinson)
    return {T(0.225) + T(1.58) * sin(T(2.13) * alpha - T(7.2 * kDegree)),
            T(1.92) - T(1.55) * cos(T(2.04) * alpha - T(9.82 * kDegree))};
  return {T(kPorez.lift) * sin(T(2) * alpha), T(kPorez.drag) - T(kPorez.drag_change) * cos(T(2) * alpha)};
}

/// Velocity that makes lift and drag: all of it, or its part in the plane of the section.
enum class StripVelocity { kSection, kSpatial };
template <>
struct Words<StripVelocity> {
  static constexpr std::array<std::string_view, 2> kNames{"section", "spatial"};
};

/// Direction of the lift: of length one, or as long as the part of the chord normal to the velocity.
enum class LiftDirection { kUnit, kProjected };
template <>
struct Words<LiftDirection> {
  static constexpr std::array<std::string_view, 2> kNames{"unit", "projected"};
};

enum class AddedMass { kKirchhoff, kPrinted, kNone };
template <>
struct Words<AddedMass> {
  static constexpr std::array<std::string_view, 3> kNames{"kirchhoff", "printed", "none"};
};

/// A thin wing fixed to a body, cut into strips along its span; each strip feels the air as if the flow were
/// steady, and carries air with it. What it does: aero/blade_element.h.
template <class T>
struct BladeElement {
  static constexpr std::string_view kName = "blade-element";
  static constexpr std::string_view kSummary = "wing of strips in quasi-steady flow, with added mass";

  BodyIndex body;
  Vector3<T> root = Vector3<T>::Zero();         // of the leading edge, in the body           [m]
  Vector3<T> span_axis = Vector3<T>::UnitX();   // across its strips, from the root
  Vector3<T> chord_axis = Vector3<T>::UnitY();  // from the leading to the trailing edge
  Vector3<T> upper = Vector3<T>::Zero();        // out of the upper side; none: span_axis x chord_axis
  bool mirrored = false;                        // a copy: its upper side is the image of the original's
  T span{0};                                    // [m]
  Function<T> chord;                            // of s, the distance from the root           [m]
  Function<T> sweep;                            // of s: how far the leading edge lies back   [m]
  T thickness{0};                               // to draw it                                 [m]
  int points = 6;                               // of Gauss, along the span
  T density{0};                                 // of the air                                 [kg/m3]
  Coefficients coefficients = Coefficients::kDickinson;
  Function<T> lift;            // of alpha, which has the sign of the side; instead of that of `coefficients`
  Function<T> drag;            // the same
  Function<T> moment;          // the same, about the centre of pressure, nose up
  T center_of_pressure{0.25};  // in chords behind the leading edge
  T rotational_lift{0};        // circulation by the wing's own turning, over c2 times its rate
  StripVelocity velocity = StripVelocity::kSection;
  LiftDirection lift_direction = LiftDirection::kUnit;
  AddedMass added_mass = AddedMass::kNone;
  T added_mass_coefficient{0.78539816339744831};  // kappa: kappa rho c2 of air a metre; a flat plate: pi/4
  T added_mass_point{0.5};                        // in chords behind the leading edge
  VectorFunction<T> wind;                         // of t, x, y, z, world axes                  [m/s]

  /// On which side of the wing is the upper one: +1 where it is that of span_axis x chord_axis, else -1.
  int side() const {
    if (value_of(upper.squaredNorm()) == 0) return mirrored ? -1 : 1;
    return value_of(upper.dot(span_axis.cross(chord_axis))) < 0 ? -1 : 1;
  }

  static constexpr auto fields() {
    return std::tuple{
        required("body", &BladeElement::body, "", "body that it is fixed to"),
        field("root", &BladeElement::root, "m", "where the leading edge begins"),
        required("span_axis", &BladeElement::span_axis, "", "direction of the span, away from the root"),
        required("chord_axis", &BladeElement::chord_axis, "",
                 "direction from the leading to the trailing edge"),
        otherwise("`span_axis` x `chord_axis`, and its image in a mirrored copy",
                  field("upper", &BladeElement::upper, "",
                        "direction out of the upper side; alpha is positive where the wing sinks")),
        required("span", &BladeElement::span, "m", "its length along `span_axis`", Rule::kPositive),
        reading(Reads::kSpan, required("chord", &BladeElement::chord, "m",
                                       "its law along the span: a formula of s, the distance from the root",
                                       Rule::kNotNegative)),
        otherwise("0", reading(Reads::kSpan, field("sweep", &BladeElement::sweep, "m",
                                                   "how far the leading edge lies back: a formula of s"))),
        field("thickness", &BladeElement::thickness, "m", "to draw it", Rule::kNotNegative),
        field("points", &BladeElement::points, "", "strips: points of Gauss along the span", Rule::kPositive),
        density_field<BladeElement>(),
        field("coefficients", &BladeElement::coefficients, "",
              "a known law of lift and drag, of a plate without upper side"),
        otherwise("that of `coefficients`",
                  reading(Reads::kAngle, field("lift", &BladeElement::lift, "",
                                               "coefficient, a formula of alpha from -pi to pi"))),
        otherwise("that of `coefficients`",
                  reading(Reads::kAngle, field("drag", &BladeElement::drag, "", "the same of drag"))),
        reading(Reads::kAngle, field("moment", &BladeElement::moment, "",
                                     "the same of the moment about the centre of pressure, nose up")),
        field("center_of_pressure", &BladeElement::center_of_pressure, "",
              "where they act, in chords behind the leading edge; 0.25 has the whole steady load of a thin "
              "wing, "
              "0.5 goes with `added_mass: kirchhoff`"),
        field("rotational_lift", &BladeElement::rotational_lift, "",
              "circulation of a turning wing over chord^2 times its rate about the span; theory: "
              "pi (0.75 - center_of_pressure)"),
        field("velocity", &BladeElement::velocity, "",
              "that makes lift and drag: its part in the section, or all of it"),
        field("lift_direction", &BladeElement::lift_direction, "",
              "unit, or the chord's part normal to the velocity as it is"),
        field("added_mass", &BladeElement::added_mass, "",
              "load of the air that is carried along: Kirchhoff's, with the moment in steady flow, as "
              "printed in "
              "[porez2014], or none"),
        otherwise("pi/4, of a flat plate",
                  field("added_mass_coefficient", &BladeElement::added_mass_coefficient, "",
                        "kappa; a metre of span carries kappa density chord^2", Rule::kNotNegative)),
        field("added_mass_point", &BladeElement::added_mass_point, "",
              "where it is carried, in chords behind the leading edge"),
        wind_field<BladeElement>()};
  }

  /// Axes, upper side, chord, and what goes with what.
  void check(const Findings& findings) const;
};
template <>
void BladeElement<double>::check(const Findings& findings) const;

}  // namespace haltere
