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
  const auto found = std::make_shared<SmallMotions>(find_small_motions(*state, linear_));
  return {found->set, [found, describe = describe_](const Eigenmode& mode) {
            return describe(found->linearization, mode);
          }};
}

}  // namespace haltere
