#pragma once

#include "haltere/model/model.h"
#include "haltere/model/scene.h"

namespace haltere {

/// The value of something of position or velocity level, from the poses and twists of the scene.
template <class T>
T calc_probe(const Model& model, const Probe& probe, const Scene<T>& scene, const Resolver<T>& resolver);

/// Whether it depends on positions alone.
bool is_of_position(Quantity quantity);
/// How fast one that does changes with the motion of the scene.
double calc_probe_rate(const Model& model, const Probe& probe, const Scene<double>& scene,
                       const Resolver<double>& resolver);

}  // namespace haltere
