#include "haltere/dynamics/recursive/system.h"

#include "haltere/math/dual.h"

namespace haltere {
namespace {

template <class T>
typename Node<T>::Path path_of(const JointSpec& joint) {
  const std::string_view kind = JointKinds::kNames[joint.entry.kind];
  const bool prescribed = joint.nv() == 1 && joint.prescribed[0];
  if (joint.nv() == 0) return Node<T>::Path::kWeld;
  if (kind == Revolute<T>::kName && !prescribed) return Node<T>::Path::kRevolute;
  if (kind == Prismatic<T>::kName && !prescribed) return Node<T>::Path::kPrismatic;
  return Node<T>::Path::kGeneral;
}

template <class T>
void set_mass(const MassProperties<T>& m, Node<T>* node) {
  const Vector3<T> c = node->p_JB + node->R_JB * m.p_BoBcm;
  const Matrix3<T> I_cm = node->R_JB * m.I_BBcm * node->R_JB.transpose();
  const Matrix3<T> I_J = I_cm + m.mass * (c.squaredNorm() * Matrix3<T>::Identity() - c * c.transpose());
  node->mass = m.mass;
  node->mc = Vec3<T>::of(m.mass * c);
  node->I_J = Mat3<T>::of(I_J);
  node->size_I = 0;
  for (int i = 0; i < 3; ++i) node->size_I += std::abs(value_of(I_J(i, i)));
  node->size_M = std::abs(value_of(m.mass));
  node->massless = node->size_M == 0 && node->size_I == 0;
}

}  // namespace

template <class T>
RecursiveSystem<T>::RecursiveSystem(const Machine<T>& m)
    : machine(m), constraints(m.model, m.parameters, m.model.n_tree()) {
  const Resolver<T> resolver{machine.parameters.data()};
  const int n = static_cast<int>(machine.model.bodies.size());
  nodes.resize(n);
  joints.resize(n);
  nodes[0].R_JB.setIdentity();
  nodes[0].p_JB.setZero();
  for (int k = 1; k < n; ++k) add_joint(k, resolver);
  assign_slots();
  for (const int k : machine.read_bodies) nodes[k].loaded = true;
}

template <class T>
void RecursiveSystem<T>::add_joint(int k, const Resolver<T>& resolver) {
  const JointSpec& joint = machine.model.joints[k - 1];
  Node<T>& node = nodes[k];
  joints[k] = resolve<JointKinds, T>(joint.entry, resolver);
  place_node(joint, resolver, k);
  set_mass<T>(machine.masses[k], &node);
  node.path = path_of<T>(joint);
  node.parent = joint.parent.value;
  nodes[node.parent].last_child = k;
  node.nq = joint.nq();
  node.nv = joint.nv();
  node.q_start = nq;
  node.v_start = nv;
  add_coordinates(joint, k);
  nq += node.nq;
  nv += node.nv;
}

template <class T>
void RecursiveSystem<T>::place_node(const JointSpec& joint, const Resolver<T>& resolver, int k) {
  const Node<T>& parent = nodes[joint.parent.value];
  const Transform<T> align = std::visit([](const auto& j) { return j.calc_alignment(); }, joints[k]);
  const Transform<T> X_PF =
      Transform<T>{parent.R_JB, parent.p_JB} * joint.parent_frame.calc_X<T>(resolver) * align;
  const Transform<T> X_JB = (joint.child_frame.calc_X<T>(resolver) * align).inverse();
  Node<T>& node = nodes[k];
  node.R_PF = Mat3<T>::of(X_PF.R);
  node.p_PF = Vec3<T>::of(X_PF.p);
  node.rotated = X_PF.R != Matrix3<T>::Identity();
  node.R_JB = X_JB.R;
  node.p_JB = X_JB.p;
}

/// Sorts the coordinates of a joint into those of the state and those that formulas prescribe.
template <class T>
void RecursiveSystem<T>::add_coordinates(const JointSpec& joint, int k) {
  Node<T>& node = nodes[k];
  const bool rotation_prescribed = joint.prescribed_sequence.has_value();
  if (rotation_prescribed) {
    PrescribedRotation<T> r{nq, nv, *joint.prescribed_sequence, {}};
    for (int i = 0; i < 3; ++i) r.angles[i] = {&*joint.prescribed[i], machine.parameters.data()};
    prescribed_rotations.push_back(r);
  } else {
    for (int i = 0; i < node.nq - node.nv; ++i) {  // the quaternion's extra entry
      free_q.push_back(nq + i);
      rate_of.push_back(-1);
    }
  }
  if (node.nq > node.nv) quaternions.push_back(k);
  for (int i = 0; i < node.nv; ++i) {
    const int q_index = nq + node.nq - node.nv + i;
    if (joint.mode(i) == CoordinateMode::kPrescribed) {
      if (!(rotation_prescribed && i < 3))
        prescribed.push_back({nv + i, k - 1, q_index, {&*joint.prescribed[i], machine.parameters.data()}});
      continue;
    }
    node.free[node.n_free++] = i;
    free_q.push_back(q_index);
    free_v.push_back(nv + i);
    rate_of.push_back(node.nq > node.nv ? -1 : nv + i);
  }
}

/// Goes the way of the inward pass: a node takes a slot when its last child is done (or, without one, when it
/// is its turn) and gives it back when it is done itself.
template <class T>
void RecursiveSystem<T>::assign_slots() {
  std::vector<int> unused;
  const auto take = [&](Node<T>* node) {
    if (unused.empty()) unused.push_back(n_slots++);
    node->slot = unused.back();
    unused.pop_back();
  };
  for (int k = static_cast<int>(nodes.size()) - 1; k > 0; --k) {
    Node<T>& node = nodes[k];
    if (node.last_child == 0) take(&node);
    // the parent is begun while the child is still there
    if (node.parent != 0 && nodes[node.parent].last_child == k) take(&nodes[node.parent]);
    unused.push_back(node.slot);
  }
}

template struct RecursiveSystem<double>;
template struct RecursiveSystem<Dual>;

}  // namespace haltere
