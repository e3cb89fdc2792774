// Where a machine with constraints starts: what `initial` states is kept, and nothing is changed without a
// word.
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// Rods of 1 m and 1 kg, upright on the ground, each joined to the next by a rod across: parallelograms, in
// which all uprights turn alike. Turns of the uprights are about -z, those of the pins about z.
const std::string kFrame = R"(haltere: 1
name: frame
parameters: {N: 1}
gravity: [0, -9.81, 0]
bodies:
  "A{k}": {repeat: {k: 0..N}, mass: 1 kg, center_of_mass: [0, 0.5, 0], inertia: {kind: rod, length: 1, axis: y}}
  "C{k}": {repeat: {k: 1..N}, mass: 1 kg, center_of_mass: [0.5, 0, 0], inertia: {kind: rod, length: 1, axis: x}}
joints:
  "foot{k}": {repeat: {k: 0..N}, kind: revolute, child: "A{k}", parent_frame: [k, 0, 0], axis: -z}
  "pinL{k}": {repeat: {k: 1..N}, kind: revolute, parent: "A{k-1}", child: "C{k}", parent_frame: [0, 1, 0], axis: z}
  "pinR{k}": {repeat: {k: 1..N}, kind: revolute, parent: "A{k}", child: "C{k}", parent_frame: [0, 1, 0], child_frame: [1, 0, 0], axis: z}
)";

// The benchmark bicycle [meijaard2007]; x forward, y right, z down.
const std::string kBicycle = R"(haltere: 1
name: bicycle
parameters: {v: 4.6 m/s, w: 1.02 m, c: 0.08 m, lam: pi/10, rR: 0.3 m, rF: 0.35 m}
gravity: [0, 0, 9.81]
bodies:
  B: {mass: 85 kg, center_of_mass: [0.3, 0, -0.9], inertia: {xx: 9.2, yy: 11, zz: 2.8, xz: 2.4}}
  R: {mass: 2 kg, inertia: [0.0603, 0.12, 0.0603]}
  H: {mass: 4 kg, center_of_mass: [0.9, 0, -0.7], inertia: {xx: 0.05892, yy: 0.06, zz: 0.00708, xz: -0.00756}}
  F: {mass: 3 kg, inertia: [0.1405, 0.28, 0.1405]}
joints:
  base: {kind: free, child: B}
  rear: {kind: revolute, parent: B, child: R, parent_frame: [0, 0, -rR], axis: y}
  steer: {kind: revolute, parent: B, child: H, parent_frame: [w + c, 0, 0], child_frame: [w + c, 0, 0], axis: [sin(lam), 0, cos(lam)]}
  front: {kind: revolute, parent: H, child: F, parent_frame: [w, 0, -rF], axis: y}
constraints:
  cr: {kind: rolling, to: R, radius: rR, normal: -z}
  cf: {kind: rolling, to: F, radius: rF, normal: -z}
)";

// A crank of r, a rod of l, a slider on the x axis; lengths in units of u.
const std::string kCrank = R"(haltere: 1
name: crank
parameters: {u: 1, r: 0.3 m*u, l: 1 m*u}
bodies:
  crank: {mass: 1 kg, inertia: [1 kg*m^2*u*u, 1 kg*m^2*u*u, 1 kg*m^2*u*u]}
  rod: {mass: 1 kg, inertia: [1 kg*m^2*u*u, 1 kg*m^2*u*u, 1 kg*m^2*u*u]}
  slider: {mass: 1 kg}
joints:
  turn: {kind: revolute, child: crank, axis: z}
  knee: {kind: revolute, parent: crank, child: rod, parent_frame: [r, 0, 0], axis: z}
  slide: {kind: prismatic, child: slider, axis: x}
constraints:
  end: {kind: coincident, from: rod, from_point: [l, 0, 0], to: slider}
)";

class Start : public ProgramTest {
 protected:
  Outcome evaluate(const std::string& text, std::vector<std::string> options = {}) const {
    write("m.yaml", text);
    options.insert(options.begin(), {"evaluate", "m.yaml", "--json", "-"});
    return haltere(options);
  }
  /// Positions and velocities by name.
  json start_of(const std::string& text, const std::vector<std::string>& options = {}) const {
    const Outcome o = evaluate(text, options);
    EXPECT_EQ(o.status, 0) << o.err;
    const json e = json::parse(o.out);
    json state;
    for (const char* key : {"q", "v"})
      for (std::size_t i = 0; i < e[key].size(); ++i)
        state[e[std::string(key) + "_names"][i].get<std::string>()] = e[key][i];
    return state;
  }
};

TEST_F(Start, AStatedRateIsKeptAndTheOthersFollow) {
  const json start = start_of(kFrame + "initial: {foot0: {rate: 1 rad/s}}\n", {"--set", "N=3"});
  EXPECT_EQ(start["joint.foot0.rate"], 1.0);  // to the bit
  // analytic: parallelograms; tolerance: machine
  for (const char* name : {"joint.foot1.rate", "joint.foot2.rate", "joint.foot3.rate", "joint.pinL1.rate",
                           "joint.pinL2.rate", "joint.pinL3.rate"})
    EXPECT_NEAR(start[name].get<double>(), 1, 1e-12) << name;
}

TEST_F(Start, ABicycleStartsAtItsSpeedAlthoughItsWheelsHaveNoRates) {
  const json start =
      start_of(kBicycle + "initial: {base: {velocity: [v, 0, 0], angular_velocity: [0.5 rad/s, 0, 0]}}\n");
  EXPECT_EQ(start["joint.base.velocity.3"], 4.6);
  EXPECT_EQ(start["joint.base.velocity.0"], 0.5);
  // analytic: rolling, about an axis to the right; tolerance: machine
  EXPECT_NEAR(start["joint.rear.rate"].get<double>(), -4.6 / 0.3, 1e-12);
  EXPECT_NEAR(start["joint.front.rate"].get<double>(), -4.6 / 0.35, 1e-12);
  EXPECT_NEAR(start["joint.steer.rate"].get<double>(), 0, 1e-12);
}

TEST_F(Start, AStatedAngleIsKeptAndTheLoopFollows) {
  const json start = start_of(kCrank + "initial: {turn: {angle: 0.5, rate: 2}, slide: {position: ~}}\n");
  EXPECT_EQ(start["joint.turn.angle"], 0.5);
  EXPECT_EQ(start["joint.turn.rate"], 2.0);
  // analytic: slider-crank; tolerance: what an assembly leaves
  const double s = 0.3 * std::sin(0.5), c = 0.3 * std::cos(0.5), x = start["joint.slide.position"];
  EXPECT_NEAR(std::abs(x - c), std::sqrt(1 - s * s), 1e-12);
  EXPECT_NEAR(start["joint.slide.velocity"].get<double>() * (x - c), -2 * s * x, 1e-12);
}

// Kinetic energy of the change, 1/2 (1/3 + 1) a0^2 + 1/2 (1/3) a1^2 with a0 - a1 = -0.5, is least for
// a0 = -0.1 and a1 = 0.4 (analytic: the rod across moves with the first upright and does not turn).
TEST_F(Start, StatedRatesThatContradictEachOtherChangeLeastAndTheLargestIsNamed) {
  const std::string text = kFrame + "initial: {foot0: {rate: 1 rad/s}, foot1: {rate: 0.5 rad/s}}\n";
  const json start = start_of(text);
  EXPECT_NEAR(start["joint.foot0.rate"].get<double>(), 0.9, 1e-12);
  EXPECT_NEAR(start["joint.foot1.rate"].get<double>(), 0.9, 1e-12);
  const std::string note =
      "note: the constraints do not allow what `initial` states; changed least, the most of all "
      "joint.foot1.rate from 0.5 to 0.9 rad/s\n";
  EXPECT_THAT(haltere({"check", "m.yaml"}).err, HasSubstr(note));
  const Outcome o = haltere({"run", "m.yaml", "--until", "0.1", "--json", "-"});
  EXPECT_THAT(o.err, HasSubstr(note));
  const json change = json::parse(o.out)["start_changes"][0];
  EXPECT_EQ(change["coordinate"], "joint.foot1.rate");
  EXPECT_EQ(change["stated"], true);
  EXPECT_NEAR(change["change"].get<double>(), 0.4, 1e-12);
  EXPECT_EQ(change["unit"], "rad/s");
}

TEST_F(Start, StatedPositionsThatContradictEachOtherAreNamedBesideVelocities) {
  write("m.yaml", kFrame + "initial: {foot0: {angle: 0.1, rate: 1}, foot1: {angle: 0.2, rate: 1.1}}\n");
  const Outcome o = haltere({"check", "m.yaml"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err, testing::ContainsRegex("most of all joint.foot1.angle from 0.2 to 0.1.* rad, and "
                                            "joint.foot1.rate from 1.1 to 1.0.* rad/s"));
}

TEST_F(Start, WhatIsConsistentUpToRoundingStaysToTheBitAndNeedsNoNote) {
  const std::string text = kFrame +
                           "initial: {foot0: {angle: 0.3, rate: 1/3}, foot1: {angle: 0.3, rate: 1/3}, pinL1: "
                           "{angle: 0.3, rate: 1/3}}\n";
  const json start = start_of(text);
  EXPECT_EQ(start["joint.foot1.angle"], 0.3);
  EXPECT_EQ(start["joint.foot1.rate"], 1.0 / 3);
  EXPECT_EQ(start["joint.pinL1.rate"], 1.0 / 3);
  EXPECT_THAT(haltere({"check", "m.yaml"}).err, Not(HasSubstr("`initial`")));
}

TEST_F(Start, IsTheSameInBothFormulations) {
  const std::string text = kFrame + "initial: {foot0: {angle: 0.4, rate: 1 rad/s}}\n";
  const json recursive = json::parse(evaluate(text, {"--set", "N=2"}).out),
             absolute = json::parse(evaluate(text, {"--set", "N=2", "--formulation", "absolute"}).out);
  for (const char* body : {"A0", "A2", "C2"})
    for (const char* key : {"position", "velocity", "angular_velocity"})
      for (int i = 0; i < 3; ++i)  // tolerance: machine, of poses and twists on the way to bodies
        EXPECT_NEAR(recursive["bodies"][body][key][i].get<double>(),
                    absolute["bodies"][body][key][i].get<double>(), 1e-15)
            << body << ' ' << key;
}

TEST_F(Start, KeepsItsBitsWhenTheUnitOfLengthChanges) {
  const std::string text = kCrank + "initial: {turn: {angle: 0.5, rate: 2}}\n";
  const json one = start_of(text), other = start_of(text, {"--set", "u=1048576"});  // 2^20
  EXPECT_EQ(one["joint.knee.angle"], other["joint.knee.angle"]);
  EXPECT_EQ(one["joint.knee.rate"], other["joint.knee.rate"]);
  for (const char* name : {"joint.slide.position", "joint.slide.velocity"})
    EXPECT_EQ(one[name].get<double>() * 1048576, other[name].get<double>()) << name;
}

TEST_F(Start, AssembleGivesTheStartOfARun) {
  write("m.yaml", kFrame + "initial: {foot0: {angle: 0.3, rate: 1 rad/s}}\n");
  const Outcome o = haltere({"assemble", "m.yaml", "--json", "a.json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json a = json::parse(read("a.json"));
  EXPECT_EQ(a["roles"]["q"]["joint.foot0.angle"], "stated");
  EXPECT_EQ(a["q"]["joint.foot0.angle"], 0.3);
  EXPECT_EQ(a["v"]["joint.foot0.rate"], 1.0);
  const json start = start_of(kFrame + "initial: {foot0: {angle: 0.3, rate: 1 rad/s}}\n");
  for (const char* key : {"q", "v"})
    for (const auto& [name, value] : a[key].items()) EXPECT_EQ(value, start[name]) << name;
}

TEST_F(Start, AStateThatViolatesTheConstraintsIsSaidSo) {
  write("state.json", R"({"q": {"joint.foot0.angle": 0.1}, "v": {"joint.foot1.rate": 1}})");
  const Outcome o = evaluate(kFrame, {"--state", "state.json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(
      o.err,
      HasSubstr("the positions of the state do not obey the constraints: joint 'pinR1', row position"));
  EXPECT_THAT(
      o.err,
      HasSubstr("the velocities of the state do not obey the constraints: joint 'pinR1', row position"));
  const json e = json::parse(o.out);
  EXPECT_EQ(e["notes"].size(), 2U);
  EXPECT_GT(e["drift"]["position"].get<double>(), 0.01);
  write("state.json",
        R"({"q": {"joint.foot0.angle": 0.1, "joint.foot1.angle": 0.1, "joint.pinL1.angle": 0.1}})");
  EXPECT_THAT(evaluate(kFrame, {"--state", "state.json"}).err, Not(HasSubstr("obey")));
}

}  // namespace
}  // namespace haltere
