#pragma once

#include <functional>
#include <string>

#include "haltere/analysis/linear_model.h"
#include "haltere/analysis/root_locus.h"
#include "haltere/analysis/steady_sweep.h"

namespace haltere {

/// Modes of a machine over a parameter, point by point, about its steady states.
class ModesWalk {
 public:
  using Describe = std::function<std::string(const Linearization&, const Eigenmode&)>;
  ModesWalk(SteadyWalk states, LinearOptions linear, Describe describe)
      : states_(std::move(states)), linear_(std::move(linear)), describe_(std::move(describe)) {}

  /// One that cannot be found says why in `failure`.
  LocusPoint calc(double value);

 private:
  LocusPoint calc_modes_at(double value);

  SteadyWalk states_;
  LinearOptions linear_;
  Describe describe_;
};

}  // namespace haltere
