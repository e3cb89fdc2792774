#pragma once

#include "haltere/model/forces/force.h"

namespace haltere {

/// The law of springs on one joint coordinate, turning or sliding: f = -k (q - q0) - c v.
template <class T>
struct CoordinateSpring {
  CoordinateIndex joint;
  T stiffness{0};      // k
  T damping{0};        // c
  T rest_position{0};  // q0

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    const T x = scene.position(joint) - rest_position;
    const T v = scene.velocity(joint);
    const T f = -stiffness * x - damping * v;
    loads->tau[scene.v_start[joint.joint] + joint.coordinate] += f;
    return {.potential = T(0.5) * stiffness * x * x, .dissipation = damping * v * v, .power = f * v};
  }
};

}  // namespace haltere
