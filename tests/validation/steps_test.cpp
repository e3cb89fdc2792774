// What the lengths of the steps say about a machine: formulas that chatter, stiffness, rows between steps.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = RunSummary::Outcome;

/// A disc of 1 kg m2 on an axle, and what drives it.
std::string make_disc(const std::string& driven, const std::string& initial) {
  return fmt::format(R"(haltere: 1
parameters: {{kc: 0.3 N*m}}
bodies: {{a: {{mass: 1, inertia: [1, 1, 1]}}}}
joints: {{j: {{kind: revolute, child: a, axis: z, driven: "{}"}}}}
initial: {{j: {{{}}}}}
)",
                     driven, initial);
}

const std::string kSign = "-kc*(joint.j.rate > 0 ? 1 : -1)";

Settings make_settings(const std::string& integrator, double tolerance, double until) {
  Settings settings;
  settings.integrator = integrator;
  settings.tolerance = tolerance;
  settings.until = until;
  return settings;
}

MemorySink run_text(const std::string& text, const Settings& settings) {
  const Model model = read_model_text(text, "model.yaml");
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  return sink;
}

double last(const MemorySink& sink, const std::string& channel) {
  return sink.value(sink.rows() - 1, channel);
}

class AdaptiveMethod : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AdaptiveMethod,
                         ::testing::Values("dopri5", "dop853", "cvode-adams", "cvode-bdf", "ida-bdf",
                                           "generalized-alpha", "hht", "newmark"),
                         [](const auto& test) { return to_test_name(test.param); });

// It comes to rest after 1/0.3 s and 1/0.6 rad (analytic); from then on no ordinary motion exists.
TEST_P(AdaptiveMethod, StopsWhereFrictionWrittenAsASignHoldsTheDisc) {
  for (const double tolerance : {1e-9, 1e-8}) {
    const MemorySink sink =
        run_text(make_disc(kSign, "rate: 1 rad/s"), make_settings(GetParam(), tolerance, 5));
    ASSERT_EQ(sink.summary().outcome, Outcome::kFailed);
    EXPECT_THAT(sink.summary().message, HasSubstr("a formula chatters"));
    EXPECT_THAT(sink.summary().message, HasSubstr("joint 'j', driven: " + kSign + " jumps in"));
    EXPECT_THAT(sink.summary().message, HasSubstr("tanh(x/eps)"));
    // 1,000 is what the motion itself takes at most; nobody waits for the chatter
    EXPECT_LT(sink.summary().evaluations, 10'000);
    EXPECT_NEAR(sink.summary().t, 1 / 0.3, 1e-3);
    // what was computed is kept: errors of some hundred steps
    EXPECT_NEAR(last(sink, "joint.j.angle"), 1 / 0.6, 1e3 * tolerance);
  }
}

// angle = t^2/2 up to 1 rad, from sqrt(2) s on with twice the torque (analytic)
TEST_P(AdaptiveMethod, PassesAJumpThatIsCrossedOnce) {
  const double tolerance = 1e-8, t = 3 - std::numbers::sqrt2;
  const MemorySink sink =
      run_text(make_disc("joint.j.angle > 1 ? 2 : 1", ""), make_settings(GetParam(), tolerance, 3));
  ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
  EXPECT_THAT(sink.summary().notes, Not(Contains(HasSubstr("chatter"))));
  // some tolerances in the rate at the jump, and those of two hundred steps after it
  EXPECT_NEAR(last(sink, "joint.j.angle"), 1 + std::numbers::sqrt2 * t + t * t, 1e3 * tolerance);
}

// x'' = -x - 0.01 sign(x'): each half swing is shorter by 0.02 rad, exactly (analytic), and the friction
// never holds it: the sign is crossed twenty times.
TEST_P(AdaptiveMethod, PassesFrictionThatTheMotionOvercomes) {
  const double tolerance = 1e-8;
  const MemorySink sink =
      run_text(make_disc("-(1 N*m/rad)*joint.j.angle - (joint.j.rate > 0 ? 0.01 : -0.01)", "angle: 1 rad"),
               make_settings(GetParam(), tolerance, 20 * std::numbers::pi));
  ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
  EXPECT_THAT(sink.summary().notes, Not(Contains(HasSubstr("chatter"))));
  // global errors of a method of second order with 1e4 steps
  EXPECT_NEAR(last(sink, "joint.j.angle"), 1 - 20 * 0.02, 1e4 * tolerance);
}

// Four hundred switches in 0.2 s; the rate is a saw tooth that ends at 0 (analytic). The disc turns by 1e-7
// rad, no more than the tolerance, so that its energy is not known, and no balance is asked for.
TEST_P(AdaptiveMethod, PassesSwitchesThatTimeBringsAbout) {
  Settings settings = make_settings(GetParam(), 1e-7, 0.2);
  settings.balance = 1e3;
  const MemorySink sink = run_text(make_disc("mod(t, 0.001 s) < 0.0005 s ? 1 : -1", ""), settings);
  ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
  EXPECT_THAT(sink.summary().notes, Not(Contains(HasSubstr("chatter"))));
}

// Both signs together bring the disc to the origin in finite time, with infinitely many switches on the way
// (the twisting controller of variable-structure control): neither alone is a surface that holds it.
TEST(Chatter, OfTwoSignsAtOnceIsNamed) {
  const MemorySink sink =
      run_text(make_disc("-(joint.j.angle > 0 ? 2 : -2) - (joint.j.rate > 0 ? 1 : -1)", "angle: 1 rad"),
               make_settings("dop853", 1e-9, 100));
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
  EXPECT_THAT(sink.summary().message, HasSubstr("joint 'j', driven: -(joint.j.angle > 0"));
  EXPECT_LT(sink.summary().evaluations, 50'000);
}

TEST(Chatter, ThatEndsSoonIsANote) {
  const MemorySink sink = run_text(make_disc(kSign, "rate: 1 rad/s"), make_settings("dopri5", 1e-6, 5));
  EXPECT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
  EXPECT_THAT(sink.summary().notes, Contains(HasSubstr("joint 'j', driven: " + kSign + " jumps in")));
  EXPECT_NEAR(last(sink, "joint.j.angle"), 1 / 0.6, 1e-4);  // a hundred times the tolerance
}

TEST(Chatter, OfASignalIsNamedByTheSignal) {
  const std::string text =
      make_disc("-kc*direction", "rate: 1 rad/s") + "signals: {direction: \"joint.j.rate > 0 ? 1 : -1\"}\n";
  EXPECT_THAT(run_text(text, make_settings("dop853", 1e-9, 5)).summary().message,
              HasSubstr("signal 'direction': joint.j.rate > 0 ? 1 : -1 jumps in"));
}

// A metre of 2^-20 m changes no bit.
TEST(Chatter, IsSeenAtTheSameStepInAllUnits) {
  const auto run_with = [](double unit) {
    const std::string text = fmt::format(R"yaml(haltere: 1
bodies: {{a: {{mass: 1, inertia: [{0}, {0}, {0}]}}}}
joints: {{j: {{kind: prismatic, child: a, axis: x, driven: "{1}*(joint.j.velocity > 0 ? 1 : -1)"}}}}
initial: {{j: {{velocity: {2}}}}}
)yaml",
                                         unit * unit, -0.3 * unit, unit);
    return run_text(text, make_settings("dop853", 1e-9, 5)).summary();
  };
  const RunSummary one = run_with(1), other = run_with(std::ldexp(1, 20));
  EXPECT_EQ(one.outcome, Outcome::kFailed);
  EXPECT_EQ(one.steps, other.steps);
  EXPECT_EQ(one.t, other.t);
}

// An implicit step over the jump has no solution: equal steps fail there, and say why.
TEST(Chatter, ExplainsAStepThatFails) {
  Settings settings = make_settings("generalized-alpha", 1e-9, 5);
  settings.step = 1e-3;
  const RunSummary summary = run_text(make_disc(kSign, "rate: 1 rad/s"), settings).summary();
  EXPECT_EQ(summary.outcome, Outcome::kFailed);
  EXPECT_THAT(summary.message, HasSubstr("joint 'j', driven: " + kSign + " jumps here"));
}

/// The flyball governor of the IFToMM library of computational benchmark problems: spring-dampers hold it,
/// whose motion dies out within 0.1 ms.
constexpr const char* kFlyball = R"(haltere: 1
parameters: {rho: 3000 kg/m^3, K: 8e5 N/m, C: 4e4 N*s/m, mr: rho*1 m*0.01 m*0.01 m}
gravity: [0, 0, -9.81]
bodies:
  shaft: {mass: mr, center_of_mass: [0, 0, 0.5], inertia: {kind: box, size: [0.01, 0.01, 1]}}
  slider: {mass: rho*(0.1 m)^3, inertia: {kind: box, size: [0.1, 0.1, 0.1]}}
  rodR:
    mirror: {plane: x, from: R, to: L}
    mass: mr
    center_of_mass: [0.5, 0, 0]
    inertia: {kind: box, size: [1, 0.01, 0.01]}
  ballR: {mirror: {plane: x, from: R, to: L}, mass: 5 kg}
joints:
  spin: {kind: revolute, child: shaft, axis: z}
  slide: {kind: prismatic, parent: shaft, child: slider, axis: z}
  hingeR:
    mirror: {plane: x, from: R, to: L}
    kind: revolute
    parent: shaft
    child: rodR
    parent_frame: [0.05, 0, 1]
    axis: y
  tipR: {mirror: {plane: x, from: R, to: L}, kind: weld, parent: rodR, child: ballR, parent_frame: [1, 0, 0]}
forces:
  sdR:
    mirror: {plane: x, from: R, to: L}
    kind: spring-damper
    from: slider
    from_point: [0.05, 0, 0]
    to: rodR
    to_point: [0.5, 0, 0]
    stiffness: K
    damping: C
    rest_length: 0.5 m
initial:
  spin: {rate: 2*pi rad/s}
  slide: {position: 0.5 m}
  hingeR: {mirror: {plane: x, from: R, to: L}, angle: 30 deg}
simulation: {every: 0.1 s}
)";

class ExplicitMethod : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ExplicitMethod, ::testing::Values("dopri5", "dop853"),
                         [](const auto& test) { return test.param; });

// The slider's acceleration goes from -9.8 m/s2 at the start to 5.0 (source: independent, a comparison from
// outside on this benchmark; the test compares with dop853 at 1e-10: self).
TEST_P(ExplicitMethod, SaysThatAGovernorIsStiffAndDoesNotRing) {
  const MemorySink sink = run_text(kFlyball, make_settings(GetParam(), 1e-4, 3)),
                   exact = run_text(kFlyball, make_settings("dop853", 1e-10, 3));
  ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
  EXPECT_THAT(sink.summary().notes, Contains(HasSubstr("stiff: from t =")));
  EXPECT_THAT(sink.summary().notes,
              Contains(HasSubstr("try --integrator ida-bdf, generalized-alpha or cvode-bdf")));
  for (long row = 1; row < sink.rows(); ++row)  // ten tolerances of gravity
    EXPECT_NEAR(sink.value(row, "joint.slide.acceleration"), exact.value(row, "joint.slide.acceleration"),
                10 * 1e-4 * 9.81)
        << sink.value(row, "t");
}

TEST(Stiffness, IsNoneOfTheMethodsThatAreAdvised) {
  for (const char* method : {"ida-bdf", "generalized-alpha", "cvode-bdf"}) {
    const RunSummary summary = run_text(kFlyball, make_settings(method, 1e-4, 1)).summary();
    EXPECT_EQ(summary.outcome, Outcome::kFinished) << summary.message;
    EXPECT_THAT(summary.notes, Not(Contains(HasSubstr("stiff"))));
  }
}

class ShippedSteps : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ShippedSteps, ::testing::ValuesIn(list_shipped_models()),
                         [](const auto& test) { return to_test_name(test.param); });

TEST_P(ShippedSteps, AreNeitherStiffNorChatter) {
  const Model model = read_for_laws(GetParam());
  MemorySink sink;
  run(model, make_run_options(model, {}), {&sink});
  EXPECT_THAT(sink.summary().notes, Not(Contains(HasSubstr("stiff"))));
  EXPECT_THAT(sink.summary().notes, Not(Contains(HasSubstr("chatter"))));
}

// Strong stabilisation is a fast part of the motion, which the stages of a step excite. Rows between steps
// must not show that: a thousand of them against a run that projects instead (source: another stabilisation,
// at a tolerance a thousand times smaller). Allowed: ten tolerances in the norm of the run, which is a mean
// over 23 positions and velocities (so that one of them may have sqrt(23) of it), of the rate and of its
// scale.
TEST(Rows, BetweenStepsOverAStronglyDampedPartAreAsGoodAsTheTolerance) {
  const Model model = read_model(shipped_model("kick-scooter"));
  const auto run_with = [&](const std::string& stabilization, double tolerance) {
    Settings settings = make_settings("dop853", tolerance, 2);
    settings.stabilization = stabilization;
    MemorySink sink;
    run(model, make_run_options(model, settings), {&sink});
    return sink;
  };
  const double tolerance = 1e-9;
  const MemorySink rows = run_with("baumgarte:200,200", tolerance), exact = run_with("projection", 1e-12);
  ASSERT_EQ(rows.rows(), exact.rows());
  for (const char* channel : {"joint.rear_axle.rate", "joint.front_axle.rate"}) {
    const std::vector<double> a = rows.column(channel), b = exact.column(channel);
    double worst = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      worst = std::max(worst, std::abs(a[i] - b[i]));
      size = std::max(size, std::abs(b[i]));
    }
    EXPECT_NEAR(worst, 0, 10 * std::sqrt(23) * tolerance * 2 * size) << channel;
  }
}

}  // namespace
}  // namespace haltere
