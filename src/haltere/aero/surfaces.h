#pragma once

#include <variant>

#include "haltere/aero/blade_element.h"
#include "haltere/model/entry.h"
#include "haltere/model/surfaces.h"

namespace haltere {

/// The loads on a surface of any kind, in the order of SurfaceKinds.
template <class T>
using SurfaceLoads = std::variant<BladeLoads<T>>;

template <class T>
SurfaceLoads<T> make_surface_loads(const Entry& surface, const Resolver<T>& resolver) {
  return std::visit([](auto&& kind) { return SurfaceLoads<T>(BladeLoads<T>(std::move(kind))); },
                    resolve<SurfaceKinds, T>(surface, resolver));
}

}  // namespace haltere
