#include <type_traits>

#include "haltere/dynamics/probes.h"
#include "haltere/dynamics/recursive/workspace.h"
#include "haltere/math/instruction_set.h"
#include "haltere/model/forces.h"

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

namespace {

HALTERE_INLINE bool is_zero(const Vec3<double>& a) {
  return a[0] == 0 && a[1] == 0 && a[2] == 0;
}
bool is_zero(const Vec3<Dual>& a) {
  for (const Dual& x : a.x)
    if (x.value != 0 || x.d != Dual().d) return false;
  return true;
}

/// a = b^T to the last bit, derivatives too.
template <class T>
HALTERE_INLINE bool are_transposed(const Mat3<T>& a, const Mat3<T>& b) {
  const Mat3<T> difference = a - transpose(b);
  return is_zero(difference.c[0]) && is_zero(difference.c[1]) && is_zero(difference.c[2]);
}

/// The sums of all nodes; whether all are symmetric: elements that know that their matrix is make it so to
/// the last bit.
template <class T>
HALTERE_INLINE bool sum_added(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  bool symmetric = true;
  for (const typename Loads<T>::Added& added : work->loads.added) {
    const int k = added.body.value;
    AddedBlocks<T>& own = work->added_J[k];
    Mat3<T> I = Mat3<T>::of(added.K.template topLeftCorner<3, 3>()),
            H = Mat3<T>::of(added.K.template topRightCorner<3, 3>()),
            G = Mat3<T>::of(added.K.template bottomLeftCorner<3, 3>()),
            M = Mat3<T>::of(added.K.template bottomRightCorner<3, 3>());
    symmetric = symmetric && are_transposed(H, G) && are_transposed(I, I) && are_transposed(M, M);
    if (const Vec3<T> p_JB = Vec3<T>::of(system.nodes[k].p_JB); !is_zero(p_JB)) {
      // X^T K X with X = [1 0; -P 1], P = skew(p)
      const NodeState<T>& s = work->nodes[k];
      const Vec3<T> p = s.R_WJ * p_JB, centripetal = cross(s.w, cross(s.w, p));
      H = H + cross(p, M);
      I = I + cross(p, G) + cross(H, p);
      G = G + cross(M, p);
      work->F_J_W[k] = work->F_J_W[k] - Spatial<T>{H * centripetal, M * centripetal};
    }
    own = {own.I + I, own.H + H, own.G + G, own.M + M};
  }
  return symmetric;
}

HALTERE_TARGET_AVX2 bool sum_added_avx2(const RecursiveSystem<double>& system,
                                        RecursiveWorkspace<double>* work) {
  return sum_added(system, work);
}

}  // namespace

template <class T>
void update_added(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  work->has_added = !work->loads.added.empty();
  if (!work->has_added) return;
  work->added_J.resize(system.nodes.size(), AddedBlocks<T>::zero());
  for (const typename Loads<T>::Added& added : work->loads.added)
    work->added_J[added.body.value] = AddedBlocks<T>::zero();
  if constexpr (std::is_same_v<T, double>)
    work->added_symmetric = uses_avx2() ? sum_added_avx2(system, work) : sum_added(system, work);
  else
    work->added_symmetric = sum_added(system, work);
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
  int account = 0;
  const auto add = [&](const auto& element) {
    const std::size_t before = loads.added.size();
    work->accounts[account] = std::visit([&](const auto& e) { return e.add_load(scene, &loads); }, element);
    for (std::size_t i = before; i < loads.added.size(); ++i) loads.added[i].account = account;
  };
  for (const AnyForce<T>& force : *system.forces) {
    if (system.model.forces[account].active) add(force);
    ++account;
  }
  for (const SurfaceLoads<T>& surface : system.surfaces) {
    add(surface);
    ++account;
  }

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
