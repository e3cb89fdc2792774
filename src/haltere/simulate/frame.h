#pragma once

#include <vector>

#include "haltere/dynamics/vortex_sheet.h"
#include "haltere/math/spatial.h"

namespace haltere {

/// A machine and its air at one moment, to be drawn.
struct Frame {
  double t = 0;                           // [s]
  std::vector<Transform<double>> bodies;  // pose of each in the world, which is not among them  [m]
  std::vector<VortexSheet> sheets;
};

}  // namespace haltere
