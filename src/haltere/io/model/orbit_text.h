#pragma once

#include <string>

#include "haltere/analysis/floquet.h"
#include "haltere/io/model/model_source.h"
#include "haltere/simulate/state_names.h"

namespace haltere {

/// All that was found as JSON.
std::string make_orbit_json(const Model& model, const StateNames& names, const PeriodicOrbit& orbit,
                            const FloquetSet& set);

/// A model file that starts on the orbit and runs as the orbit was found.
std::string make_orbit_model(const ModelSource& source, const Model& model, const OrbitRequest& request,
                             const PeriodicOrbit& orbit, const Sizes& sizes);

}  // namespace haltere
