#pragma once

#include <string_view>
#include <vector>

#include "haltere/model/constraints/constraint.h"
#include "haltere/model/forces/force.h"

/// What the kinds of entries say of themselves beyond their fields, for those who compute with no kind.
namespace haltere {

std::vector<ForceChannel> list_force_channels(const Entry& force);
std::vector<ConstraintChannel> list_constraint_channels(const Entry& constraint);

/// Of a constraint that touches in a point that wanders: what its multipliers press, and the name of the
/// angle that counts its turns. Others have none.
ContactReading find_contact_force(const Entry& constraint);
std::string_view find_contact_angle(const Entry& constraint);

}  // namespace haltere
