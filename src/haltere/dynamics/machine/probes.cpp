#include "haltere/dynamics/machine/probes.h"

#include "haltere/math/dual.h"
#include "haltere/model/quantity.h"

namespace haltere {
namespace {

template <class T>
Vector3<T> calc_p_BoBcm(const BodySpec& body, const Resolver<T>& resolver) {
  Vector3<T> p_BoBcm;
  for (int i = 0; i < 3; ++i) p_BoBcm[i] = resolver.calc(body.center_of_mass[i]);
  return p_BoBcm;
}

template <class T>
Vector3<T> calc_system(const Model& model, bool momentum, const Scene<T>& scene,
                       const Resolver<T>& resolver) {
  Vector3<T> sum = Vector3<T>::Zero();
  T mass(0);
  for (int k = 1; k < static_cast<int>(model.bodies.size()); ++k) {
    const T m = resolver.calc(model.bodies[k].mass);
    const Vector3<T> com = scene.X_WB[k] * calc_p_BoBcm(model.bodies[k], resolver);
    const Vector3<T> w = scene.V_WB[k].template head<3>();
    mass += m;
    sum +=
        m * (momentum ? Vector3<T>(scene.V_WB[k].template tail<3>() + w.cross(com - scene.X_WB[k].p)) : com);
  }
  return momentum || mass == T(0) ? sum : Vector3<T>(sum / mass);
}

template <class T>
T calc_of_body(const Model& model, const Probe& probe, const Scene<T>& scene, const Resolver<T>& resolver) {
  const int b = probe.index;
  const BodySpec& body = model.bodies[b];
  const bool reads_com = probe.quantity == Quantity::kBodyCom;
  const Vector3<T> p_BoBcm = reads_com ? calc_p_BoBcm(body, resolver) : Vector3<T>(Vector3<T>::Zero());
  const BodyMotion<T> motion{body, scene.X_WB[b], scene.V_WB[b], p_BoBcm};
  return calc_body_motion<T>(probe.quantity, motion)[probe.component];
}

}  // namespace

template <class T>
T calc_probe(const Model& model, const Probe& probe, const Scene<T>& scene, const Resolver<T>& resolver) {
  switch (owner_of(probe.quantity)) {
    case Owner::kBody:
      return calc_of_body(model, probe, scene, resolver);
    case Owner::kJoint:
      return probe.quantity == Quantity::kJointPosition ? scene.position({probe.index, probe.component})
                                                        : scene.velocity({probe.index, probe.component});
    case Owner::kMachine:
      return calc_system(model, probe.quantity == Quantity::kSystemMomentum, scene,
                         resolver)[probe.component];
    case Owner::kOther: {
      const StateSpec& state = model.states[probe.index];
      return state.is_delay() ? scene.delayed[state.slot] : scene.states[state.slot];
    }
  }
  return T(0);
}

bool is_of_position(Quantity quantity) {
  for (const auto& table : {body_quantities(), machine_quantities()})
    if (const QuantityInfo* info = find_quantity(table, quantity))
      return info->level == QuantityInfo::Level::kPosition;
  return quantity == Quantity::kJointPosition;
}

double calc_probe_rate(const Model& model, const Probe& probe, const Scene<double>& scene,
                       const Resolver<double>& resolver) {
  if (probe.quantity == Quantity::kJointPosition) return scene.velocity({probe.index, probe.component});
  if (probe.quantity == Quantity::kSystemCom) {
    double mass = 0;
    for (std::size_t k = 1; k < model.bodies.size(); ++k) mass += resolver.calc(model.bodies[k].mass);
    const double momentum = calc_system<double>(model, true, scene, resolver)[probe.component];
    return mass == 0 ? momentum : momentum / mass;
  }
  // the body at t + dt: direction 0 is that of time
  const BodySpec& body = model.bodies[probe.index];
  const Transform<double>& X = scene.X_WB[probe.index];
  const Vector6<double>& V = scene.V_WB[probe.index];
  Transform<Dual> moved;
  const Vector6<Dual> twist = V.cast<Dual>();
  for (int j = 0; j < 3; ++j) {
    const Vector3<double> rate = V.head<3>().cross(X.R.col(j));
    moved.p[j] = X.p[j];
    moved.p[j].d[0] = V[3 + j];
    for (int i = 0; i < 3; ++i) {
      moved.R(i, j) = X.R(i, j);
      moved.R(i, j).d[0] = rate[i];
    }
  }
  const Vector3<Dual> com = calc_p_BoBcm(body, resolver).cast<Dual>();
  return calc_body_motion<Dual>(probe.quantity, {body, moved, twist, com})[probe.component].d[0];
}

template double calc_probe<double>(const Model&, const Probe&, const Scene<double>&, const Resolver<double>&);
template Dual calc_probe<Dual>(const Model&, const Probe&, const Scene<Dual>&, const Resolver<Dual>&);

}  // namespace haltere
