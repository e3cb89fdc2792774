#pragma once

#include "haltere/model/surfaces/blade_element.h"
#include "haltere/model/surfaces/vortex_body.h"
#include "haltere/model/surfaces/vortex_lattice.h"

namespace haltere {

using SurfaceKinds = KindList<  //
    BladeElement,               //
    VortexLattice,              //
    VortexBody                  //  <- a new surface: its file, its #include, its line here
    >;

}  // namespace haltere
