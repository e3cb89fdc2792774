#pragma once

#include <array>
#include <vector>

#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/dynamics/machine/machine.h"
#include "haltere/math/large_vector.h"
#include "haltere/math/vec3.h"

namespace haltere {

/// One joint with the body outboard of it, as the recursion sees them. The node frame J is the aligned child
/// frame M' of the joint: its origin is the joint, its z axis the joint axis; the body frame B is fixed in
/// it.
template <class T>
struct alignas(64) Node {
  enum class Path { kWeld, kRevolute, kPrismatic, kGeneral };
  Path path = Path::kWeld;
  int parent = 0;      // node of the parent body, 0 = world
  int last_child = 0;  // its child with the highest number, the first on the way inwards; 0 = none
  int slot = 0;        // of its articulated inertia while that is needed
  int nq = 0, nv = 0;
  int q_start = 0;            // in the positions of all joints (Scene::q)
  int v_start = 0;            // in the velocities of all joints (Scene::v)
  int n_free = 0;             // coordinates that are not prescribed
  std::array<int, 6> free{};  // their positions within the joint
  bool rotated = true;        // false: R_PF is the identity
  bool massless = false;
  bool loaded = false;  // force elements may act on its body

  Mat3<T> R_PF;       // aligned parent frame F' in the parent's node frame
  Vec3<T> p_PF;       // its origin                                              [m]
  Mat3<T> I_J;        // inertia about Jo, node axes                             [kg m2]
  Vec3<T> mc;         // mass times p_JBcm                                       [kg m]
  T mass{0};          //                                                         [kg]
  double size_I = 0;  // size of the entries of I_J, for the test of singularity [kg m2]
  double size_M = 0;  // size of the mass                                        [kg]
  Matrix3<T> R_JB;    // body axes in the node frame
  Vector3<T> p_JB;    // body origin in the node frame                           [m]
};

/// Rotation of a spherical or free joint given by three formulas.
template <class T>
struct PrescribedRotation {
  int q_start = 0, v_start = 0;
  EulerSequence sequence;
  std::array<Function<T>, 3> angles;
};

/// A Machine in the form that the recursion needs. Constant during a right-hand side.
template <class T>
struct RecursiveSystem {
  explicit RecursiveSystem(const Machine<T>& machine);  // which must stay

  const Machine<T>& machine;
  LargeVector<Node<T>> nodes;       // node k belongs to body k and joint k - 1; 0 = world
  std::vector<AnyJoint<T>> joints;  // per node, 0 unused
  std::vector<CoordinateFunction<T>> prescribed;
  std::vector<PrescribedRotation<T>> prescribed_rotations;
  ConstraintSet<T> constraints;  // joints that close loops, and the model's constraints

  int nq = 0, nv = 0;            // of the joints of the tree, which come first in Scene::q and Scene::v
  int n_slots = 0;               // articulated inertias that are alive at one time
  std::vector<int> free_q;       // entry of the state q -> index in Scene::q
  std::vector<int> free_v;       // entry of the state v -> index in Scene::v
  std::vector<int> rate_of;      // entry of the state q -> index in Scene::v of its rate; -1: none
  std::vector<int> quaternions;  // nodes whose joint has a quaternion, and rates of its own

 private:
  void add_joint(int k, const Resolver<T>& resolver);
  void place_node(const JointSpec& joint, const Resolver<T>& resolver, int k);
  void add_coordinates(const JointSpec& joint, int k);
  void assign_slots();
};

}  // namespace haltere
