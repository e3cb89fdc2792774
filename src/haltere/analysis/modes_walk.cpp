#include "haltere/analysis/modes_walk.h"

#include <memory>

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
  const std::shared_ptr<SteadyState> state = states_.find(value);
  const auto linearization = std::make_shared<Linearization>(linearize(*state, linear_));
  return {calc_modes(*linearization), [linearization, describe = describe_](const Eigenmode& mode) {
            return describe(*linearization, mode);
          }};
}

}  // namespace haltere
