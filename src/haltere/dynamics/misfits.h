#pragma once

#include <string_view>
#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// Why the topology of a model has no place in a formulation; empty where it has. make_equations() throws
/// these as InputError.
std::vector<Problem> find_misfits(std::string_view formulation, const Model& model);

/// Whether Equations::make_implicit_form() gives one, for methods that solve the constraints themselves; it
/// throws InputError where not.
bool has_implicit_form(std::string_view formulation);

/// Whether the chart makes a difference to it, and it has this one.
bool has_charts(std::string_view formulation);
bool has_chart(std::string_view formulation, std::string_view chart);

}  // namespace haltere
