#pragma once

#include <string>

#include "haltere/analysis/root_locus.h"

namespace haltere {

/// Eigenvalues over a parameter as a picture (SVG), with marks where stability ends.
std::string make_locus_plot(const std::string& parameter, const std::string& unit, const RootLocus& locus,
                            const std::string& title);

}  // namespace haltere
