#pragma once

#include <string>

#include "haltere/analysis/assembly.h"
#include "haltere/analysis/modes.h"
#include "haltere/analysis/root_locus.h"
#include "haltere/analysis/steady_air.h"
#include "haltere/analysis/steady_state.h"
#include "haltere/analysis/steady_sweep.h"
#include "haltere/simulate/state_names.h"

namespace haltere {

/// What analyses found, as JSON for other programs.
std::string make_assembly_json(const StateNames& names, const AssemblyRoles& roles, const Assembly& assembly,
                               const Equations& equations);
/// `acceleration`: what is left of it, see calc_acceleration_left().
std::string make_equilibrium_json(const StateNames& names, const SteadyState& state, double acceleration,
                                  const SteadyAir* air = nullptr);
/// Those over a parameter, point by point, and a line for each.
std::string make_steady_json(const Model& model, const SteadySweep& sweep);
std::string make_steady_csv(const SteadySweep& sweep);
std::string make_modes_json(const Model& model, const Linearization& linearization, const ModeSet& set);

/// Eigenvalues over a parameter, a line for each of its values.
std::string make_locus_csv(const std::string& parameter, const RootLocus& locus);

}  // namespace haltere
