// States of a model: each kind against its closed form (analytic), with every method and formulation, in other units, over
// checkpoints and events.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "message_of.h"
#include "scale_model.h"

#include "haltere/analysis/linear_model.h"
#include "haltere/analysis/modes.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

Model read(const std::string& text) {
  return read_model_text("haltere: 1\n" + text, "states.yaml");
}

struct Method {
  std::string integrator = "dop853";
  double step = 0;
  double tolerance = 1e-11;
  std::string formulation = "recursive";
};

MemorySink run_with(const Model& model, double until, const Method& method = {}) {
  Settings settings;
  settings.integrator = method.integrator;
  settings.formulation = method.formulation;
  settings.until = until;
  settings.every = until / 10;
  settings.tolerance = method.tolerance;
  if (method.step > 0) settings.step = method.step;
  settings.balance = 1;  // rough methods, too
  RunOptions options = make_run_options(model, settings);
  options.channels = {"*"};
  MemorySink sink;
  run(model, options, {&sink});
  return sink;
}

/// A fixed step for those that must have one.
Method make_method(const IntegratorInfo& info, double step) {
  const bool rough = info.order < 4;
  return {std::string(info.name), info.steps == StepChoice::kAdaptive ? 0 : step, rough ? 1e-9 : 1e-11};
}

/// Of something that moves by 1 in a time of 1/w, over one or two of them, in units of w times the step: second order; the
/// others are exact to what their tolerance, or the fourth power of the step, leaves.
double calc_allowed(const IntegratorInfo& info, double w, double h) {
  return info.order < 4 ? w * w * h * h : 1e-7;
}

// -- each kind alone. The arm is there since a machine has a body; it does not move.

constexpr const char* kStill = R"(
bodies: {arm: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {pivot: {kind: revolute, child: arm, axis: y}}
)";

TEST(States, FollowTheirClosedFormsWithEveryMethod) {
  const Model model = read(std::string(kStill) + R"(
states:
  decay: {derivative: -2 1/s*decay, initial: 3}
  sum: {kind: integral, of: cos(3 rad/s*t), initial: 0.5 s}
  slow: {kind: lag, of: sin(3 rad/s*t), time: 0.2 s}
  smooth: {kind: filter2, of: 1, frequency: 4 rad/s, damping: 0.5}
  late: {kind: delay, of: sin(3 rad/s*t), time: 0.25 s, before: -7}
)");
  const double h = 1e-3, t = 1.3;
  for (const IntegratorInfo& info : integrators()) {
    const MemorySink sink = run_with(model, t, make_method(info, h));
    ASSERT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << info.name << sink.summary().message;
    const double allowed = calc_allowed(info, 4, h);
    const auto expect = [&](const std::string& name, double value) {
      EXPECT_NEAR(sink.value(sink.rows() - 1, name), value, allowed) << info.name << ", " << name;
    };
    expect("state.decay", 3 * std::exp(-2 * t));
    expect("state.sum", 0.5 + std::sin(3 * t) / 3);
    // of time x' = sin(w t) - x from rest
    const double w = 3, T = 0.2;
    expect("state.slow",
           (std::sin(w * t) - w * T * std::cos(w * t) + w * T * std::exp(-t / T)) / (1 + w * w * T * T));
    // the step response of an oscillator with damping 1/2
    const double wd = 4 * std::sqrt(0.75);
    expect("state.smooth", 1 - std::exp(-2 * t) * (std::cos(wd * t) + 2 / wd * std::sin(wd * t)));
    expect("state.late", std::sin(3 * (t - 0.25)));
    EXPECT_EQ(sink.value(1, "state.late"), -7) << info.name;  // at 0.13 s
  }
}

TEST(States, ALagThatIsShorterThanTheStepDoesNoHarmToImplicitMethods) {
  const Model model = read(std::string(kStill) + R"(
states: {quick: {kind: lag, of: sin(1 rad/s*t), time: 1 us}}
)");
  for (const char* integrator : {"newmark:0.1", "hht", "generalized-alpha"}) {
    const MemorySink sink = run_with(model, 1, {integrator, 0.01});
    // it follows to its time, and the rule rings from the start: about time x' = 1e-6
    EXPECT_NEAR(sink.value(10, "state.quick"), std::sin(1.), 1e-5) << integrator;
  }
}

// -- a delay

/// x' = -x(t - 1), x = 1 before: by the method of steps x = sum_k (-1)^k (t - k + 1)^k / k!
double calc_delay_equation(double t) {
  double x = 0, factor = 1;
  for (int k = 0; k - 1 < t; ++k) {
    x += factor * std::pow(t - k + 1, k);
    factor /= -(k + 1);
  }
  return x;
}

constexpr const char* kDelayEquation = R"(
states:
  x: {derivative: -late/(1 s), initial: 1}
  late: {kind: delay, of: x, time: 1 s}
)";

TEST(Delay, SolvesTheDelayEquation) {
  const Model model = read(std::string(kStill) + kDelayEquation);
  for (const IntegratorInfo& info : integrators()) {
    const MemorySink sink = run_with(model, 3.7, make_method(info, 1e-3));
    ASSERT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished) << info.name << sink.summary().message;
    EXPECT_NEAR(sink.value(10, "state.x"), calc_delay_equation(3.7), info.order < 4 ? 1e-6 : 1e-8)
        << info.name;
  }
  // machine: of polynomials up to the fourth degree rk4 and what it remembers are exact, however long its steps
  EXPECT_NEAR(run_with(model, 3.7, {"rk4", 0.5}).value(10, "state.x"), calc_delay_equation(3.7), 1e-14);
}

/// A pendulum that is pushed by its own past.
TEST(Delay, HasTheOrderOfItsMethod) {
  const Model model = read(R"(
bodies: {arm: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {pivot: {kind: revolute, child: arm, axis: y, driven: -4 N*m/rad*joint.pivot.angle + 3 N*m/rad*late}}
states:
  late: {kind: delay, of: joint.pivot.angle, time: 0.3 s}
initial: {pivot: 1 rad}
)");
  const double exact = run_with(model, 3, {"dop853", 0, 1e-13}).value(10, "joint.pivot.angle");
  // self: the same motion by a method of order 8; halved steps leave a 16th
  std::vector<double> errors;
  for (const double h : {0.1, 0.05, 0.025})
    errors.push_back(std::abs(run_with(model, 3, {"rk4", h}).value(10, "joint.pivot.angle") - exact));
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
    const double order = std::log2(errors[i] / errors[i + 1]);
    EXPECT_GT(order, 3.6) << errors[i];
    EXPECT_LT(order, 4.6) << errors[i];
  }
}

TEST(Delay, OfADelayIsTheSumOfBoth) {
  const Model model = read(std::string(kStill) + R"(
states:
  one: {kind: delay, of: t, time: 0.1 s}
  two: {kind: delay, of: one, time: 0.23 s}
)");
  const MemorySink sink = run_with(model, 2);
  for (long row = 2; row <= 10; ++row)
    EXPECT_NEAR(sink.value(row, "state.two"), 0.2 * static_cast<double>(row) - 0.33, 1e-14);  // machine
}

TEST(Delay, IsNotShorterThanAStepThatIsAskedFor) {
  const Model model = read(std::string(kStill) + kDelayEquation);
  EXPECT_THAT(message_of([&] {
                run_with(model, 3, {"rk4", 1.5});
              }),
              HasSubstr("steps of 1.5 s are longer than the shortest delay, 1 s"));
}

TEST(Delay, BringsBackWhatAnEventChanged) {
  const Model model = read(std::string(kStill) + R"(
parameters: {level: 1}
states:
  late: {kind: delay, of: level, time: 0.25 s}
  sum: {kind: integral, of: late}
events: {up: {at: 0.4 s, set: {level: 3}}}
)");
  const MemorySink sink = run_with(model, 1);
  // analytic: 1 until 0.65 s, then 3. machine: a jump between two steps
  EXPECT_NEAR(sink.value(10, "state.sum"), 0.65 + 3 * 0.35, 1e-14);
  EXPECT_NEAR(sink.value(6, "state.late"), 1, 1e-14);
  EXPECT_NEAR(sink.value(7, "state.late"), 3, 1e-14);
}

TEST(Delay, BecomesShorterButNotLonger) {
  const std::string machine = std::string(kStill) + R"(
parameters: {T: 0.25 s}
states: {late: {kind: delay, of: t, time: T}}
events: {other: {at: 0.4 s, set: {T: )";
  const MemorySink sink = run_with(read(machine + "0.1 s}}}"), 1);
  EXPECT_NEAR(sink.value(10, "state.late"), 0.9, 1e-14);  // machine
  EXPECT_THAT(run_with(read(machine + "0.3 s}}}"), 1).summary().message,
              HasSubstr("its delay becomes 0.3 s, and only 0.25 s of the past are remembered"));
}

// -- a controller

/// I theta'' = -kp theta - ki integral - kd theta' with I = 1: s^3 + 5 s^2 + 17 s + 13 = (s + 1)(s^2 + 4 s + 13)
constexpr const char* kController = R"(
bodies: {arm: {mass: 1 kg, inertia: [1, 1, 1]}}
joints:
  pivot:
    kind: revolute
    child: arm
    axis: y
    driven: -17 N*m/rad*joint.pivot.angle - 13 N*m/(rad*s)*total - 5 N*m*s/rad*joint.pivot.rate
states: {total: {kind: integral, of: joint.pivot.angle}}
initial: {pivot: 0.1 rad}
)";

double calc_controlled(double t) {
  using Complex = std::complex<double>;
  // theta = sum c_i e^(s_i t) with theta = 0.1, theta' = 0, theta'' = -1.7
  const Eigen::Vector3cd s(Complex(-1, 0), Complex(-2, 3), Complex(-2, -3)), start(0.1, 0, -1.7);
  Eigen::Matrix3cd powers;
  powers << Complex(1), Complex(1), Complex(1), s.transpose(), s.cwiseAbs2().cast<Complex>().transpose();
  for (int i = 0; i < 3; ++i) powers(2, i) = s[i] * s[i];
  const Eigen::Vector3cd c = powers.inverse() * start;
  Complex theta = 0;
  for (int i = 0; i < 3; ++i) theta += c[i] * std::exp(s[i] * t);
  return theta.real();
}

TEST(States, ControlAPendulumAsItsLinearLoopSays) {
  const Model model = read(kController);
  for (const FormulationInfo& formulation : general_formulations())
    for (const IntegratorInfo& info : integrators()) {
      Method method = make_method(info, 1e-3);
      method.formulation = formulation.name;
      const MemorySink sink = run_with(model, 2, method);
      ASSERT_EQ(sink.summary().outcome, RunSummary::Outcome::kFinished)
          << info.name << sink.summary().message;
      // second order: some w^3 h^2 of 0.1 rad
      EXPECT_NEAR(sink.value(10, "joint.pivot.angle"), calc_controlled(2), info.order < 4 ? 1e-6 : 1e-8)
          << info.name << ", " << formulation.name;
    }
}

TEST(States, AreSecondOrderWithImplicitMethods) {
  const Model model = read(kController);
  for (const char* integrator : {"newmark", "hht", "generalized-alpha", "central-difference"}) {
    const double coarse = run_with(model, 2, {integrator, 0.02}).value(10, "joint.pivot.angle") -
                          calc_controlled(2),
                 fine = run_with(model, 2, {integrator, 0.01}).value(10, "joint.pivot.angle") -
                        calc_controlled(2);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.3) << integrator;
  }
}

/// The same loop under a load, with a filter of the rate and a state that nothing reads. With both formulations, of which one
/// has constraints.
TEST(States, ArePartOfEquilibriaAndSmallMotions) {
  const Model model = read(R"(
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 1 kg, center_of_mass: [0.1, 0, 0], inertia: [1, 0.99, 1]}}
joints:
  pivot:
    kind: revolute
    child: arm
    axis: y
    driven: -17 N*m/rad*joint.pivot.angle - 13 N*m/(rad*s)*total - 5 N*m*s/rad*joint.pivot.rate
states:
  total: {kind: integral, of: joint.pivot.angle}
  alone: {kind: lag, of: 3*joint.pivot.angle + 0.5 rad, time: 0.25 s}
initial: {pivot: 0.1 rad}
)");
  const std::unique_ptr<SteadyState> state = find_steady_state(model, {});
  ASSERT_EQ(state->equilibrium.failure, "");
  // analytic: the integral holds the weight, m g l = -13 total; about y the weight turns the arm down
  const Sizes sizes = state->equations->sizes();
  const Eigen::VectorXd y = state->equilibrium.y, x = sizes.x(y);
  EXPECT_NEAR(y[0], 0, 1e-12);
  EXPECT_NEAR(x[0], 0.981 / 13, 1e-12);
  EXPECT_NEAR(x[1], 0.5, 1e-12);
  for (const char* formulation : {"recursive", "absolute"}) {
    LinearOptions options;
    options.formulation = formulation;
    const Linearization linear = linearize(*state, options);
    ASSERT_EQ(linear.failure, "");
    const ModeSet modes = calc_modes(linear);
    // analytic: (s + 1)(s^2 + 4 s + 13)(s + 4): the weight of a level arm has no stiffness
    ASSERT_EQ(modes.modes.size(), 3u) << formulation;
    EXPECT_NEAR(modes.modes[0].eigenvalue.real(), -1, 1e-11) << formulation;
    EXPECT_NEAR(std::abs(modes.modes[1].eigenvalue - std::complex<double>(-2, 3)), 0, 1e-11) << formulation;
    EXPECT_NEAR(modes.modes[2].eigenvalue.real(), -4, 1e-11) << formulation;
    const std::vector<ShapePart> shape = describe_shape(linear, modes.modes[2], kNamedShare);
    ASSERT_EQ(shape.size(), 1u);
    EXPECT_EQ(shape[0].name, "state.alone");
    const StateSpace system = make_state_space(linear);
    EXPECT_EQ(system.states.size(), 4u);
    // analytic: the rates of the states, in SI
    const auto place = [&](const std::string& name) {
      return std::find(system.states.begin(), system.states.end(), name) - system.states.begin();
    };
    if (std::string(formulation) == "recursive") {
      EXPECT_NEAR(system.A(place("state.total"), place("joint.pivot.angle")), 1, 1e-12);
      EXPECT_NEAR(system.A(place("state.alone"), place("joint.pivot.angle")), 12, 1e-12);
      EXPECT_NEAR(system.A(place("state.alone"), place("state.alone")), -4, 1e-12);
      EXPECT_NEAR(system.A(place("joint.pivot.rate"), place("state.total")), -13, 1e-11);
    }
  }
}

// -- motions that are prescribed by a filter

/// A wing whose stroke follows the body by a filter: the body swings on a spring.
constexpr const char* kSteered = R"(
bodies:
  body: {mass: 2 kg, inertia: [0.3, 0.2, 0.4]}
  wing: {mass: 0.5 kg, center_of_mass: [0.3, 0.1, 0], inertia: [0.01, 0.02, 0.03]}
joints:
  neck: {kind: revolute, child: body, axis: y}
  hinge:
    kind: revolute
    parent: body
    child: wing
    parent_frame: {position: [0.1, 0.2, 0]}
    axis: y
    prescribed: 0.3*sin(5 rad/s*t) + stroke^2/(1 rad) + 0.2*stroke
forces: {spring: {kind: rotary-spring, joint: neck, stiffness: 20 N*m/rad}}
states:
  stroke: {kind: filter2, of: 0.4*joint.neck.angle + 0.1 s*joint.neck.rate, frequency: 30 rad/s, damping: 0.7, initial: 0.2 rad}
initial: {neck: 0.3 rad}
)";

TEST(Filter2, PrescribesAMotionWithItsRateAndAcceleration) {
  const Model model = read(kSteered);
  const MemorySink exact = run_with(model, 1, {"dop853", 0, 1e-12});
  // the energy balance holds only where rates and accelerations are those of the motion. solver: 1e-12 a step
  EXPECT_LT(exact.summary().audit.relative_balance(), 1e-10);
  // a difference of the angle is its rate, of the rate its acceleration. dt^2 / 6 of third derivatives, some 1e4
  const double dt = 1e-5;
  Settings settings;
  settings.until = 0.5 + dt;
  settings.every = dt;
  settings.tolerance = 1e-12;
  RunOptions options = make_run_options(model, settings);
  options.channels = {"joint.hinge.*"};
  MemorySink sink;
  run(model, options, {&sink});
  const long row = sink.rows() - 2;
  const auto rate_of = [&](const std::string& name) {
    return (sink.value(row + 1, name) - sink.value(row - 1, name)) / (2 * dt);
  };
  EXPECT_NEAR(sink.value(row, "joint.hinge.rate"), rate_of("joint.hinge.angle"), 1e-5);
  EXPECT_NEAR(sink.value(row, "joint.hinge.acceleration"), rate_of("joint.hinge.rate"), 1e-4);
  // formulations against each other, and the implicit methods: second order, some w^2 h^2; a tenth of a second, since
  // every method in every formulation takes it in short steps
  const MemorySink early = run_with(model, 0.1, {"dop853", 0, 1e-12});
  for (const FormulationInfo& formulation : general_formulations())
    for (const IntegratorInfo& info : integrators()) {
      Method method = make_method(info, 2e-4);
      method.formulation = formulation.name;
      const MemorySink other = run_with(model, 0.1, method);
      ASSERT_EQ(other.summary().outcome, RunSummary::Outcome::kFinished)
          << info.name << other.summary().message;
      EXPECT_NEAR(other.value(10, "joint.neck.angle"), early.value(10, "joint.neck.angle"),
                  info.order < 4 ? 3e-5 : 1e-7)
          << info.name << ", " << formulation.name;
    }
}

TEST(Filter2, PrescribesAnglesOfASequence) {
  const Model model = read(R"(
bodies:
  body: {mass: 2 kg, inertia: [0.3, 0.2, 0.4]}
  wing: {mass: 0.5 kg, center_of_mass: [0.3, 0.1, 0], inertia: [0.01, 0.02, 0.03]}
joints:
  fly: {kind: free, child: body}
  hinge:
    kind: spherical
    parent: body
    child: wing
    prescribed: {sequence: zyx, angles: [stroke, 0.2*sin(9 rad/s*t)*cos(stroke), 0.1 rad]}
states: {stroke: {kind: filter2, of: 0.1 s*body.body.angular_velocity.z, frequency: 30 rad/s, initial: 0.2 rad}}
initial: {fly: {body_angular_velocity: [0.3, 0.1, 1]}}
)");
  const MemorySink one = run_with(model, 0.5);
  EXPECT_LT(one.summary().audit.relative_balance(), 1e-9);
  ASSERT_EQ(formulations_of(model).size(), 3u);
  for (const FormulationInfo& formulation : formulations_of(model)) {
    const MemorySink other = run_with(model, 0.5, {"dop853", 0, 1e-11, std::string(formulation.name)});
    for (const char* name :
         {"body.wing.position.x", "body.body.angular_velocity.z", "joint.hinge.reaction.torque.y"})
      EXPECT_NEAR(one.value(10, name), other.value(10, name), 1e-8) << name << formulation.name;  // solver
  }
}

TEST(States, AreRefusedByNameWhereAnAnalysisDoesNotKnowThem) {
  const Model late = read(std::string(kStill) + kDelayEquation), filter = read(kSteered);
  EXPECT_THAT(message_of([&] { find_steady_state(late, {}); }),
              HasSubstr("state 'late': the search for an equilibrium does not know delays yet"));
  EXPECT_THAT(message_of([&] { find_steady_state(filter, {}); }),
              HasSubstr("an equilibrium of motions that filters prescribe does not know states yet"));
}

// -- runs

/// All kinds, read by each other.
constexpr const char* kAll = R"(
parameters: {k: 17 N*m/rad}
gravity: [0, 0, -9.81]
bodies:
  body: {mass: 2 kg, inertia: [0.3, 0.2, 0.4]}
  wing: {mass: 0.5 kg, center_of_mass: [0.3, 0.1, 0], inertia: [0.01, 0.02, 0.03]}
  cart: {mass: 3 kg, inertia: [1, 1, 1]}
joints:
  rail: {kind: prismatic, child: cart, axis: x, driven: -12 N/m*late - 5 N*s/m*slow}
  neck: {kind: revolute, parent: cart, child: body, axis: y, driven: -k*joint.neck.angle - effort}
  hinge: {kind: revolute, parent: body, child: wing, axis: y, prescribed: 0.3 rad*sin(5 rad/s*t) + stroke}
states:
  total: {kind: integral, of: joint.neck.angle}
  effort: {derivative: 4 N*m/(rad*s)*joint.neck.angle - 2 1/s*effort, unit: N*m}
  slow: {kind: lag, of: joint.rail.velocity, time: 20 ms}
  late: {kind: delay, of: joint.rail.position, time: 31 ms}
  stroke: {kind: filter2, of: 0.4*joint.neck.angle - 0.1 1/s*total, frequency: 30 rad/s}
events:
  stiffen: {at: 0.21 s, set: {k: 2*k}}
  hold: {at: 0.29 s, lock: rail}
  let: {at: 0.4 s, free: rail}
initial: {neck: 0.3 rad, rail: 0.1 m}
)";

TEST(States, GiveTheSameBitsInOtherUnitsOfLengthAndMass) {
  const Model model = read(kAll);
  for (const IntegratorInfo& info : integrators()) {
    Method method = make_method(info, 1e-3);
    method.tolerance = 1e-9;
    const MemorySink original = run_with(model, 0.5, method);
    ASSERT_EQ(original.summary().outcome, RunSummary::Outcome::kFinished) << original.summary().message;
    for (const UnitChange& change : {UnitChange{20, 0}, {0, 20}, {-20, -20}}) {
      Model scaled = model;
      ModelScaler(change, &scaled).scale();
      const MemorySink other = run_with(scaled, 0.5, method);
      EXPECT_EQ(other.summary().evaluations, original.summary().evaluations) << info.name;
      for (const Channel& channel : make_channels(model))
        for (long row = 0; row < original.rows(); ++row)
          ASSERT_EQ(other.value(row, channel.name),
                    change.factor(channel.unit) * original.value(row, channel.name))
              << info.name << ", " << channel.name << ", row " << row;
    }
  }
}

TEST(States, GoOnFromACheckpointWithTheSameBits) {
  const Model model = read(kAll);
  for (const IntegratorInfo& info : integrators()) {
    const Method method = make_method(info, 1e-3);
    Settings settings;
    settings.until = 0.5;
    settings.integrator = info.name;
    if (method.step > 0) settings.step = method.step;
    const RunOptions options = make_run_options(model, settings);
    for (const double t : {0.05, 0.35}) {
      Simulation first(model, options), second(model, options);
      while (first.t() < t) first.step();
      second.load(first.save());
      while (!first.is_done()) {
        first.step();
        second.step();
        ASSERT_EQ(first.t(), second.t()) << info.name;
        ASSERT_EQ(first.state(), second.state()) << info.name << ", t = " << first.t();
      }
    }
  }
}

TEST(States, AreKeptWhereEventsLockAndFreeJoints) {
  const Model model = read(kAll);
  for (const FormulationInfo& formulation : general_formulations()) {
    Settings settings;
    settings.until = 0.5;
    settings.formulation = formulation.name;
    Simulation simulation(model, make_run_options(model, settings));
    simulation.step_until(0.29);
    // analytic: an integral goes on from where it was, by what it adds up: the rate is an angle below 0.3 rad
    const double before = simulation.instant().snapshot.scene.states[0];
    simulation.step_until(0.29 + 1e-6);
    EXPECT_NEAR(simulation.instant().snapshot.scene.states[0], before, 3e-7) << formulation.name;
    EXPECT_NE(before, 0);
  }
  const MemorySink one = run_with(model, 0.5), other = run_with(model, 0.5, {"dop853", 0, 1e-11, "absolute"});
  for (const char* name : {"state.total", "state.effort", "state.slow", "state.late", "state.stroke"})
    EXPECT_NEAR(one.value(10, name), other.value(10, name), 1e-7) << name;  // solver
}

/// A state that is nothing but rounding does not shorten the steps.
TEST(States, OfNothingButRoundingDoNotShortenSteps) {
  const std::string machine = R"(
bodies: {arm: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {pivot: {kind: revolute, child: arm, axis: y, driven: -17 N*m/rad*joint.pivot.angle}}
initial: {pivot: 0.1 rad}
)";
  const std::string nothing =
      "states: {nothing: {kind: integral, of: joint.pivot.angle + 1e3*joint.pivot.angle - "
      "1001*joint.pivot.angle}}\n";
  const long without = run_with(read(machine), 3).summary().steps,
             with = run_with(read(machine + nothing), 3).summary().steps;
  EXPECT_LE(with, without + without / 10);
}

// -- mistakes

std::string problems_of(const std::string& text) {
  return message_of([&] { read(std::string(kStill) + text); });
}

TEST(States, SayWhatIsWrongWithThem) {
  EXPECT_THAT(problems_of("states: {x: {kind: lagg, of: 1, time: 1 s}}"), HasSubstr("did you mean 'lag'?"));
  EXPECT_THAT(problems_of("states: {x: {of: 1}}"), HasSubstr("kind is missing"));
  EXPECT_THAT(problems_of("states: {x: 3}"), HasSubstr("expected a map"));
  EXPECT_THAT(problems_of("states: {x: {kind: lag, of: 1}}"), HasSubstr("time is missing"));
  EXPECT_THAT(problems_of("states: {x: {kind: lag, of: 1, time: 0 s}}"), HasSubstr("must be positive"));
  EXPECT_THAT(problems_of("states: {x: {kind: lag, of: 1, time: 1 m}}"), HasSubstr("time"));
  EXPECT_THAT(problems_of("states: {x: {kind: lag, of: 1, tim: 1 s, time: 1 s}}"),
              HasSubstr("unknown key 'tim'"));
  EXPECT_THAT(problems_of("states: {x: {kind: filter2, of: 1, frequency: 25 Hz}}"), HasSubstr("rad/s"));
  EXPECT_THAT(problems_of("states: {x: {derivative: joint.pivot.angle, initial: 1 m}}"), HasSubstr("m/s"));
  EXPECT_THAT(problems_of("states: {x: {derivative: joint.pivot.angel}}"), HasSubstr("angel"));
  EXPECT_THAT(problems_of("parameters: {x: 1}\nstates: {x: {derivative: 1}}"),
              HasSubstr("a parameter has this name"));
  EXPECT_THAT(problems_of("signals: {x: 1}\nstates: {x: {derivative: 1}}"),
              HasSubstr("a signal has this name"));
  EXPECT_THAT(problems_of("states: {x: {derivative: 1, unit: furlong}}"), HasSubstr("furlong"));
  EXPECT_THAT(problems_of("states:\n  x: {kind: lagg, of: 1}\n"), HasSubstr("states.yaml:6:"));
}

TEST(States, MayNeedEachOther) {
  const Model model = read(std::string(kStill) + R"(
signals: {both: x + y}
states:
  x: {derivative: -y/(1 s), initial: 1}
  y: {derivative: (both - y)/(1 s)}
)");
  EXPECT_NEAR(run_with(model, 1).value(10, "state.x"), std::cos(1.), 1e-9);  // analytic: x'' = -x
}

TEST(States, AreForPrescribedMotionsWhereTheyAreFiltersOfSecondOrder) {
  const std::string machine = R"(
bodies: {arm: {mass: 1 kg, inertia: [1, 1, 1]}}
signals: {s: t/(1 s)}
states: {x: {kind: lag, of: t/(1 s), time: 1 s}}
joints: {pivot: {kind: revolute, child: arm, axis: y, prescribed: )";
  EXPECT_THAT(message_of([&] { read(machine + "2*x}}"); }), HasSubstr("filter2"));
  EXPECT_THAT(message_of([&] { read(machine + "2*s}}"); }), HasSubstr("filter2"));
}

}  // namespace
}  // namespace haltere
