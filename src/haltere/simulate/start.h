#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/model/scene.h"

namespace haltere {

/// What the constraints made of a coordinate at the start: the largest change of its sort.
struct StartChange {
  std::string name;       // of a position or velocity
  std::string_view unit;  // none: an orientation, which is no single number
  double from = 0, to = 0;
  double change = 0;  // in its unit; of an orientation the angle [rad]
  bool is_velocity = false;
  bool is_stated = false;  // `initial` gives a value

  std::string text() const;  // "joint.crank.rate from 1 to 0.3 rad/s"
};

/// A machine as its run begins: what `initial` states, and for the rest positions and velocities that obey
/// the constraints (see settle_positions()). Found in joint coordinates, so that every formulation starts in
/// the same place.
struct Start {
  Scene<double> scene;
  Eigen::VectorXd y;                   // of `recursive` equations
  std::vector<StartChange> changes;    // more than rounding; of each sort at most one
  std::vector<std::string> notes;      // that in words
  std::vector<std::string> redundant;  // names of rows that depend on others
};

/// The largest changes from a guess to y, of what the model states and of what it leaves open.
std::vector<StartChange> list_start_changes(const Equations& tree, const Eigen::VectorXd& guess,
                                            const Eigen::VectorXd& y);
std::vector<std::string> describe(const std::vector<StartChange>& changes);

/// RunError where it cannot be put together.
Start calc_start(const Model& model, const std::vector<double>& parameters);

}  // namespace haltere
