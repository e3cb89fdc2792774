#pragma once

#include "haltere/model/forces/force.h"

namespace haltere {

/// Linear feedback: torque or force on a joint coordinate, offset + sum of gain * signal.
template <class T>
struct Feedback {
  static constexpr std::string_view kName = "feedback";
  static constexpr std::string_view kSummary = "torque or force on a joint coordinate, linear in signals";

  CoordinateIndex joint;
  Gains<T> gains;      // [N m or N per unit of the signal]
  Function<T> offset;  // [N m or N]

  static constexpr auto fields() {
    return std::tuple{required("joint", &Feedback::joint, "", "joint, or joint.K for its coordinate K"),
                      required("gains", &Feedback::gains, "", "a map: signal -> gain"),
                      field("offset", &Feedback::offset, "N m | N", "added to the feedback")};
  }

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    T tau = offset.calc(scene.locals.data());
    for (const Gain<T>& g : gains) tau += g.gain * scene.locals[g.local];
    loads->tau[scene.v_start[joint.joint] + joint.coordinate] += tau;
    const T power = tau * scene.velocity(joint);
    return {.input = power, .power = power};
  }
};

}  // namespace haltere
