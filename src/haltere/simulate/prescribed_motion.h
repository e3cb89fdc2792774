#pragma once

#include <string>

#include "haltere/dynamics/equations.h"

namespace haltere {

/// What moves by formulas of time in the loop that a row of the tree's constraints closes: "joint 'crank'",
/// several joined by commas; "" where nothing does.
std::string name_prescribed_motion(const Model& model, const std::vector<double>& parameters, int row);

/// After a failed step from (t, y): whether the loops do not let prescribed motions pass within the next
/// `horizon` seconds, and which; "" where they do. Positions alone are followed, in small steps.
std::string find_blocked_motion(double t, ConstRef y, double horizon, Equations* equations);

}  // namespace haltere
