#pragma once

#include "haltere/model/forces/force.h"

namespace haltere {

/// A force on a point of a body, by formulas of time and signals.
template <class T>
struct AppliedForce {
  static constexpr std::string_view kName = "applied-force";
  static constexpr std::string_view kSummary = "force on a point of a body, by formulas of time and signals";

  BodyIndex body;
  Vector3<T> point = Vector3<T>::Zero();  // [m], in the body
  VectorFunction<T> force;                // [N]
  Axes axes = Axes::kWorld;

  static constexpr auto fields() {
    return std::tuple{required("body", &AppliedForce::body, "", "body that it acts on"),
                      field("point", &AppliedForce::point, "m", "point of the body"),
                      required("force", &AppliedForce::force, "N", "three components"),
                      field("axes", &AppliedForce::axes, "", "axes of the components")};
  }

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    const Transform<T>& X_WB = scene.X_WB[body.value];
    Vector3<T> f;
    for (int i = 0; i < 3; ++i) f[i] = force[i].calc(scene.locals.data());
    if (axes == Axes::kBody) f = (X_WB.R * f).eval();
    const Vector3<T> p_BoQ_W = X_WB.R * point;
    loads->add_force_at(body, p_BoQ_W, f);
    const Vector6<T>& V = scene.V_WB[body.value];
    const T power = f.dot(V.template tail<3>() + V.template head<3>().cross(p_BoQ_W));
    return {.input = power, .power = power};
  }
};

}  // namespace haltere
