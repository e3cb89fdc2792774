#pragma once

#include <string>
#include <vector>

#include "haltere/math/types.h"

namespace haltere {

/// Rings of vortices as they lie in the world: the lattice of a surface, or the wake that it left behind. To be
/// drawn, not to be computed with.
struct VortexSheet {
  std::string surface;  // its name in the model
  bool is_wake = false;
  int rows = 0, columns = 0;  // of rings; lattices from the leading edge, wakes from the edge that sheds
  int stride = 1;             // rows of the air from one row here to the next, but at the edge
  int air_rows = 0;           // how many rows the air has
  // corners, (rows + 1) x (columns + 1), row after row                                         [m]
  std::vector<Vector3<double>> nodes{};
  std::vector<double> circulations{};  // rows x columns                                        [m2/s]
  std::vector<double> pressures{};     // the same, of lattices: along the normal, by `bernoulli`  [Pa]
};

}  // namespace haltere
