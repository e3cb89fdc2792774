#include "app/linear_model.h"

#include <algorithm>
#include <utility>

#include "app/wrong_input.h"

#include "haltere/model/problem.h"

namespace haltere {

void LinearArguments::add_to(CLI::App* verb) {
  steady.add_to(verb);
  verb->add_option("--formulation", formulation, "in which the equations are linearised")->type_name("NAME");
  verb->add_option("--chart", chart, "of absolute")->type_name("NAME");
  verb->add_option(
          "--input", inputs,
          "a force or torque that is an input, by name or glob; by default those that the model drives")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
}

Linearization make_linear_model(const LinearArguments& arguments, const SteadyState& state) {
  if (arguments.formulation == "recursive" && arguments.chart != "lie")
    throw wrong_input("--chart", "is of the bodies of absolute", "add --formulation absolute");
  LinearizationOptions options{arguments.formulation, arguments.chart, {}};
  if (arguments.inputs.empty()) options.inputs = list_driven(state.model);
  for (const std::string& glob : arguments.inputs)
    for (InputCoordinate& input : select_inputs(state.model, glob))
      if (std::none_of(options.inputs.begin(), options.inputs.end(),
                       [&](const InputCoordinate& other) { return other.name == input.name; }))
        options.inputs.push_back(std::move(input));
  Linearization linearization = linearize(options, state.equilibrium, state.equations.get());
  if (!linearization.failure.empty()) throw RunError(linearization.failure);
  return linearization;
}

}  // namespace haltere
