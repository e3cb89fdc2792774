#include "haltere/dynamics/recursive/workspace.h"

namespace haltere {
namespace {

/// Inertial load minus applied load of one body about Jo: what its joint must carry, children apart.
template <class T>
Vector6<T> calc_body_wrench(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work, int k) {
  const Node<T>& node = system.nodes[k];
  const NodeState<T>& s = work.nodes[k];
  const Vec3<T> mc = s.R_WJ * node.mc;
  const Mat3<T> I = (s.R_WJ * node.I_J) * transpose(s.R_WJ);
  const Vec3<T> a = s.A.l - Vec3<T>::of(system.machine.gravity);
  const Spatial<T> F{I * s.A.a + cross(s.w, I * s.w) + cross(mc, a),
                     node.mass * a + cross(s.A.a, mc) + cross(s.w, cross(s.w, mc))};
  Vector6<T> result = (F - work.F_J_W[k]).eigen();
  if (work.has_added) result += (work.added_J[k] * s.A).eigen();
  return result;
}

}  // namespace

template <class T>
void collect_joint_forces(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work,
                          std::vector<Vector6<T>>* F_joint, VectorX<T>* tau) {
  for (int k = static_cast<int>(system.nodes.size()) - 1; k > 0; --k) {
    const Node<T>& node = system.nodes[k];
    for (int i = 0; i < node.nv; ++i)
      (*tau)[node.v_start + i] = work.S[node.v_start + i].eigen().dot((*F_joint)[k]);
    if (node.parent != 0)
      (*F_joint)[node.parent] += shift_wrench<T>((*F_joint)[k], -work.nodes[k].p_PJ_W.eigen());
  }
}

template <class T>
void calc_inverse_dynamics(const RecursiveSystem<T>& system, const VectorX<T>& vdot,
                           RecursiveWorkspace<T>* work, VectorX<T>* tau, std::vector<Vector6<T>>* F_joint) {
  const int n = static_cast<int>(system.nodes.size());
  F_joint->resize(n);
  tau->resize(system.nv);
  for (int k = 1; k < n; ++k) {
    const Node<T>& node = system.nodes[k];
    NodeState<T>& s = work->nodes[k];
    const NodeState<T>& p = work->nodes[node.parent];
    s.A = p.A + s.c;
    s.A.l = s.A.l + cross(p.A.a, s.p_PJ_W);
    for (int i = 0; i < node.nv; ++i) s.A = s.A + vdot[node.v_start + i] * work->S[node.v_start + i];
    (*F_joint)[k] = calc_body_wrench(system, *work, k);
  }
  collect_joint_forces(system, *work, F_joint, tau);
}

template <class T>
void calc_mass_matrix(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work, MatrixX<T>* M) {
  const int n = static_cast<int>(system.nodes.size());
  M->setZero(system.nv, system.nv);
  // composite inertia of each subtree about its joint point
  std::vector<Matrix6<T>> composite(n);
  for (int k = 1; k < n; ++k) {
    const Node<T>& node = system.nodes[k];
    const NodeState<T>& s = work.nodes[k];
    const Matrix3<T> R = s.R_WJ.eigen(), mc = skew<T>(Vector3<T>(R * node.mc.eigen()));
    Matrix6<T> own;
    own << R * node.I_J.eigen() * R.transpose(), mc, mc.transpose(), node.mass * Matrix3<T>::Identity();
    if (work.has_added) own += work.added_J[k].matrix();
    composite[k] = own;
  }
  for (int k = n - 1; k > 0; --k) {
    const int parent = system.nodes[k].parent;
    if (parent == 0) continue;
    Matrix6<T> X = Matrix6<T>::Identity();
    X.template block<3, 3>(3, 0) = -skew<T>(work.nodes[k].p_PJ_W.eigen());
    composite[parent] += X.transpose() * composite[k] * X;
  }
  // M(i, j) for a coordinate j of node k and i of any node on the way to the root; both triangles, since
  // added matrices need not be symmetric
  for (int k = n - 1; k > 0; --k) {
    const Node<T>& node = system.nodes[k];
    for (int j = 0; j < node.nv; ++j) {
      const Vector6<T> S_j = work.S[node.v_start + j].eigen();
      Vector6<T> F = composite[k] * S_j, G = composite[k].transpose() * S_j;
      for (int a = k; a > 0;) {
        const Node<T>& ancestor = system.nodes[a];
        for (int i = 0; i < ancestor.nv; ++i) {
          const Vector6<T> S_i = work.S[ancestor.v_start + i].eigen();
          (*M)(ancestor.v_start + i, node.v_start + j) = S_i.dot(F);
          (*M)(node.v_start + j, ancestor.v_start + i) = S_i.dot(G);
        }
        const Vector3<T> p_JP = -work.nodes[a].p_PJ_W.eigen();
        F = shift_wrench<T>(F, p_JP);
        G = shift_wrench<T>(G, p_JP);
        a = ancestor.parent;
      }
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define HALTERE_INSTANTIATE(T)                                                                           \
  template void collect_joint_forces<T>(const RecursiveSystem<T>&, const RecursiveWorkspace<T>&,         \
                                        std::vector<Vector6<T>>*, VectorX<T>*);                          \
  template void calc_inverse_dynamics<T>(const RecursiveSystem<T>&, const VectorX<T>&,                   \
                                         RecursiveWorkspace<T>*, VectorX<T>*, std::vector<Vector6<T>>*); \
  template void calc_mass_matrix<T>(const RecursiveSystem<T>&, const RecursiveWorkspace<T>&, MatrixX<T>*);
// NOLINTEND(bugprone-macro-parentheses)
HALTERE_INSTANTIATE(double)
HALTERE_INSTANTIATE(Dual)
#undef HALTERE_INSTANTIATE

}  // namespace haltere
