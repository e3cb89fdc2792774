// Flaps of a `vortex-lattice` whose deflections read probes and signals.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "full_record.h"
#include "message_of.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A wing that a formula turns, beside a slider on a spring (10 rad/s) and a stone that an event lets go; all that moves
/// freely stands before the wing, so that its joint has another number where the stone has broken off.
std::string make_text(const std::string& deflection, const std::string& more = "", int steps = 1) {
  return fmt::format(
      R"(haltere: 1
gravity: [0, 0, -9.81]
air: {{density: 2 kg/m3, wind: [5 m/s, 0, 0], step: {0} s}}
bodies:
  stone: {{mass: 1 kg, inertia: [1, 1, 1]}}
  slider: {{mass: 1 kg, inertia: [1, 1, 1]}}
  wing: {{mass: 1 kg, inertia: [1, 1, 1], center_of_mass: [0.1 m, 0, 0.2 m], euler: zyx}}
joints:
  knot: {{kind: spherical, child: stone, parent_frame: [0, 0, 9 m]}}
  rail: {{kind: prismatic, child: slider, axis: x}}
  hold: {{kind: revolute, axis: y, child: wing, prescribed: 0.2*sin(20 rad/s*t)}}
forces:
  spring: {{kind: linear-spring, joint: rail, stiffness: 100 N/m}}
surfaces:
  wing: {{kind: vortex-lattice, body: wing, span_axis: y, chord_axis: x, upper: z, span: 2 m, chord: 1 m,
    chord_panels: 2, span_panels: 2, core: 0, wake: prescribed,
    flaps: {{f: {{hinge: 0.5, deflection: "{1}"}}}}}}
signals:
  half: joint.hold.angle/2
  quarter: signal_of/2
  signal_of: half
initial: {{rail: 0.1 m}}
simulation: {{until: 100 ms, every: 10 ms, integrator: rk4, step: 1 ms}}
{2})",
      0.01 / steps, deflection, more);
}

/// Forces and moment of the wing every 10 ms, without the rows of events between.
std::vector<std::vector<double>> fly(const std::string& text) {
  const Model model = read_model_text(text, "flap.yaml");
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  std::vector<std::vector<double>> columns;
  for (const char* name : {"load.q.force.x", "load.q.force.z", "load.bernoulli.force.z", "moment.y"})
    columns.push_back(sink.column(fmt::format("surface.wing.{}", name)));
  const std::vector<double> times = sink.column("t");
  for (std::size_t k = times.size(); k-- > 0;)
    if (std::abs(std::remainder(times[k], 0.01)) > 1e-9)
      for (std::vector<double>& column : columns) column.erase(column.begin() + static_cast<long>(k));
  return columns;
}

/// The largest difference, as a part of the largest number in each column.
double compare_flights(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                       std::size_t first = 0) {
  double largest = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    double size = 0, difference = 0;
    for (std::size_t k = first; k < a[c].size(); ++k) {
      size = std::max(size, std::abs(b[c][k]));
      difference = std::max(difference, std::abs(a[c][k] - b[c][k]));
    }
    EXPECT_GT(size, 1e-2);
    largest = std::max(largest, difference / size);
  }
  return largest;
}

// analytic: the formula of time is what the probe is. Rates of positions come from velocities, those of prescribed
// velocities from their formulas: what is left is rounding
TEST(FlapSignals, WhatIsReadIsTheSameAsItsFormulaOfTime) {
  const std::string angle = "0.2*sin(20 rad/s*t)";
  for (const auto& [reads, of_time] : std::vector<std::pair<std::string, std::string>>{
           {"joint.hold.angle/2", angle + "/2"},
           {"2*quarter", angle + "/2"},
           {"half + t*(3 rad/s)*half", angle + "/2*(1 + 3*t/(1 s))"},
           {"0.02 s*joint.hold.rate", "0.08*cos(20 rad/s*t)"},
           {"asin(2*body.wing.orientation.y)", "asin(2*sin(" + angle + "/2))"},
           {"body.wing.euler.1/2", angle + "/2"},
           {"1 rad/m*body.wing.com.x", "0.1*cos(" + angle + ") + 0.2*sin(" + angle + ")"},
           {"floor(10*half)/50", "floor(5*" + angle + ")/50"}})
    EXPECT_LE(compare_flights(fly(make_text(reads)), fly(make_text(of_time))), 1e-12) << reads;
}

// analytic: x = 0.1 m cos(10 rad/s t), to the accuracy of rk4 with a hundredth of a radian a step
TEST(FlapSignals, AFreeBodyMovesTheFlap) {
  const auto expected = fly(make_text("cos(10 rad/s*t)/10"));
  EXPECT_LE(compare_flights(fly(make_text("1 rad/m*joint.rail.position")), expected), 1e-8);
  EXPECT_LE(compare_flights(fly(make_text("1 rad/m*(3*system.com.x - body.wing.com.x)")), expected), 1e-8);
  EXPECT_GT(compare_flights(fly(make_text("0")), expected), 0.1);
}

// The rate of a velocity that no formula prescribes is its mean since the step began: half a step late. Against the
// formula of time the difference halves with the step, once the start is some chords behind (analytic: order one)
TEST(FlapSignals, TheRateOfAVelocityIsItsMeanOverTheStep) {
  const auto difference = [](int steps) {
    return compare_flights(fly(make_text("0.02 s*body.wing.angular_velocity.y", "", steps)),
                           fly(make_text("0.08*cos(20 rad/s*t)", "", steps)), 5);
  };
  const double coarse = difference(4), fine = difference(8);
  EXPECT_LE(coarse, 0.2);
  EXPECT_GT(coarse, 1e-4);
  EXPECT_NEAR(fine / coarse, 0.5, 0.15);
}

// Joints of a machine of which something has come off have other numbers: the flap reads the right one, also where
// frames are drawn.                                                                       (analytic: equality)
TEST(FlapSignals, WhatBreaksOffElsewhereDoesNotMatter) {
  const std::string events = "events: {falls: {at: 35 ms, break: knot}}\n";
  const auto fly_drawn = [&](const std::string& deflection, const std::string& more) {
    std::string text = make_text(deflection, more);
    text.replace(text.find("step: 1 ms}"), 11, "step: 1 ms, frames: 10 ms}");
    return fly(text);
  };
  const auto expected = fly(make_text("0.1*sin(20 rad/s*t)"));
  EXPECT_LE(compare_flights(fly_drawn("joint.hold.angle/2", events), expected), 1e-12);
  EXPECT_EQ(fly_drawn("0.02 s*body.wing.angular_velocity.y", events),
            fly(make_text("0.02 s*body.wing.angular_velocity.y")));
}

// What a flap reads costs nothing: the work of the air is that on the bodies. What is left is the method's, of fourth
// order in its step.
TEST(FlapSignals, TheWorkIsAccountedFor) {
  const auto largest_error = [](const std::string& step) {
    std::string text = make_text("half + 0.02 s*joint.rail.velocity*(1 rad/m)");
    text.replace(text.find("step: 1 ms}"), 11, "step: " + step + "}");
    const Model model = read_model_text(text, "flap.yaml");
    MemorySink sink;
    const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
    EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
    EXPECT_GT(std::abs(sink.column("surface.wing.power").back()), 1);
    double largest = 0;
    for (const double error : sink.column("energy.balance")) largest = std::max(largest, std::abs(error));
    return largest;
  };
  const double coarse = largest_error("10 ms"), fine = largest_error("2 ms");
  EXPECT_LE(coarse, 1e-3);
  EXPECT_LE(fine, coarse / 300);
}

// analytic: equality. The rates of velocities are part of what the air remembers
TEST(FlapSignals, ARunThatIsContinuedHasTheSameBits) {
  for (const char* deflection :
       {"half", "0.02 s*body.wing.angular_velocity.y + 0.1 s/m*joint.rail.velocity"}) {
    const Model model = read_model_text(make_text(deflection), "flap.yaml");
    RunOptions options = make_run_options(model, {});
    options.flush_every = 0;
    std::vector<Checkpoint> checkpoints;
    options.save = [&](const Checkpoint& c) { checkpoints.push_back(c); };
    FullRecord whole;
    ASSERT_EQ(run(model, options, {&whole}).outcome, RunSummary::Outcome::kFinished);
    ASSERT_GE(checkpoints.size(), 20U);
    options.save = nullptr;
    for (const std::size_t part : {checkpoints.size() / 2, checkpoints.size() / 2 + 3}) {
      const PastRun past = whole.past_at(checkpoints[part]);
      options.past = &past;
      FullRecord continued;
      ASSERT_EQ(run(model, options, {&continued}).outcome, RunSummary::Outcome::kFinished);
      EXPECT_EQ(continued.values, whole.values) << deflection;
    }
  }
}

TEST(FlapSignals, NamesThatAreNotThereAreErrorsWithTheirPlace) {
  const auto refusal = [](const std::string& deflection) {
    return message_of([&] { read_model_text(make_text(deflection), "flap.yaml"); });
  };
  EXPECT_THAT(refusal("joint.hodl.angle"),
              AllOf(HasSubstr("flap.yaml:17:"), HasSubstr("surface 'wing': deflection"),
                    HasSubstr("did you mean 'joint.hold.angle'?")));
  EXPECT_THAT(refusal("hlaf"), AllOf(HasSubstr("flap.yaml:17:"), HasSubstr("did you mean 'half'?")));
  EXPECT_THAT(refusal("joint.hold.acceleration*(1 s^2)"), HasSubstr("flap.yaml:17:"));
  EXPECT_THAT(refusal("joint.rail.position"), AllOf(HasSubstr("flap.yaml:17:"), HasSubstr("m")));
}

}  // namespace
}  // namespace haltere
