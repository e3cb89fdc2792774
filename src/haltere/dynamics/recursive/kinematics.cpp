#include "haltere/dynamics/recursive/workspace.h"
#include "haltere/math/instruction_set.h"

namespace haltere {

template <class T>
RecursiveWorkspace<T>::RecursiveWorkspace(const RecursiveSystem<T>& system) {
  const std::size_t n = system.nodes.size();
  nodes.resize(n);
  nodes[0].R_WJ = Mat3<T>::of(Matrix3<T>::Identity());
  for (Vec3<T>* x : {&nodes[0].p_WJ, &nodes[0].p_PJ_W, &nodes[0].w, &nodes[0].v}) *x = Vec3<T>::zero();
  nodes[0].c = nodes[0].c_known = nodes[0].A = Spatial<T>::zero();
  S.assign(system.nv, Spatial<T>::zero());
  U.assign(system.nv, Spatial<T>::zero());
  articulated.resize(system.n_slots);
  L_of.assign(n, -1);
  int n_general = 0;
  for (std::size_t k = 1; k < n; ++k)
    if (system.nodes[k].path == Node<T>::Path::kGeneral) L_of[k] = n_general++;
  L.resize(n_general);
  u = VectorX<T>::Zero(system.nv);
  vdot = VectorX<T>::Zero(system.nv);

  F_J_W.assign(n, Spatial<T>::zero());
}

namespace {

/// Free coordinates from the state, prescribed ones from their formulas (with exact rates and accelerations).
template <class T>
void update_coordinates(const RecursiveSystem<T>& system, const T* q, const T* v, Scene<T>* out,
                        RecursiveWorkspace<T>* work) {
  Scene<T>& scene = *out;
  for (std::size_t i = 0; i < system.free_q.size(); ++i) scene.q[system.free_q[i]] = q[i];
  for (std::size_t i = 0; i < system.free_v.size(); ++i) scene.v[system.free_v[i]] = v[i];
  for (const CoordinateFunction<T>& p : system.prescribed) {
    const Jet<T> x = scene.calc_jet(p.function);
    scene.q[p.q_index] = x.value;
    scene.v[p.v_index] = x.d1;
    work->vdot[p.v_index] = x.d2;
  }
  for (const PrescribedRotation<T>& p : system.prescribed_rotations) {
    Vector3<T> angles, rates, accelerations;
    for (int i = 0; i < 3; ++i) {
      const Jet<T> x = scene.calc_jet(p.angles[i]);
      angles[i] = x.value;
      rates[i] = x.d1;
      accelerations[i] = x.d2;
    }
    const Matrix3<T> E = p.sequence.template calc_E<T>(angles);
    scene.q.template segment<4>(p.q_start) = quaternion_of<T>(p.sequence.template calc_R<T>(angles));
    scene.v.template segment<3>(p.v_start) = E * rates;
    work->vdot.template segment<3>(p.v_start) =
        E * accelerations + p.sequence.template calc_bias<T>(angles, rates);
  }
}

/// Pose, relative twist (in W) and its bias, for joints other than the short paths.
template <class T>
HALTERE_INLINE void move_general(const Node<T>& node, const AnyJoint<T>& joint, const Scene<T>& scene,
                                 const Mat3<T>& R_WF, NodeState<T>* s, Spatial<T>* S, Spatial<T>* V_rel,
                                 Spatial<T>* bias) {
  const T* q = scene.q.data() + node.q_start;
  const T* v = scene.v.data() + node.v_start;
  std::visit(
      [&](const auto& j) {
        using Kind = std::decay_t<decltype(j)>;
        if constexpr (Kind::nv > 0) {  // a weld has its own path
          const Transform<T> X_FM = j.calc_X_FM(q);
          const auto S_FM = j.calc_S_FM(q);
          const Spatial<T> b = Spatial<T>::of(j.calc_bias(q, v));
          s->R_WJ = R_WF * Mat3<T>::of(X_FM.R);
          s->p_PJ_W = s->p_PJ_W + R_WF * Vec3<T>::of(X_FM.p);
          *V_rel = Spatial<T>::zero();
          for (int i = 0; i < Kind::nv; ++i) {
            const Spatial<T> column = Spatial<T>::of(S_FM.col(i));
            S[i] = {R_WF * column.a, R_WF * column.l};
            *V_rel = *V_rel + v[i] * S[i];
          }
          *bias = {R_WF * b.a, R_WF * b.l};
        }
      },
      joint);
}

/// Pose, velocity and bias acceleration of one node:
///   alpha = w_P x w_rel + bias,   a = w_P x (w_P x p) + 2 w_P x v_rel + bias
template <class T>
HALTERE_INLINE void update_node(const Node<T>& node, const AnyJoint<T>& joint, const Scene<T>& scene,
                                const NodeState<T>& p, NodeState<T>* s, Spatial<T>* S) {
  using std::cos, std::sin;
  s->p_PJ_W = p.R_WJ * node.p_PF;
  const Mat3<T> R_WF = node.rotated ? p.R_WJ * node.R_PF : p.R_WJ;
  switch (node.path) {
    case Node<T>::Path::kRevolute: {
      const T angle = scene.q[node.q_start], cosine = cos(angle), sine = sin(angle);
      const Vec3<T> axis = R_WF.c[2];
      s->R_WJ.c[0] = cosine * R_WF.c[0] + sine * R_WF.c[1];
      s->R_WJ.c[1] = cosine * R_WF.c[1] - sine * R_WF.c[0];
      s->R_WJ.c[2] = axis;
      S->a = axis;
      const Vec3<T> w_rel = scene.v[node.v_start] * axis;
      s->w = p.w + w_rel;
      const Vec3<T> wxp = cross(p.w, s->p_PJ_W);
      s->v = p.v + wxp;
      s->c = {cross(p.w, w_rel), cross(p.w, wxp)};
      break;
    }
    case Node<T>::Path::kPrismatic: {
      const Vec3<T> axis = R_WF.c[2];
      s->R_WJ = R_WF;
      s->p_PJ_W = s->p_PJ_W + scene.q[node.q_start] * axis;
      S->l = axis;
      const Vec3<T> v_rel = scene.v[node.v_start] * axis;
      s->w = p.w;
      const Vec3<T> wxp = cross(p.w, s->p_PJ_W);
      s->v = p.v + wxp + v_rel;
      s->c = {Vec3<T>::zero(), cross(p.w, wxp + T(2) * v_rel)};
      break;
    }
    case Node<T>::Path::kWeld: {
      s->R_WJ = R_WF;
      s->w = p.w;
      const Vec3<T> wxp = cross(p.w, s->p_PJ_W);
      s->v = p.v + wxp;
      s->c = {Vec3<T>::zero(), cross(p.w, wxp)};
      break;
    }
    case Node<T>::Path::kGeneral: {
      Spatial<T> V_rel = Spatial<T>::zero(), bias = Spatial<T>::zero();
      move_general(node, joint, scene, R_WF, s, S, &V_rel, &bias);
      s->w = p.w + V_rel.a;
      const Vec3<T> wxp = cross(p.w, s->p_PJ_W);
      s->v = p.v + wxp + V_rel.l;
      s->c = {cross(p.w, V_rel.a) + bias.a, cross(p.w, wxp + T(2) * V_rel.l) + bias.l};
      break;
    }
  }
  s->p_WJ = p.p_WJ + s->p_PJ_W;
}

template <class T>
HALTERE_INLINE void update_nodes(const RecursiveSystem<T>& system, const Scene<T>& scene,
                                 RecursiveWorkspace<T>* work) {
  const int n = static_cast<int>(system.nodes.size());
  for (int k = 1; k < n; ++k) {
    const Node<T>& node = system.nodes[k];
    update_node(node, system.joints[k], scene, work->nodes[node.parent], &work->nodes[k],
                work->S.data() + node.v_start);
  }
}

HALTERE_TARGET_AVX2 void update_nodes_avx2(const RecursiveSystem<double>& system, const Scene<double>& scene,
                                           RecursiveWorkspace<double>* work) {
  update_nodes(system, scene, work);
}

}  // namespace

template <class T>
void update_kinematics(const RecursiveSystem<T>& system, const T& t, const T* q, const T* v, Scene<T>* scene,
                       RecursiveWorkspace<T>* work) {
  scene->t = t;
  scene->locals[0] = t;
  update_coordinates(system, q, v, scene, work);
  if constexpr (std::is_same_v<T, double>) {
    if (uses_avx2()) return update_nodes_avx2(system, *scene, work);
  }
  update_nodes(system, *scene, work);
}

template <class T>
void calc_qdot(const RecursiveSystem<T>& system, const Scene<T>& scene, T* qdot) {
  const int n = static_cast<int>(system.rate_of.size());
  for (int i = 0; i < n; ++i)
    if (system.rate_of[i] >= 0) qdot[i] = scene.v[system.rate_of[i]];
  T rate[7];
  int out = 0;
  for (const int k : system.quaternions) {
    const Node<T>& node = system.nodes[k];
    while (out < n && system.free_q[out] < node.q_start) ++out;
    const T* q = scene.q.data() + node.q_start;
    const T* v = scene.v.data() + node.v_start;
    std::visit([&](const auto& j) { j.calc_qdot(q, v, rate); }, system.joints[k]);
    while (out < n && system.free_q[out] < node.q_start + node.nq) {
      qdot[out] = rate[system.free_q[out] - node.q_start];
      ++out;
    }
  }
}

template <class T>
void calc_body_jacobian(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work, BodyIndex body,
                        MatrixX<T>* J) {
  J->setZero(6, system.nv);
  const Node<T>& last = system.nodes[body.value];
  const NodeState<T>& end = work.nodes[body.value];
  const Vector3<T> p_WBo = end.p_WJ.eigen() + end.R_WJ.eigen() * last.p_JB;
  for (int k = body.value; k > 0; k = system.nodes[k].parent) {
    const Node<T>& node = system.nodes[k];
    const Vector3<T> p_JBo_W = p_WBo - work.nodes[k].p_WJ.eigen();
    for (int i = 0; i < node.nv; ++i)
      J->col(node.v_start + i) = shift_twist<T>(work.S[node.v_start + i].eigen(), p_JBo_W);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#define HALTERE_INSTANTIATE(T)                                                                            \
  template struct RecursiveWorkspace<T>;                                                                  \
  template void update_kinematics<T>(const RecursiveSystem<T>&, const T&, const T*, const T*, Scene<T>*,  \
                                     RecursiveWorkspace<T>*);                                             \
  template void calc_qdot<T>(const RecursiveSystem<T>&, const Scene<T>&, T*);                             \
  template void calc_body_jacobian<T>(const RecursiveSystem<T>&, const RecursiveWorkspace<T>&, BodyIndex, \
                                      MatrixX<T>*);
// NOLINTEND(bugprone-macro-parentheses)
HALTERE_INSTANTIATE(double)
HALTERE_INSTANTIATE(Dual)
#undef HALTERE_INSTANTIATE

}  // namespace haltere
