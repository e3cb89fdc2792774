#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Analysis : public ProgramTest {};

TEST_F(Analysis, AnEquilibriumReadsBackAsItself) {
  const Outcome first = haltere({"equilibrium", shipped("x-hale"), "--json", "e.json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, StartsWith("initial:\n"));
  EXPECT_LT(json::parse(read("e.json"))["residual"].get<double>(), 1e-12);
  std::string text = read_text(shipped("x-hale") + "/model.yaml");
  const std::size_t begin = text.find("initial:"), end = text.find("simulation:");
  text.replace(begin, end - begin, first.out);
  write("again.yaml", text);
  const Outcome again = haltere({"equilibrium", "again.yaml"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("at rest"));
}

TEST_F(Analysis, SettlingEndsWhereNothingGrows) {
  const Outcome o = haltere({"modes", shipped("double-pendulum"), "--settle", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(json::parse(o.out)["growing"], 0);
}

TEST_F(Analysis, WhatCannotRestSaysWhyAndWhatToTry) {
  write("block.yaml",
        "haltere: 1\nname: block\ngravity: [0, 0, -9.81]\nbodies: {block: {mass: 1}}\n"
        "joints: {a: {kind: prismatic, child: block, axis: z}}\n"
        "forces: {drag: {kind: linear-spring, joint: a, damping: 1 N*s/m}}\n");
  const Outcome falls = haltere({"equilibrium", "block.yaml", "--keep", "joint.a.velocity=1"});
  EXPECT_EQ(falls.status, 1);
  EXPECT_THAT(falls.err, HasSubstr("no equilibrium was found"));
  EXPECT_THAT(falls.err, HasSubstr("joint.a.position"));
  EXPECT_THAT(falls.err, HasSubstr("try"));
}

// m g = c v                                                                                (source: analytic)
TEST_F(Analysis, ADragGivesItsOwnSpeed) {
  write("block.yaml",
        "haltere: 1\nname: block\ngravity: [0, 0, -9.81]\nbodies: {block: {mass: 2}}\n"
        "joints: {a: {kind: prismatic, child: block, axis: z}}\n"
        "forces: {drag: {kind: linear-spring, joint: a, damping: 4 N*s/m}}\n");
  const Outcome o = haltere({"equilibrium", "block.yaml", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NEAR(json::parse(o.out)["v"]["joint.a.velocity"].get<double>(), -2 * 9.81 / 4, 1e-13);
  EXPECT_THAT(o.err, HasSubstr("drifts"));
}

TEST_F(Analysis, NamesThatMeanNothingAreWrongInput) {
  for (const std::string option : {"--keep", "--drift"}) {
    const Outcome o = haltere({"equilibrium", shipped("pendulum"), option, "joint.pivto.angle"});
    EXPECT_EQ(o.status, 2) << option;
    EXPECT_THAT(o.err, HasSubstr("joint.pivot.angle")) << option;
    EXPECT_THAT(o.out, IsEmpty());
  }
  EXPECT_EQ(haltere({"modes", shipped("pendulum"), "--sweep", "l=1"}).status, 2);
  EXPECT_EQ(haltere({"modes", shipped("pendulum"), "--sweep", "nothing=1..2"}).status, 2);
  EXPECT_EQ(haltere({"modes", shipped("pendulum"), "--csv", "x.csv"}).status, 2);
  EXPECT_EQ(haltere({"lqr", shipped("pendulum")}).status, 2);
  EXPECT_EQ(haltere({"lqr", shipped("cart-pole"), "--input", "joint.track.force", "--q", "joint.x=1"}).status,
            2);
}

TEST_F(Analysis, ASweepWritesItsRootsAndItsPicture) {
  const Outcome o = haltere({"modes", shipped("pendulum"), "--settle", "--sweep", "l=0.5 m..2 m:4", "--csv",
                             "l.csv", "--plot", "l.svg"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::vector<std::string> lines = lines_of(read("l.csv"));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "l,re1,im1,re2,im2,growing");
  EXPECT_THAT(lines[1], StartsWith("0.5,"));
  EXPECT_THAT(read("l.svg"), HasSubstr("<svg"));
  EXPECT_THAT(o.out, HasSubstr("no stability limit"));
}

TEST_F(Analysis, ARegulatorHoldsThePoleItWasMadeFor) {
  const Outcome o =
      haltere({"lqr", shipped("cart-pole"), "--set", "initial.hinge=0", "--input", "joint.track.force"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("forces:\n  regulator1:\n    kind: feedback\n    joint: track\n"));
  std::string text = read_text(shipped("cart-pole") + "/model.yaml");
  write("held.yaml", text.substr(0, text.find("cases:")) + o.out);
  const Outcome modes = haltere({"modes", "held.yaml", "--set", "initial.hinge=0", "--json", "-"});
  ASSERT_EQ(modes.status, 0) << modes.err;
  EXPECT_TRUE(json::parse(modes.out)["stable"].get<bool>());
}

// The gains of the shipped controller are those that the program finds, rounded to five digits.  (source:
// self)
TEST_F(Analysis, ARegulatorOfAVehicleReadsItsAngles) {
  const Outcome o =
      haltere({"lqr", shipped("kick-scooter"), "--set", "joints.rider.prescribed=~", "--input",
               "joint.steer.torque", "--input", "joint.rider.torque.*", "--q", "joint.base.turn.x=1e4", "--q",
               "joint.steer.angle=1e3", "--q", "joint.rider.angle.*=1e4"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, Not(HasSubstr("#")));         // turns of the deck are its Euler angles
  EXPECT_THAT(o.out, Not(HasSubstr("position")));  // nobody asked for a place
  const std::string model = read_text(shipped("kick-scooter") + "/model.yaml");
  int found = 0;
  for (const std::string& line : lines_of(o.out)) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || line.find('.') > colon) continue;
    std::string name = line.substr(6, colon - 6);
    if (name == "joint.base.velocity.0") name = "roll_rate";
    EXPECT_THAT(model, HasSubstr(fmt::format("{}: {:.5g}", name, std::stod(line.substr(colon + 2)))));
    ++found;
  }
  EXPECT_EQ(found, 19);
}

// What no input reaches and what does not grow by itself is left as it is: here speed, way and wheel angles.
TEST_F(Analysis, ARegulatorLeavesWhatItCannotReach) {
  const Outcome o = haltere({"lqr", shipped("kick-scooter"), "--set", "joints.rider.prescribed=~", "--input",
                             "joint.steer.torque", "--input", "joint.rider.torque.*"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("not reached"));
  const Outcome falls = haltere({"lqr", shipped("kick-scooter"), "--set", "joints.rider.prescribed=~",
                                 "--input", "joint.rider.torque.1"});
  EXPECT_EQ(falls.status, 1);
  EXPECT_THAT(falls.err, HasSubstr("grows by itself"));
}

// What rolls on has no place to be kept at, and what turns would need a feedback that turns with it.
TEST_F(Analysis, ARegulatorOfASteadyMotionKeepsWhatStays) {
  const Outcome o = haltere(
      {"lqr", shipped("bicycle"), "--input", "joint.steer.torque", "--input", "joint.rear_axle.torque"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, Not(HasSubstr("joint.base.position.3")));
  EXPECT_THAT(o.out, Not(HasSubstr("axle.angle")));
  const Outcome placed =
      haltere({"lqr", shipped("bicycle"), "--input", "joint.steer.torque", "--q", "joint.rear_axle.angle=1"});
  EXPECT_EQ(placed.status, 2);
  EXPECT_THAT(placed.err, HasSubstr("changes steadily"));
  const Outcome turns = haltere({"lqr", shipped("heavy-top"), "--case", "precession", "--input", "joint.*"});
  EXPECT_EQ(turns.status, 1);
  EXPECT_THAT(turns.err, HasSubstr("turns"));
}

TEST_F(Analysis, AMachineThatCannotMoveHasNoModes) {
  write("still.yaml",
        "haltere: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  p: {kind: revolute, child: a, "
        "axis: z, prescribed: 0.3}\n");
  EXPECT_EQ(haltere({"equilibrium", "still.yaml"}).status, 0);
  for (const char* verb : {"modes", "lqr"}) {
    const Outcome o = haltere({verb, "still.yaml"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("nothing in this machine is free to move"));
  }
}

// A small part on a large one: each counts in its own size.                  (source: analytic, both hang
// down)
TEST_F(Analysis, AnEquilibriumOfPartsOfVeryDifferentSize) {
  write("two.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  crane: {mass: 10 t, center_of_mass: [0, 0, -5], inertia: [1e5, 1e5, 1e3]}
  fly: {mass: 1 g, center_of_mass: [0, 0, -0.01], inertia: [1e-8, 1e-8, 1e-9]}
joints:
  c: {kind: revolute, child: crane, axis: y}
  f: {kind: revolute, parent: crane, child: fly, parent_frame: [0, 0, -10], axis: y}
initial: {c: 0.4, f: -0.3}
)");
  const Outcome o = haltere({"equilibrium", "two.yaml", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json found = json::parse(o.out);
  EXPECT_NEAR(found["q"]["joint.c.angle"].get<double>(), 0, 1e-9);
  EXPECT_NEAR(found["q"]["joint.f.angle"].get<double>(), 0, 1e-9);
}

TEST_F(Analysis, OptionsThatDoNotFitAreRefused) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--sweep", "v=0..10:5x"},
                                             {"--sweep", "v=1..2:3", "--json", "m.json"},
                                             {"--sweep", "v=1..2:3", "--plot", "m.png"},
                                             {"--matrices", "-"},
                                             {"--chart", "quaternion"}}) {
    std::vector<std::string> arguments{"modes", shipped("bicycle")};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(haltere(arguments).status, 2) << wrong.front();
  }
  EXPECT_FALSE(exists("m.json"));
}

TEST_F(Analysis, MatricesGoToAFileForOtherPrograms) {
  const Outcome o =
      haltere({"modes", shipped("cart-pole"), "--input", "joint.track.force", "--matrices", "a.h5"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(exists("a.h5"));
}

}  // namespace
}  // namespace haltere
