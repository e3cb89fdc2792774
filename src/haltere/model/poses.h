#pragma once

#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// Where a machine stands: with all coordinates of its joints 0, or as its motion begins (loops and constraints
/// are not looked at: those may move it a little).
enum class Stance { kZero, kStart };

/// The pose X_WB of each body.
std::vector<Transform<double>> calc_poses(const Model& model, const std::vector<double>& parameters,
                                          Stance stance);

}  // namespace haltere
