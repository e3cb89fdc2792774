#pragma once

#include "app/steady_arguments.h"

#include "haltere/analysis/linear_model.h"

namespace haltere {

/// How a machine is to be linearised: what `modes` and `lqr` share.
struct LinearArguments {
  SteadyArguments steady;
  LinearOptions options;

  void add_to(CLI::App* verb);
};

}  // namespace haltere
