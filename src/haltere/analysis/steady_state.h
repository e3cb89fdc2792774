#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/analysis/equilibrium.h"

namespace haltere {

/// How a machine is to rest, or to move steadily; names and globs as on the command line.
struct SteadyOptions {
  std::vector<std::string> keep;   // NAME or NAME=VALUE: a position or velocity that stays
  std::vector<std::string> drift;  // NAME: it moves steadily, although the equations notice
  bool settle = false;             // go where the machine comes to rest in honey, instead of the nearest
};

/// A machine in equilibrium or in steady motion.
struct SteadyState {
  Model model;                           // motions that are not steady stand still
  std::unique_ptr<Equations> equations;  // `recursive`
  Eigen::VectorXd guess;
  Equilibrium equilibrium;
};

/// InputError for names that mean nothing; a failed search is told in `equilibrium.failure`. `from`: start
/// from this state of `recursive` instead of the initial one.
std::unique_ptr<SteadyState> find_steady_state(const Model& model, const SteadyOptions& options,
                                               const Eigen::VectorXd* from = nullptr);

/// The same; RunError where there is none.
std::unique_ptr<SteadyState> require_steady_state(const Model& model, const SteadyOptions& options);

/// Accelerations in another formulation less those of the steady motion: the largest, in scales a second
/// squared. RunError where they cannot be evaluated.
double calc_acceleration_left(const SteadyState& state, const std::string& formulation);

/// What the entries of a steady state are: kAny: every value would do; kDrifts: the machine moves along it.
enum class SteadyRole { kFound, kAny, kDrifts };
struct SteadyRoles {
  std::vector<SteadyRole> q, v;
};
SteadyRoles calc_roles(const SteadyState& state);

/// Velocities of a steady motion that are not zero, one a coordinate; the rest are 0.
Eigen::VectorXd calc_advance(const SteadyState& state);

}  // namespace haltere
