#pragma once

#include <vector>

#include "haltere/aero/surface_load.h"

namespace haltere {

/// What the kind of a surface adds to force, moment, power and energy; for those who know no kind.
std::vector<SurfaceChannel> list_surface_channels(const Entry& surface);

}  // namespace haltere
