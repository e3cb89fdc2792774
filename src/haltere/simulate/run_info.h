#pragma once

#include "haltere/simulate/run.h"

namespace haltere {

/// With what was left open: the interval of the rows, the step of methods that do not choose one.
RunOptions complete(RunOptions options);

}  // namespace haltere
