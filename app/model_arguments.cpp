#include "app/model_arguments.h"

#include <cstdio>

#include <fmt/format.h>

#include "app/find_model.h"

#include "haltere/io/model/model_reader.h"

namespace haltere {

void ModelArguments::add_to(CLI::App* verb) {
  verb->add_option("MODEL", model, "model file, folder with a model.yaml, or name of a shipped model")
      ->required();
  verb->add_option("--case", case_name, "a case of the model")->type_name("NAME");
  verb->add_option("--set", set,
                   "another value for a parameter, or for any entry of the file by its path: "
                   "bodies.arm.mass=2; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

Model ModelArguments::read() const {
  return read_model(find_model(model), {.case_name = case_name, .set = set});
}

std::string ModelArguments::calc_label() const {
  const std::string label = calc_model_label(find_model(model));
  return case_name.empty() ? label : label + "-" + case_name;
}

void print_warnings(const Model& model) {
  for (const Problem& warning : model.warnings) fmt::print(stderr, "{}\n", warning.text());
}

}  // namespace haltere
