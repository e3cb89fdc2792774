#pragma once

#include "haltere/model/surfaces/blade_element.h"

namespace haltere {

using SurfaceKinds = KindList<  //
    BladeElement                //  <- a new surface: its file, its #include, its line here
    >;

}  // namespace haltere
