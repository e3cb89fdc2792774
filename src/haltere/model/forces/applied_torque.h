#pragma once

#include "haltere/model/forces/force.h"

namespace haltere {

/// A pure torque on a body, by formulas of time and signals.
template <class T>
struct AppliedTorque {
  static constexpr std::string_view kName = "applied-torque";
  static constexpr std::string_view kSummary = "torque on a body, by formulas of time and signals";

  BodyIndex body;
  VectorFunction<T> torque;  // [N m]
  Axes axes = Axes::kWorld;

  static constexpr auto fields() {
    return std::tuple{required("body", &AppliedTorque::body, "", "body that it acts on"),
                      axial(required("torque", &AppliedTorque::torque, "N m", "three components")),
                      field("axes", &AppliedTorque::axes, "", "axes of the components")};
  }

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    Vector3<T> m;
    for (int i = 0; i < 3; ++i) m[i] = torque[i].calc(scene.locals.data());
    if (axes == Axes::kBody) m = (scene.X_WB[body.value].R * m).eval();
    loads->F_B_W[body.value].template head<3>() += m;
    const T power = m.dot(scene.V_WB[body.value].template head<3>());
    return {.input = power, .power = power};
  }
};

}  // namespace haltere
