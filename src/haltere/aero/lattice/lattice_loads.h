#pragma once

#include <utility>
#include <vector>

#include "haltere/aero/surface_load.h"
#include "haltere/model/scene.h"
#include "haltere/model/surfaces/vortex_body.h"
#include "haltere/model/surfaces/vortex_lattice.h"

namespace haltere {

/// A `vortex-lattice` among the surfaces. What the air does to it is not its own affair: all lattices and their
/// wakes act on each other (VortexAir), and what remembers them is an environment of the machine.
template <class T>
class LatticeLoads {
 public:
  Account<T> add_load(const Scene<T>& /*scene*/, Loads<T>* /*loads*/) const { return {}; }
  void observe(const Scene<double>& /*scene*/, const std::vector<Vector6<double>>& /*A_WB*/,
               SurfaceLoad* /*out*/) const {}
};

template <class T>
LatticeLoads<T> make_loads(const VortexLattice<T>& /*wing*/) {
  return {};
}
std::vector<SurfaceChannel> list_channels(const VortexLattice<double>& wing);

/// A `vortex-body`, the same.
template <class T>
class ClosedLoads : public LatticeLoads<T> {};
template <class T>
ClosedLoads<T> make_loads(const VortexBody<T>& /*body*/) {
  return {};
}
inline std::vector<SurfaceChannel> list_channels(const VortexBody<double>& /*body*/) {
  return {};
}

}  // namespace haltere
