#pragma once

#include <string>

#include "haltere/math/types.h"
#include "haltere/model/model.h"

namespace haltere {

/// `initial:` of a model file that reads back as this state of `recursive`: positions and velocities of the
/// coordinates that are not prescribed, in the order of the joints. Every number has all its digits.
std::string make_initial_text(const Model& model, ConstRef q, ConstRef v);

/// The same of the model's first-order states, as `initial` of `states:`; "" where there are none.
std::string make_states_text(const Model& model, ConstRef x);

}  // namespace haltere
