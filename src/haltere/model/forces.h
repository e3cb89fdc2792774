#pragma once

#include <vector>

#include "haltere/model/entry.h"
#include "haltere/model/forces/applied_force.h"
#include "haltere/model/forces/applied_torque.h"
#include "haltere/model/forces/feedback.h"
#include "haltere/model/forces/linear_fluid.h"
#include "haltere/model/forces/linear_spring.h"
#include "haltere/model/forces/rotary_spring.h"
#include "haltere/model/forces/spring_damper.h"

namespace haltere {

using ForceKinds = KindList<  //
    RotarySpring,             //
    LinearSpring,             //
    SpringDamper,             //
    AppliedForce,             //
    AppliedTorque,            //
    Feedback,                 //
    LinearFluid               //  <- a new force: its file, its #include, its line here
    >;
template <class T>
using AnyForce = ForceKinds::Any<T>;

/// The force elements of a model with one table of parameters put in. A struct, so that a header can name it
/// without its kinds.
template <class T>
struct AllForces : std::vector<AnyForce<T>> {
  AllForces(const std::vector<Entry>& entries, const Resolver<T>& resolver) {
    for (const Entry& entry : entries) this->push_back(resolve<ForceKinds, T>(entry, resolver));
  }
};

}  // namespace haltere
