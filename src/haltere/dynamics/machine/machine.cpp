#include "haltere/dynamics/machine/machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "haltere/aero/surfaces.h"
#include "haltere/dynamics/machine/probes.h"
#include "haltere/math/dual.h"
#include "haltere/model/forces.h"
#include "haltere/model/kind_info.h"
#include "haltere/model/quantity.h"

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

std::vector<int> find_read_bodies(const Model& model, const Environments& environments) {
  std::set<int> bodies;
  for (const std::shared_ptr<Environment>& environment : environments)
    for (const BodyIndex body : environment->bodies()) bodies.insert(body.value);
  bool all = false;  // a probe needs the whole system
  for (const Entry& force : model.forces) collect_bodies(force_kinds()[force.kind], force, &bodies);
  for (const Entry& surface : model.surfaces) collect_bodies(surface_kinds()[surface.kind], surface, &bodies);
  for (const Entry& constraint : model.constraints)
    collect_bodies(constraint_kinds()[constraint.kind], constraint, &bodies);
  for (int j = model.n_tree(); j < static_cast<int>(model.joints.size()); ++j)
    bodies.insert({model.joints[j].parent.value, model.joints[j].child.value});
  for (const Probe& probe : model.probes) {
    if (owner_of(probe.quantity) == Owner::kMachine)
      all = true;
    else if (owner_of(probe.quantity) == Owner::kOther)
      continue;  // a state
    else if (probe.quantity != Quantity::kJointPosition && probe.quantity != Quantity::kJointVelocity)
      bodies.insert(probe.index);
  }
  std::vector<int> list;
  for (int k = 1; k < static_cast<int>(model.bodies.size()); ++k)
    if (all || bodies.count(k) > 0) list.push_back(k);
  return list;
}

// of a length or of a radian, for central differences: their error is 1e-10 of the third derivative, and rounding as much
constexpr double kDifference = 1e-5;
// of the forces: a change by less than this is rounding, and the environment does not notice the direction
constexpr double kNoticed = 1e-10;

/// The scene that lies so far along one of the directions.
Scene<double> take_values(const Scene<Dual>& scene, int direction = 0, double way = 0) {
  const auto value = [&](const Dual& x) { return value_of(x) + (way != 0 ? way * x.d[direction] : 0); };
  Scene<double> plain;
  plain.t = value(scene.t);
  plain.gravity = scene.gravity.unaryExpr(value);
  for (const Transform<Dual>& X : scene.X_WB)
    plain.X_WB.push_back({X.R.unaryExpr(value), X.p.unaryExpr(value)});
  for (const Vector6<Dual>& V : scene.V_WB) plain.V_WB.emplace_back(V.unaryExpr(value));
  plain.q = scene.q.unaryExpr(value);
  plain.v = scene.v.unaryExpr(value);
  plain.xi = scene.xi.unaryExpr(value);
  plain.xi_rate = scene.xi_rate.unaryExpr(value);
  for (const Dual& local : scene.locals) plain.locals.push_back(value(local));
  plain.states = scene.states.unaryExpr(value);
  plain.delayed = scene.delayed.unaryExpr(value);
  for (const Jet<Dual>& jet : scene.jets)
    plain.jets.emplace_back(value(jet.value), value(jet.d1), value(jet.d2));
  plain.q_of = scene.q_of;
  plain.v_start = scene.v_start;
  return plain;
}

/// How far the bodies go along a direction, in radians or parts of a length, and the same a second.
double calc_way(const Scene<Dual>& scene, int direction, double length) {
  double most = 0;
  const auto add = [&](const auto& numbers, double unit) {
    for (int i = 0; i < numbers.size(); ++i) most = std::max(most, std::abs(numbers(i).d[direction]) / unit);
  };
  for (const Transform<Dual>& X : scene.X_WB) {
    for (int j = 0; j < 3; ++j) add(X.R.col(j), 1);
    add(X.p, length);
  }
  for (const Vector6<Dual>& V : scene.V_WB) {
    add(V.template head<3>(), 1);
    add(V.template tail<3>(), length);
  }
  return most;
}

/// Derivatives of the wrenches of a settled environment, by differences.
void differentiate_load(const Environment& environment, const Scene<Dual>& scene, BodyLoads<Dual>* loads) {
  const double length = environment.settled_size();
  std::array<Loads<double>, 2> sides;
  for (int d = 0; d < Dual::kDirections; ++d) {
    const double most = calc_way(scene, d, length);
    if (!(most > 0)) continue;
    const double way = kDifference / most;
    for (int side = 0; side < 2; ++side) {
      sides[side].F_B_W.assign(loads->F_B_W.size(), Vector6<double>::Zero());
      sides[side].tau.setZero(loads->tau.size());
      environment.add_load(take_values(scene, d, side == 0 ? way : -way), &sides[side]);
    }
    double size = 0, change = 0;
    for (std::size_t b = 0; b < loads->F_B_W.size(); ++b)
      for (int i = 3; i < 6; ++i) {
        size = std::max(size, std::abs(sides[0].F_B_W[b][i]));
        change = std::max(change, std::abs(sides[0].F_B_W[b][i] - sides[1].F_B_W[b][i]));
      }
    if (change <= kNoticed * size) continue;
    for (std::size_t b = 0; b < loads->F_B_W.size(); ++b)
      for (int i = 0; i < 6; ++i)
        loads->F_B_W[b][i].d[d] += (sides[0].F_B_W[b][i] - sides[1].F_B_W[b][i]) / (2 * way);
  }
}

/// An environment knows no dual numbers: its loads are constants to them, or where it is settled differences tell.
void add_environment_load(const Environment& environment, const Scene<double>& scene,
                          BodyLoads<double>* loads, Account<double>* account) {
  *account = environment.add_load(scene, loads);
}

void add_environment_load(const Environment& environment, const Scene<Dual>& scene, BodyLoads<Dual>* loads,
                          Account<Dual>* account) {
  Loads<double> plain;
  plain.F_B_W.assign(loads->F_B_W.size(), Vector6<double>::Zero());
  plain.tau.setZero(loads->tau.size());
  const Account<double> own = environment.add_load(take_values(scene), &plain);
  for (std::size_t b = 0; b < plain.F_B_W.size(); ++b) loads->F_B_W[b] += plain.F_B_W[b].cast<Dual>();
  loads->tau += plain.tau.cast<Dual>();
  if (environment.settled_size() > 0) differentiate_load(environment, scene, loads);
  for (const Loads<double>::Added& added : plain.added)
    loads->added.push_back({added.body, added.K.cast<Dual>(), added.works, -1});
  for (const Loads<double>::Coupled& coupled : plain.coupled)
    loads->coupled.push_back({coupled.body, coupled.other, coupled.K.cast<Dual>(), -1});
  *account = {Dual(own.potential), Dual(own.dissipation), Dual(own.input), Dual(own.power)};
}

}  // namespace

template <class T>
Machine<T>::Machine(const Model& m, std::vector<T> p, Environments around)
    : model(m),
      parameters(std::move(p)),
      forces(std::make_unique<AllForces<T>>(m.forces, Resolver<T>{parameters.data()})),
      surfaces(std::make_unique<AllSurfaces<T>>(m.surfaces, Resolver<T>{parameters.data()})),
      environments(std::move(around)),
      read_bodies(find_read_bodies(m, environments)) {
  const Resolver<T> resolver{parameters.data()};
  for (int i = 0; i < 3; ++i) gravity[i] = resolver.calc(model.gravity[i]);
  for (const BodySpec& body : model.bodies) masses.push_back(calc_mass_properties<T>(body, resolver));
  for (const StateSpec& state : model.states) {
    StateLaw<T>& law = states.emplace_back();
    law.kind = state.kind;
    law.slot = state.slot;
    law.of = {&*state.at(StateKey::kOf), parameters.data()};
    if (const auto& time = state.at(StateKey::kTime)) law.time = resolver.calc(*time);
    if (const auto& frequency = state.at(StateKey::kFrequency)) law.frequency = resolver.calc(*frequency);
    if (const auto& damping = state.at(StateKey::kDamping)) law.damping = resolver.calc(*damping);
  }
  moves_by_states = haltere::moves_by_states(model);
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
BodyLoads<T>::BodyLoads(const Machine<T>& machine)
    : drive(VectorX<T>::Zero(machine.model.nv())),
      accounts(machine.model.forces.size() + machine.model.surfaces.size() + machine.environments.size()) {
  const Model& model = machine.model;
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
  loads->coupled.clear();
  int account = 0;
  std::size_t known = 0, known_coupled = 0;
  const auto own_matrices = [&] {
    for (; known < loads->added.size(); ++known) loads->added[known].account = account;
    for (; known_coupled < loads->coupled.size(); ++known_coupled)
      loads->coupled[known_coupled].account = account;
  };
  const auto add = [&](const auto& element) {
    loads->accounts[account] =
        std::visit([&](const auto& e) { return e.add_load(scene, static_cast<Loads<T>*>(loads)); }, element);
    own_matrices();
  };
  for (const AnyForce<T>& force : *machine.forces) {
    if (machine.model.forces[account].active) add(force);
    ++account;
  }
  for (const SurfaceLoads<T>& surface : *machine.surfaces) {
    add(surface);
    ++account;
  }
  for (const std::shared_ptr<Environment>& environment : machine.environments) {
    add_environment_load(*environment, scene, loads, &loads->accounts[account]);
    own_matrices();
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
  scene.states = VectorX<T>::Zero(count_first_order_states(model));
  scene.delayed = VectorX<T>::Zero(count_delays(model));
  if (moves_by_states(model)) scene.jets.assign(1 + model.states.size(), Jet<T>());
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
