#include "haltere/aero/surface_channels.h"

#include <memory>
#include <type_traits>

#include "haltere/aero/surfaces.h"

namespace haltere {

std::vector<SurfaceChannel> list_surface_channels(const Entry& surface) {
  auto any = resolve_structure<SurfaceKinds>(surface);
  return std::visit(
      [&]<class Kind>(Kind& kind) {
        int i = 0;
        // a table of points says how many columns there are; no parameter changes that
        for_each_field<Kind>([&](const auto& f) {
          auto& member = kind.*f.member;
          if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::shared_ptr<const PointGrid>>)
            Resolver<double>{}.resolve(surface.values[i], &member);
          ++i;
        });
        return list_channels(kind);
      },
      any);
}

}  // namespace haltere
