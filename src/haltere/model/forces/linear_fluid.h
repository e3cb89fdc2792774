#pragma once

#include "haltere/model/forces/force.h"

namespace haltere {

/// A fluid whose load on a body is linear in the body's acceleration: at a point P (the centre of mass)
///   f = f0 + A_f alpha + m_f a_P - m_f g,     tau = tau0 + tau1 + A_tau alpha.        [xu2010] eqs. (7)-(12)
/// A_f and A_tau may be any matrices; m_f of displaced fluid is its buoyancy, too, which acts at P. What
/// depends on the acceleration is solved for with it, and its power is work from outside.
template <class T>
struct LinearFluid {
  static constexpr std::string_view kName = "linear-fluid";
  static constexpr std::string_view kSummary =
      "fluid load linear in the acceleration of a body, with buoyancy";

  BodyIndex body;
  Vector3<T> point = Vector3<T>::Zero();  // P, in the body                  [m]
  VectorFunction<T> f0;                   // force                           [N]
  VectorFunction<T> tau0;                 // torque                          [N m]
  VectorFunction<T> tau1;                 // torque                          [N m]
  Matrix3<T> A_f = Matrix3<T>::Zero();    // force by angular acceleration   [kg m]
  Matrix3<T> A_tau = Matrix3<T>::Zero();  // torque by angular acceleration  [kg m2]
  T m_f{0};                               // force by acceleration           [kg]
  Axes axes = Axes::kWorld;

  static constexpr auto fields() {
    return std::tuple{
        required("body", &LinearFluid::body, "", "body that it acts on"),
        field("point", &LinearFluid::point, "m", "where it acts (the centre of mass)"),
        field("f0", &LinearFluid::f0, "N", "force without acceleration"),
        axial(field("tau0", &LinearFluid::tau0, "N m", "torque without acceleration")),
        axial(field("tau1", &LinearFluid::tau1, "N m", "a second torque, added to tau0")),
        field("A_f", &LinearFluid::A_f, "kg m", "force by angular acceleration, three rows"),
        axial(field("A_tau", &LinearFluid::A_tau, "kg m2", "torque by angular acceleration, three rows")),
        field("m_f", &LinearFluid::m_f, "kg", "force by acceleration; m_f g of buoyancy against the weight"),
        field("axes", &LinearFluid::axes, "",
              "axes of all components: of the world, or turning with the body")};
  }

  Account<T> add_load(const Scene<T>& scene, Loads<T>* loads) const {
    const Transform<T>& X_WB = scene.X_WB[body.value];
    const Vector3<T> w = scene.V_WB[body.value].template head<3>();
    const Vector3<T> p_BoP_W = X_WB.R * point;
    Vector3<T> f, tau;
    for (int i = 0; i < 3; ++i) {
      f[i] = f0[i].calc(scene.locals.data());
      tau[i] = tau0[i].calc(scene.locals.data()) + tau1[i].calc(scene.locals.data());
    }
    Matrix6<T> B = Matrix6<T>::Zero();  // (tau; f) = B (alpha; a_P) + ...
    B.template block<3, 3>(0, 0) = A_tau;
    B.template block<3, 3>(3, 0) = A_f;
    if (axes == Axes::kBody) {
      const Matrix3<T>& R = X_WB.R;
      f = (R * f).eval();
      tau = (R * tau).eval();
      B.template block<3, 3>(0, 0) = R * A_tau * R.transpose();
      B.template block<3, 3>(3, 0) = R * A_f * R.transpose();
    }
    B.template block<3, 3>(3, 3) = m_f * Matrix3<T>::Identity();
    const Vector3<T> buoyancy = -m_f * scene.gravity;
    const Vector3<T> centripetal = m_f * w.cross(w.cross(p_BoP_W));
    const Vector3<T> force = f + buoyancy + centripetal;
    loads->F_B_W[body.value].template head<3>() += tau + p_BoP_W.cross(force);
    loads->F_B_W[body.value].template tail<3>() += force;
    Matrix6<T> X = Matrix6<T>::Identity();  // (alpha; a_P) = X (alpha; a_Bo) + centripetal part
    X.template block<3, 3>(3, 0) = -skew<T>(p_BoP_W);
    loads->added.push_back({body, -X.transpose() * B * X});

    const Vector3<T> v_P = scene.V_WB[body.value].template tail<3>() + w.cross(p_BoP_W);
    const T input = (f + centripetal).dot(v_P) + tau.dot(w);
    return {.potential = -buoyancy.dot(X_WB.p + p_BoP_W), .input = input, .power = input + buoyancy.dot(v_P)};
  }
};

}  // namespace haltere
