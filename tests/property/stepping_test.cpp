// A Simulation that is stepped from outside does what a run does (analytic: equality of bits), for every
// shipped model; and it can be taken back over an event that changes what holds the machine together.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shipped_models.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// All channels, now.
std::vector<double> calc_values(const Model& model, Simulation* simulation) {
  const std::vector<Channel> channels = make_channels(model);
  std::vector<double> row(channels.size());
  calc_row(model, channels, simulation->instant(), row);
  return row;
}

class Stepping : public testing::TestWithParam<ModelCase> {};

TEST_P(Stepping, GivesTheBitsOfARun) {
  const Model model = GetParam().read();
  Settings settings;
  settings.until =
      std::min(model.settings.until.value_or(1),
               model.surfaces.empty() ? 0.3 : std::max(0.01, 4 * model.settings.step.value_or(0)));
  RunOptions options = make_run_options(model, settings);
  options.channels = {"*"};
  MemorySink sink;
  const RunSummary summary = run(model, options, {&sink});
  Simulation simulation(model, options);
  while (!simulation.is_done()) simulation.step();
  EXPECT_EQ(simulation.t(), summary.t);
  EXPECT_EQ(simulation.summary().steps, summary.steps);
  EXPECT_EQ(simulation.summary().notes, summary.notes);
  const std::vector<double> values = calc_values(model, &simulation);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], sink.value(sink.rows() - 1, sink.names()[i])) << sink.names()[i];
}

std::string name_of_case(const testing::TestParamInfo<ModelCase>& info) {
  return to_test_name(info.param.model + "_" + info.param.case_name);
}
INSTANTIATE_TEST_SUITE_P(EveryCase, Stepping, testing::ValuesIn(list_shipped_cases()), name_of_case);

// a cart with a pendulum: the error norm of a method has the length of the machine in it
constexpr const char* kCart = R"(haltere: 1
parameters: {L: 1 m}
gravity: [0, 0, -9.81]
bodies:
  cart: {mass: 1 kg}
  bob: {mass: 1 kg, center_of_mass: [0, 0, -L]}
joints:
  slide: {kind: prismatic, child: cart, axis: x}
  pivot: {kind: revolute, parent: cart, child: bob, axis: y}
initial: {pivot: 1 rad}
simulation: {until: 2 s, tolerance: 1e-6}
)";

TEST(SteppingFromOutside, AParameterThatIsSetBeforeTheStartIsOneOfTheModel) {
  const Model plain = read_model_text(kCart, "cart.yaml"),
              long_one = read_model_text(kCart, "cart.yaml", {.case_name = "", .set = {"L=1000 m"}});
  for (const char* method : {"dop853", "cvode-bdf", "generalized-alpha"}) {
    Settings settings;
    settings.integrator = method;
    Simulation set(plain, make_run_options(plain, settings)),
        read(long_one, make_run_options(long_one, settings));
    set.set_parameter("L", 1000);
    for (Simulation* simulation : {&set, &read})
      while (!simulation->is_done()) simulation->step();
    EXPECT_EQ(set.summary().steps, read.summary().steps) << method;
    EXPECT_EQ(set.state(), read.state()) << method;
  }
}

// a joint locks at 0.2 s and breaks off at 0.5 s
constexpr const char* kBreaking = R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  upper: {mass: 1 kg, center_of_mass: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}
  lower: {mass: 1 kg, center_of_mass: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}
joints:
  shoulder: {kind: revolute, child: upper, axis: y}
  elbow: {kind: revolute, parent: upper, child: lower, axis: y, parent_frame: [0, 0, -1 m]}
initial: {shoulder: 60 deg, elbow: -20 deg}
events:
  grip: {at: 0.2 s, lock: elbow}
  snap: {at: 0.5 s, break: elbow}
simulation: {until: 1 s}
)";

TEST(SteppingBack, PassesEventsThatChangeTheMachine) {
  const Model model = read_model_text(kBreaking, "breaking.yaml");
  for (const std::string formulation : {"recursive", "absolute"}) {
    Settings settings;
    settings.formulation = formulation;
    Simulation simulation(model, make_run_options(model, settings));
    std::vector<Checkpoint> saved;
    for (const double t : {0.1, 0.3, 0.7}) {  // in each mode
      simulation.step_until(t);
      saved.push_back(simulation.save());
    }
    simulation.step_until(1);
    const std::vector<double> end = calc_values(model, &simulation);
    for (const Checkpoint& checkpoint : {saved[1], saved[0], saved[2], saved[0]}) {
      simulation.load(checkpoint);
      EXPECT_EQ(simulation.t(), checkpoint.t);
      for (const double t : {0.3, 0.7, 1.0})
        if (t > checkpoint.t) simulation.step_until(t);
      EXPECT_EQ(calc_values(model, &simulation), end) << formulation << " from " << checkpoint.t;
    }
    EXPECT_TRUE(simulation.is_done());
  }
}

TEST(SteppingOn, AStateThatTheLoopDoesNotAllowIsMoved) {
  const Model model = read_model(shipped_model("four-bar"));
  Simulation simulation(model, make_run_options(model, {}));
  simulation.step_until(0.1);
  Eigen::VectorXd y = simulation.state();
  y[0] += 1e-3;  // rad
  simulation.set_state(y);
  // rounding: positions are settled to the last bits of some lengths of the machine
  EXPECT_LT(simulation.snapshot().position_drift, 1e-12);
  EXPECT_THAT(simulation.summary().notes, Contains(HasSubstr("bodies were moved by up to")));
  EXPECT_GT((simulation.state() - y).norm(), 1e-6);
  simulation.step_until(0.2);
  EXPECT_LT(simulation.summary().audit.relative_balance(), 1e-6);  // solver: tolerance of the model's runs
}

}  // namespace
}  // namespace haltere
