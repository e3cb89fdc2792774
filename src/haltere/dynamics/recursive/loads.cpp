#include "haltere/dynamics/probes.h"
#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {
namespace {

template <class T>
void update_scene_bodies(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  for (const int k : system.scene_bodies) {
    const Node<T>& node = system.nodes[k];
    const NodeState<T>& s = work->nodes[k];
    const Matrix3<T> R_WJ = s.R_WJ.eigen();
    const Vector3<T> p_JB_W = R_WJ * node.p_JB, w = s.w.eigen();
    work->scene.X_WB[k].R = R_WJ * node.R_JB;
    work->scene.X_WB[k].p = s.p_WJ.eigen() + p_JB_W;
    work->scene.V_WB[k].template head<3>() = w;
    work->scene.V_WB[k].template tail<3>() = s.v.eigen() + w.cross(p_JB_W);
  }
}

}  // namespace

template <class T>
void update_locals(const RecursiveSystem<T>& system, Scene<T>* scene) {
  const Resolver<T> resolver{system.parameters.data()};
  int slot = 1;
  for (const Probe& probe : system.model.probes)
    scene->locals[slot++] = calc_probe<T>(system.model, probe, *scene, resolver);
  for (const Function<T>& signal : system.signals) {
    scene->locals[slot] = signal.calc(scene->locals.data());
    ++slot;
  }
}

template <class T>
void update_added(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  work->has_added = !work->loads.added.empty();
  if (!work->has_added) return;
  work->added_J.assign(system.nodes.size(), Matrix6<T>::Zero());
  work->general.resize(system.nodes.size());
  for (const auto& [body, K] : work->loads.added) {
    const NodeState<T>& s = work->nodes[body.value];
    const Vector3<T> p_JB_W = s.R_WJ.eigen() * system.nodes[body.value].p_JB, w = s.w.eigen();
    Matrix6<T> X = Matrix6<T>::Identity();
    X.template block<3, 3>(3, 0) = -skew<T>(p_JB_W);
    work->added_J[body.value] += X.transpose() * K * X;
    Vector6<T> centripetal = Vector6<T>::Zero();
    centripetal.template tail<3>() = w.cross(w.cross(p_JB_W));
    work->F_J_W[body.value] = work->F_J_W[body.value] - Spatial<T>::of(X.transpose() * (K * centripetal));
  }
}

template <class T>
void update_loads(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  Scene<T>& scene = work->scene;
  Loads<T>& loads = work->loads;
  update_scene_bodies(system, work);
  system.constraints.update_coordinates(work->turns.data(), &scene);
  update_locals(system, &scene);
  for (const int k : system.scene_bodies) loads.F_B_W[k].setZero();
  add_loads(system, work);
  for (const HeldJoint<T>& joint : system.constraints.joints)
    joint.add_load(loads.tau.data() + scene.v_start[joint.joint()], &scene, &loads);
  for (const int k : system.scene_bodies) {
    const Vector3<T> p_JB_W = work->nodes[k].R_WJ.eigen() * system.nodes[k].p_JB;
    work->F_J_W[k] = Spatial<T>::of(shift_wrench<T>(loads.F_B_W[k], -p_JB_W));
  }
  update_added(system, work);
}

template <class T>
void add_loads(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  const Scene<T>& scene = work->scene;
  Loads<T>& loads = work->loads;
  loads.tau.setZero();
  loads.added.clear();
  for (std::size_t i = 0; i < system.forces.size(); ++i)
    if (system.model.forces[i].active)
      work->accounts[i] =
          std::visit([&](const auto& f) { return f.add_load(scene, &loads); }, system.forces[i]);

  for (const CoordinateFunction<T>& d : system.driven) {
    work->drive[d.v_index] = d.function.calc(scene.locals.data());
    loads.tau[d.v_index] += work->drive[d.v_index];
  }
}

template void update_added<double>(const RecursiveSystem<double>&, RecursiveWorkspace<double>*);
template void update_added<Dual>(const RecursiveSystem<Dual>&, RecursiveWorkspace<Dual>*);
template void update_locals<double>(const RecursiveSystem<double>&, Scene<double>*);
template void update_locals<Dual>(const RecursiveSystem<Dual>&, Scene<Dual>*);
template void add_loads<double>(const RecursiveSystem<double>&, RecursiveWorkspace<double>*);
template void add_loads<Dual>(const RecursiveSystem<Dual>&, RecursiveWorkspace<Dual>*);
template void update_loads<double>(const RecursiveSystem<double>&, RecursiveWorkspace<double>*);
template void update_loads<Dual>(const RecursiveSystem<Dual>&, RecursiveWorkspace<Dual>*);

}  // namespace haltere
