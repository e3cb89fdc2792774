#include <complex>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/find_model.h"
#include "app/linear_arguments.h"
#include "app/output_file.h"

#include "haltere/analysis/regulator.h"
#include "haltere/io/model/closed_loop.h"
#include "haltere/io/model/regulator_text.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

struct LqrArguments {
  LinearArguments linear;
  RegulatorOptions costs;
  std::string output;
};

void print_regulator(const LinearRegulator& regulator) {
  fmt::print(stderr, "eigenvalues of the closed loop [1/s]:");
  for (const std::complex<double>& x : regulator.eigenvalues) {
    if (x.imag() < 0) continue;
    fmt::print(stderr, " {:.5g}", x.real());
    if (x.imag() > 0) fmt::print(stderr, " +- {:.5g} i", x.imag());
  }
  fmt::print(stderr, "\nresidual of the Riccati equation: {:.1e}\n", regulator.residual);
  if (regulator.n_unseen > 0)
    fmt::print(stderr, "note: {} directions of the state cost nothing and are left alone\n",
               regulator.n_unseen);
  if (regulator.n_unreached > 0)
    fmt::print(stderr, "note: {} directions of the state are not reached by the inputs and are left alone\n",
               regulator.n_unreached);
}

int make_regulator(const LqrArguments& a) {
  const Model model = a.linear.steady.model.read();
  require_outputs({a.output}, model.files);
  print_warnings(model);
  const std::unique_ptr<SteadyState> state = require_steady_state(model, a.linear.steady.options);
  const Linearization linearization = linearize(*state, a.linear.options);
  if (linearization.inputs.empty())
    throw wrong_input(model.name, "has no input: no coordinate is driven",
                      "name one by --input joint.NAME.torque");
  if (a.linear.options.formulation != "recursive")
    throw wrong_input("--formulation", "a regulator feeds joint coordinates back", "leave it out");
  const RegulatorProblem problem = pose_regulator(*state, linearization, a.costs);
  for (const std::string& note : problem.notes) fmt::print(stderr, "note: {}\n", note);
  const LinearRegulator regulator = calc_regulator(problem);
  if (!regulator.failure.empty())
    throw RunError(regulator.failure + "\n  try: --q for fewer states, or more --input");
  print_regulator(regulator);
  const std::string text = write_regulator(problem.system, regulator.K, linearization, *state);
  const ModelArguments& m = a.linear.steady.model;
  const ModelSource source{find_model(m.model), {.case_name = m.case_name, .set = m.set}};
  fmt::print(stderr, "{}\n", check_closed_loop(source, text, *state));
  write_output(a.output.empty() ? "-" : a.output, text);
  return kSuccess;
}

}  // namespace

void add_lqr(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("lqr", "the feedback that keeps an equilibrium at least cost");
  const auto a = std::make_shared<LqrArguments>();
  a->linear.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, auto* list) {
    verb->add_option(option, *list, what)->type_name("NAME=VALUE")->expected(1)->take_all();
  };
  add_list("--q",
           "cost of the square of a state or signal.NAME, SI; where none is given 1 for all states, but for "
           "those that change steadily; else 0 for the others",
           &a->costs.q);
  add_list("--r", "cost of the square of an input, SI; 1 where it is not given", &a->costs.r);
  verb->add_option("-o,--output", a->output, "the `forces:` block, instead of stdout")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere lqr cart-pole --set initial.hinge=0 --input joint.track.force --q joint.hinge.angle=10 --q "
      "joint.track.position=1\n"
      "stdout is a `forces:` block for the model file, with `signals:` where a body that it reads names no "
      "Euler "
      "angles;\n"
      "stderr says the rest. Before it is written it is read back with\n"
      "the model, linearised, and run for some time constants; where the machine does not stay the exit "
      "status "
      "is 1 and\n"
      "nothing is written. Turns of a body that spins are read on one that does not.");
  verb->callback([=] { *action = [=] { return make_regulator(*a); }; });
}

}  // namespace haltere
