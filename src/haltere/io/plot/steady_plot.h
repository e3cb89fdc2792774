#pragma once

#include <string>

#include "haltere/analysis/steady_sweep.h"

namespace haltere {

/// Steady states over a parameter as a picture (SVG): coordinates, and coefficients of a settled air. What is constant is
/// left out.
std::string make_steady_plot(const SteadySweep& sweep, const std::string& title);

}  // namespace haltere
