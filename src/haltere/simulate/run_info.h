#pragma once

#include <string>

#include "haltere/model/mode.h"
#include "haltere/simulate/run.h"

namespace haltere {

/// With what was left open: the interval of the rows, the step of methods that do not choose one.
RunOptions complete(RunOptions options);

/// What an event does to the machine: "joint 'a' locks, joint 'b' breaks off".
std::string describe_change(const Model& model, const Mode& from, const Mode& to);

}  // namespace haltere
