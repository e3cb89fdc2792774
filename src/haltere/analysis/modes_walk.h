#pragma once

#include <functional>
#include <string>

#include "haltere/analysis/linear_model.h"
#include "haltere/analysis/root_locus.h"

namespace haltere {

/// Modes of a machine over a parameter, point by point: each starts from the last steady state, moved as the
/// initial state has moved.
class ModesWalk {
 public:
  using Read = std::function<Model(double)>;  // the model at a value; InputError where it makes no sense
  using Describe = std::function<std::string(const Linearization&, const Eigenmode&)>;
  ModesWalk(Read read, SteadyOptions steady, LinearOptions linear, Describe describe)
      : read_(std::move(read)),
        steady_(std::move(steady)),
        linear_(std::move(linear)),
        describe_(std::move(describe)) {}

  /// One that cannot be found says why in `failure`.
  LocusPoint calc(double value);

 private:
  LocusPoint calc_modes_at(double value);

  Read read_;
  SteadyOptions steady_;
  LinearOptions linear_;
  Describe describe_;
  Eigen::VectorXd last_, last_initial_;
};

}  // namespace haltere
