#pragma once

#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// A joint with coordinates that are neither prescribed nor opposed by any inertia.
struct SingularJoint {
  int joint = 0;
  std::vector<int> coordinates;
  bool massless = false;  // nothing outboard has mass or inertia; else what is there has none about this axis
};

/// Joints whose equations of motion are singular in every configuration, outermost first; of a massless limb
/// only the joint at its tip. The model must be in tree order. O(n).
std::vector<SingularJoint> find_singular_joints(const Model& model, const std::vector<double>& parameters);

}  // namespace haltere
