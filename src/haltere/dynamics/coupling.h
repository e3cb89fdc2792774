#pragma once

#include <set>
#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// Per body: the bodies (itself among them, the world not) whose loads may depend on its motion: by joints,
/// constraints, force elements, and signals that force elements and drives read.
std::vector<std::set<int>> find_coupled_bodies(const Model& model);

}  // namespace haltere
