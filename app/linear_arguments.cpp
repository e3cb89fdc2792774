#include "app/linear_arguments.h"

namespace haltere {

void LinearArguments::add_to(CLI::App* verb) {
  steady.add_to(verb);
  verb->add_option("--formulation", options.formulation, "in which the equations are linearised")
      ->type_name("NAME");
  verb->add_option("--chart", options.chart, "of absolute")->type_name("NAME");
  verb->add_option(
          "--input", options.inputs,
          "a force or torque that is an input, by name or glob; by default those that the model drives")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
}

}  // namespace haltere
