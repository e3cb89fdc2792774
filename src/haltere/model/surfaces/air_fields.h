#pragma once

#include "haltere/model/kind.h"

/// What every surface may say of the air, in place of `air:` at the top of a model.
namespace haltere {

template <class Surface>
constexpr auto density_field() {
  return required("density", &Surface::density, "kg/m3", "of the air; `air` may give it instead",
                  Rule::kNotNegative);
}

/// Formulas of t and of a place.
template <class Surface>
constexpr auto wind_field() {
  return otherwise(
      "air at rest",
      reading(Reads::kPlace, field("wind", &Surface::wind, "m/s",
                                   "velocity of the air, formulas of t and of x, y, z in the world")));
}

}  // namespace haltere
