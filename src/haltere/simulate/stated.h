#pragma once

#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/simulate/coordinates.h"

namespace haltere {

/// What `initial` states, in the order of list_coordinates(): every value that it gives; an orientation and
/// an angular velocity as a whole.
CoordinateSelection list_stated(const Model& model);

/// How far a machine came on the way to its constraints.
struct Settling {
  Status status = Status::kOk;
  int worst_row = -1;
  double left = 0;  // largest residual, in radians or length scales; of velocities per second
  double size = 1;  // of what it is to be compared with: of velocities the largest, or what was asked for
};

/// Positions of y (of `recursive` equations, at t = 0) that obey the constraints. What is stated stays to the
/// bit, and the rest changes least in the sense of kinetic energy. Only where the rows do not allow that,
/// everything changes least, from where the rest came nearest.
Settling settle_positions(const std::vector<bool>& stated, Equations* tree, Eigen::VectorXd* y);

/// The same of velocities, once the positions obey. The last calc_drift() was at y.
Settling settle_velocities(const std::vector<bool>& stated, Equations* tree, Eigen::VectorXd* y);

}  // namespace haltere
