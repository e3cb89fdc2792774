#pragma once

#include <utility>
#include <variant>

#include "haltere/aero/blade_element.h"
#include "haltere/aero/lattice/lattice_loads.h"
#include "haltere/model/entry.h"
#include "haltere/model/surfaces.h"

namespace haltere {

/// What make_loads() makes of each kind, in the order of the list.
template <class T, template <class> class... Kinds>
std::variant<decltype(make_loads(std::declval<Kinds<T>>()))...> make_any_loads(KindList<Kinds...>);

/// The loads on a surface of any kind.
template <class T>
using SurfaceLoads = decltype(make_any_loads<T>(SurfaceKinds{}));

template <class T>
SurfaceLoads<T> make_surface_loads(const Entry& surface, const Resolver<T>& resolver) {
  return std::visit([](auto kind) { return SurfaceLoads<T>(make_loads(std::move(kind))); },
                    resolve<SurfaceKinds, T>(surface, resolver));
}

}  // namespace haltere
