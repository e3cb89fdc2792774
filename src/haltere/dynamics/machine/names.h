#pragma once

#include <string>
#include <vector>

#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/dynamics/machine/machine.h"

namespace haltere {

/// Sources of energy, each with its work among the first-order states: force elements, surfaces, joints that
/// are driven or prescribed, constraints.
int count_work_states(const Machine<double>& machine);

/// Names of z and of the turns, which all formulations have alike.
void add_first_order_names(const Machine<double>& machine, const ConstraintSet<double>& constraints,
                           std::vector<std::string>* names);

/// Which signal, force element or joint has a value that is not finite, and what to try; or "".
std::string find_load_fault(const Machine<double>& machine, const Scene<double>& scene,
                            const BodyLoads<double>& loads);

}  // namespace haltere
