#pragma once

#include "haltere/model/forces/coordinate_spring.h"
#include "haltere/model/joints/joint.h"

namespace haltere {

/// Torsional spring and damper on one joint coordinate: tau = -k (q - q0) - c v.
template <class T>
struct RotarySpring {
  static constexpr std::string_view kName = "rotary-spring";
  static constexpr std::string_view kSummary = "linear torsional spring and damper on one joint coordinate";
  static constexpr Motion kMotion = Motion::kAngle;  // the coordinate that it may act on

  CoordinateIndex joint;
  T stiffness{0};   // k  [N m/rad]
  T damping{0};     // c  [N m s/rad]
  T rest_angle{0};  // q0 [rad]

  static constexpr auto fields() {
    return std::tuple{required("joint", &RotarySpring::joint, "", "joint, or joint.K for its coordinate K"),
                      field("stiffness", &RotarySpring::stiffness, "N m/rad", "k", Rule::kNotNegative),
                      field("damping", &RotarySpring::damping, "N m s/rad", "c", Rule::kNotNegative),
                      field("rest_angle", &RotarySpring::rest_angle, "rad", "q0, angle without torque")};
  }

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    return CoordinateSpring<T>{joint, stiffness, damping, rest_angle}.add_load(scene, loads);
  }
};

}  // namespace haltere
