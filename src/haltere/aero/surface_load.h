#pragma once

#include <array>
#include <vector>

#include "haltere/math/types.h"
#include "haltere/model/kind_channel.h"

namespace haltere {

/// What the air does to a surface at one instant, or to a strip of it; world axes.
struct AirLoad {
  enum Term { kLift, kDrag, kAddedMass, kRotation, kTerms };
  std::array<Vector3<double>, kTerms> terms{Vector3<double>::Zero(), Vector3<double>::Zero(),
                                            Vector3<double>::Zero(), Vector3<double>::Zero()};  // [N]
  double alpha = 0;  // angle of attack of a strip                  [rad]
  double power = 0;  // on the machine                              [W]

  Vector3<double> force() const { return terms[0] + terms[1] + terms[2] + terms[3]; }
};

struct SurfaceLoad {
  AirLoad total;
  Vector3<double> moment = Vector3<double>::Zero();  // about the origin of its body                [N m]
  double energy = 0;                                 // kinetic energy of the air that moves with it  [J]
  std::vector<AirLoad> strips;
  std::vector<Vector6<double>> formulas;  // of a lattice: moment and force by each of its formulas
};

/// A channel that a kind of surface has besides force, moment, power and energy.
using SurfaceChannel = KindChannel<SurfaceLoad>;

}  // namespace haltere
