#pragma once

#include <array>
#include <vector>

#include "haltere/math/types.h"
#include "haltere/model/kind_channel.h"

/// What every kind of surface is made of, besides what a file says of it (model/surfaces/): loads, a class with
///   Account<T> add_load(const Scene<T>&, Loads<T>*) const
/// whose law is that of model/forces/force.h (what remembers is an Environment instead), and
///   void observe(const Scene<double>&, const std::vector<Vector6<double>>& A_WB, SurfaceLoad*) const
/// which sets the SurfaceLoad anew, the bodies having these accelerations; and two functions of the kind:
///   make_loads(Kind<T>), and list_channels(const Kind<double>&): those besides force, moment, power and energy
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
  std::vector<double> own;  // what else the kind records, in an order of its own
};

/// A channel that a kind of surface has besides force, moment, power and energy.
using SurfaceChannel = KindChannel<SurfaceLoad>;

}  // namespace haltere
