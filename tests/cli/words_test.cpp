// Messages that lead to the mistake, and not past it.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Words : public ProgramTest {
 protected:
  std::string check(const std::string& text, int status = 2) const {
    write("m.yaml", text);
    const Outcome o = haltere({"check", "m.yaml"});
    EXPECT_EQ(o.status, status) << o.err;
    return o.err;
  }
};

const std::string kRod = R"(haltere: 1
bodies: {rod: {mass: 1 kg, center_of_mass: [0, 0, -1 m]}}
joints: {pivot: {kind: revolute, child: rod, axis: y}}
gravity: [0, 0, -9.81]
)";

TEST_F(Words, ADivisionByZeroIsThatOfTheSignal) {
  write("m.yaml", kRod + R"(signals: {a: 1/(joint.pivot.angle)}
forces: {s: {kind: applied-torque, body: rod, torque: [0, "1 N*m*a", 0]}}
)");
  const Outcome o = haltere({"run", "m.yaml", "--until", "1"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("signal 'a' (m.yaml:5) is not finite; look for a division by zero"));
  EXPECT_THAT(o.err, HasSubstr("in 1/(joint.pivot.angle)"));
  EXPECT_THAT(o.err, Not(HasSubstr("channel")));
}

TEST_F(Words, CheckRefusesWhatRunRefuses) {
  EXPECT_THAT(check(kRod + "outputs: [joint.pivot.rate, joint.pivto.angle]\n"),
              StartsWith("m.yaml:5:29: outputs: no channel matches 'joint.pivto.angle'; did you mean "
                         "'joint.pivot.angle'?"));
  EXPECT_THAT(check(kRod + "simulation: {formulation: hinge-matrix}\n"),
              HasSubstr("m.yaml:3:10: joint 'pivot'"));
}

TEST_F(Words, AUnitThatIsAlsoAParameterGetsAHintThatHelps) {
  const std::string model = R"(haltere: 1
parameters: {m: 2 kg}
bodies: {a: {mass: m}}
joints: {j: {kind: prismatic, child: a, axis: x}}
forces: {f: {kind: linear-spring, joint: j, damping: 2*10 N s)";
  EXPECT_THAT(check(model + "/m}}\n"),
              HasSubstr("'m' is a variable here; in a unit write ' m' for '*m' and ' m^-1' for '/m'"));
  EXPECT_THAT(check(model + " m^-1}}\n", 0), HasSubstr("no problems"));  // as it says
}

TEST_F(Words, CommasOfFormulasInListsNeedQuotes) {
  const std::string model = R"(haltere: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {j: {kind: free, child: a}}
forces: {f: {kind: applied-force, body: a, force: )";
  const std::string hint = "put a formula that contains commas into quotes";
  EXPECT_THAT(check(model + "[min(1, t), 0, 0]}}\n"),
              HasSubstr("not a list of 4; inside [ ] and { } a comma ends"));
  EXPECT_THAT(check(model + "[min(1, t), 0]}}\n"), HasSubstr(hint));
  EXPECT_THAT(check(model + "[0, 0, 0], point: [max(0, 1), 0, 0]}}\n"), HasSubstr(hint));
  EXPECT_THAT(check(model + "[\"min(1 N, t*1 N/s)\", 0, 0]}}\n", 0), HasSubstr("no problems"));
}

TEST_F(Words, AnAngleOfManyRadiansIsWarnedOf) {
  EXPECT_THAT(
      check(kRod + "initial: {pivot: 30}\n", 0),
      HasSubstr(
          "m.yaml:5:18: warning: initial 'pivot': angle is 30 rad, 4.77 turns: without a unit an angle is "
          "in radians; write deg behind it, or rad if that is meant"));
  for (const char* initial : {"30 rad", "800 deg", "6.28", "-2*pi", "{angle: 0, rate: 30}"})
    EXPECT_THAT(check(kRod + "initial: {pivot: " + initial + "}\n", 0), Not(HasSubstr("warning"))) << initial;
}

// The slider comes to r + l = 1.3 m at t = 0.8 s and cannot go on (analytic).
constexpr const char* kMotionThatEnds = R"(haltere: 1
bodies:
  crank: {mass: 1 kg, inertia: [1, 1, 1]}
  rod: {mass: 1 kg, inertia: [1, 1, 1]}
  slider: {mass: 1 kg}
joints:
  turn: {kind: revolute, child: crank, axis: z}
  knee: {kind: revolute, parent: crank, child: rod, parent_frame: [0.3 m, 0, 0], axis: z}
  slide: {kind: prismatic, child: slider, axis: x, prescribed: "0.9 m + 0.5 m/s*t"}
constraints:
  end: {kind: coincident, from: rod, from_point: [1 m, 0, 0], to: slider}
initial: {turn: 1.5}
)";

class WordsOfAMotion : public Words {
 protected:
  void expect_loop_named(const std::string& formulation) {
    write("m.yaml", kMotionThatEnds);
    for (const char* method : {"dop853", "rk4", "generalized-alpha"}) {
      const Outcome o = haltere({"run", "m.yaml", "--until", "2", "--step", "1 ms", "--integrator", method,
                                 "--formulation", formulation, "-o", "r"});
      EXPECT_EQ(o.status, 1) << method;
      EXPECT_THAT(o.err, HasSubstr("the prescribed motion of joint 'slide' cannot be followed")) << method;
      EXPECT_THAT(o.err, HasSubstr("constraint 'end', row ")) << method;
      EXPECT_THAT(o.err, Not(HasSubstr("singular"))) << method;
    }
  }
};

TEST_F(WordsOfAMotion, ThatCannotBeFollowedNameItsLoop) {
  expect_loop_named("recursive");
}

TEST_F(WordsOfAMotion, ThatCannotBeFollowedNameItsLoopInAbsoluteCoordinates) {
  expect_loop_named("absolute");
}

TEST_F(Words, AFileWithoutAnythingHasAPlaceToo) {
  EXPECT_THAT(check(""), StartsWith("m.yaml:1:1: "));
  EXPECT_THAT(check("bodies: {}\n"), StartsWith("m.yaml:1:1: "));
}

}  // namespace
}  // namespace haltere
