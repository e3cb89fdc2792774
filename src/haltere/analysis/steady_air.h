#pragma once

#include <optional>
#include <string>
#include <vector>

#include "haltere/aero/lattice/wind_tunnel.h"
#include "haltere/analysis/steady_state.h"

namespace haltere {

/// What the air does to the lattices of a machine in steady motion.
struct SteadyAir {
  TunnelReading reading;
  std::vector<std::string> surfaces;  // names, in the order of the reading
};

/// Nothing without lattices, or where no air moves against them.
std::optional<SteadyAir> measure_steady_air(const SteadyState& state);

}  // namespace haltere
