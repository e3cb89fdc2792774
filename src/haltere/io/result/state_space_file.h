#pragma once

#include <string>

#include "haltere/analysis/linearization.h"

namespace haltere {

/// Matrices A, B, C, D and the names of states, inputs and outputs as HDF5, which Python (h5py) and MATLAB
/// (h5read) read; HDF5 keeps matrices by rows, MATLAB by columns: transpose them there. RunError where it
/// cannot be written.
void write_state_space(const StateSpace& system, const std::string& model, const std::string& file);

}  // namespace haltere
