#pragma once

#include <vector>

namespace haltere {

/// The circulation of the first ring of a flat plate in two dimensions, as part of pi U c sin(alpha), which is what all of
/// it has: the rings have their segments a quarter of a panel behind its beginning, and the flow is met at three quarters.
/// `sides`: where panels begin and end, from the leading to the trailing edge.
double calc_first_part(const std::vector<double>& sides);

}  // namespace haltere
