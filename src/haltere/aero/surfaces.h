#pragma once

#include <utility>
#include <variant>
#include <vector>

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

/// Those of a model with one table of parameters put in. A struct, so that a header can name it without its
/// kinds.
template <class T>
struct AllSurfaces : std::vector<SurfaceLoads<T>> {
  AllSurfaces(const std::vector<Entry>& entries, const Resolver<T>& resolver) {
    const auto make = [](auto kind) { return SurfaceLoads<T>(make_loads(std::move(kind))); };
    for (const Entry& entry : entries)
      this->push_back(std::visit(make, resolve<SurfaceKinds, T>(entry, resolver)));
  }
};

}  // namespace haltere
