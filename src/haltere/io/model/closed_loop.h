#pragma once

#include <string>

#include "haltere/analysis/steady_state.h"
#include "haltere/io/model/model_source.h"

namespace haltere {

/// Reads the model again with the `forces:` block laid over it, as a user would paste it, linearises it about
/// the same state and runs it from a small disturbance, for some time constants and turns of what spins.
/// RunError unless the machine stays; else what was found, in a sentence.
std::string check_closed_loop(const ModelSource& source, const std::string& forces, const SteadyState& state);

}  // namespace haltere
