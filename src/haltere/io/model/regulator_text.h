#pragma once

#include <string>
#include <vector>

#include "haltere/analysis/linear_model.h"

namespace haltere {

/// The feedback u = -K x of a state space as `forces:` of a model file. Turns of a joint are read on a body
/// that turns with it and keeps its orientation in the steady motion, as its Euler angles where it names
/// them, else as `signals:` of its quaternion: the angle of a wheel advances, and comes back to -pi. RunError
/// where the feedback needs what advances.
std::string write_regulator(const StateSpace& system, const Eigen::MatrixXd& K,
                            const Linearization& linearization, const SteadyState& state);

}  // namespace haltere
