// Events that clear the air of a machine with lattices, or keep it.
#include <algorithm>
#include <span>
#include <string>
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
using ::testing::IsEmpty;

/// A wing that heaves in a gusty wind, told for a clock that begins at t0. Times are sums of powers of two, so that shifts
/// of the clock do not round.
std::string make_text(double t0, double until, const std::string& more = "",
                      const std::string& step = "0.015625 s") {
  return fmt::format(R"--(haltere: 1
parameters: {{t0: {0} s, dt: {3}}}
air: {{density: 2 kg/m3, wind: ["5 m/s + 1 m/s*sin(7 rad/s*(t + t0))", 0, 0], step: dt, core: 1 cm}}
bodies: {{wing: {{mass: 1 kg, inertia: [1, 1, 1]}}}}
joints: {{hold: {{kind: prismatic, axis: z, child: wing, prescribed: "0.1 m*sin(10 rad/s*(t + t0))"}}}}
surfaces:
  wing: {{kind: vortex-lattice, body: wing, span_axis: y, chord_axis: x, upper: z, span: 2 m, chord: 0.5 m,
    chord_panels: 2, span_panels: 3, twist: 3 deg,
    flaps: {{f: {{hinge: 0.5, deflection: 0.01 s/m*body.wing.velocity.z}}}}}}
simulation: {{until: {1} s, every: 0.0078125 s, integrator: rk4, step: 0.0078125 s}}
{2})--",
                     t0, until, more, step);
}

struct Flight {
  MemorySink sink;
  RunSummary summary;

  explicit Flight(const std::string& text) {
    const Model model = read_model_text(text, "wing.yaml");
    summary = run(model, make_run_options(model, {}), {&sink});
    EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  }
  /// Loads behind a time.
  std::vector<double> loads_after(double t) const {
    std::vector<double> loads;
    const std::vector<double> times = sink.column("t");
    for (const char* name : {"force.x", "force.z", "load.bernoulli.force.z", "moment.y", "power"}) {
      const std::vector<double> column = sink.column(fmt::format("surface.wing.{}", name));
      for (std::size_t k = 0; k < times.size(); ++k)
        if (times[k] > t) loads.push_back(column[k]);
    }
    return loads;
  }
};

// analytic: equality. 0.25 s is the end of a step of the wake, 33/128 s the middle of one
TEST(ClearedAir, TheRunGoesOnAsOneThatBeginsThere) {
  for (const double t : {0.25, 0.2578125}) {
    const Flight cleared(
        make_text(0, t + 0.125, fmt::format("events: {{anew: {{at: {} s, air: clear}}}}\n", t)));
    const Flight fresh(make_text(t, 0.125)), kept(make_text(0, t + 0.125));
    EXPECT_EQ(cleared.loads_after(t), fresh.loads_after(0)) << t;
    EXPECT_NE(cleared.loads_after(t), kept.loads_after(t)) << t;
    ASSERT_EQ(cleared.summary.events.size(), 1U);
    EXPECT_EQ(cleared.summary.events[0].what, "the air is cleared");
  }
}

// analytic: equality. Parameters change before the air does: its first step is a new one
TEST(ClearedAir, TakesTheParametersOfItsEvent) {
  const Flight cleared(
      make_text(0, 0.375, "events: {anew: {at: 0.25 s, set: {dt: 0.03125 s}, air: clear}}\n"));
  const Flight fresh(make_text(0.25, 0.125, "", "0.03125 s"));
  EXPECT_EQ(cleared.loads_after(0.25), fresh.loads_after(0));
  EXPECT_EQ(cleared.summary.events.at(0).what, "dt = 0.03125 s, the air is cleared");
}

TEST(ClearedAir, WhatIsKeptIsAsWithoutTheEvent) {
  const Flight without(make_text(0, 0.375)),
      kept(make_text(0, 0.375, "events: {e: {at: 0.25 s, air: keep}}\n"));
  EXPECT_EQ(kept.loads_after(0), without.loads_after(0));
}

// analytic: equality
TEST(ClearedAir, ARunThatIsContinuedAfterwardsHasTheSameBits) {
  const Model model =
      read_model_text(make_text(0, 0.375, "events: {anew: {at: 0.25 s, air: clear}}\n"), "wing.yaml");
  RunOptions options = make_run_options(model, {});
  options.flush_every = 0;
  std::vector<Checkpoint> checkpoints;
  options.save = [&](const Checkpoint& c) { checkpoints.push_back(c); };
  FullRecord whole;
  ASSERT_EQ(run(model, options, {&whole}).outcome, RunSummary::Outcome::kFinished);
  options.save = nullptr;
  for (const double t : {0.1, 0.3}) {
    const auto found =
        std::find_if(checkpoints.begin(), checkpoints.end(), [&](const Checkpoint& c) { return c.t > t; });
    ASSERT_NE(found, checkpoints.end());
    const PastRun past = whole.past_at(*found);
    options.past = &past;
    FullRecord continued;
    ASSERT_EQ(run(model, options, {&continued}).outcome, RunSummary::Outcome::kFinished);
    EXPECT_EQ(continued.values, whole.values) << t;
  }
}

TEST(ClearedAir, WordsThatMeanNothingAreErrorsWithTheirPlace) {
  const auto refusal = [](const std::string& text) {
    return message_of([&] { read_model_text(text, "wing.yaml"); });
  };
  EXPECT_THAT(
      refusal(make_text(0, 1, "events:\n  e:\n    at: 1 s\n    air: cleared\n")),
      AllOf(HasSubstr("wing.yaml:14:10: event 'e'"), HasSubstr("air is 'cleared'; must be keep or clear")));
  EXPECT_THAT(refusal(make_text(0, 1, "events: {e: {at: 1 s, air: keep}}\n")), IsEmpty());
  for (const char* word : {"keep", "clear"})
    EXPECT_THAT(
        refusal(fmt::format("haltere: 1\nbodies: {{b: {{mass: 1 kg}}}}\njoints: {{j: {{kind: prismatic, "
                            "child: b, axis: x}}}}\nevents:\n  e: {{at: 1 s, air: {}}}\n",
                            word)),
        AllOf(HasSubstr("wing.yaml:5:"), HasSubstr("event 'e'"), HasSubstr("nothing sheds a wake")));
}

}  // namespace
}  // namespace haltere
