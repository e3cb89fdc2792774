#pragma once

#include "haltere/model/forces/coordinate_spring.h"
#include "haltere/model/joints/joint.h"

namespace haltere {

/// Spring and damper on one translational joint coordinate: f = -k (q - q0) - c v.
template <class T>
struct LinearSpring {
  static constexpr std::string_view kName = "linear-spring";
  static constexpr std::string_view kSummary =
      "linear spring and damper on one translational joint coordinate";
  static constexpr Motion kMotion = Motion::kLength;  // the coordinate that it may act on

  CoordinateIndex joint;
  T stiffness{0};      // k  [N/m]
  T damping{0};        // c  [N s/m]
  T rest_position{0};  // q0 [m]

  static constexpr auto fields() {
    return std::tuple{
        required("joint", &LinearSpring::joint, "", "joint, or joint.K for its coordinate K"),
        field("stiffness", &LinearSpring::stiffness, "N/m", "k", Rule::kNotNegative),
        field("damping", &LinearSpring::damping, "N s/m", "c", Rule::kNotNegative),
        field("rest_position", &LinearSpring::rest_position, "m", "q0, position without force")};
  }

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    return CoordinateSpring<T>{joint, stiffness, damping, rest_position}.add_load(scene, loads);
  }
};

}  // namespace haltere
