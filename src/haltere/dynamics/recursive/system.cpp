#include "haltere/dynamics/recursive/system.h"

#include <set>

#include "haltere/math/dual.h"
#include "haltere/model/forces.h"
#include "haltere/model/surfaces.h"

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

/// Bodies that a force element or constraint reads or loads.
template <class Kinds>
void collect_bodies(const Entry& entry, std::set<int>* bodies) {
  std::visit(
      [&](const auto& kind) {
        int i = 0;
        for_each_field<std::decay_t<decltype(kind)>>([&](const auto& f) {
          if constexpr (std::is_same_v<std::decay_t<decltype(kind.*f.member)>, BodyIndex>) {
            const auto* body = std::get_if<BodyIndex>(&entry.values[i]);
            bodies->insert(body ? body->value : 0);
          }
          ++i;
        });
      },
      Kinds::template make<double>(entry.kind));
}

}  // namespace

template <class T>
RecursiveSystem<T>::RecursiveSystem(const Model& m, std::vector<T> p)
    : model(m), parameters(std::move(p)), constraints(m, parameters, m.n_tree()) {
  const Resolver<T> resolver{parameters.data()};
  const int n = static_cast<int>(model.bodies.size());
  nodes.resize(n);
  joints.resize(n);
  nodes[0].R_JB.setIdentity();
  nodes[0].p_JB.setZero();
  for (int i = 0; i < 3; ++i) gravity[i] = resolver.calc(model.gravity[i]);
  for (int k = 1; k < n; ++k) add_joint(k, resolver);
  for (int j = model.n_tree(); j < static_cast<int>(model.joints.size()); ++j) add_loop(j);
  forces = std::make_shared<const AllForces<T>>(model.forces, resolver);
  for (const Entry& surface : model.surfaces) surfaces.push_back(make_surface_loads<T>(surface, resolver));
  for (const SignalSpec& signal : model.signals) signals.push_back({&signal.value, parameters.data()});
  assign_slots();
  find_scene_bodies();
}

template <class T>
void RecursiveSystem<T>::add_joint(int k, const Resolver<T>& resolver) {
  const JointSpec& joint = model.joints[k - 1];
  Node<T>& node = nodes[k];
  joints[k] = resolve<JointKinds, T>(joint.entry, resolver);
  place_node(joint, resolver, k);
  set_mass<T>(calc_mass_properties<T>(model.bodies[k], resolver), &node);
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
    for (int i = 0; i < 3; ++i) r.angles[i] = {&*joint.prescribed[i], parameters.data()};
    prescribed_rotations.push_back(r);
  } else {
    for (int i = 0; i < node.nq - node.nv; ++i) {  // the quaternion's extra entry
      free_q.push_back(nq + i);
      rate_of.push_back(-1);
    }
  }
  if (node.nq > node.nv) quaternions.push_back(k);
  bool actuated = false;
  for (int i = 0; i < node.nv; ++i) {
    const int q_index = nq + node.nq - node.nv + i;
    const CoordinateMode mode = joint.mode(i);
    actuated |= mode != CoordinateMode::kPassive;
    if (mode == CoordinateMode::kPrescribed) {
      if (!(rotation_prescribed && i < 3))
        prescribed.push_back({nv + i, k - 1, q_index, {&*joint.prescribed[i], parameters.data()}});
      continue;
    }
    node.free[node.n_free++] = i;
    free_q.push_back(q_index);
    free_v.push_back(nv + i);
    rate_of.push_back(node.nq > node.nv ? -1 : nv + i);
    if (mode == CoordinateMode::kDriven)
      driven.push_back({nv + i, k - 1, q_index, {&*joint.driven[i], parameters.data()}});
  }
  if (actuated) work_joint.push_back(k - 1);
}

/// A joint that closes a loop has no coordinates of its own in the state; its drives act all the same.
template <class T>
void RecursiveSystem<T>::add_loop(int j) {
  const JointSpec& joint = model.joints[j];
  int v_start = 0;
  for (int i = 0; i < j; ++i) v_start += model.joints[i].nv();
  bool actuated = false;
  for (int i = 0; i < joint.nv(); ++i) {
    actuated |= joint.mode(i) != CoordinateMode::kPassive;
    if (joint.mode(i) == CoordinateMode::kDriven)
      driven.push_back({v_start + i, j, -1, {&*joint.driven[i], parameters.data()}});
  }
  if (actuated) work_joint.push_back(j);
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

template <class T>
void RecursiveSystem<T>::find_scene_bodies() {
  std::set<int> bodies;
  for (const Entry& force : model.forces) collect_bodies<ForceKinds>(force, &bodies);
  for (const Entry& surface : model.surfaces) collect_bodies<SurfaceKinds>(surface, &bodies);
  for (const Entry& constraint : model.constraints) collect_bodies<ConstraintKinds>(constraint, &bodies);
  for (int j = model.n_tree(); j < static_cast<int>(model.joints.size()); ++j)
    bodies.insert({model.joints[j].parent.value, model.joints[j].child.value});
  for (const Probe& probe : model.probes) {
    if (probe.quantity == Quantity::kSystemCom || probe.quantity == Quantity::kSystemMomentum)
      reads_system = true;
    else if (probe.quantity != Quantity::kJointPosition && probe.quantity != Quantity::kJointVelocity)
      bodies.insert(probe.index);
  }
  for (int k = 1; k < static_cast<int>(nodes.size()); ++k)
    if (reads_system || bodies.count(k)) {
      scene_bodies.push_back(k);
      nodes[k].loaded = true;
    }
}

template struct RecursiveSystem<double>;
template struct RecursiveSystem<Dual>;

}  // namespace haltere
