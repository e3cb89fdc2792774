#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/reading.h"

#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

const std::string kMachine = R"(haltere: 1
parameters: {w: 5 rad/s, I: 2 kg*m2, B: 0.3}
bodies: {wheel: {mass: 1, inertia: [I, I, I]}, weight: {mass: 0.1}}
joints:
  axle: {kind: revolute, child: wheel, axis: y, prescribed: 0.2 + B*cos(w*t - 0.7) + 0.1*cos(2*w*t)}
  slide: {kind: prismatic, child: weight, axis: z}
signals: {doubled: 2*joint.axle.angle}
simulation: {until: 4 s, every: 0.5 s}
)";

RunSummary run_machine(const std::string& measures, double every = 0.5, double until = 4) {
  const Model model = read(kMachine + measures);
  RunOptions options = make_run_options(model, {});
  options.every = every;
  options.until = until;
  options.tolerance = 1e-12;
  return run(model, options, {});
}

// machine: 256 samples of numbers of size ten
constexpr double kRounding = 1e-12;

// (source: analytic)
TEST(Measures, AreThoseOfTheLastWholePeriod) {
  const std::string text = R"(measures:
  middle: {kind: mean, of: joint.axle.angle, period: 2*pi/w}
  swing: {kind: amplitude, of: signal.doubled, period: 2*pi/w}
  lag: {kind: phase, of: joint.axle.angle, period: 2*pi/w}
  torque: {kind: amplitude, of: joint.axle.torque, period: 2*pi/w}
  power: {kind: mean, of: joint.axle.torque*joint.axle.rate, period: 2*pi/w}
  squares: {kind: mean, of: (joint.axle.angle/B)^2 + 0*t, period: pi/w}
)";
  const RunSummary summary = run_machine(text);
  ASSERT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  const std::vector<MeasureResult>& m = summary.measures;
  ASSERT_EQ(m.size(), 6);
  EXPECT_EQ(m[0].values.size(), 3);  // of 1.2566 s in 4 s
  EXPECT_EQ(m[5].values.size(), 6);
  EXPECT_NEAR(m[0].value(), 0.2, kRounding);
  EXPECT_NEAR(m[1].value(), 0.6, kRounding);
  EXPECT_NEAR(m[2].value(), 0.7, kRounding);
  EXPECT_NEAR(m[3].value(), 2 * 0.3 * 25, 50 * kRounding);
  EXPECT_NEAR(m[4].value(), 0, 100 * kRounding);  // nothing is lost
  EXPECT_EQ(m[0].unit, "rad");
  EXPECT_THAT(m[0].text(), HasSubstr("middle (mean): 0.2 rad over the last of 3 periods of 1.25664 s"));
}

TEST(Measures, DoNotDependOnTheRows) {
  const std::string text =
      "measures: {power: {kind: peak, of: joint.axle.torque*joint.axle.rate, period: 2*pi/w}}\n";
  EXPECT_EQ(run_machine(text, 0.5).measures[0].values, run_machine(text, 0.013).measures[0].values);
}

TEST(Measures, OfAPeriodThatTheRunDoesNotHaveAreNotKnown) {
  const RunSummary summary = run_machine("measures: {a: {kind: mean, of: joint.axle.angle, period: 5 s}}\n");
  EXPECT_FALSE(summary.measures[0].is_known());
  EXPECT_THAT(summary.measures[0].text(), HasSubstr("no whole period of 5 s"));
}

// the end of the run and that of a period, by different formulas
TEST(Measures, TheLastPeriodCountsThoughItsEndIsRounded) {
  const double until = 3 * (2 * std::numbers::pi / 5) * (1 - 1e-15);
  const RunSummary summary =
      run_machine("measures: {a: {kind: mean, of: joint.axle.angle, period: 2*pi/w}}\n", 0.5, until);
  EXPECT_EQ(summary.measures[0].values.size(), 3);
}

TEST(Measures, SayWhatIsWrongAndWhere) {
  const auto problem = [](const std::string& entry) {
    return problem_of(kMachine + "measures:\n  a: " + entry + "\n");
  };
  EXPECT_THAT(problem("{kind: mean, of: joint.axel.torque, period: 1}"),
              HasSubstr("m.yaml:10:23: measure 'a': of: unknown name 'joint.axel.torque'"));
  EXPECT_THAT(problem("{kind: mean, of: joint.axel.torque, period: 1}"),
              HasSubstr("did you mean 'joint.axle.torque'?"));
  EXPECT_THAT(problem("{kind: average, of: t, period: 1}"), HasSubstr("unknown kind 'average'"));
  EXPECT_THAT(problem("{kind: mean, of: joint.axle.torque + joint.axle.rate, period: 1}"), HasSubstr("of: "));
  EXPECT_THAT(problem("{kind: mean, of: t, period: 1 m}"), HasSubstr("period"));
  EXPECT_THAT(problem("{kind: mean, of: t, period: 0}"), HasSubstr("period is 0 s; must be positive"));
  EXPECT_THAT(problem("{kind: mean, of: t}"), HasSubstr("period is missing"));
  EXPECT_THAT(problem("{kind: mean, of: t, period: 1, over: 3}"), HasSubstr("unknown key 'over'"));
  EXPECT_THAT(problem("5"), HasSubstr("expected a map"));
}

TEST(Measures, MayBeRepeatedAndMirrored) {
  const Model model = read(R"(haltere: 1
bodies: {right1: {mass: 1, inertia: [1, 1, 1], mirror: {plane: y, from: right, to: left}}, right2: {mass: 1, inertia: [1, 1, 1], mirror: {plane: y, from: right, to: left}}}
joints:
  right1: {kind: revolute, child: right1, axis: x, mirror: {plane: y, from: right, to: left}}
  right2: {kind: revolute, child: right2, axis: x, mirror: {plane: y, from: right, to: left}}
measures:
  "right{i}_angle": {kind: mean, of: "i*joint.right{i}.angle", period: 1 s, repeat: {i: 1..2}, mirror: {plane: y, from: right, to: left}}
)");
  ASSERT_EQ(model.measures.size(), 4);
  EXPECT_EQ(model.measures[0].channels, std::vector<std::string>{"joint.right1.angle"});
  EXPECT_EQ(model.measures[3].name, "left2_angle");
  EXPECT_EQ(model.measures[3].channels, std::vector<std::string>{"joint.left2.angle"});
}

TEST(Trim, IsRead) {
  const Model model = read(
      kMachine + "trim: {period: 2*pi/w, parameters: [B], mean: {joint.slide.velocity: 1 m/s}, mirror: y}\n");
  ASSERT_TRUE(model.trim.has_value());
  EXPECT_EQ(model.trim->parameters, std::vector<int>{*model.find_parameter("B")});
  EXPECT_EQ(model.trim->mirror, 1);
  ASSERT_EQ(model.trim->targets.size(), 1);
  EXPECT_EQ(model.trim->targets[0].mean.name, "joint.slide.velocity");
}

TEST(Trim, SaysWhatIsWrongAndWhere) {
  const auto problem = [](const std::string& text) { return problem_of(kMachine + "trim: " + text + "\n"); };
  EXPECT_THAT(problem("{parameters: [C]}"), HasSubstr("m.yaml:9:21: trim: unknown parameter 'C'"));
  EXPECT_THAT(problem("{mirror: w}"), HasSubstr("x, y or z"));
  EXPECT_THAT(problem("{mean: {joint.slid.velocity: 0}}"), HasSubstr("did you mean 'joint.slide.velocity'?"));
  EXPECT_THAT(problem("{mean: {joint.slide.velocity: 1 m}}"), HasSubstr("joint.slide.velocity"));
  EXPECT_THAT(problem("{periods: 1}"), HasSubstr("unknown key 'periods'"));
}

TEST(Measures, EndTheRunWhereTheyAreNotFinite) {
  for (const std::string kind : {"mean", "peak"}) {
    const RunSummary summary =
        run_machine("measures: {bad: {kind: " + kind + ", of: sqrt(joint.axle.angle), period: 2*pi/w}}\n");
    EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFailed);
    EXPECT_THAT(summary.message, HasSubstr("measure 'bad' is not finite"));
  }
}

TEST(Measures, OfAPeriodThatIsFarTooShortAreRefused) {
  try {
    run_machine("measures: {bad: {kind: mean, of: joint.axle.angle, period: 1e-9 s}}\n");
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is its unit right?"));
  }
}

}  // namespace
}  // namespace haltere
