#pragma once

#include "haltere/analysis/linear_model.h"
#include "haltere/dynamics/lattice_air.h"

namespace haltere {

/// The air of lattices that are free to move; null: there is none.
LatticeAir* find_free_air(const SteadyState& state);

/// Small motions of a machine and of the air around its free wings, which are multiplied by z = exp(s step) from one step of
/// the air to the next: s are the eigenvalues. That all growing ones were found is checked by the turns of a determinant
/// on the unit circle.
///   theory.md "Small motions in the air"
/// InputError and RunError where they are not known.
SmallMotions find_air_modes(const SteadyState& state, const LinearOptions& options);

}  // namespace haltere
