#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

class Check : public ProgramTest {
 protected:
  Outcome check(const std::string& text) const {
    write("model.yaml", text);
    return haltere({"check", "model.yaml"});
  }
};

TEST_F(Check, CountsBodiesJointsAndDegreesOfFreedom) {
  const Outcome o = check(R"(
haltere: 1
name: two links
bodies:
  a: {mass: 1 kg, inertia: [1, 1, 1]}
  b: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  first: {kind: spherical, child: a}
  second: {kind: revolute, parent: a, child: b, prescribed: 0.1*sin(t*2 rad/s)}
)");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("2 bodies, 2 joints, 3 degrees of freedom, 1 prescribed"));
}

// Ten mistakes of ten kinds; the check must name them all, each at its line.
TEST_F(Check, NamesTenMistakesOfOneFileAtOnce) {
  const Outcome o = check(R"(haltere: 1
name: ten mistakes
parameters:
  omega: 25 Hz
gravity: [0, 0, -9.81 m]
bodies:
  a: {mass: -1 kg, inertia: [1, 1, 1]}
  b: {mass: 1 kg, inertia: [1, 1, 1], colour: red}
  c: {mass: 1 s, inertia: [1, 1, 1]}
  d: {mass: 1 kg, inertia: [1, 1, 1], center_of_mass: [0, 0]}
joints:
  one: {kind: revolut, child: a}
  two: {kind: revolute, parent: aa, child: b}
  three: {kind: revolute, child: c, driven: [sin(omgea*t)]}
forces:
  s: {kind: rotary-spring, joint: two, stiffness: 5 N*m}
  s: {kind: rotary-spring, joint: two, stiffness: -5 N*m/rad}
)");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.out, IsEmpty());
  struct Mistake {
    int line;
    const char* what;
  };
  for (const Mistake& m : std::vector<Mistake>{{5, "m/s2"},
                                               {7, "mass"},
                                               {8, "colour"},
                                               {9, "kg"},
                                               {10, "center_of_mass"},
                                               {12, "did you mean 'revolute'"},
                                               {13, "'aa'"},
                                               {14, "omgea"},
                                               {16, "N m/rad"},
                                               {17, "s"}}) {
    const std::string place = "model.yaml:" + std::to_string(m.line) + ":";
    const std::vector<std::string> lines = lines_of(o.err);
    const bool named = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(place) != std::string::npos && line.find(m.what) != std::string::npos;
    });
    EXPECT_TRUE(named) << "line " << m.line << ": " << m.what << "\nin\n" << o.err;
  }
  EXPECT_THAT(lines_of(o.err).back(), testing::MatchesRegex("1[0-9] problems"));
}

TEST_F(Check, NamesBodiesThatHangOnNoneAndCycles) {
  const Outcome o = check(R"(haltere: 1
name: no tree
bodies:
  alone: {mass: 1 kg, inertia: [1, 1, 1]}
  twice: {mass: 1 kg, inertia: [1, 1, 1]}
  a: {mass: 1 kg, inertia: [1, 1, 1]}
  b: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  one: {kind: revolute, child: twice}
  two: {kind: revolute, child: twice}
  three: {kind: revolute, parent: a, child: b}
  four: {kind: revolute, parent: b, child: a}
)");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("model.yaml:4:"));
  EXPECT_THAT(o.err, HasSubstr("cycle"));
}

TEST_F(Check, SaysWhatToWriteForHertz) {
  const Outcome o = check(R"(
haltere: 1
name: hertz
bodies:
  a: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  one: {kind: revolute, child: a}
initial:
  one: {rate: 25 Hz}
)");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("model.yaml:9:"));
  EXPECT_THAT(o.err, HasSubstr("rad/s"));
}

TEST_F(Check, WarnsOfAnInertiaThatNoBodyHasAndGoesOn) {
  const Outcome o = check(R"(
haltere: 1
name: thin
bodies:
  a: {mass: 1 kg, inertia: [1, 1, 5]}
joints:
  one: {kind: revolute, child: a}
)");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("warning"));
}

// Whatever the bytes are: an exit status of 2 and a message, never a crash, never a long wait.
class Garbage : public ProgramTest,
                public testing::WithParamInterface<std::pair<const char*, std::string>> {};

TEST_P(Garbage, IsRefusedWithAMessage) {
  write("model.yaml", GetParam().second);
  const Outcome o = haltere({"run", "model.yaml"});
  EXPECT_EQ(o.status, 2) << o.err;
  EXPECT_THAT(o.err, HasSubstr("model.yaml"));
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(files(), testing::ElementsAre("model.yaml"));
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string laughs() {
  // each line ten times the one before: 10^9 nodes if somebody follows them
  std::string text = "haltere: 1\nname: x\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(before + ", ", 9) +
            before + "]\n";
  }
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    Files, Garbage,
    testing::Values(std::pair{"Empty", std::string()}, std::pair{"ZeroBytes", std::string(1000, '\0')},
                    std::pair{"HighBytes", std::string(1000, '\xff')},
                    std::pair{"Elf", std::string("\x7f"
                                                 "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
                                                 16)},
                    std::pair{"AList", std::string("- 1\n- 2\n")}, std::pair{"ANumber", std::string("42\n")},
                    std::pair{"Unclosed", std::string("haltere: 1\nbodies: {a: {mass: [1, 2\n")},
                    std::pair{"Tabs", std::string("haltere:\t1\n\tname: x\n")},
                    std::pair{"Deep", repeated("[", 100000)}, std::pair{"DeepMaps", repeated("{a: ", 100000)},
                    std::pair{"DeepFormula", "haltere: 1\nname: x\nparameters: {a: \"" +
                                                 repeated("(", 50000) + "1" + repeated(")", 50000) + "\"}\n"},
                    std::pair{"LongFormula",
                              "haltere: 1\nname: x\nparameters: {a: \"1" + repeated("+1", 200000) + "+\"}\n"},
                    std::pair{"BillionLaughs", laughs()},
                    std::pair{"NotANumber", std::string("haltere: 1\nname: x\nparameters: {a: .nan}\n")},
                    std::pair{"HugeCount",
                              std::string("haltere: 1\nname: x\nparameters: {n: 1e300}\nbodies:\n  "
                                          "link: {repeat: n, mass: 1, inertia: [1, 1, 1]}\n")},
                    std::pair{"OtherFormat", std::string("haltere: 999\nname: x\n")}),
    [](const auto& test) { return std::string(test.param.first); });

/// A drive from a table of time that ends after 2 s.
const std::string kDriven = R"(
haltere: 1
bodies: {arm: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {hinge: {kind: revolute, child: arm, driven: 'table("torque.csv", "tau", t)'}}
simulation: {until: 5 s}
)";

TEST_F(Check, SaysThatATableOfTimeEndsBeforeTheRun) {
  write("torque.csv", "t,tau\n0,0\n0.5,1\n1,-1\n1.5,1\n2,0\n");
  const Outcome o = check(kDriven);
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(
      o.err, HasSubstr("warning: joint 'hinge': driven: table 'torque.csv', column 'tau' has points for t up "
                       "to 2 s only, and the run goes on until 5 s"));
  EXPECT_THAT(o.err, HasSubstr("1 warning: no problems"));
  const Outcome run = haltere({"run", "model.yaml"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("t = 2 s: "));
  EXPECT_THAT(run.err, ContainsRegex(
                           "table 'torque.csv', column 'tau' is asked for 2\\.?[0-9]*, but has points from 0 "
                           "to 2 only"));
  EXPECT_EQ(haltere({"run", "model.yaml", "--until", "2"}).status, 0);
}

// analytic: one harmonic is all that the points have; rounding is left
TEST_F(Check, AndRunsSayHowNearFitsAre) {
  write("torque.csv", "t,tau\n0,1\n0.5,0\n1,-1\n1.5,0\n2,1\n2.5,0\n3,-1\n3.5,0\n4,1\n4.5,0\n5,-1\n");
  std::string model = kDriven;
  model.replace(model.find("t)"), 2, "t, \"harmonics:1\", \"period:2 s\")");
  const Outcome o = check(model);
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err,
              ContainsRegex("note: table 'torque.csv', harmonics:1, period:2, leaves of its points .*: "
                            "tau [0-9.]+e-1[0-9] "));
  EXPECT_THAT(o.err, HasSubstr(": no problems"));
  EXPECT_THAT(haltere({"run", "model.yaml"}).err,
              HasSubstr("note: table 'torque.csv', harmonics:1, period:2"));
  const Outcome refused = check(kDriven.substr(0, kDriven.find("t)")) + "t, \"smooth:3 Hz\")'}}\n");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err,
              ContainsRegex("model.yaml:4:[0-9]+: joint 'hinge': driven: table 'torque.csv', column "
                            "'tau': the cut-off 3 is above 1, half the rate of the points"));
}

TEST_F(Check, WarnsOfAWingThatCountsItsSteadyMomentTwice) {
  const std::string wing = R"(
haltere: 1
bodies: {wing: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {hinge: {kind: revolute, child: wing, axis: y}}
surfaces:
  wing: {kind: blade-element, body: wing, span_axis: y, chord_axis: -x, span: 1, chord: 0.2, density: 1.2,
         lift: 2*pi*sin(alpha), drag: 0.02)";
  EXPECT_THAT(check(wing + "}\n").err, HasSubstr("1 degree of freedom: no problems"));
  const Outcome o = check(wing + ", added_mass: kirchhoff}\n");
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err, HasSubstr("with center_of_pressure at 0.25 the lift of steady flight acts at"));
  EXPECT_THAT(haltere({"run", "model.yaml", "--until", "0.1"}).err,
              HasSubstr("center_of_pressure: 0.5 goes with"));
}

TEST_F(Check, IsJsonForOtherPrograms) {
  const Outcome right = haltere({"check", shipped("four-bar"), "--json", "-"});
  EXPECT_EQ(right.status, 0);
  const auto facts = nlohmann::json::parse(right.out);
  EXPECT_EQ(facts["degrees_of_freedom"], 1);
  EXPECT_TRUE(facts["problems"].empty());
  const Outcome wrong = haltere({"check", shipped("pendulum"), "--set", "m=-1", "--json", "-"});
  EXPECT_EQ(wrong.status, 2);
  const auto problem = nlohmann::json::parse(wrong.out)["problems"][0];
  EXPECT_GT(problem["line"], 1);
  EXPECT_EQ(problem["severity"], "error");
  EXPECT_THAT(wrong.err, testing::HasSubstr(problem["message"].get<std::string>()));
}

}  // namespace
}  // namespace haltere
