#pragma once

#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// What events have done so far to what holds a machine together.
struct Mode {
  enum JointState { kAsGiven, kLocked, kFree, kBroken };

  explicit Mode(const Model& model)
      : joints(model.joints.size(), kAsGiven),
        held(model.nv(), 0),
        removed(model.constraints.size(), false) {}

  std::vector<int> joints;    // JointState of each
  std::vector<double> held;   // positions of locked joints, per velocity coordinate; turns as angles xyz
  std::vector<bool> removed;  // constraints

  bool operator==(const Mode&) const = default;

  /// What the event does, `q` being the positions of all joints now (as Scene::q); a joint that has broken
  /// off stays so.
  void apply(const Model& model, const EventSpec& event, const VectorX<double>& q);
  template <class Archive>
  void visit_state(Archive& archive) {
    archive(joints, held, removed);
  }
};

/// A force element that loads a coordinate of one of the joints: it breaks with it.
bool acts_on_any(const Entry& force, const std::vector<int>& joints);

/// A model as a mode leaves it: the same bodies, parameters, signals, forces and constraints under the same
/// numbers. A locked joint is prescribed to stay. A body whose joint has broken off moves freely against the
/// world; the joint itself follows those that close loops, holds nothing, and still tells what its frames do.
struct ModeModel {
  ModeModel(const Model& base, const Mode& mode);

  Model model;
  std::vector<int> joint;  // of the base -> of `model`
  std::vector<int> loose;  // joints of `model` that let a broken-off body move
};

}  // namespace haltere
