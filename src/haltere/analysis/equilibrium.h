#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/analysis/symmetry.h"
#include "haltere/simulate/coordinates.h"

namespace haltere {

/// The model as an equilibrium sees it: motions prescribed by formulas of time that are neither constant nor
/// of constant rate stand still where they are at t = 0. `notes` says which.
Model freeze_motions(const Model& model, std::vector<std::string>* notes);

/// What is asked for. Coordinates are those of list_coordinates().
struct EquilibriumOptions {
  std::vector<int> drift;                                     // told to drift
  std::vector<std::pair<int, double>> positions, velocities;  // kept at these values
  /// Go where the machine comes to rest in honey (pseudo-transient continuation), instead of the nearest.
  bool settle = false;
};

/// A state that stays as it is: at rest, or in steady motion, with velocities constant in axes that turn
/// about `turn` and positions that change along the symmetry of the equations alone.
struct Equilibrium {
  std::string failure;  // why there is none, and what to try; empty: it was found
  Eigen::VectorXd y;    // of `recursive`
  Eigen::VectorXd lambda;
  Eigen::VectorXd vdot;                            // of joint velocities, as the motion is steady
  Vector3<double> turn = Vector3<double>::Zero();  // of the whole machine, world axes [rad/s]
  Symmetry symmetry;
  Eigen::VectorXd rates;  // along symmetry.drift
  Eigen::VectorXd push;   // accelerations along its galilean directions

  double residual = 0;  // largest load that is left, of the largest there is
  double moved = 0;     // from the guess, largest in radians or length scales
  int iterations = 0;
  bool settled = false;  // by falling in honey: pseudo-transient continuation
  std::vector<bool> undetermined_positions, undetermined_velocities;
  std::vector<std::string> notes;

  bool is_at_rest() const { return !(y_speed > 0); }
  double y_speed = 0;  // largest velocity, in radians or length scales a second
};

/// Near the state `guess` of `recursive` equations, at t = 0.
Equilibrium find_equilibrium(const EquilibriumOptions& options, const Eigen::VectorXd& guess,
                             Equations* equations);

}  // namespace haltere
