#include "haltere/dynamics/machine/machine.h"

#include <set>

#include "haltere/dynamics/machine/probes.h"
#include "haltere/math/dual.h"
#include "haltere/model/forces.h"
#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

/// Bodies that a force element or constraint reads or loads.
void collect_bodies(const KindInfo& kind, const Entry& entry, std::set<int>* bodies) {
  for (std::size_t i = 0; i < kind.fields.size(); ++i) {
    if (kind.fields[i].type != FieldType::kBody) continue;
    const auto* body = std::get_if<BodyIndex>(&entry.values[i]);
    bodies->insert(body ? body->value : 0);
  }
}

std::vector<int> find_read_bodies(const Model& model) {
  std::set<int> bodies;
  bool all = false;  // a probe needs the whole system
  for (const Entry& force : model.forces) collect_bodies(force_kinds()[force.kind], force, &bodies);
  for (const Entry& surface : model.surfaces) collect_bodies(surface_kinds()[surface.kind], surface, &bodies);
  for (const Entry& constraint : model.constraints)
    collect_bodies(constraint_kinds()[constraint.kind], constraint, &bodies);
  for (int j = model.n_tree(); j < static_cast<int>(model.joints.size()); ++j)
    bodies.insert({model.joints[j].parent.value, model.joints[j].child.value});
  for (const Probe& probe : model.probes) {
    if (probe.quantity == Quantity::kSystemCom || probe.quantity == Quantity::kSystemMomentum)
      all = true;
    else if (probe.quantity != Quantity::kJointPosition && probe.quantity != Quantity::kJointVelocity)
      bodies.insert(probe.index);
  }
  std::vector<int> list;
  for (int k = 1; k < static_cast<int>(model.bodies.size()); ++k)
    if (all || bodies.count(k) > 0) list.push_back(k);
  return list;
}

}  // namespace

template <class T>
Machine<T>::Machine(const Model& m, std::vector<T> p)
    : model(m),
      parameters(std::move(p)),
      forces(std::make_unique<AllForces<T>>(m.forces, Resolver<T>{parameters.data()})),
      read_bodies(find_read_bodies(m)) {
  const Resolver<T> resolver{parameters.data()};
  for (int i = 0; i < 3; ++i) gravity[i] = resolver.calc(model.gravity[i]);
  for (const BodySpec& body : model.bodies) masses.push_back(calc_mass_properties<T>(body, resolver));
  for (const Entry& surface : model.surfaces) surfaces.push_back(make_surface_loads<T>(surface, resolver));
  for (const SignalSpec& signal : model.signals) signals.push_back({&signal.value, parameters.data()});
  int q_start = 0, v_start = 0;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const JointSpec& joint = model.joints[j];
    bool works = false;
    for (int i = 0; i < joint.nv(); ++i) {
      works |= joint.mode(i) != CoordinateMode::kPassive;
      const int q_index = j < model.n_tree() ? q_start + joint.nq() - joint.nv() + i : -1;
      if (joint.mode(i) == CoordinateMode::kDriven)
        driven.push_back({v_start + i, j, q_index, {&*joint.driven[i], parameters.data()}});
    }
    if (works) work_joints.push_back(j);
    q_start += joint.nq();
    v_start += joint.nv();
  }
}

template <class T>
Machine<T>::~Machine() = default;

template <class T>
BodyLoads<T>::BodyLoads(const Model& model)
    : drive(VectorX<T>::Zero(model.nv())), accounts(model.forces.size() + model.surfaces.size()) {
  this->F_B_W.assign(model.bodies.size(), Vector6<T>::Zero());
  this->tau = VectorX<T>::Zero(model.nv());
  this->added.reserve(accounts.size());
}

template <class T>
void update_locals(const Machine<T>& machine, Scene<T>* scene) {
  const Resolver<T> resolver{machine.parameters.data()};
  int slot = 1;
  for (const Probe& probe : machine.model.probes)
    scene->locals[slot++] = calc_probe<T>(machine.model, probe, *scene, resolver);
  for (const Function<T>& signal : machine.signals) {
    scene->locals[slot] = signal.calc(scene->locals.data());
    ++slot;
  }
}

template <class T>
void add_loads(const Machine<T>& machine, const Scene<T>& scene, BodyLoads<T>* loads) {
  loads->tau.setZero();
  loads->added.clear();
  int account = 0;
  const auto add = [&](const auto& element) {
    const std::size_t before = loads->added.size();
    loads->accounts[account] =
        std::visit([&](const auto& e) { return e.add_load(scene, static_cast<Loads<T>*>(loads)); }, element);
    for (std::size_t i = before; i < loads->added.size(); ++i) loads->added[i].account = account;
  };
  for (const AnyForce<T>& force : *machine.forces) {
    if (machine.model.forces[account].active) add(force);
    ++account;
  }
  for (const SurfaceLoads<T>& surface : machine.surfaces) {
    add(surface);
    ++account;
  }
  for (const CoordinateFunction<T>& d : machine.driven) {
    loads->drive[d.v_index] = d.function.calc(scene.locals.data());
    loads->tau[d.v_index] += loads->drive[d.v_index];
  }
}

template <class T>
Scene<T> make_scene(const Model& model) {
  Scene<T> scene;
  scene.X_WB.resize(model.bodies.size());
  scene.V_WB.assign(model.bodies.size(), Vector6<T>::Zero());
  scene.q = VectorX<T>::Zero(model.nq());
  scene.v = VectorX<T>::Zero(model.nv());
  scene.xi = scene.xi_rate = VectorX<T>::Zero(static_cast<Eigen::Index>(model.constraints.size()));
  scene.locals.assign(1 + model.probes.size() + model.signals.size(), T(0));
  int q_start = 0, v_start = 0;
  for (const JointSpec& joint : model.joints) {
    scene.q_of.push_back(q_start + joint.nq() - joint.nv());
    scene.v_start.push_back(v_start);
    q_start += joint.nq();
    v_start += joint.nv();
  }
  return scene;
}

template struct Machine<double>;
template struct Machine<Dual>;
template struct BodyLoads<double>;
template struct BodyLoads<Dual>;
template void update_locals<double>(const Machine<double>&, Scene<double>*);
template void update_locals<Dual>(const Machine<Dual>&, Scene<Dual>*);
template void add_loads<double>(const Machine<double>&, const Scene<double>&, BodyLoads<double>*);
template void add_loads<Dual>(const Machine<Dual>&, const Scene<Dual>&, BodyLoads<Dual>*);
template Scene<double> make_scene<double>(const Model&);
template Scene<Dual> make_scene<Dual>(const Model&);

}  // namespace haltere
