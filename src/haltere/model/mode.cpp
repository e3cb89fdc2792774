#include "haltere/model/mode.h"

#include <algorithm>
#include <numeric>

#include "haltere/model/joints.h"
#include "haltere/model/renumbering.h"

namespace haltere {
namespace {

constexpr EulerSequence kTurns{{0, 1, 2}};

/// Positions of the coordinates of a joint as formulas can prescribe them.
void copy_positions(const JointSpec& joint, const double* q, double* held) {
  const int extra = joint.nq() - joint.nv();
  int i = 0;
  if (extra > 0) {
    const Vector3<double> angles =
        kTurns.calc_angles(rotation_of<double>(Eigen::Map<const Vector4<double>>(q).normalized()));
    for (; i < 3; ++i) held[i] = angles[i];
  }
  for (; i < joint.nv(); ++i) held[i] = q[extra + i];
}

void lock(const double* held, JointSpec* joint) {
  for (int i = 0; i < joint->nv(); ++i) joint->prescribed[i] = Expression(held[i]);
  if (joint->nq() > joint->nv()) joint->prescribed_sequence = kTurns;
}

void release(JointSpec* joint) {
  for (auto& formula : joint->prescribed) formula.reset();
  joint->prescribed_sequence.reset();
  joint->locked = false;
}

/// A joint that leaves a body all six motions, against the world.
JointSpec make_loose(const JointSpec& broken) {
  JointSpec loose;
  loose.entry.name = broken.name() + " (broken off)";
  loose.entry.mark = broken.entry.mark;
  loose.entry.kind = JointKinds::find(Free<double>::kName);
  loose.child = broken.child;
  loose.prescribed.resize(loose.nv());
  loose.driven.resize(loose.nv());
  loose.initial_position.resize(loose.nv());
  loose.initial_velocity.resize(loose.nv());
  return loose;
}

}  // namespace

bool acts_on_any(const Entry& force, const std::vector<int>& joints) {
  for (const Value& value : force.values)
    if (const auto* c = std::get_if<CoordinateIndex>(&value))
      if (std::find(joints.begin(), joints.end(), c->joint) != joints.end()) return true;
  return false;
}

void Mode::apply(const Model& model, const EventSpec& event, const VectorX<double>& q) {
  const auto set = [&](int joint, JointState state) {
    if (joints[joint] != kBroken) joints[joint] = state;
  };
  for (const int j : event.free) set(j, kFree);
  for (const int j : event.break_off) set(j, kBroken);
  for (const int c : event.remove) removed[c] = true;
  int iq = 0, iv = 0;
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const JointSpec& joint = model.joints[j];
    const bool locks = std::find(event.lock.begin(), event.lock.end(), j) != event.lock.end();
    if (locks && joints[j] != kLocked) {
      set(j, kLocked);
      copy_positions(joint, q.data() + iq, held.data() + iv);
    }
    iq += joint.nq();
    iv += joint.nv();
  }
}

ModeModel::ModeModel(const Model& base, const Mode& mode) : model(base), joint(base.joints.size()) {
  std::iota(joint.begin(), joint.end(), 0);
  for (std::size_t c = 0; c < model.constraints.size(); ++c) model.constraints[c].active = !mode.removed[c];
  const double* held = mode.held.data();
  for (int j = 0; j < static_cast<int>(base.joints.size()); ++j) {
    JointSpec& spec = model.joints[j];
    const double* own = held;
    held += spec.nv();
    if (mode.joints[j] == Mode::kAsGiven) continue;
    release(&spec);
    if (mode.joints[j] == Mode::kLocked) lock(own, &spec);
    if (mode.joints[j] != Mode::kBroken) continue;
    // what acts on its coordinates goes with it
    spec.entry.active = false;
    for (auto& formula : spec.driven) formula.reset();
    for (Entry& force : model.forces)
      if (acts_on_any(force, {j})) force.active = false;
    if (j >= base.n_tree()) continue;
    joint[j] = static_cast<int>(model.joints.size());
    loose.push_back(j);
    model.joints.push_back(spec);
    model.joints[j] = make_loose(base.joints[j]);
  }
  // only what refers to joints: the places of the joints themselves are right already
  Renumbering renumbering{std::vector<int>(base.bodies.size()), joint};
  std::iota(renumbering.body.begin(), renumbering.body.end(), 0);
  renumbering.apply(&model);
}

}  // namespace haltere
