#pragma once

#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// Why a model is not one free body with wings on spherical joints, which is what `hinge-matrix` can do;
/// empty where it is.
std::vector<Problem> find_hinge_matrix_misfits(const Model& model);

}  // namespace haltere
