#pragma once

#include <string>
#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// What can be drawn of a machine and is known from its model alone, as JSON: bodies with their shapes, joints, links,
/// wheels, grounds, wings as strips, arrows by the names of their channels, gravity, a characteristic length, the tree,
/// units of parameters, and the panes that the model asks for. docs/results.md has its keys. SI; numbers with nine
/// digits. A body without shape has one made of its inertia, or of the points that it connects, marked `guess`.
std::string make_scene_text(const Model& model, const std::vector<double>& parameters);

}  // namespace haltere
