#pragma once

#include "haltere/dynamics/equations.h"
#include "haltere/model/mode.h"

namespace haltere {

/// The joint coordinates of a machine in the numbers of a mode. Poses and twists stay; bodies that have
/// broken off get coordinates of their own.
Scene<double> to_mode(const Scene<double>& base, const Model& base_model, const ModeModel& mode,
                      const std::vector<double>& parameters);

/// Joints that have just locked stop all at once: the twists change by the least amount, in the sense of
/// kinetic energy, that every constraint of the mode allows. The energy that this takes is lost.
/// kSingular: a body that has no inertia would have to take the impact.
Status stop_locked_joints(const ModeModel& mode, const std::vector<double>& parameters, Scene<double>* scene);

/// What was observed in a mode, in the numbers of the base.
void to_base(const Model& base_model, const ModeModel& mode, Snapshot* snapshot);

}  // namespace haltere
