#pragma once

#include <vector>

#include "haltere/aero/lattice/lattice.h"

namespace haltere {

/// Points that went through a panel of a lattice while both moved, from `before` to `after`. A wake that does has
/// passed through a wing: its core is small, its steps are long, or the panels are.
int count_crossings(const Lattice& before, const Lattice& after, const std::vector<Vector3<double>>& from,
                    const std::vector<Vector3<double>>& to);

}  // namespace haltere
