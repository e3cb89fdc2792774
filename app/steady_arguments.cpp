#include "app/steady_arguments.h"

namespace haltere {

void SteadyArguments::add_to(CLI::App* verb) {
  model.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, const char* type, auto* list) {
    verb->add_option(option, *list, what)->type_name(type)->expected(1)->take_all();
  };
  add_list("--keep", "a coordinate or velocity that has this value, or that of the start; may be repeated",
           "NAME[=VALUE]", &options.keep);
  add_list("--drift", "a coordinate that moves steadily, although the equations notice; may be repeated",
           "NAME", &options.drift);
  verb->add_flag(
      "--settle", options.settle,
      "let the machine sink as in honey until it rests, instead of taking the nearest equilibrium");
}

}  // namespace haltere
