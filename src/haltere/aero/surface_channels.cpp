#include "haltere/aero/surface_channels.h"

#include "haltere/aero/surfaces.h"

namespace haltere {

std::vector<SurfaceChannel> list_surface_channels(const Entry& surface) {
  return std::visit([](const auto& kind) { return list_channels(kind); },
                    resolve_structure<SurfaceKinds>(surface));
}

}  // namespace haltere
