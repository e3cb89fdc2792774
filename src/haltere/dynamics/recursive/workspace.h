#pragma once

#include <vector>

#include "haltere/dynamics/recursive/system.h"
#include "haltere/dynamics/status.h"

namespace haltere {

/// Articulated inertia in blocks, world axes, about the joint point: F = [I H; H^T M] A.
template <class T>
struct BlockInertia {
  Mat3<T> I;  // symmetric                                          [kg m2]
  Mat3<T> H;  //                                                    [kg m]
  Mat3<T> M;  // symmetric                                          [kg]
};

/// Sum of added matrices of a body, moved to its joint point: F = [I H; G M] A.
template <class T>
struct AddedBlocks {
  Mat3<T> I, H, G, M;

  static AddedBlocks zero() { return {Mat3<T>::zero(), Mat3<T>::zero(), Mat3<T>::zero(), Mat3<T>::zero()}; }
  Matrix6<T> matrix() const {
    Matrix6<T> K;
    K << I.eigen(), H.eigen(), G.eigen(), M.eigen();
    return K;
  }
  Spatial<T> operator*(const Spatial<T>& A) const { return {I * A.a + H * A.l, G * A.a + M * A.l}; }
};

/// A body and all that hangs on it, as its joint feels them: F = IA A + pA at the joint point. It lives from
/// the first child that adds to it until its node is done: a machine of thousands of bodies streams through
/// few of them, which stay in the near cache.
template <class T>
struct Articulated {
  BlockInertia<T> IA;
  Spatial<T> pA;      // bias force                                       [N m, N]
  double size_I = 0;  // sizes of what was added up in IA.I and IA.M: a pivot far below them is zero
  double size_M = 0;
};

/// Scratch of the recursion, world axes, at the joint points Jo; node k belongs to body k.
template <class T>
struct alignas(64) NodeState {
  // -- depends on q: filled by update_kinematics()
  Mat3<T> R_WJ;    // node axes in world
  Vec3<T> p_WJ;    // joint point                                 [m]
  Vec3<T> p_PJ_W;  // from the parent's joint point               [m]
  // -- depends on q, v: filled by update_kinematics()
  Vec3<T> w;     // angular velocity                            [rad/s]
  Vec3<T> v;     // velocity of Jo                              [m/s]
  Spatial<T> c;  // acceleration with vdot = 0 and parent's A = 0   [rad/s2, m/s2]
  // -- filled by calc_hybrid_dynamics() and friends
  T D_inverse;         // 1 / (S^T IA S), paths of one coordinate
  Spatial<T> A;        // (alpha; classical acceleration of Jo)       [rad/s2, m/s2]
  Spatial<T> c_known;  // c and what prescribed accelerations add; only where some are

  const Spatial<T>& known(const Node<T>& node) const { return node.n_free == node.nv ? c : c_known; }
};

/// The same with full matrices, which need not be symmetric.
template <class T>
struct GeneralArticulated {
  Matrix6<T> IA;
  Vector6<T> pA;
  double size_I = 0, size_M = 0;
  Eigen::Matrix<T, 6, 13> reduced;  // S^T IA, u and 1, divided by D
};

template <class T>
struct RecursiveWorkspace {
  explicit RecursiveWorkspace(const RecursiveSystem<T>& system);

  LargeVector<NodeState<T>> nodes;
  LargeVector<Spatial<T>> S;  // motion subspace, one column a velocity coordinate, at Jo in W (nv)
  std::vector<Articulated<T>> articulated;  // RecursiveSystem::n_slots
  LargeVector<Spatial<T>> U;  // IA S, also of prescribed coordinates                          (nv)
  std::vector<Matrix6<T>> L;  // per general node: factors of S^T IA S
  std::vector<int> L_of;      // node -> entry of L
  VectorX<T> u;               // tau - S^T pA - U^T c; of prescribed coordinates tau - S^T pA  (nv)
  VectorX<T> vdot;            // of all joints; prescribed ones are input                       (nv)
  // -- loads: filled by take_loads()
  const T* tau = nullptr;               // on all joint coordinates, in the BodyLoads             (nv)
  std::vector<Spatial<T>> F_J_W;        // load of force elements on each body at Jo              (nodes)
  std::vector<AddedBlocks<T>> added_J;  // where there are any                                   (nodes)
  bool added_symmetric = true;
  std::vector<GeneralArticulated<T>>
      general;  // only where added matrices make the inertia unsymmetric or indefinite (nodes)
  bool has_added = false;
  bool has_general = false;       // the last recursion was that of general matrices
  std::vector<BodyRows<T>> rows;  // of the constraints
  int singular_joint = -1;        // after Status::kSingular
};

/// Positions, velocities and bias accelerations of all nodes, from the free coordinates (state order);
/// evaluates prescribed motions into scene.q, scene.v and vdot.
template <class T>
void update_kinematics(const RecursiveSystem<T>& system, const T& t, const T* q, const T* v, Scene<T>* scene,
                       RecursiveWorkspace<T>* work);

/// The rest of the scene, after update_kinematics(): poses and twists of the bodies that laws read, the
/// coordinates of joints that close loops (`turns`: near which of their angles), signals.
template <class T>
void update_scene(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work, const T* turns,
                  Scene<T>* scene);
/// Poses and twists of these bodies.
template <class T>
void write_bodies(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work,
                  const std::vector<int>& bodies, Scene<T>* scene);

/// Loads as the recursion takes them: at the joint points, with those of joints that close loops on their
/// bodies. Added matrices become K_J = X^T K X, the centripetal part of Bo's acceleration being a load.
template <class T>
void take_loads(const RecursiveSystem<T>& system, Scene<T>* scene, BodyLoads<T>* loads,
                RecursiveWorkspace<T>* work);

/// Hybrid articulated-body algorithm: accelerations of the free coordinates (vdot), given loads and the
/// prescribed accelerations; A of every node. After take_loads(). [featherstone2008] ch. 9.2
template <class T>
Status calc_hybrid_dynamics(const RecursiveSystem<T>& system, RecursiveWorkspace<T>* work);

/// Generalised forces that give the accelerations `vdot` (all coordinates) under the current loads:
/// tau = M vdot + bias; also A and the wrench through every joint, F_joint (parent on child at Jo, in W).
template <class T>
void calc_inverse_dynamics(const RecursiveSystem<T>& system, const VectorX<T>& vdot,
                           RecursiveWorkspace<T>* work, VectorX<T>* tau, std::vector<Vector6<T>>* F_joint);

/// The backward half of it: wrenches on the bodies at their Jo become those through the joints, and tau.
template <class T>
void collect_joint_forces(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work,
                          std::vector<Vector6<T>>* F_joint, VectorX<T>* tau);

/// Mass matrix of all coordinates (nv x nv), with added matrices: in general not symmetric then.
template <class T>
void calc_mass_matrix(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work, MatrixX<T>* M);

/// V_WB = J v: twist of a body at Bo, in W, against all velocity coordinates (6 x nv).
template <class T>
void calc_body_jacobian(const RecursiveSystem<T>& system, const RecursiveWorkspace<T>& work, BodyIndex body,
                        MatrixX<T>* J);

/// qdot = N(q) v for the free coordinates, in state order.
template <class T>
void calc_qdot(const RecursiveSystem<T>& system, const Scene<T>& scene, T* qdot);

}  // namespace haltere
