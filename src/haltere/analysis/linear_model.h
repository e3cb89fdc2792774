#pragma once

#include <string>
#include <vector>

#include "haltere/analysis/linearization.h"
#include "haltere/analysis/modes.h"
#include "haltere/analysis/steady_state.h"

namespace haltere {

/// How a machine is to be linearised.
struct LinearOptions {
  std::string formulation = "recursive", chart = "lie";
  std::vector<std::string>
      inputs;  // names or globs of forces and torques; empty: those that the model drives
};

/// About its equilibrium or steady motion. InputError for names that mean nothing, RunError where it cannot
/// be linearised.
Linearization linearize(const SteadyState& state, const LinearOptions& options = {});

/// Modes of a steady state: with the air, where wings are free in it.
struct SmallMotions {
  Linearization linearization;  // of the machine; what the air does is constant in it
  ModeSet set;
  bool has_air = false;
};
SmallMotions find_small_motions(const SteadyState& state, const LinearOptions& options = {});

}  // namespace haltere
