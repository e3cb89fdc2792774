#include <limits>

#include "haltere/dynamics/machine/ldl.h"
#include "haltere/dynamics/recursive/hybrid_general.h"
#include "haltere/dynamics/recursive/workspace.h"
#include "haltere/math/instruction_set.h"

/// The hybrid articulated-body algorithm in world axes about joint points.   [featherstone2008] ch. 7.3, 9.2
/// theory.md (E9) to (E12)
///
///   wrench through joint i:   F = IA A + pA,            A = X A_P + c + S_p vdot_p + S_f vdot_f
///   free coordinates:         D = S_f^T IA S_f,         u = tau_f - S_f^T (pA + IA c)
///                             vdot_f = D^-1 (u - U^T X A_P),   U = IA S_f
///   passed on to the parent:  Ia = IA - U D^-1 U^T,     pa = pA + IA c + U D^-1 u
/// Accelerations are (alpha; classical acceleration of the joint point), so X only shifts the point.
namespace haltere {
namespace {

template <class T>
HALTERE_INLINE Spatial<T> multiply(const BlockInertia<T>& IA, const Mat3<T>& H_transposed,
                                   const Spatial<T>& A) {
  return {IA.I * A.a + IA.H * A.l, H_transposed * A.a + IA.M * A.l};
}

/// IA -= factor U U^T
template <class T>
HALTERE_INLINE void subtract_rank_one(const Spatial<T>& U, const T& factor, BlockInertia<T>* IA) {
  const Spatial<T> f = factor * U;
  IA->I = IA->I - outer(U.a, f.a);
  IA->H = IA->H - outer(U.a, f.l);
  IA->M = IA->M - outer(U.l, f.l);
}

/// Pass on what a node carries to its parent, X^T Ia X and X^T pa, over the shift p from its joint point:
///   H' = H + P M,   I' = I - H P - (H' P)^T,   P = skew(p)
template <class T>
HALTERE_INLINE void add_to_parent(const BlockInertia<T>& Ia, const Spatial<T>& pa, const Vec3<T>& p,
                                  const Articulated<T>& s, Articulated<T>* parent) {
  const Mat3<T> H = Ia.H + cross(p, Ia.M);
  parent->IA.I = parent->IA.I + (Ia.I + cross(Ia.H, p) + transpose(cross(H, p)));
  parent->IA.H = parent->IA.H + H;
  parent->IA.M = parent->IA.M + Ia.M;
  parent->pA.a = parent->pA.a + (pa.a + cross(p, pa.l));
  parent->pA.l = parent->pA.l + pa.l;
  parent->size_I += s.size_I + s.size_M * value_of(dot(p, p));
  parent->size_M += s.size_M;
}

/// Rigid inertia and bias force of a body about its joint point, with gravity and loads of force elements:
///   F = [I mc~; -mc~ m] A + (w x I w; m w x (w x c))
template <class T>
HALTERE_INLINE void start_body(const Node<T>& node, const NodeState<T>& s, const Vec3<T>& gravity,
                               Articulated<T>* body) {
  body->size_I = node.size_I;
  body->size_M = node.size_M;
  if (node.massless) {
    body->IA = {Mat3<T>::zero(), Mat3<T>::zero(), Mat3<T>::zero()};
    body->pA = Spatial<T>::zero();
    return;
  }
  const Vec3<T> mc = s.R_WJ * node.mc;
  body->IA.I = (s.R_WJ * node.I_J) * transpose(s.R_WJ);
  body->IA.H = skew(mc);
  body->IA.M = {{Vec3<T>::make(node.mass, T(0), T(0)), Vec3<T>::make(T(0), node.mass, T(0)),
                 Vec3<T>::make(T(0), T(0), node.mass)}};
  body->pA.a = cross(s.w, body->IA.I * s.w) - cross(mc, gravity);
  body->pA.l = cross(s.w, cross(s.w, mc)) - node.mass * gravity;
}

/// An added matrix that is symmetric.
template <class T>
HALTERE_INLINE void add_matrix(const AddedBlocks<T>& added, Articulated<T>* body) {
  body->IA.I = body->IA.I + added.I;
  body->IA.H = body->IA.H + added.H;
  body->IA.M = body->IA.M + added.M;
  for (int i = 0; i < 3; ++i) {
    body->size_I += std::abs(value_of(added.I.c[i][i]));
    body->size_M += std::abs(value_of(added.M.c[i][i])) / 3;
  }
}

/// A node before its children give it what they carry: its body, and what prescribed accelerations add.
template <class T>
HALTERE_INLINE void start_node(const RecursiveSystem<T>& system, const Vec3<T>& gravity, int k,
                               RecursiveWorkspace<T>* work, Articulated<T>* body) {
  const Node<T>& node = system.nodes[k];
  NodeState<T>& s = work->nodes[k];
  start_body(node, s, gravity, body);
  if (node.loaded) body->pA = body->pA - work->F_J_W[k];
  if (work->has_added && node.loaded) add_matrix(work->added_J[k], body);
  if (node.n_free == node.nv) return;
  s.c_known = s.c;
  int next = 0;
  for (int i = 0; i < node.nv; ++i) {
    if (next < node.n_free && node.free[next] == i)
      ++next;
    else
      s.c_known = s.c_known + work->vdot[node.v_start + i] * work->S[node.v_start + i];
  }
}

/// Eliminates the one coordinate of a revolute or prismatic joint; Ia and pa for the parent. False: singular.
template <class T>
HALTERE_INLINE bool eliminate_one(const Node<T>& node, const Articulated<T>& own, const T& tau,
                                  RecursiveWorkspace<T>* work, NodeState<T>* s, BlockInertia<T>* Ia,
                                  Spatial<T>* pa) {
  const bool rotary = node.path == Node<T>::Path::kRevolute;
  const Mat3<T> H_transposed = transpose(own.IA.H);
  const Vec3<T> axis = s->R_WJ.c[2];
  const Spatial<T> U = rotary ? Spatial<T>{own.IA.I * axis, H_transposed * axis}
                              : Spatial<T>{own.IA.H * axis, own.IA.M * axis};
  const T D = dot(axis, rotary ? U.a : U.l);
  if (!(value_of(D) > kZeroPivot * (rotary ? own.size_I : own.size_M))) return false;
  const T D_inverse = T(1) / D;
  const T u = tau - dot(axis, rotary ? own.pA.a : own.pA.l) - dot(U, s->c);
  work->U[node.v_start] = U;
  work->u[node.v_start] = u;
  s->D_inverse = D_inverse;
  if (node.parent == 0) return true;
  *Ia = own.IA;
  subtract_rank_one<T>(U, D_inverse, Ia);
  *pa = own.pA + multiply(own.IA, H_transposed, s->c) + (D_inverse * u) * U;
  return true;
}

/// The same for any number of free coordinates, and what gives the forces of prescribed ones.
template <class T>
HALTERE_INLINE bool eliminate_several(const Node<T>& node, const Articulated<T>& own, const T* tau, int k,
                                      RecursiveWorkspace<T>* work, BlockInertia<T>* Ia, Spatial<T>* pa) {
  Matrix6<T>& L = work->L[work->L_of[k]];
  const Spatial<T>& c_known = work->nodes[k].known(node);
  const Mat3<T> H_transposed = transpose(own.IA.H);
  const int n = node.n_free;
  std::array<double, 6> sizes{};
  T x[6];
  if (n < node.nv)
    for (int c = node.v_start; c < node.v_start + node.nv; ++c) {
      work->U[c] = multiply(own.IA, H_transposed, work->S[c]);
      work->u[c] = tau[c - node.v_start] - dot(work->S[c], own.pA);
    }
  for (int i = 0; i < n; ++i) {
    const int c = node.v_start + node.free[i];
    const Spatial<T>& S = work->S[c];
    const Spatial<T> U = multiply(own.IA, H_transposed, S);
    for (int j = 0; j <= i; ++j) L(i, j) = dot(U, work->S[node.v_start + node.free[j]]);
    const double turn = value_of(dot(S.a, S.a));
    sizes[i] = turn * own.size_I + (1 - turn) * own.size_M;
    x[i] = tau[node.free[i]] - dot(S, own.pA) - dot(U, c_known);
    work->U[c] = U;
    work->u[c] = x[i];
  }
  if (factor_ldl<T>(n, sizes.data(), &L) >= 0) return false;
  if (node.parent == 0) return true;
  solve_ldl<T>(n, L, x);
  *Ia = own.IA;
  *pa = own.pA + multiply(own.IA, H_transposed, c_known);
  for (int i = 0; i < n; ++i) *pa = *pa + x[i] * work->U[node.v_start + node.free[i]];
  // Ia -= U D^-1 U^T = W diag^-1 W^T with W = U L^-T
  Spatial<T> W[6];
  for (int i = 0; i < n; ++i) {
    W[i] = work->U[node.v_start + node.free[i]];
    for (int j = 0; j < i; ++j) W[i] = W[i] - L(i, j) * W[j];
    subtract_rank_one<T>(W[i], T(1) / L(i, i), Ia);
  }
  return true;
}

/// A node is started when it is first needed, by its last child or, without one, by itself: a long machine
/// does not fit into the near caches, and each pass over it costs.
template <class T>
HALTERE_INLINE bool pass_inward(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  const Vec3<T> gravity = Vec3<T>::of(system.machine.gravity);
  BlockInertia<T> Ia{};  // set by every path that is read below
  Spatial<T> pa = Spatial<T>::zero();
  for (int k = static_cast<int>(system.nodes.size()) - 1; k > 0; --k) {
    const Node<T>& node = system.nodes[k];
    NodeState<T>& s = work->nodes[k];
    Articulated<T>& own = work->articulated[node.slot];
    if (node.last_child == 0) start_node(system, gravity, k, work, &own);
    const T* tau = work->tau + node.v_start;
    bool regular = true;
    switch (node.path) {
      case Node<T>::Path::kRevolute:
      case Node<T>::Path::kPrismatic:
        regular = eliminate_one<T>(node, own, tau[0], work, &s, &Ia, &pa);
        break;
      case Node<T>::Path::kGeneral:
        regular = eliminate_several<T>(node, own, tau, k, work, &Ia, &pa);
        break;
      case Node<T>::Path::kWeld:
        Ia = own.IA;
        pa = own.pA + multiply(own.IA, transpose(own.IA.H), s.c);
        break;
    }
    if (!regular) {
      work->singular_joint = k - 1;
      return false;
    }
    if (node.parent == 0) continue;
    const Node<T>& parent = system.nodes[node.parent];
    Articulated<T>& next = work->articulated[parent.slot];
    if (parent.last_child == k) start_node(system, gravity, node.parent, work, &next);
    add_to_parent<T>(Ia, pa, s.p_PJ_W, own, &next);
  }
  return true;
}

template <class T>
HALTERE_INLINE void pass_outward(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  for (std::size_t k = 1; k < system.nodes.size(); ++k) {
    const Node<T>& node = system.nodes[k];
    NodeState<T>& s = work->nodes[k];
    const NodeState<T>& p = work->nodes[node.parent];
    const Spatial<T> A = {p.A.a, p.A.l + cross(p.A.a, s.p_PJ_W)};
    s.A = A + s.known(node);
    switch (node.path) {
      case Node<T>::Path::kRevolute:
      case Node<T>::Path::kPrismatic: {
        const int c = node.v_start;
        const T vdot = s.D_inverse * (work->u[c] - dot(work->U[c], A));
        work->vdot[c] = vdot;
        Vec3<T>& moved = node.path == Node<T>::Path::kRevolute ? s.A.a : s.A.l;
        moved = moved + vdot * s.R_WJ.c[2];
        break;
      }
      case Node<T>::Path::kGeneral: {
        T x[6];
        for (int i = 0; i < node.n_free; ++i) {
          const int c = node.v_start + node.free[i];
          x[i] = work->u[c] - dot(work->U[c], A);
        }
        solve_ldl<T>(node.n_free, work->L[work->L_of[k]], x);
        for (int i = 0; i < node.n_free; ++i) {
          const int c = node.v_start + node.free[i];
          work->vdot[c] = x[i];
          s.A = s.A + x[i] * work->S[c];
        }
        break;
      }
      case Node<T>::Path::kWeld:
        break;
    }
  }
}

/// Matrices that are symmetric, and leave every pivot positive, take the short way.
template <class T>
HALTERE_INLINE Status run_passes(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work) {
  work->has_general = work->has_added && !work->added_symmetric;
  if (!work->has_general && pass_inward(system, work)) {
    pass_outward(system, work);
    return Status::kOk;
  }
  if (!work->has_added) return Status::kSingular;
  work->has_general = true;
  work->general.resize(system.nodes.size());
  work->has_added = false;  // start_general adds them
  const Vec3<T> gravity = Vec3<T>::of(system.machine.gravity);
  for (int k = 1; k < static_cast<int>(system.nodes.size()); ++k) {
    Articulated<T> own;
    start_node(system, gravity, k, work, &own);
    start_general(own, work->added_J[k].matrix(), &work->general[k]);
  }
  work->has_added = true;
  return calc_hybrid_dynamics_general(system, work);
}

HALTERE_TARGET_AVX2 Status run_passes_avx2(const RecursiveSystem<double>& system,
                                           RecursiveWorkspace<double>* work) {
  return run_passes(system, work);
}

}  // namespace

template <>
Status calc_hybrid_dynamics<double>(const RecursiveSystem<double>& system, RecursiveWorkspace<double>* work) {
  return uses_avx2() ? run_passes_avx2(system, work) : run_passes(system, work);
}

template <>
Status calc_hybrid_dynamics<Dual>(const RecursiveSystem<Dual>& system, RecursiveWorkspace<Dual>* work) {
  return run_passes(system, work);
}

}  // namespace haltere
