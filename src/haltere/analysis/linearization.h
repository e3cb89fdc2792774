#pragma once

#include <string>
#include <vector>

#include "haltere/analysis/equilibrium.h"

namespace haltere {

/// One joint velocity; a force or torque along it is an input.
struct InputCoordinate {
  std::string name;  // joint.NAME.torque, joint.NAME.force
  std::string unit;
  int joint = 0, coordinate = 0;
};

/// Those that the model drives.
std::vector<InputCoordinate> list_driven(const Model& model);
/// Those whose force or velocity a name or glob means; InputError where that is none.
std::vector<InputCoordinate> select_inputs(const Model& model, const std::string& glob);

/// Small motions about an equilibrium or steady motion, seen from axes that turn with it, on the constraints:
///   dz/dt = F z + B u,    dq = X z,    dv = V z
/// dq are increments of positions and dv changes of velocities, in the order and scales of the formulation's
/// velocities; z stands for positions (the first n_positions) and velocities that obey all rows.
struct Linearization {
  std::string failure;  // empty: there is one
  Eigen::MatrixXd F, B, X, V;
  Eigen::MatrixXd neutral;  // z that lead to another such motion, one a column: places, headings, wheels
  int n_positions = 0;
  int n_states = 0;  // of the model, the last of z, in their scales
  std::vector<std::string> model_states;
  Eigen::VectorXd state_scales;
  Eigen::VectorXd scales;
  std::vector<std::string> positions, velocities;  // names
  std::vector<InputCoordinate> inputs;
  // -- what can be observed, by z, in SI units
  std::vector<std::string> outputs;
  Eigen::MatrixXd C;
  // -- dz/dt of wrenches in world axes at the origins of the bodies asked for, six columns each
  Eigen::MatrixXd wrenches;
};

struct LinearizationOptions {
  std::string formulation = "recursive";
  std::string chart = "lie";  // of `absolute`
  std::vector<InputCoordinate> inputs;
  /// What the air of lattices does stays as it is, and `bodies` are those that it acts on: for who knows how it changes.
  /// In `recursive` alone.
  bool without_air = false;
  std::vector<int> bodies{};
};

/// `equations`: those of `recursive` that the equilibrium was found with.
Linearization linearize(const LinearizationOptions& options, const Equilibrium& equilibrium,
                        Equations* equations);

/// The same in numbers with names: states are coordinates and velocities that determine all others, in SI
/// units.
///   dx/dt = A x + B u,   y = C x + D u
struct StateSpace {
  Eigen::MatrixXd A, B, C, D;
  std::vector<std::string> states, inputs, outputs;
};
StateSpace make_state_space(const Linearization& linearization);

}  // namespace haltere
