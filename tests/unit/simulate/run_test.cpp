#include "haltere/simulate/run.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/simulate/oscillator.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_event;
using testing::make_oscillator;
using testing::Oscillator;
using testing::parse_formula;
using Outcome = RunSummary::Outcome;

constexpr double kPi = std::numbers::pi;
// solver: the tolerance set in the runs is 1e-11; errors of dop853 over a few periods stay within ten times
// that
constexpr double kSolver = 1e-10;

RunOptions make_options(double until, double every) {
  RunOptions options;
  options.until = until;
  options.every = every;
  options.tolerance = 1e-11;
  return options;
}

/// Runs the oscillator with these events.
MemorySink run_oscillator(const RunOptions& options, const std::vector<EventSpec>& events = {},
                          const std::function<void(Oscillator*)>& spoil = {}) {
  Model model = make_oscillator();
  model.events = events;
  Oscillator equations(model);
  if (spoil) spoil(&equations);
  MemorySink sink;
  run(equations, options, {&sink});
  return sink;
}

EventSpec make_stop(const std::string& formula) {
  EventSpec event = make_event("stop");
  event.when = parse_formula(formula, make_oscillator());
  event.stop = true;
  return event;
}

EventSpec make_change(const std::string& name, const std::string& at, const std::string& k) {
  EventSpec event = make_event(name);
  event.at = parse_formula(at, make_oscillator());
  event.set = {{0, parse_formula(k, make_oscillator())}};
  return event;
}

TEST(Run, WritesRowsAtTheStartAtEveryMultipleAndAtTheEnd) {
  const MemorySink sink = run_oscillator(make_options(0.25, 0.1));
  EXPECT_THAT(sink.column("t"), ElementsAre(0, 0.1, 2 * 0.1, 0.25));
  EXPECT_EQ(sink.summary().outcome, Outcome::kFinished);
  EXPECT_EQ(sink.summary().rows, 4);
  EXPECT_EQ(sink.summary().t, 0.25);
}

TEST(Run, TimesOfRowsAreMultiplesWithoutDrift) {
  const MemorySink sink = run_oscillator(make_options(100, 0.1));
  ASSERT_EQ(sink.rows(), 1001);
  for (long k = 0; k < 1000; ++k) ASSERT_EQ(sink.value(k, "t"), static_cast<double>(k) * 0.1);
  EXPECT_EQ(sink.value(1000, "t"), 100.0);
}

TEST(Run, AMultipleRoundedBeyondTheEndIsTheEnd) {
  // 3 * 0.1 is one bit more than 0.3
  EXPECT_THAT(run_oscillator(make_options(0.3, 0.1)).column("t"), ElementsAre(0, 0.1, 0.2, 0.3));
}

TEST(Run, AnIntervalLongerThanTheRunGivesStartAndEnd) {
  EXPECT_THAT(run_oscillator(make_options(1, 5)).column("t"), ElementsAre(0, 1));
}

TEST(Run, UntilZeroGivesTheStartAlone) {
  const MemorySink sink = run_oscillator(make_options(0, 0));
  EXPECT_THAT(sink.column("t"), ElementsAre(0));
  EXPECT_EQ(sink.summary().outcome, Outcome::kFinished);
}

TEST(Run, RowsFollowTheMotionForEveryIntegrator) {
  for (const IntegratorInfo& info : integrators()) {
    RunOptions options = make_options(6, 0.01);
    options.integrator = info.name;
    const MemorySink sink = run_oscillator(options);
    ASSERT_EQ(sink.rows(), 601) << info.name;
    // analytic: x = cos t. discretisation: rk4 with h = 0.01 has h^4 t / 120 = 5e-10; the others are set to
    // 1e-11 a step and accumulate over some hundred steps; second order: h^2 t / 12 = 5e-5 at most
    const double allowed = info.order < 4 ? 6e-5 : 1e-8;
    for (long i = 0; i < sink.rows(); ++i)
      ASSERT_NEAR(sink.value(i, "joint.slide.position"), std::cos(sink.value(i, "t")), allowed) << info.name;
  }
}

TEST(Run, AnEventHitsItsTimeAndGivesOneRowAfterIt) {
  const MemorySink sink = run_oscillator(make_options(1, 0.5), {make_change("stiffen", "0.3", "4")});
  EXPECT_THAT(sink.column("t"), ElementsAre(0, 0.3, 0.5, 1));
  EXPECT_THAT(sink.column("event.stiffen"), ElementsAre(0, 1, 1, 1));
  ASSERT_EQ(sink.events().size(), 1U);
  EXPECT_EQ(sink.events()[0].t, 0.3);
  EXPECT_EQ(sink.events()[0].what, "k = 4 N/m");
  // analytic: 1/2 (4 - 1) x^2 at x = cos 0.3
  EXPECT_NEAR(sink.events()[0].energy_change, 1.5 * std::pow(std::cos(0.3), 2), kSolver);
  EXPECT_NEAR(sink.value(1, "joint.slide.acceleration"), -4 * std::cos(0.3), kSolver);
  // analytic: from there on a frequency of 2 rad/s
  const double x = std::cos(0.3) * std::cos(0.4) - std::sin(0.3) / 2 * std::sin(0.4);
  EXPECT_NEAR(sink.value(2, "joint.slide.position"), x, kSolver);
}

TEST(Run, TheEnergyThatAnEventBringsIsPartOfTheBalance) {
  const MemorySink sink = run_oscillator(make_options(5, 0.1), {make_change("stiffen", "0.3", "4")});
  for (long i = 0; i < sink.rows(); ++i) ASSERT_NEAR(sink.value(i, "energy.balance"), 0, kSolver);
  EXPECT_NEAR(sink.value(sink.rows() - 1, "energy.work"), sink.events()[0].energy_change, kSolver);
  EXPECT_LT(sink.summary().audit.relative_balance(), kSolver);
}

TEST(Run, AnEventAtAMultipleGivesOneRow) {
  // 3 * 0.1 and 0.3 differ by one bit: still one row
  const MemorySink sink = run_oscillator(make_options(0.5, 0.1), {make_change("stiffen", "0.3", "4")});
  ASSERT_EQ(sink.rows(), 6);
  EXPECT_DOUBLE_EQ(sink.value(3, "t"), 0.3);
  EXPECT_EQ(sink.value(3, "event.stiffen"), 1);
}

TEST(Run, EventsAtTheStartAndAtTheEndGiveNoSecondRow) {
  const MemorySink sink =
      run_oscillator(make_options(1, 0.5), {make_change("first", "0", "4"), make_change("last", "1", "9")});
  EXPECT_THAT(sink.column("t"), ElementsAre(0, 0.5, 1));
  EXPECT_THAT(sink.column("event.first"), ElementsAre(1, 1, 1));
  EXPECT_THAT(sink.column("event.last"), ElementsAre(0, 0, 1));
  EXPECT_NEAR(sink.value(1, "joint.slide.position"), std::cos(1.0),
              kSolver);  // analytic: 2 rad/s from the start
  EXPECT_EQ(sink.summary().outcome, Outcome::kFinished);
}

TEST(Run, AnEventAfterTheEndNeverHappens) {
  EXPECT_TRUE(run_oscillator(make_options(1, 0.5), {make_change("late", "1.5", "4")}).events().empty());
}

TEST(Run, EventsAtOneTimeHappenInFileOrder) {
  const MemorySink sink =
      run_oscillator(make_options(1, 1), {make_change("a", "0.5", "k + 1"), make_change("b", "0.5", "10*k")});
  EXPECT_THAT(sink.column("t"), ElementsAre(0, 0.5, 1));
  ASSERT_EQ(sink.events().size(), 2U);
  EXPECT_EQ(sink.events()[0].what, "k = 2 N/m");
  EXPECT_EQ(sink.events()[1].what, "k = 20 N/m");
}

TEST(Run, ParametersGivenByFormulasFollowAnEvent) {
  // the stiffness is 2 a; an event sets a, a later one the stiffness itself, from where on it follows no more
  Model model = make_oscillator();
  model.parameters.insert(model.parameters.begin(), ParameterSpec());
  model.parameters[0].name = "a";
  model.parameters[1].formula = parse_formula("2*a", model);
  const auto make_set = [&](const char* name, double at, int slot, double value) {
    EventSpec event = make_event(name);
    event.at = Expression(at);
    event.set = {{slot, Expression(value)}};
    return event;
  };
  model.events = {make_set("a", 0.2, 0, 3), make_set("k", 0.4, 1, 7), make_set("again", 0.6, 0, 5)};
  Oscillator equations(model);
  std::vector<double> seen;
  class Watch : public MemorySink {
   public:
    Watch(const Oscillator& equations, std::vector<double>* seen) : equations_(equations), seen_(seen) {}
    void event(const RunEvent&) override { seen_->push_back(equations_.parameters()[1]); }

   private:
    const Oscillator& equations_;
    std::vector<double>* seen_;
  } watch(equations, &seen);
  run(equations, make_options(1, 1), {&watch});
  EXPECT_THAT(seen, ElementsAre(6, 7, 7));
}

TEST(Run, AFormulaStopsTheRunWhereItPassesZero) {
  const MemorySink sink = run_oscillator(make_options(10, 1), {make_stop("x")});
  EXPECT_EQ(sink.summary().outcome, Outcome::kStopped);
  EXPECT_EQ(sink.events()[0].what, "stop");
  EXPECT_TRUE(sink.events()[0].stop);
  EXPECT_NEAR(sink.summary().t, kPi / 2, kSolver);  // analytic: cos t = 0
  ASSERT_EQ(sink.rows(), 3);
  EXPECT_EQ(sink.value(2, "t"), sink.summary().t);
  EXPECT_NEAR(sink.value(2, "joint.slide.position"), 0, 1e-15);  // machine: one bit of t at a speed of 1 m/s
}

TEST(Run, DirectionChoosesThePassage) {
  EventSpec rising = make_stop("x");
  rising.direction = EventSpec::Direction::kRising;
  EXPECT_NEAR(run_oscillator(make_options(10, 1), {rising}).summary().t, 3 * kPi / 2, kSolver);
  EventSpec falling = make_stop("-x");
  falling.direction = EventSpec::Direction::kFalling;
  EXPECT_NEAR(run_oscillator(make_options(10, 1), {falling}).summary().t, 3 * kPi / 2, kSolver);
}

TEST(Run, AFormulaThatIsZeroAtTheStartMustLeaveZeroFirst) {
  // v = -sin t is zero at the start; the next time at pi
  EXPECT_NEAR(run_oscillator(make_options(10, 1), {make_stop("v")}).summary().t, kPi, kSolver);
}

TEST(Run, TwoPassagesInsideOneStepAreSeen) {
  // x exceeds 1 - 1e-6 for 2.8 ms about t = 2 pi, where a step of dop853 takes some 500 ms
  const MemorySink sink = run_oscillator(make_options(10, 1), {make_stop("x - (1 - 1e-6)")});
  // it starts above and falls below first: analytic cos t = 1 - 1e-6
  EXPECT_NEAR(sink.summary().t, std::acos(1 - 1e-6), 1e-8);  // conditioning: dt = dx / sin t, sin t = 1.4e-3
  EventSpec rising = make_stop("x - (1 - 1e-6)");
  rising.direction = EventSpec::Direction::kRising;
  EXPECT_NEAR(run_oscillator(make_options(10, 1), {rising}).summary().t, 2 * kPi - std::acos(1 - 1e-6), 1e-7);
}

TEST(Run, AFormulaThatJumpsIsLocatedToo) {
  EXPECT_NEAR(run_oscillator(make_options(10, 1), {make_stop("step(t - 0.7) - 0.5")}).summary().t, 0.7,
              1e-15);
}

TEST(Run, AFormulaMayHappenManyTimes) {
  EventSpec turn = make_event("turn");
  turn.when = parse_formula("v", make_oscillator());
  const MemorySink sink = run_oscillator(make_options(10, 5), {turn});
  // analytic: v passes zero at pi, 2 pi, 3 pi
  ASSERT_EQ(sink.events().size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(sink.events()[i].t, (i + 1) * kPi, kSolver);
  EXPECT_THAT(sink.column("event.turn"), ElementsAre(0, 1, 1, 2, 3, 3));
}

TEST(Run, ASpringThatChangesAtEachPassageKeepsItsPhase) {
  // bilinear spring: k = 1 for x < 0 and 4 for x > 0; analytic period pi/2 + pi
  EventSpec soft = make_event("soft"), stiff = make_event("stiff");
  soft.when = stiff.when = parse_formula("x", make_oscillator());
  soft.direction = EventSpec::Direction::kFalling;
  stiff.direction = EventSpec::Direction::kRising;
  soft.set = {{0, Expression(1.0)}};
  stiff.set = {{0, Expression(4.0)}};
  const MemorySink sink = run_oscillator(make_options(20, 20), {make_change("begin", "0", "4"), soft, stiff});
  ASSERT_GT(sink.events().size(), 7U);
  for (std::size_t i = 3; i < sink.events().size(); ++i)
    EXPECT_NEAR(sink.events()[i].t - sink.events()[i - 2].t, 1.5 * kPi, kSolver);
}

TEST(Run, AFailureKeepsTheRowsAndSaysWhenAndWhere) {
  const MemorySink sink =
      run_oscillator(make_options(1, 0.1), {}, [](Oscillator* equations) { equations->fails_after = 0.55; });
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
  // 0, 0.1 ... 0.5, and the last step that went well
  ASSERT_EQ(sink.rows(), 7);
  EXPECT_GT(sink.value(6, "t"), 0.5);
  EXPECT_LE(sink.value(6, "t"), 0.55);
  EXPECT_EQ(sink.summary().t, sink.value(6, "t"));
  EXPECT_THAT(sink.summary().message, HasSubstr("t = 0.5"));
  EXPECT_THAT(sink.summary().message, HasSubstr("joint 'slide' has lost its mass"));
  EXPECT_THAT(sink.summary().message, HasSubstr("try:"));
}

TEST(Run, ARowThatIsNotFiniteIsAFailureAndIsNotWritten) {
  const MemorySink sink = run_oscillator(make_options(1, 0.1), {},
                                         [](Oscillator* equations) { equations->infinite_after = 0.55; });
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
  EXPECT_EQ(sink.rows(), 6);
  EXPECT_THAT(sink.summary().message, HasSubstr("joint.slide.reaction.torque.x"));
}

TEST(Run, AFormulaThatIsNotFiniteIsAFailure) {
  const MemorySink sink = run_oscillator(make_options(1, 0.1), {make_stop("log(0.5 - t)")});
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
  EXPECT_THAT(sink.summary().message, HasSubstr("event 'stop'"));
}

TEST(Run, AnInterruptedRunKeepsItsRows) {
  const std::atomic<bool> interrupt{true};
  RunOptions options = make_options(1, 0.1);
  options.interrupt = &interrupt;
  const MemorySink sink = run_oscillator(options);
  EXPECT_EQ(sink.summary().outcome, Outcome::kInterrupted);
  EXPECT_EQ(sink.rows(), 1);
}

TEST(Run, TheAuditSeesEnergyThatNobodyBrought) {
  const MemorySink sink =
      run_oscillator(make_options(1, 0.1), {}, [](Oscillator* equations) { equations->leak = 0.25; });
  // analytic: work of 0.25 W over 1 s that the motion never got
  EXPECT_NEAR(sink.summary().audit.energy_balance, 0.25, kSolver);
  EXPECT_FALSE(sink.summary().audit.momentum_applies);
}

/// A sink on a full disk.
class FullDisk : public MemorySink {
 public:
  void row(std::span<const double> values) override {
    if (rows() == 2) throw RunError("no space left");
    MemorySink::row(values);
  }
};

TEST(Run, ASinkThatCannotWriteEndsTheRun) {
  Oscillator equations(make_oscillator());
  FullDisk sink;
  const RunSummary summary = run(equations, make_options(1, 0.1), {&sink});
  EXPECT_EQ(summary.outcome, Outcome::kFailed);
  EXPECT_EQ(summary.message, "no space left");
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
}

/// Notices whether a run has begun.
class Witness : public MemorySink {
 public:
  bool begun = false;
  void begin(const std::vector<Channel>& channels, const RunInfo& info) override {
    begun = true;
    MemorySink::begin(channels, info);
  }
};

TEST(Run, WrongInputIsFoundBeforeAnySinkBegins) {
  Oscillator equations(make_oscillator());
  Witness sink;
  RunOptions options = make_options(1, 0.1);
  options.channels = {"joint.slid.position"};
  EXPECT_THROW(run(equations, options, {&sink}), InputError);
  Model model = make_oscillator();
  model.events = {make_change("early", "-1", "2")};
  Oscillator with_event(model);
  EXPECT_THROW(run(with_event, make_options(1, 0.1), {&sink}), InputError);
  EXPECT_FALSE(sink.begun);
}

TEST(Run, RecordsOnlyTheChannelsThatWereAskedFor) {
  RunOptions options = make_options(1, 0.5);
  options.channels = {"energy.t*"};
  EXPECT_THAT(run_oscillator(options).names(), ElementsAre("t", "energy.total"));
}

TEST(Run, TheSameRunGivesTheSameBits) {
  const MemorySink a =
      run_oscillator(make_options(20, 0.1), {make_stop("x - 2"), make_change("c", "3", "2")});
  const MemorySink b =
      run_oscillator(make_options(20, 0.1), {make_stop("x - 2"), make_change("c", "3", "2")});
  for (const std::string& name : a.names()) EXPECT_EQ(a.column(name), b.column(name)) << name;
}

}  // namespace
}  // namespace haltere
