#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// A mass on a spring: q = q0 cos(sqrt(k/m) t), k/m = 4 / s2.
constexpr const char* kOscillator = R"(
haltere: 1
name: oscillator
parameters: {k: 4 N/m}
gravity: [0, 0, 0]
bodies:
  mass: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  slide: {kind: prismatic, child: mass, axis: [1, 0, 0]}
forces:
  spring: {kind: linear-spring, joint: slide, stiffness: k}
initial:
  slide: {position: 0.5 m}
events:
  fell: {when: joint.slide.position, direction: falling, stop: true}
simulation: {until: 0.5 s, every: 0.1 s}
cases:
  stiff: {parameters: {k: 16 N/m}}
)";

class Run : public ProgramTest {
 protected:
  Run() { write("oscillator.yaml", kOscillator); }
};

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  for (const char* p = line.c_str(); *p != '\0';) {
    char* end = nullptr;
    numbers.push_back(std::strtod(p, &end));
    p = *end == ',' ? end + 1 : end;
  }
  return numbers;
}

TEST_F(Run, LeavesTheResultInTheDefaultFolderAndNothingOnStdout) {
  const Outcome o = haltere({"run", "oscillator.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(files(), ElementsAre("oscillator.yaml", "results/oscillator/result.h5"));
  EXPECT_THAT(o.err, HasSubstr("results/oscillator"));
}

TEST_F(Run, NamesTheFolderAfterModelAndCase) {
  ASSERT_EQ(haltere({"run", "oscillator.yaml", "--case", "stiff"}).status, 0);
  EXPECT_TRUE(exists("results/oscillator-stiff/result.h5"));
}

TEST_F(Run, WritesCsvToStdoutAndNothingElseThere) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--csv", "-", "--channels", "joint.slide.position"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::vector<std::string> lines = lines_of(o.out);
  ASSERT_THAT(lines, SizeIs(7));  // the head, and rows at 0, 0.1, ... 0.5
  EXPECT_EQ(lines[0], "t,joint.slide.position");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<double> row = numbers_of(lines[i]);
    ASSERT_THAT(row, SizeIs(2));
    EXPECT_NEAR(row[0], 0.1 * static_cast<double>(i - 1),
                1e-15);  // machine: one rounding of a number below 1
    // analytic: 0.5 cos(2 t); tolerance: solver, the default 1e-9 per step with room for a few steps
    EXPECT_NEAR(row[1], 0.5 * std::cos(2 * row[0]), 1e-8);
  }
}

TEST_F(Run, CsvNumbersReadBackToTheSameBits) {
  ASSERT_EQ(haltere({"run", "oscillator.yaml", "--csv", "a.csv"}).status, 0);
  for (const std::string& line : lines_of(read("a.csv"))) EXPECT_THAT(line, Not(HasSubstr(" ")));
  // self: 17 significant digits are asked for, so every number is at least that exact
  const std::string row = lines_of(read("a.csv"))[2];
  const double position = numbers_of(row)[0];
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", position);
  EXPECT_EQ(std::strtod(text, nullptr), position);
}

TEST_F(Run, GivesTheSameBitsTwice) {
  ASSERT_EQ(haltere({"run", "oscillator.yaml", "--csv", "a.csv", "-o", "a"}).status, 0);
  ASSERT_EQ(haltere({"run", "oscillator.yaml", "--csv", "b.csv", "-o", "b"}).status, 0);
  EXPECT_EQ(read("a.csv"), read("b.csv"));
  EXPECT_GT(read("a.csv").size(), 1000U);
}

TEST_F(Run, TakesParametersFromTheCommandLine) {
  const Outcome o = haltere(
      {"run", "oscillator.yaml", "--set", "k=1 N/m", "--csv", "-", "--channels", "joint.slide.position"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::vector<double> last = numbers_of(lines_of(o.out).back());
  EXPECT_NEAR(last[1], 0.5 * std::cos(last[0]), 1e-8);  // analytic; solver tolerance as above
}

TEST_F(Run, TakesTimesWithUnits) {
  const Outcome o =
      haltere({"run", "oscillator.yaml", "--until", "200 ms", "--every", "50 ms", "--csv", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(lines_of(o.out), SizeIs(6));
}

TEST_F(Run, RefusesATimeInMetres) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--until", "2 m"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("--until"));
  EXPECT_THAT(files(), ElementsAre("oscillator.yaml"));
}

TEST_F(Run, StopsAtTheEventAndCallsItSuccess) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--until", "10", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("event fell t=0.785398"));
  const auto json = nlohmann::json::parse(o.out);
  EXPECT_EQ(json["outcome"], "stopped");
  ASSERT_EQ(json["events"].size(), 1U);
  // analytic: cos(2 t) = 0 at pi/4; solver tolerance
  EXPECT_NEAR(json["events"][0]["t"].get<double>(), M_PI / 4, 1e-8);
}

// a scooter that nobody steers: the fall is an end as planned, and the audit speaks of its wheels
TEST_F(Run, AScooterThatFallsEndsWithTheEventAndStatus0) {
  const Outcome o = haltere({"run", shipped("kick-scooter"), "--case", "sway-roll-large", "-o", "r",
                             "--every", "0.01", "--json", "-", "--channels", "constraint.*"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("event fell t=1.0796"));
  EXPECT_THAT(o.err,
              HasSubstr("constraint 'front_contact': rolling without slip needs a friction coefficient of"));
  const nlohmann::json summary = nlohmann::json::parse(o.out);
  EXPECT_EQ(summary["outcome"], "stopped");
  EXPECT_EQ(summary["audit"]["contacts"].size(), 2U);
  EXPECT_GT(summary["audit"]["contacts"][0]["pulled"], 0.01);
}

TEST_F(Run, TellsTheAuditToPeopleAndPrograms) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--json", "summary.json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("energy"));
  const auto json = nlohmann::json::parse(read("summary.json"));
  EXPECT_EQ(json["rows"], 6);
  // solver: the tolerance of the run is 1e-9 a step
  EXPECT_LT(json["audit"]["relative_energy_balance"].get<double>(), 1e-7);
  EXPECT_GT(json["audit"]["energy_scale"].get<double>(),
            0.4);  // analytic: k q0^2 / 2 = 0.5 J, less is left at the end
}

TEST_F(Run, QuietSaysNothing) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--quiet"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, IsEmpty());
}

TEST_F(Run, DrawsNoProgressWhereStderrIsAFile) {
  EXPECT_THAT(haltere({"run", "oscillator.yaml"}).err, Not(HasSubstr("\r")));
}

TEST_F(Run, RunsWithEveryIntegratorThatIsListed) {
  const std::vector<std::string> lines = lines_of(haltere({"list", "integrators"}).out);
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    const std::string name = line.substr(0, line.find(' '));
    const Outcome o = haltere({"run", "oscillator.yaml", "--integrator", name, "--every", "0.01", "--quiet"});
    EXPECT_EQ(o.status, 0) << name << ": " << o.err;
  }
}

TEST_F(Run, RefusesWhatAFormulationCannotDo) {
  const Outcome wrong = haltere({"run", shipped("pendulum"), "--formulation", "hinge-matrix"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("joint 'pivot': formulation hinge-matrix: the body must be free"));
  EXPECT_THAT(wrong.err, HasSubstr("use --formulation recursive or absolute"));
  const Outcome implicit =
      haltere({"run", shipped("insect-hinge"), "--formulation", "hinge-matrix", "--integrator", "ida-bdf"});
  EXPECT_EQ(implicit.status, 2);
  EXPECT_THAT(implicit.err, HasSubstr("ida-bdf solves the constraints itself"));
  EXPECT_THAT(files(), ElementsAre("oscillator.yaml"));  // no results
  EXPECT_EQ(
      haltere({"modes", shipped("insect-hinge"), "--case", "roll-flat", "--formulation", "hinge-matrix"})
          .status,
      2);
}

TEST_F(Run, SaysWhichBodiesKeepTheirOwnCharts) {
  const std::vector<std::string> words{"run", shipped("fruit-fly"), "--case", "no-air-paper", "--until",
                                       "1e-4"};
  std::vector<std::string> asked = words;
  asked.insert(asked.end(), {"--chart", "quaternion"});
  const Outcome o = haltere(asked);
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err + o.out,
              HasSubstr("body 'body' (euler-yzx); body 'left_wing' (euler-xzy); body 'right_wing' "
                        "(euler-xzy) keep their own charts, not quaternion"));
  const Outcome plain = haltere(words);
  EXPECT_THAT(plain.err + plain.out, ::testing::Not(HasSubstr("own chart")));
}

TEST_F(Run, NamesTheIntegratorThatWasMeant) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--integrator", "dopri"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("did you mean 'dopri5'?"));
  EXPECT_THAT(files(), ElementsAre("oscillator.yaml"));
}

TEST_F(Run, NamesTheChannelThatWasMeant) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--channels", "joint.slide.positoin"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("did you mean 'joint.slide.position'?"));
  EXPECT_THAT(files(), ElementsAre("oscillator.yaml"));
}

TEST_F(Run, RefusesAFolderThatCannotBeMade) {
  write("file", "not a folder");
  const Outcome o = haltere({"run", "oscillator.yaml", "-o", "file/results"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("file/results"));
  EXPECT_THAT(o.out, IsEmpty());
}

TEST_F(Run, RefusesFilesThatCannotBeWrittenAndLeavesNothingBehind) {
  for (const std::string option : {"--csv", "--json"}) {
    const Outcome o = haltere({"run", "oscillator.yaml", option, "oscillator.yaml/folder/a.txt"});
    EXPECT_EQ(o.status, 2) << option;
    EXPECT_THAT(o.err, HasSubstr("oscillator.yaml/folder: cannot be made")) << option;
    EXPECT_THAT(files(), ElementsAre("oscillator.yaml")) << option;
  }
}

TEST_F(Run, RefusesTwoThingsOnStdout) {
  const Outcome o = haltere({"run", "oscillator.yaml", "--csv", "-", "--json", "-"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, IsEmpty());
}

TEST_F(Run, FailsWithTimePlaceAndAdviceAndKeepsTheRows) {
  // the force is infinite at t = 1 s, and no number after it
  write("burst.yaml", R"(
haltere: 1
name: burst
bodies:
  mass: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  slide: {kind: prismatic, child: mass, axis: [1, 0, 0]}
forces:
  push: {kind: applied-force, body: mass, force: [1 N*log(1 - t/(1 s)), 0, 0]}
simulation: {until: 2 s, every: 0.1 s}
)");
  const Outcome o = haltere({"run", "burst.yaml", "--csv", "burst.csv"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("t = "));
  EXPECT_THAT(o.err, HasSubstr("push"));
  EXPECT_GT(lines_of(read("burst.csv")).size(), 5U);
}

TEST_F(Run, EndsInOrderWhenInterrupted) {
  const Outcome o = haltere_interrupted_at(  // far longer than any test would wait
      "results/pendulum/checkpoint",
      {"run", "pendulum", "--until", "1e7", "--every", "0.5", "--csv", "cut.csv"}, SIGINT);
  EXPECT_EQ(o.status, 128 + SIGINT);
  EXPECT_THAT(o.err, HasSubstr("interrupted"));
  const std::string csv = read("cut.csv");
  EXPECT_THAT(csv, EndsWith("\n"));
  EXPECT_GT(lines_of(csv).size(), 2U);
}

TEST_F(Run, FindsShippedModelsByName) {
  const Outcome o = haltere({"run", "double-pendulum", "--until", "0.1", "--csv", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("t,"));
  EXPECT_TRUE(exists("results/double-pendulum/result.h5"));
}

TEST_F(Run, NamesTheModelThatWasMeant) {
  const Outcome o = haltere({"run", "double-pendulem"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("did you mean 'double-pendulum'?"));
  EXPECT_THAT(lines_of(o.err).back(), StartsWith("1 problem"));
}

TEST_F(Run, AFolderWithoutAModelIsWrongInput) {
  write("empty/readme.txt", "");
  const Outcome o = haltere({"run", "empty"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("model.yaml"));
}

TEST_F(Run, RepeatsBlocksAsOftenAsTheCommandLineSays) {
  const Outcome o = haltere({"run", "chain", "--set", "n=100", "--until", "0.01", "--csv", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string head = lines_of(o.out)[0];
  std::size_t angles = 0;
  for (std::size_t at = 0; (at = head.find(".angle,", at)) != std::string::npos; ++at) ++angles;
  EXPECT_GE(angles, 99U);
}

}  // namespace
}  // namespace haltere
