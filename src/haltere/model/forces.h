#pragma once

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

}  // namespace haltere
