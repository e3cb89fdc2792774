#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/model_arguments.h"

#include "haltere/analysis/equilibrium.h"

namespace haltere {

/// MODEL and how its equilibrium is to be found: what verbs that start from one take.
struct SteadyArguments {
  ModelArguments model;
  std::vector<std::string> drift, keep;
  bool settle = false;

  void add_to(CLI::App* verb);
};

/// A machine in equilibrium or in steady motion.
struct SteadyState {
  Model model;                           // motions that are not steady stand still
  std::unique_ptr<Equations> equations;  // `recursive`
  Eigen::VectorXd guess;
  Equilibrium equilibrium;
};

/// InputError for names that mean nothing; a failed search is told in `equilibrium.failure`. `from`: start
/// from this state instead of the initial one.
std::unique_ptr<SteadyState> find_steady_state(const SteadyArguments& arguments, const Model& model,
                                               const Eigen::VectorXd* from = nullptr);

/// The same; RunError where there is none.
std::unique_ptr<SteadyState> require_steady_state(const SteadyArguments& arguments, const Model& model);

}  // namespace haltere
