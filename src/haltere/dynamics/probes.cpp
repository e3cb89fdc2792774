#include "haltere/dynamics/probes.h"

namespace haltere {
namespace {

/// Angles of the body's sequence, in the scalar T: differentiate through w = E(angles) rates.
template <class T>
T calc_euler(const EulerSequence& sequence, const Matrix3<T>& R, int component);

template <>
double calc_euler<double>(const EulerSequence& sequence, const Matrix3<double>& R, int component) {
  return sequence.calc_angles(R)[component];
}

template <>
Dual calc_euler<Dual>(const EulerSequence& sequence, const Matrix3<Dual>& R, int component) {
  const Matrix3<double> R0 = R.unaryExpr([](const Dual& x) { return x.value; });
  const Vector3<double> angles = sequence.calc_angles(R0);
  const Matrix3<double> E_inverse = sequence.calc_E<double>(angles).inverse();
  Dual result(angles[component]);
  for (int d = 0; d < Dual::kDirections; ++d) {
    const Matrix3<double> R_rate = R.unaryExpr([d](const Dual& x) { return x.d[d]; });
    const Matrix3<double> W = R_rate * R0.transpose();  // skew of the rotation in this direction
    const Vector3<double> turn(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
    result.d[d] = 0.5 * E_inverse.row(component).dot(turn);
  }
  return result;
}

template <class T>
Vector3<T> calc_com(const Model& model, int body, const Scene<T>& scene, const Resolver<T>& resolver) {
  Vector3<T> p_BoBcm;
  for (int i = 0; i < 3; ++i) p_BoBcm[i] = resolver.calc(model.bodies[body].center_of_mass[i]);
  return scene.X_WB[body] * p_BoBcm;
}

template <class T>
Vector3<T> calc_system(const Model& model, bool momentum, const Scene<T>& scene,
                       const Resolver<T>& resolver) {
  Vector3<T> sum = Vector3<T>::Zero();
  T mass(0);
  for (int k = 1; k < static_cast<int>(model.bodies.size()); ++k) {
    const T m = resolver.calc(model.bodies[k].mass);
    const Vector3<T> com = calc_com(model, k, scene, resolver);
    const Vector3<T> w = scene.V_WB[k].template head<3>();
    mass += m;
    sum +=
        m * (momentum ? Vector3<T>(scene.V_WB[k].template tail<3>() + w.cross(com - scene.X_WB[k].p)) : com);
  }
  return momentum || mass == T(0) ? sum : Vector3<T>(sum / mass);
}

}  // namespace

template <class T>
T calc_probe(const Model& model, const Probe& probe, const Scene<T>& scene, const Resolver<T>& resolver) {
  using Quantity = Probe::Quantity;
  const int i = probe.index, c = probe.component;
  switch (probe.quantity) {
    case Quantity::kBodyPosition:
      return scene.X_WB[i].p[c];
    case Quantity::kBodyOrientation:
      return quaternion_of<T>(scene.X_WB[i].R)[c];
    case Quantity::kBodyEuler:
      return calc_euler<T>(model.bodies[i].euler.value_or(EulerSequence{}), scene.X_WB[i].R, c);
    case Quantity::kBodyVelocity:
      return scene.V_WB[i][3 + c];
    case Quantity::kBodyAngularVelocity:
      return scene.X_WB[i].R.col(c).dot(scene.V_WB[i].template head<3>());
    case Quantity::kBodyCom:
      return calc_com(model, i, scene, resolver)[c];
    case Quantity::kJointPosition:
      return scene.position({i, c});
    case Quantity::kJointVelocity:
      return scene.velocity({i, c});
    case Quantity::kSystemCom:
      return calc_system(model, false, scene, resolver)[c];
    case Quantity::kSystemMomentum:
      return calc_system(model, true, scene, resolver)[c];
  }
  return T(0);
}

template double calc_probe<double>(const Model&, const Probe&, const Scene<double>&, const Resolver<double>&);
template Dual calc_probe<Dual>(const Model&, const Probe&, const Scene<Dual>&, const Resolver<Dual>&);

}  // namespace haltere
