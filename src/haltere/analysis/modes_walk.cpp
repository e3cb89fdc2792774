#include "haltere/analysis/modes_walk.h"

#include <memory>

#include "haltere/simulate/start.h"

namespace haltere {

LocusPoint ModesWalk::calc(double value) {
  try {
    return calc_modes_at(value);
  } catch (const RunError& error) {
    return {{}, {}, error.what()};
  } catch (const InputError& error) {
    return {{}, {}, error.what()};
  }
}

LocusPoint ModesWalk::calc_modes_at(double value) {
  const Model model = read_(value);
  const Eigen::VectorXd initial = calc_start(model, model.calc_parameters()).y;
  Eigen::VectorXd guess = initial;
  if (last_.size() == initial.size()) guess += last_ - last_initial_;
  std::shared_ptr<SteadyState> state = find_steady_state(model, steady_, &guess);
  if (!state->equilibrium.failure.empty()) throw RunError(state->equilibrium.failure);
  last_ = state->equilibrium.y;
  last_initial_ = initial;
  const auto linearization = std::make_shared<Linearization>(linearize(*state, linear_));
  return {calc_modes(*linearization), [linearization, describe = describe_](const Eigenmode& mode) {
            return describe(*linearization, mode);
          }};
}

}  // namespace haltere
