#pragma once

#include "haltere/model/joints/cylindrical.h"
#include "haltere/model/joints/free.h"
#include "haltere/model/joints/planar.h"
#include "haltere/model/joints/prismatic.h"
#include "haltere/model/joints/revolute.h"
#include "haltere/model/joints/spherical.h"
#include "haltere/model/joints/universal.h"
#include "haltere/model/joints/weld.h"

namespace haltere {

using JointKinds = KindList<  //
    Weld,                     //
    Revolute,                 //
    Prismatic,                //
    Cylindrical,              //
    Universal,                //
    Spherical,                //
    Planar,                   //
    Free                      //  <- a new joint: its file, its #include, its line here
    >;
template <class T>
using AnyJoint = JointKinds::Any<T>;

}  // namespace haltere
