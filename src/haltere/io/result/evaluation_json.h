#pragma once

#include <string>

#include "haltere/analysis/evaluation.h"
#include "haltere/simulate/state_names.h"

namespace haltere {

/// Matrices, loads and accelerations as JSON, which read_state() reads again.
std::string make_evaluation_json(const Model& model, const std::string& formulation, const StateNames& names,
                                 const Evaluation& evaluation);

}  // namespace haltere
