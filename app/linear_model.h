#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/steady_state.h"

#include "haltere/analysis/linearization.h"

namespace haltere {

/// How a machine is to be linearised: what `modes` and `lqr` share.
struct LinearArguments {
  SteadyArguments steady;
  std::string formulation = "recursive", chart = "lie";
  std::vector<std::string> inputs;

  void add_to(CLI::App* verb);
};

/// Its linearisation about its equilibrium; RunError where there is none.
Linearization make_linear_model(const LinearArguments& arguments, const SteadyState& state);

}  // namespace haltere
