#pragma once

#include <vector>

#include "haltere/aero/surface_load.h"
#include "haltere/math/types.h"
#include "haltere/model/constraints/constraint.h"
#include "haltere/model/scene.h"

namespace haltere {

/// What a constraint does at one instant.
struct ConstraintLoad {
  Vector6<double> F = Vector6<double>::Zero();       // on the second body at its point, world axes  [N m, N]
  Vector6<double> lambda = Vector6<double>::Zero();  // multipliers of its rows
  double drift = 0;                                  // largest of its rows; lengths in length scales
  ContactPlace<double> place;                        // of a wheel
};

/// Everything that can be recorded at one instant; world axes unless stated.
struct Snapshot {
  Scene<double> scene;
  std::vector<Vector6<double>> A_WB;        // (alpha; acceleration of Bo) of each body     [rad/s2, m/s2]
  Eigen::VectorXd vdot;                     // of all joint velocities (Model::nv)
  Eigen::VectorXd tau;                      // drive or prescribing force of each           [N m or N]
  std::vector<Vector6<double>> F_reaction;  // parent on child at the joint (Mo), per joint [N m, N]
  std::vector<ConstraintLoad> constraints;  // joints that close loops, then the model's constraints
  Eigen::VectorXd lambda;                   // multipliers of all rows (na): M vdot = f - A^T lambda
  double position_drift = 0;                // largest of all rows; lengths in length scales
  double velocity_drift = 0;                // the same, per second
  std::vector<Account<double>> forces;      // per force element of the model, then per surface
  std::vector<SurfaceLoad> surfaces;        // per surface of the model
  double gravity_potential = 0;             // [J]
  double gravity_power = 0;                 // [W]
  double kinetic = 0;                       // [J]
  double potential = 0;                     // [J], gravity and force elements
  double work = 0;                          // [J], done on the machine since the start, by all sources
  double event_work = 0;                    // [J], put in by events (a stiffness that jumps)
  Vector3<double> com = Vector3<double>::Zero();
  Vector3<double> momentum = Vector3<double>::Zero();
  Vector3<double> angular_momentum = Vector3<double>::Zero();  // about the centre of mass
};

}  // namespace haltere
