#pragma once

#include <string>

#include "haltere/simulate/run.h"

/// What a run would take, told before it begins.
namespace haltere {

/// Of one evaluation of the equations, roughly; 0 where they cannot be evaluated.                       [s]
double measure_evaluation(const Model& model);

/// "3 days", "2.5e+09 years".
std::string describe_duration(double seconds);
/// "168 GB".
std::string describe_bytes(double bytes);

/// Rows and steps beyond which a run is taken for a slip of the pen, unless --yes insists; choices.
inline constexpr double kManyRows = 1e8, kManySteps = 1e10;
/// The same for what they fill.                                                                       [bytes]
inline constexpr double kManyBytes = 1e11;

/// InputError with an estimate of time and size, where rows or equal steps are absurdly many and options do
/// not insist.
void require_affordable(const Model& model, const RunOptions& options, std::size_t channels);

}  // namespace haltere
