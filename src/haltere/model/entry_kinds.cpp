#include "haltere/model/entry_kinds.h"

#include "haltere/model/constraints.h"
#include "haltere/model/forces.h"

namespace haltere {

std::vector<ForceChannel> list_force_channels(const Entry& force) {
  return list_kind_channels<ForceKinds, ForceChannel>(force);
}

std::vector<ConstraintChannel> list_constraint_channels(const Entry& constraint) {
  return list_kind_channels<ConstraintKinds, ConstraintChannel>(constraint);
}

ContactReading find_contact_force(const Entry& constraint) {
  return std::visit(
      []<class Kind>(const Kind&) -> ContactReading {
        if constexpr (requires { Kind::calc_contact_force; })
          return &Kind::calc_contact_force;
        else
          return nullptr;
      },
      ConstraintKinds::make<double>(constraint.kind));
}

std::string_view find_contact_angle(const Entry& constraint) {
  return std::visit(
      []<class Kind>(const Kind&) -> std::string_view {
        if constexpr (requires { Kind::kContactAngle; })
          return Kind::kContactAngle;
        else
          return "";
      },
      ConstraintKinds::make<double>(constraint.kind));
}

}  // namespace haltere
