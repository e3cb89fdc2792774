#pragma once

#include "haltere/dynamics/equations.h"
#include "haltere/model/mode.h"

namespace haltere {

/// The joint coordinates of a machine in the numbers of a mode. Poses and twists stay; bodies that have
/// broken off get coordinates of their own.
Scene<double> to_mode(const Scene<double>& base, const Model& base_model, const ModeModel& mode,
                      const std::vector<double>& parameters);

/// How far poses and twists are from what all joints and constraints of a model ask for: the largest
/// residuals of their rows, in radians or length scales.
struct Fit {
  double position = 0, velocity = 0;
};
Fit calc_fit(const Model& model, const std::vector<double>& parameters, const Scene<double>& scene);

/// What it took to make a scene obey.
struct Settled {
  bool moved = false, jumped = false;
  double size = 0;  // of the movement, or of the jump [1/s]
};

/// Makes a scene obey a model whose joints, constraints or parameters have changed; the same for every
/// formulation. `before`: how well it fitted the model as it was.
///   Positions that do not fit: free joint coordinates stay, bodies follow; loops close by the least change.
///   Velocities that do not fit (a joint that locks, a motion that is prescribed anew): an impact. All twists
///   change at once by the least amount, in the sense of kinetic energy, that all rows allow.
/// kSingular: it cannot be put together, or a body without inertia would have to take the impact.
Status settle(const Model& model, const std::vector<double>& parameters, const Fit& before,
              Scene<double>* scene, Settled* settled);

/// What was observed in a mode, in the numbers of the base.
void to_base(const Model& base_model, const ModeModel& mode, Snapshot* snapshot);

}  // namespace haltere
