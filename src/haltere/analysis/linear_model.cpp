#include "haltere/analysis/linear_model.h"

#include <algorithm>
#include <utility>

#include "haltere/analysis/air_modes.h"
#include "haltere/model/wrong_input.h"

namespace haltere {

Linearization linearize(const SteadyState& state, const LinearOptions& asked) {
  if (asked.formulation == "recursive" && asked.chart != "lie")
    throw wrong_input("--chart", "is of the bodies of absolute", "add --formulation absolute");
  LinearizationOptions options{asked.formulation, asked.chart, {}};
  if (asked.inputs.empty()) options.inputs = list_driven(state.model);
  for (const std::string& glob : asked.inputs)
    for (InputCoordinate& input : select_inputs(state.model, glob))
      if (std::none_of(options.inputs.begin(), options.inputs.end(),
                       [&](const InputCoordinate& other) { return other.name == input.name; }))
        options.inputs.push_back(std::move(input));
  Linearization linearization = linearize(options, state.equilibrium, state.equations.get());
  if (!linearization.failure.empty()) throw RunError(linearization.failure);
  return linearization;
}

SmallMotions find_small_motions(const SteadyState& state, const LinearOptions& options) {
  if (find_free_air(state) != nullptr) return find_air_modes(state, options);
  SmallMotions found{linearize(state, options), {}, false};
  found.set = calc_modes(found.linearization);
  return found;
}

}  // namespace haltere
