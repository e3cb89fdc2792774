#pragma once

#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// What only the whole model shows of its lattices, which are sound by themselves: one on bodies that nothing joins, events that speak
/// of their air where there are none;
/// warnings of a step of the wake far from the time that the wind takes over a panel, and of lattices that lie in each
/// other where the motion begins.
void check_lattices(const Model& model, const std::vector<double>& parameters,
                    std::vector<Problem>* problems);

}  // namespace haltere
