#pragma once

#include "haltere/model/forces/force.h"

namespace haltere {

/// Spring and damper along the line between two points:
///   force on `to` = -(k (l - l0) + c dl/dt) e,   e from the first point to the second.
/// The first point may move in its body (or the world) by formulas of time: an anchor that shakes.
template <class T>
struct SpringDamper {
  static constexpr std::string_view kName = "spring-damper";
  static constexpr std::string_view kSummary = "linear spring and damper along the line between two points";

  BodyIndex from;                            // the world by default
  VectorFunction<T> from_point;              // [m], may be formulas of time
  BodyIndex to;                              //
  Vector3<T> to_point = Vector3<T>::Zero();  // [m]
  T stiffness{0};                            // k  [N/m]
  T damping{0};                              // c  [N s/m]
  T rest_length{0};                          // l0 [m]

  static constexpr auto fields() {
    return std::tuple{field("from", &SpringDamper::from, "", "first body"),
                      of_time(field("from_point", &SpringDamper::from_point, "m",
                                    "point of the first body; may be formulas of time")),
                      required("to", &SpringDamper::to, "", "second body"),
                      field("to_point", &SpringDamper::to_point, "m", "point of the second body"),
                      field("stiffness", &SpringDamper::stiffness, "N/m", "k", Rule::kNotNegative),
                      field("damping", &SpringDamper::damping, "N s/m", "c", Rule::kNotNegative),
                      field("rest_length", &SpringDamper::rest_length, "m", "l0, length without force",
                            Rule::kNotNegative)};
  }

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    // the two points P and Q, and their velocities
    Vector3<T> p_AP, v_AP;
    for (int i = 0; i < 3; ++i) {
      const Jet<T> x = from_point[i].calc_jet(scene.t);
      p_AP[i] = x.value;
      v_AP[i] = x.d1;
    }
    const Transform<T>& X_WA = scene.X_WB[from.value];
    const Transform<T>& X_WB = scene.X_WB[to.value];
    const Vector3<T> p_AoP_W = X_WA.R * p_AP, p_BoQ_W = X_WB.R * to_point;
    const Vector3<T> v_WP = point_velocity(scene, from, p_AoP_W);  // of the body's material at P
    const Vector3<T> v_AP_W = X_WA.R * v_AP;                       // of P in the body
    const Vector3<T> v_WQ = point_velocity(scene, to, p_BoQ_W);
    const Vector3<T> p_PQ_W = X_WB.p + p_BoQ_W - X_WA.p - p_AoP_W;

    const Pull pull = calc_pull(p_PQ_W, v_WQ - v_WP - v_AP_W);
    loads->add_force_at(to, p_BoQ_W, pull.f_Q_W);
    loads->add_force_at(from, p_AoP_W, -pull.f_Q_W);
    return {.potential = pull.potential,
            .dissipation = pull.dissipation,
            .input = pull.f_Q_W.dot(v_AP_W),  // what moves the anchor pushes with the force that reaches Q
            .power = pull.f_Q_W.dot(v_WQ - v_WP)};
  }

 private:
  struct Pull {
    Vector3<T> f_Q_W;  // force on the second point [N]
    T potential;       // [J]
    T dissipation;     // [W]
  };

  /// From the distance p and the relative velocity u of the two points.
  Pull calc_pull(const Vector3<T>& p_PQ_W, const Vector3<T>& u_PQ_W) const {
    using std::sqrt;
    const T l2 = p_PQ_W.squaredNorm();
    // where the points meet and the spring is at rest, the line is that of their relative motion
    if (l2 == T(0) && rest_length == T(0))
      return {-stiffness * p_PQ_W - damping * u_PQ_W, T(0.5) * stiffness * l2,
              damping * u_PQ_W.squaredNorm()};
    const T l = sqrt(l2);
    const Vector3<T> e = p_PQ_W / l;  // no direction at l = 0: not finite, and the run says so
    const T x = l - rest_length, ldot = e.dot(u_PQ_W);
    return {e * (-stiffness * x - damping * ldot), T(0.5) * stiffness * x * x, damping * ldot * ldot};
  }

  static Vector3<T> point_velocity(const Scene<T>& scene, BodyIndex body, const Vector3<T>& p_BoQ_W) {
    const Vector6<T>& V = scene.V_WB[body.value];
    return V.template tail<3>() + V.template head<3>().cross(p_BoQ_W);
  }
};

}  // namespace haltere
