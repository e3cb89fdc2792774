#pragma once

#include "app/model_arguments.h"

#include "haltere/analysis/steady_state.h"

namespace haltere {

/// MODEL and how its equilibrium is to be found: what verbs that start from one take.
struct SteadyArguments {
  ModelArguments model;
  SteadyOptions options;

  void add_to(CLI::App* verb);
};

}  // namespace haltere
