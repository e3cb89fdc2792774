#pragma once

#include <string>
#include <vector>

#include "haltere/model/model.h"
#include "haltere/model/scene.h"

namespace haltere {

/// A machine as its run begins: positions and velocities that obey the constraints, nearest to those of the
/// model. Found in joint coordinates, so that every formulation starts in the same place.
struct Start {
  Scene<double> scene;
  double moved = 0;                    // largest change against the model, in radians or length scales
  std::vector<std::string> redundant;  // names of rows that depend on others
};

/// RunError where it cannot be put together.
Start calc_start(const Model& model, const std::vector<double>& parameters);

}  // namespace haltere
