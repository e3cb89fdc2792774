#pragma once

#include <string>

#include "haltere/math/types.h"
#include "haltere/model/model.h"

namespace haltere {

/// `initial:` of a model file that reads back as this state of `recursive`: positions and velocities of the
/// coordinates that are not prescribed, in the order of the joints. Every number has all its digits.
std::string make_initial_text(const Model& model, ConstRef q, ConstRef v);

}  // namespace haltere
