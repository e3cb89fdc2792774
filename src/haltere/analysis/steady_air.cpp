#include "haltere/analysis/steady_air.h"

#include <utility>

#include "haltere/dynamics/lattice_air.h"

namespace haltere {

std::optional<SteadyAir> measure_steady_air(const SteadyState& state) {
  for (const std::shared_ptr<Environment>& environment : state.equations->environments()) {
    const auto* air = dynamic_cast<const LatticeAir*>(environment.get());
    if (air == nullptr) continue;
    Scene<double> scene;
    state.equations->calc_scene(0, state.equilibrium.y, &scene);
    std::optional<TunnelReading> reading = air->measure(scene);
    if (reading) return SteadyAir{std::move(*reading), air->surface_names()};
  }
  return std::nullopt;
}

}  // namespace haltere
