#pragma once

#include "haltere/model/constraints/coincident.h"
#include "haltere/model/constraints/distance.h"
#include "haltere/model/constraints/no_slip.h"
#include "haltere/model/constraints/orientation.h"
#include "haltere/model/constraints/rolling.h"

namespace haltere {

using ConstraintKinds = KindList<  //
    Coincident,                    //
    Distance,                      //
    Orientation,                   //
    Rolling,                       //
    NoSlip                         //  <- a new constraint: its file, its #include, its line here
    >;
template <class T>
using AnyConstraint = ConstraintKinds::Any<T>;

}  // namespace haltere
