#include <type_traits>

#include "haltere/dynamics/recursive/workspace.h"
#include "haltere/math/dual.h"
#include "haltere/math/instruction_set.h"

namespace haltere {

template <class T>
void write_bodies(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work,
                  const std::vector<int>& bodies, Scene<T>* scene) {
  for (const int k : bodies) {
    const Node<T>& node = system.nodes[k];
    const NodeState<T>& s = work.nodes[k];
    const Matrix3<T> R_WJ = s.R_WJ.eigen();
    const Vector3<T> p_JB_W = R_WJ * node.p_JB, w = s.w.eigen();
    scene->X_WB[k].R = R_WJ * node.R_JB;
    scene->X_WB[k].p = s.p_WJ.eigen() + p_JB_W;
    scene->V_WB[k].template head<3>() = w;
    scene->V_WB[k].template tail<3>() = s.v.eigen() + w.cross(p_JB_W);
  }
}

template <class T>
void update_scene(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work, const T* turns,
                  Scene<T>* scene) {
  write_bodies(system, work, system.machine.read_bodies, scene);
  system.constraints.update_coordinates(turns, scene);
  update_locals(system.machine, scene);
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
HALTERE_INLINE bool sum_added(const RecursiveSystem<T>& system, const Loads<T>& loads,
                              RecursiveWorkspace<T>* work) {
  bool symmetric = true;
  for (const typename Loads<T>::Added& added : loads.added) {
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

HALTERE_TARGET_AVX2 bool sum_added_avx2(const RecursiveSystem<double>& system, const Loads<double>& loads,
                                        RecursiveWorkspace<double>* work) {
  return sum_added(system, loads, work);
}

template <class T>
void take_added(const RecursiveSystem<T>& system, const Loads<T>& loads, RecursiveWorkspace<T>* work) {
  work->has_added = !loads.added.empty();
  if (!work->has_added) return;
  work->added_J.resize(system.nodes.size(), AddedBlocks<T>::zero());
  for (const typename Loads<T>::Added& added : loads.added)
    work->added_J[added.body.value] = AddedBlocks<T>::zero();
  if constexpr (std::is_same_v<T, double>)
    work->added_symmetric =
        uses_avx2() ? sum_added_avx2(system, loads, work) : sum_added(system, loads, work);
  else
    work->added_symmetric = sum_added(system, loads, work);
}

}  // namespace

template <class T>
void take_loads(const RecursiveSystem<T>& system, Scene<T>* scene, BodyLoads<T>* loads,
                RecursiveWorkspace<T>* work) {
  for (const HeldJoint<T>& joint : system.constraints.joints)
    joint.add_load(loads->tau.data() + scene->v_start[joint.joint()], scene, loads);
  work->tau = loads->tau.data();
  for (const int k : system.machine.read_bodies) {
    const Vector3<T> p_JB_W = work->nodes[k].R_WJ.eigen() * system.nodes[k].p_JB;
    work->F_J_W[k] = Spatial<T>::of(shift_wrench<T>(loads->F_B_W[k], -p_JB_W));
  }
  take_added<T>(system, *loads, work);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define HALTERE_INSTANTIATE(T)                                                                     \
  template void write_bodies<T>(const RecursiveSystem<T>&, const RecursiveWorkspace<T>&,           \
                                const std::vector<int>&, Scene<T>*);                               \
  template void update_scene<T>(const RecursiveSystem<T>&, const RecursiveWorkspace<T>&, const T*, \
                                Scene<T>*);                                                        \
  template void take_loads<T>(const RecursiveSystem<T>&, Scene<T>*, BodyLoads<T>*, RecursiveWorkspace<T>*);
// NOLINTEND(bugprone-macro-parentheses)
HALTERE_INSTANTIATE(double)
HALTERE_INSTANTIATE(Dual)
#undef HALTERE_INSTANTIATE

}  // namespace haltere
