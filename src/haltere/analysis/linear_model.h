#pragma once

#include <string>
#include <vector>

#include "haltere/analysis/linearization.h"
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

}  // namespace haltere
