// Absurd but finite wishes are refused with what they would cost, and what never ends is stopped with a
// reason.
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Limits : public ProgramTest {
 protected:
  static std::string slider(const std::string& more) {
    return R"(haltere: 1
parameters: {F: 1 N}
bodies: {b: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {j: {kind: prismatic, child: b, axis: x}}
forces: {push: {kind: applied-force, body: b, force: [F, 0, 0]}}
)" + more;
  }
};

TEST_F(Limits, TimesThatNoDoubleCanServeAreRefused) {
  const std::vector<std::vector<std::string>> commands{
      {"run", "pendulum", "--until", "5e-324"},
      {"run", "pendulum", "--until", "1e308"},
      {"run", "pendulum", "--step", "5e-324"},
      {"run", "pendulum", "--every", "5e-324"},
      {"run", "pendulum", "--until", "1e308*10"},
      {"run", "pendulum", "--checkpoint", "-1"},
      {"trim", "hawkmoth", "--period", "5e-324"},
      {"trim", "pendulum", "--period", "1e308"},
      {"compare", "pendulum", "--until", "0"},
      {"compare", "pendulum", "--until", "5e-324"},
      {"compare", "pendulum", "--every", "5e-324"},
      {"compare", "pendulum", "--step", "5e-324"},
      {"trim", "pendulum", "--period", "1", "--step", "1e-300"}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome o = haltere(command);
    EXPECT_EQ(o.status, 2) << command[0] << ' ' << command[2] << ' ' << command[3] << '\n' << o.err;
    EXPECT_THAT(o.err, HasSubstr(command[command.size() - 2]));
    EXPECT_THAT(o.out, IsEmpty());
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Limits, TheShortestRunEnds) {
  EXPECT_EQ(haltere({"run", "pendulum", "--until", "1e-150"}).status, 0);
}

TEST_F(Limits, SizesAreToldBeforeAnythingIsWritten) {
  write("m.yaml", slider("simulation: {until: 1 s, every: 1e-9 s}\n"));
  const Outcome rows = haltere({"run", "m.yaml", "--channels", "t", "--channels", "joint.*.position"});
  EXPECT_EQ(rows.status, 2);
  // two channels of 8 bytes (analytic)
  EXPECT_THAT(rows.err,
              HasSubstr("m.yaml:6:33: simulation: every: asks for 1e+09 rows of 2 channels: 16 GB"));
  EXPECT_THAT(rows.err, HasSubstr("at least "));
  EXPECT_THAT(rows.err, HasSubstr("--yes"));
  const Outcome steps =
      haltere({"run", "m.yaml", "--every", "0.1", "--integrator", "rk4", "--step", "1e-12"});
  EXPECT_EQ(steps.status, 2);
  EXPECT_THAT(steps.err, HasSubstr("--step: asks for 1e+12 steps, at least "));
  const Outcome trim =
      haltere({"trim", "pendulum", "--period", "2", "--step", "1e-8", "--integrator", "rk4"});
  EXPECT_EQ(trim.status, 2);
  EXPECT_THAT(trim.err,
              HasSubstr("--step: 1e-08 s are 2e+08 steps a period: 1.6 GB of memory, and at least "));
  EXPECT_THAT(files(), testing::ElementsAre("m.yaml"));
}

TEST_F(Limits, ASweepOfTooManyPointsIsRefusedWithWhatItTakes) {
  const Outcome o =
      haltere({"modes", "pendulum", "--set", "initial.pivot=-90 deg", "--sweep", "g=1..2:100000"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("--sweep: 100000 points take about "));
  EXPECT_THAT(o.err, HasSubstr("--yes"));
}

TEST_F(Limits, EigenvaluesThatNoDoubleHoldsAreAFailureAndNoCrash) {
  const Outcome o = haltere({"modes", "pendulum", "--set", "g=1e300", "--set", "initial.pivot=-90 deg"});
  EXPECT_LE(o.status, 1) << o.err;
  EXPECT_EQ(haltere({"modes", "pendulum", "--sweep", "g=1..1e308"}).status, 1);
}

TEST_F(Limits, WhoInsistsIsServed) {
  const Outcome o =
      haltere_interrupted_at("results/pendulum/checkpoint",
                             {"run", "pendulum", "--every", "1e-9", "--channels", "t", "--yes"}, SIGINT);
  EXPECT_EQ(o.status, 128 + SIGINT);
}

TEST_F(Limits, ARunThatTakesAnAgeSaysSoAtOnce) {
  const Outcome o = haltere({"run", "pendulum", "--until", "1e12", "--every", "1e10"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("at the pace of the first 1000 steps the run takes "));
  EXPECT_THAT(o.err, HasSubstr("--yes to insist"));
  const Outcome trim = haltere({"trim", "pendulum", "--case", "damped", "--period", "1e12"});
  EXPECT_EQ(trim.status, 1);
  EXPECT_THAT(trim.err, HasSubstr("cannot be kept"));
}

// a force that turns round wherever the mass passes zero, and oil: swings become shorter, and ever more
// frequent
TEST_F(Limits, AnEventThatComesEverFasterIsStoppedByName) {
  write("m.yaml", R"(haltere: 1
parameters: {F: -1 N}
bodies: {b: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {j: {kind: prismatic, child: b, axis: x}}
forces:
  push: {kind: applied-force, body: b, force: [F, 0, 0]}
  oil: {kind: linear-spring, joint: j, damping: 1 N*s/m}
initial: {j: {velocity: 1 m/s}}
events: {switch: {when: joint.j.position, set: {F: -F}}}
simulation: {until: 1000 s}
)");
  const Outcome o = haltere({"run", "m.yaml", "-o", "r"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("event 'switch': t = "));
  EXPECT_THAT(o.err, HasSubstr("it has happened 2000 times, the last 1000 of them in "));
  EXPECT_THAT(o.err, HasSubstr("hysteresis"));
  EXPECT_THAT(o.err, HasSubstr("and 1979 more events"));  // 1999 were recorded, 20 are shown
}

TEST_F(Limits, EventsAtALivelyPaceAreServed) {
  // 2000 zeros in 10 s (analytic: pi k / w)
  write("m.yaml", slider("events: {beat: {when: \"sin(200*pi*t/(1 s))\"}}\nsimulation: {until: 10 s}\n"));
  const Outcome o = haltere({"run", "m.yaml", "-o", "r", "--step", "0.004", "--integrator", "rk4"});
  EXPECT_EQ(o.status, 0) << o.err;
}

TEST_F(Limits, AProgramWithoutModelsSaysWhereItLooked) {
  const std::string copy = path("bin/haltere").string();
  std::filesystem::create_directories(path("bin"));
  std::filesystem::copy_file(HALTERE_PROGRAM, copy);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"validate"}, {"list", "models"}, {"run", "pendulum"}, {"check", "pendulum"}}) {
    const Outcome o = other_program(copy, command);
    EXPECT_EQ(o.status, 2) << command[0] << o.err;
    EXPECT_THAT(o.err, HasSubstr("no shipped models are found; looked in " + path("models").string()))
        << command[0];
    EXPECT_THAT(o.err, HasSubstr(path("share/haltere/models").string())) << command[0];
  }
  write("models/lonely/model.yaml", slider(""));
  const Outcome o = other_program(copy, {"validate"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("no model there has an expected.yaml"));
}

TEST_F(Limits, LongSearchesShowTheirProgressOnATerminal) {
  write("m/model.yaml", slider("simulation: {until: 1 s}\n"));
  write("m/expected.yaml",
        "- {channel: joint.j.position, at: {t: 1}, value: 0.5, tolerance: {absolute: 1e-9, reason: solver}, "
        "source: {kind: analytic, place: x = t^2/2}}\n");
  EXPECT_THAT(haltere_on_terminal({"validate", "m"}).err, HasSubstr("model 1 of 1, m: run 1 of 1"));
  EXPECT_THAT(haltere_on_terminal(
                  {"compare", "m", "--integrator", "rk4", "--formulation", "recursive", "--step", "1e-6"})
                  .err,
              HasSubstr("run 1 of 1"));
  EXPECT_THAT(haltere_on_terminal({"trim", "pendulum", "--case", "small", "--period", "2.0061"}).err,
              HasSubstr("iteration 1: derivative 1 of 2"));
}

TEST_F(Limits, CtrlCKeepsWhatIsThereInEveryVerb) {
  write("m/model.yaml", slider("simulation: {until: 1 s}\n"));
  const auto line = [](const std::string& t, const std::string& value) {
    return "- {channel: joint.j.position, at: {t: " + t + "}, value: " + value +
           ", tolerance: {relative: 1e-9, reason: solver}, source: {kind: analytic, place: x = t^2/2}}\n";
  };
  // the second would take hours with the method's own small steps
  write("m/expected.yaml", line("1", "0.5") + line("1e6", "5e11"));
  write("m/model.yaml", slider("simulation: {until: 1 s, integrator: rk4, step: 1e-3 s}\n"));
  const Outcome validate = haltere_interrupted({"validate", "m"}, SIGINT, 1);
  EXPECT_EQ(validate.status, 128 + SIGINT);
  EXPECT_THAT(validate.out, HasSubstr("agrees"));
  EXPECT_THAT(validate.out, HasSubstr("interrupted"));
  const Outcome trim = haltere_interrupted(
      {"trim", "pendulum", "--case", "small", "--period", "1e5", "--json", "t.json"}, SIGINT, 1);
  EXPECT_EQ(trim.status, 128 + SIGINT);
  EXPECT_THAT(read("t.json"), HasSubstr("\"interrupted\": true"));
  const Outcome compare = haltere_interrupted(
      {"compare", "m", "--until", "1e6", "--every", "1e6", "--step", "1e-3", "--integrator", "rk4"}, SIGTERM,
      1);
  EXPECT_EQ(compare.status, 128 + SIGTERM);
}

TEST_F(Limits, ErrorsOfASweepAreLabelledSo) {
  const Outcome o = haltere({"modes", "pendulum", "--sweep", "m=one..2"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("--sweep"));
  EXPECT_THAT(o.err, testing::Not(HasSubstr("--set")));
}

}  // namespace
}  // namespace haltere
