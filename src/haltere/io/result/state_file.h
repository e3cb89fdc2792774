#pragma once

#include <string>

#include "haltere/simulate/state_names.h"

namespace haltere {

/// A state as JSON: `t`, and `q` and `v` as lists of all or maps of some. What the file gives overwrites that
/// of t and y. InputError with all mistakes.
void read_state(const std::string& file, const StateNames& names, double* t, Eigen::VectorXd* y);

}  // namespace haltere
