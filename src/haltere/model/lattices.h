#pragma once

#include <optional>
#include <variant>

#include "haltere/model/entry.h"
#include "haltere/model/surfaces.h"

namespace haltere {

/// What is a lattice among the surfaces: wings as they are, bodies as closed ones.
inline bool is_lattice(const Entry& surface) {
  const std::string_view kind = SurfaceKinds::kNames[surface.kind];
  return kind == VortexLattice<double>::kName || kind == VortexBody<double>::kName;
}
inline std::optional<VortexLattice<double>> find_lattice(const Entry& surface,
                                                         const Resolver<double>& resolver) {
  auto any = resolve<SurfaceKinds, double>(surface, resolver);
  if (auto* wing = std::get_if<VortexLattice<double>>(&any)) return std::move(*wing);
  if (const auto* body = std::get_if<VortexBody<double>>(&any)) return make_lattice(*body);
  return std::nullopt;
}

}  // namespace haltere
