#pragma once

#include <vector>

#include "haltere/math/types.h"
#include "haltere/model/surfaces/vortex_lattice.h"

namespace haltere {

/// Corners of the panels of a wing in the axes of its body, rows from the leading to the trailing edge, one
/// after the other.
std::vector<Vector3<double>> make_corners(const VortexLattice<double>& wing);

/// Out of the upper side, of length one, in the axes of the body.
Vector3<double> find_upper_side(const VortexLattice<double>& wing);

/// Where n panels begin and end, from 0 to 1; `cosine` puts more of them at both ends.
std::vector<double> make_stations(int n, PanelSpacing spacing);

}  // namespace haltere
