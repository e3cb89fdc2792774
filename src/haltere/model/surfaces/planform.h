#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "haltere/math/spatial.h"
#include "haltere/model/surfaces/vortex_lattice.h"

namespace haltere {

/// Panels of a wing: rows along the chord, columns along the span.
struct PanelCount {
  int rows = 0, columns = 0;
};
PanelCount count_panels(const VortexLattice<double>& wing);
/// As many as its parts and flaps need.
PanelCount count_least_panels(const VortexLattice<double>& wing);

/// Corners of the panels of a wing in the axes of its body, rows from the leading to the trailing edge, one
/// after the other. `wing` has been checked.
std::vector<Vector3<double>> make_corners(const VortexLattice<double>& wing);

/// Out of the upper side, of length one, in the axes of the body; of a wing that is drawn by points where its corners go
/// round with a right hand, first back and then along the span.
Vector3<double> find_upper_side(const VortexLattice<double>& wing);

/// The part that each column of panels lies on: its place among the wing's parts, or -1 for its own body.
std::vector<int> find_parts(const VortexLattice<double>& wing);

/// Where n panels begin and end, from 0 to 1; `cosine` puts more of them at both ends. Panels begin at each of the
/// cuts, which increase: those between two of them are spread as they would be on the whole.
std::vector<double> make_stations(int n, PanelSpacing spacing, const std::vector<double>& cuts = {});

/// A wing and the bodies that carry it: its own, and those of its parts.
struct CarriedWing {
  std::vector<int> bodies;
  std::vector<int>
      carriers;  // of each column of panels, among the bodies; a corner goes with its outer column
  std::vector<Vector3<double>> corners;  // in the axes of the body that carries each

  /// Corners that turn about a line, in the axes of the body that carries the flap.
  struct Flap {
    int body;
    Vector3<double> hinge, axis;  // a point of the line; with a right hand the trailing edge goes down
    std::vector<std::size_t> corners;
    std::vector<Vector3<double>> places;
  };
  std::vector<Flap> flaps;

  int body_of(std::size_t corner) const {
    return bodies[carriers[std::min(corner % (carriers.size() + 1), carriers.size() - 1)]];
  }
};
/// The wing is whole where the bodies stand so.
CarriedWing carry(const VortexLattice<double>& wing, const std::vector<Transform<double>>& X_WB);

/// What is wrong with panels that are drawn by their corners (no area, crossed, turned over), or "".
std::string find_panel_fault(const PanelCount& panels, const std::vector<Vector3<double>>& corners);

}  // namespace haltere
