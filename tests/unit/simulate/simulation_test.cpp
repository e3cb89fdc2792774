#include "haltere/simulate/simulation.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"
#include "unit/simulate/oscillator.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;
using testing::make_event;
using testing::make_oscillator;
using testing::Oscillator;
using testing::parse_formula;
using Outcome = RunSummary::Outcome;

constexpr double kPi = std::numbers::pi;
// solver: the tolerance of these runs is 1e-11; errors of dop853 over a few periods stay within ten times
// that
constexpr double kSolver = 1e-10;

RunOptions make_options(double until, std::string_view integrator = "dop853") {
  RunOptions options;
  options.until = until;
  options.every = 0.01;
  options.tolerance = 1e-11;
  options.integrator = integrator;
  return options;
}

EventSpec make_change(const std::string& name, const std::string& when, const std::string& k) {
  EventSpec event = make_event(name);
  event.when = parse_formula(when, make_oscillator());
  event.set = {{0, parse_formula(k, make_oscillator())}};
  return event;
}

EventSpec make_stop(const std::string& when) {
  EventSpec event = make_event("stop");
  event.when = parse_formula(when, make_oscillator());
  event.stop = true;
  return event;
}

Oscillator make_machine(const std::vector<EventSpec>& events = {}) {
  Model model = make_oscillator();
  model.events = events;
  return Oscillator(model);
}

/// Twice as stiff at one passage of x = 1/2, as before at the other.
const std::vector<EventSpec> kSwitching{make_change("stiffen", "1/2 - x", "3 - k")};

/// The largest error that x = cos t may have over some seconds.
double calc_allowed(const IntegratorInfo& method) {
  // discretisation: second order with h = 0.01: h^2 t / 12 = 5e-5 at most; rk4: h^4 t / 120 = 5e-10; the
  // others are set to 1e-11 a step and accumulate over some hundred steps
  return method.order < 4 ? 6e-5 : 1e-8;
}

TEST(Simulation, StepsGiveTheBitsOfARun) {
  for (const IntegratorInfo& method : integrators()) {
    const RunOptions options = make_options(8, method.name);
    Oscillator stepped = make_machine(kSwitching), ran = make_machine(kSwitching);
    MemorySink sink;
    const RunSummary summary = run(ran, options, {&sink});
    Simulation simulation(stepped, options);
    while (!simulation.is_done()) simulation.step();
    ASSERT_EQ(simulation.t(), 8) << method.name;
    EXPECT_EQ(simulation.state()[0], sink.value(sink.rows() - 1, "joint.slide.position")) << method.name;
    EXPECT_EQ(simulation.state()[1], sink.value(sink.rows() - 1, "joint.slide.velocity")) << method.name;
    EXPECT_EQ(simulation.summary().steps, summary.steps) << method.name;
    EXPECT_EQ(simulation.summary().outcome, Outcome::kFinished) << method.name;
    ASSERT_EQ(simulation.summary().events.size(), summary.events.size()) << method.name;
    ASSERT_GE(summary.events.size(), 2U) << method.name;
    for (std::size_t i = 0; i < summary.events.size(); ++i)
      EXPECT_EQ(simulation.summary().events[i].t, summary.events[i].t) << method.name;
  }
}

TEST(Simulation, StepsUntilATimeEndExactlyThere) {
  for (const IntegratorInfo& method : integrators()) {
    Oscillator machine = make_machine();
    Simulation simulation(machine, make_options(6, method.name));
    for (const double t : {0.0, 0.1, 0.1, 0.1 + 1e-6, 1 / 3.0, 5.0, 6.0}) {
      simulation.step_until(t);
      ASSERT_EQ(simulation.t(), t) << method.name;
      EXPECT_EQ(simulation.snapshot().scene.t, t) << method.name;
      // analytic: x = cos t
      EXPECT_NEAR(simulation.state()[0], std::cos(t), calc_allowed(method)) << method.name;
    }
    EXPECT_TRUE(simulation.is_done()) << method.name;
  }
}

TEST(Simulation, ATimeThatHasPassedOrLiesBeyondTheEndIsRefused) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(2));
  simulation.step_until(1);
  for (const double t : {0.5, 2.5, std::nan("")}) EXPECT_THROW(simulation.step_until(t), InputError) << t;
  simulation.step_until(2);  // all is as before
  EXPECT_NEAR(simulation.state()[0], std::cos(2.0), kSolver);
}

TEST(Simulation, GoesOnFromASavedStateWithTheSameBits) {
  for (const IntegratorInfo& method : integrators()) {
    const RunOptions options = make_options(8, method.name);
    Oscillator first = make_machine(kSwitching), second = make_machine(kSwitching);
    Simulation simulation(first, options), other(second, options);
    simulation.step_until(1.5);
    const Checkpoint saved = simulation.save();
    EXPECT_EQ(saved.t, 1.5);
    std::vector<Eigen::VectorXd> ends;
    const auto go_on = [&](Simulation* which) {
      while (!which->is_done()) which->step();
      ends.push_back(which->state());
    };
    go_on(&simulation);
    other.load(saved);
    EXPECT_EQ(other.t(), 1.5) << method.name;
    go_on(&other);
    simulation.load(saved);
    go_on(&simulation);
    EXPECT_EQ(ends[1], ends[0]) << method.name;
    EXPECT_EQ(ends[2], ends[0]) << method.name;
    EXPECT_EQ(other.summary().steps, simulation.summary().steps) << method.name;
  }
}

TEST(Simulation, TheCheckpointOfAnotherMachineIsRefused) {
  Oscillator machine = make_machine(), other = make_machine(kSwitching);
  Simulation simulation(machine, make_options(1)), another(other, make_options(1));
  EXPECT_THROW(simulation.load(another.save()), InputError);
}

TEST(Simulation, TheCheckpointOfAnotherMethodIsRefusedByName) {
  Oscillator machine = make_machine(), other = make_machine();
  Simulation simulation(machine, make_options(1, "dopri5")), another(other, make_options(1, "rk4"));
  simulation.step_until(0.5);
  const Eigen::VectorXd before = simulation.state();
  try {
    simulation.load(another.save());
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it has no state of 'method, dopri5'"));
  }
  EXPECT_EQ(simulation.state(), before);
  simulation.step_until(1);
  EXPECT_NEAR(simulation.state()[0], std::cos(1.0), kSolver);
}

TEST(Simulation, ACheckpointThatCountsBelowZeroIsRefused) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(1));
  const Checkpoint good = simulation.save();
  for (const std::size_t place : {0u, 1u}) {  // of the recorder's row and of the next new beginning
    Checkpoint bad = good;
    for (StateBlock& block : bad.state)
      if (block.name == "run") block.numbers.at(place) = -1e15;
    EXPECT_THROW(simulation.load(bad), InputError) << place;
  }
  simulation.load(good);
  simulation.step_until(1);
  EXPECT_NEAR(simulation.state()[0], std::cos(1.0), kSolver);
}

TEST(Simulation, ThatWouldTakeAnAgeStandsWhereItStopped) {
  Oscillator machine = make_machine();
  RunOptions options = make_options(1e9, "rk4");
  options.step = 1e-3;
  Simulation simulation(machine, options);
  EXPECT_THROW(simulation.step_until(10), RunError);
  EXPECT_GT(simulation.t(), 0);
  EXPECT_NEAR(simulation.state()[0], std::cos(simulation.t()), kSolver);
}

TEST(Simulation, AParameterActsFromThenOn) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(2));
  simulation.step_until(0.3);
  EXPECT_EQ(simulation.parameter("k"), 1);
  simulation.set_parameter("k", 4);
  EXPECT_EQ(simulation.parameter("k"), 4);
  // analytic: x'' = -4 x at x = cos 0.3
  EXPECT_NEAR(simulation.snapshot().A_WB[1][5], -4 * std::cos(0.3), kSolver);
  simulation.step_until(0.5);
  // analytic: from there on a frequency of 2 rad/s
  EXPECT_NEAR(simulation.state()[0], std::cos(0.3) * std::cos(0.4) - std::sin(0.3) / 2 * std::sin(0.4),
              kSolver);
  // analytic: it brings 1/2 (4 - 1) x^2
  EXPECT_NEAR(simulation.instant().work(), 1.5 * std::pow(std::cos(0.3), 2), kSolver);
  EXPECT_LT(simulation.summary().audit.relative_balance(), kSolver);
}

TEST(Simulation, AParameterThatIsSetBeforeTheStartBringsNoEnergy) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(2));
  simulation.set_parameter("k", 4);
  simulation.step_until(0.5);
  EXPECT_NEAR(simulation.state()[0], std::cos(1.0), kSolver);  // analytic: 2 rad/s from the start
  EXPECT_EQ(simulation.instant().work(), 0);
}

TEST(Simulation, AParameterThatDoesNotExistIsRefused) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(2));
  EXPECT_THROW(simulation.set_parameter("kk", 4), InputError);
  EXPECT_THROW(simulation.parameter("kk"), InputError);
  EXPECT_THROW(simulation.set_parameter("k", NAN), InputError);
  EXPECT_THAT(message_of([&] { simulation.parameter("kk"); }), HasSubstr("there is no 'kk'"));
  EXPECT_EQ(simulation.parameter("k"), 1);
}

TEST(Simulation, AnotherStateIsWhereTheMotionGoesOn) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(3));
  simulation.step_until(1);
  simulation.set_state(Eigen::Vector3d(0, 2, 0));
  EXPECT_EQ(simulation.t(), 1);
  simulation.step_until(2.5);
  EXPECT_NEAR(simulation.state()[0], 2 * std::sin(1.5), kSolver);  // analytic
  // analytic: from 1/2 J to 2 J
  EXPECT_NEAR(simulation.instant().work(), 1.5, kSolver);
  EXPECT_LT(simulation.summary().audit.relative_balance(), kSolver);
}

TEST(Simulation, AStateOfTheWrongSizeIsRefused) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(3));
  EXPECT_THROW(simulation.set_state(Eigen::Vector2d(0, 2)), InputError);
  EXPECT_THROW(simulation.set_state(Eigen::Vector3d(0, NAN, 0)), InputError);
  EXPECT_FALSE(simulation.is_done());
}

TEST(Simulation, AStepEndsWhereAnEventHappens) {
  Oscillator machine = make_machine({make_stop("x")});
  Simulation simulation(machine, make_options(10));
  int steps = 0;
  for (; !simulation.is_done(); ++steps) simulation.step();
  EXPECT_GT(steps, 1);
  EXPECT_NEAR(simulation.t(), kPi / 2, kSolver);  // analytic: cos t = 0
  EXPECT_NEAR(simulation.state()[1], -1, kSolver);
  const RunSummary summary = simulation.summary();
  EXPECT_EQ(summary.outcome, Outcome::kStopped);
  ASSERT_EQ(summary.events.size(), 1U);
  EXPECT_EQ(summary.events[0].what, "stop");
  simulation.step();  // nothing more
  EXPECT_EQ(simulation.t(), summary.t);
  EXPECT_THROW(simulation.save(), RunError);
  EXPECT_THROW(simulation.set_parameter("k", 2), RunError);
}

TEST(Simulation, AStepThatFailsThrowsTheMessageOfTheRun) {
  Oscillator machine = make_machine(), ran = make_machine();
  machine.fails_after = ran.fails_after = 0.35;
  const RunSummary failed = run(ran, make_options(1), {});
  ASSERT_EQ(failed.outcome, Outcome::kFailed);
  Simulation simulation(machine, make_options(1));
  const Checkpoint start = simulation.save();
  const std::string message = message_of([&] { simulation.step_until(1); });
  EXPECT_EQ(message, failed.message);
  EXPECT_THAT(message, HasSubstr("joint 'slide' has lost its mass"));
  EXPECT_TRUE(simulation.is_done());
  EXPECT_EQ(simulation.summary().outcome, Outcome::kFailed);
  EXPECT_EQ(simulation.summary().message, message);
  // it stands at the last good instant
  EXPECT_EQ(simulation.t(), failed.t);
  EXPECT_NEAR(simulation.state()[0], std::cos(failed.t), kSolver);
  // only a saved state brings it back
  simulation.load(start);
  simulation.step_until(0.3);
  EXPECT_NEAR(simulation.state()[0], std::cos(0.3), kSolver);
}

TEST(Simulation, IsNotFinishedBeforeItsEnd) {
  Oscillator machine = make_machine();
  Simulation simulation(machine, make_options(1));
  EXPECT_EQ(simulation.summary().outcome, Outcome::kInterrupted);
  simulation.step_until(0.5);
  EXPECT_EQ(simulation.summary().outcome, Outcome::kInterrupted);
  EXPECT_EQ(simulation.summary().t, 0.5);
}

TEST(Simulation, AMotionThatMakesEnergyHasFailed) {
  Oscillator machine = make_machine();
  machine.leak = 1;
  Simulation simulation(machine, make_options(1));
  while (!simulation.is_done()) simulation.step();
  EXPECT_EQ(simulation.summary().outcome, Outcome::kFailed);
  EXPECT_THAT(simulation.summary().message, HasSubstr("the energy balance is off by 1 J"));
}

}  // namespace
}  // namespace haltere
