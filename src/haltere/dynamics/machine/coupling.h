#pragma once

#include <set>
#include <vector>

#include "haltere/model/kind_info.h"
#include "haltere/model/model.h"

namespace haltere {

/// The lists that the kinds of a model's entries are from.
struct KindLists {
  const std::vector<KindInfo>& constraints = constraint_kinds();
  const std::vector<KindInfo>& forces = force_kinds();
  const std::vector<KindInfo>& surfaces = surface_kinds();
};

/// Per body: the bodies (itself among them, the world not) whose loads may depend on its motion: by joints,
/// constraints, force elements, surfaces, and signals that these and drives read.
std::vector<std::set<int>> find_coupled_bodies(const Model& model, const KindLists& kinds = {});

}  // namespace haltere
