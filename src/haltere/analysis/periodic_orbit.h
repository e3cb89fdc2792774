#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "haltere/simulate/coordinates.h"
#include "haltere/simulate/run.h"

namespace haltere {

/// How far a search is.
struct OrbitProgress {
  int iteration = 0;
  double residual = 0;   // of the last one
  int done = 0, of = 0;  // derivatives of this one
};

/// A motion that is looked for.
struct OrbitRequest {
  TrimSpec trim;            // without a period: a steady motion
  std::vector<bool> drift;  // per coordinate of list_coordinates(): its position need not come back
  RunOptions method;        // formulation, chart, stabilization, integrator, step, tolerance, interrupt
  /// A parameter (its slot) and a value of it where the motion is easier to find: the way from there to the
  /// model's is walked in steps that adapt.
  std::optional<std::pair<int, double>> continue_in;
  std::function<void(const OrbitProgress&)> progress{};
};

/// Coordinates whose mean velocity is a target of its own: their positions advance by what it says. A target
/// `joint.NAME.rate|velocity` names one, `body.NAME.velocity.x` that of a free joint on the world along x.
std::vector<bool> find_drifting(const Model& model, const std::vector<TrimSpec::Target>& targets);

/// How small changes of the start come back after the period, or after half of it and a mirror:
///   z(end) = F z(start),    dq = X z,   dv = V z,   in scales; of a steady motion dz/dt = F z.
/// F is the monodromy matrix (the derivative of Poincare's map), its eigenvalues are Floquet's multipliers.
struct OrbitMap {
  Eigen::MatrixXd F, X, V;
  struct Neutral {
    std::string name;
    Eigen::VectorXd z;
  };
  std::vector<Neutral> neutral;         // changes of place and heading that the motion does not notice
  std::vector<std::string> positions;   // names of dq
  std::vector<std::string> velocities;  // of dv
};

/// A motion that comes back to itself: after a period all positions and velocities are what they were, but
/// for the positions that may drift.
struct PeriodicOrbit {
  struct Target {
    std::string name, unit;
    double wanted = 0, reached = 0;
    bool is_met = true;
  };
  struct Parameter {
    std::string name, unit;
    double before = 0, after = 0;
  };
  std::string failure;             // why there is none, and what to try; empty: it was found
  bool is_interrupted = false;     // before it was found, or before its multipliers were checked
  double period = 0;               // [s]; 0: a steady motion
  bool is_mirrored = false;        // found over half a period
  Eigen::VectorXd y;               // at t = 0, of `recursive`
  std::vector<double> parameters;  // all of the model
  std::vector<Target> targets;
  std::vector<Parameter> changed;
  double residual = 0;         // largest, in radians or length scales, of velocities times the period / 2 pi
  std::string worst;           // the coordinate that has it
  int iterations = 0;          //
  int steps = 0;               // of the method, over a whole period
  double step = 0;             // where they are equal                                              [s]
  std::vector<double> walked;  // values of `continue_in`
  std::vector<std::string> notes;
  OrbitMap map;
  OrbitMap refined;  // the same with half the steps; none for a steady motion
};

/// Newton's method on the initial state and the named parameters, with the least step where many would do.
/// InputError for what makes no sense: a period after which the equations do not repeat, a mirror in which
/// they look different, a method that cannot repeat its steps.
PeriodicOrbit find_orbit(const OrbitRequest& request, const Model& model);

}  // namespace haltere
