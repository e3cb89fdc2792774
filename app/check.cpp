#include <memory>

#include <fmt/format.h>

#include "app/model_arguments.h"
#include "app/verbs.h"

#include "haltere/io/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

int count_free_coordinates(const Model& model) {
  int count = 0;
  for (const JointSpec& joint : model.joints)
    for (int k = 0; k < joint.nv(); ++k) count += joint.mode(k) != CoordinateMode::kPrescribed;
  return count;
}

std::string count_of(long n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

int check(const ModelArguments& arguments) {
  const Model model = arguments.read();
  make_run_options(model, {});  // refuses unknown integrators and the like
  print_warnings(model);
  const int free = count_free_coordinates(model);
  std::string line = fmt::format("{}: {}, {}, {}", arguments.model,
                                 count_of(static_cast<long>(model.bodies.size()) - 1, "body", "bodies"),
                                 count_of(static_cast<long>(model.joints.size()), "joint", "joints"),
                                 count_of(free, "degree of freedom", "degrees of freedom"));
  if (model.nv() > free) line += fmt::format(", {} prescribed", model.nv() - free);
  if (!model.warnings.empty())
    line += ", " + count_of(static_cast<long>(model.warnings.size()), "warning", "warnings");
  fmt::print(stderr, "{}: no problems\n", line);
  return kSuccess;
}

}  // namespace

void add_check(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("check", "find every problem of a model, each with its place and a hint");
  const auto arguments = std::make_shared<ModelArguments>();
  arguments->add_to(verb);
  verb->footer("Example:\n  haltere check my-machine/model.yaml");
  verb->callback([=] { *action = [=] { return check(*arguments); }; });
}

}  // namespace haltere
