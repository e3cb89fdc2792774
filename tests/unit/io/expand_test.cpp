#include "haltere/io/model/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/reading.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

const std::string kChain = R"(haltere: 1
parameters: {n: 3, L: 0.5 m}
bodies:
  link{i}:
    repeat: {i: 1..n}
    mass: 0.1 kg * i
    inertia: {kind: rod, length: L}
joints:
  hinge{i}:
    repeat:
      i: 1..n
      first: {parent: world, parent_frame: [0, 0, 0]}
    kind: revolute
    parent: link{i-1}
    child: link{i}
    axis: y
    parent_frame: [L, 0, 0]
initial:
  hinge{i}: {repeat: {i: 1..n}, angle: 10 deg * i}
outputs: ["body.link{n}.*"]
)";

TEST(Repeat, MakesAChain) {
  const Model model = read(kChain);
  ASSERT_EQ(model.bodies.size(), 4u);
  ASSERT_EQ(model.joints.size(), 3u);
  EXPECT_EQ(model.bodies[3].name, "link3");
  EXPECT_EQ(model.joints[2].name(), "hinge3");
  EXPECT_EQ(model.joints[0].parent.value, 0);
  EXPECT_EQ(model.joints[2].parent.value, 2);
  // the index is a number in formulas; analytic
  EXPECT_DOUBLE_EQ(value_of(model.bodies[2].mass, model), 0.2);
  EXPECT_DOUBLE_EQ(value_of(*model.joints[2].initial_position[0], model), 30 * EIGEN_PI / 180);
  EXPECT_DOUBLE_EQ(value_of(model.joints[0].parent_frame.position[0], model), 0);
  EXPECT_DOUBLE_EQ(value_of(model.joints[1].parent_frame.position[0], model), 0.5);
  EXPECT_EQ(model.outputs, std::vector<std::string>{"body.link3.*"});
}

TEST(Repeat, CountComesFromTheCommandLine) {
  EXPECT_EQ(read(kChain, {"", {"n=7"}}).bodies.size(), 8u);
}

TEST(Repeat, CountIsStructural) {
  const Model model = read(kChain + "events: {}\n");
  EXPECT_TRUE(model.parameters[*model.find_parameter("n")].structural);
  EXPECT_FALSE(model.parameters[*model.find_parameter("L")].structural);
  EXPECT_EQ(
      problem_of(kChain + "events: {e: {at: 1 s, set: {n: 5}}}\n"),
      "m.yaml:21:29: event 'e': set: the parameter 'n' decides how many blocks there are; it cannot change "
      "during a run");
}

TEST(Repeat, WhatACountNeedsIsStructuralToo) {
  const Model model = read(R"(haltere: 1
parameters: {n: 2*m, m: 1, k: 3}
bodies: {"b{i}": {repeat: {i: 1..n}, mass: 1, inertia: [1, 1, 1]}}
joints: {"j{i}": {repeat: {i: 1..n}, kind: free, child: "b{i}"}}
)");
  EXPECT_EQ(model.bodies.size(), 3u);
  EXPECT_TRUE(model.parameters[*model.find_parameter("m")].structural);
  EXPECT_FALSE(model.parameters[*model.find_parameter("k")].structural);
}

TEST(Repeat, AnEmptyRangeGivesNothing) {
  const Model model = read(R"(haltere: 1
parameters: {n: 0}
bodies:
  base: {mass: 1, inertia: [1, 1, 1]}
  extra{i}: {repeat: {i: 1..n}, mass: 1}
joints:
  j: {kind: free, child: base}
  k{i}: {repeat: {i: 1..n}, kind: weld, parent: base, child: "extra{i}"}
)");
  EXPECT_EQ(model.bodies.size(), 2u);
}

TEST(Repeat, TwoIndicesNest) {
  // the second index runs fastest; first and last are those of the second
  const Model model = read(R"(haltere: 1
bodies:
  hub: {mass: 1, inertia: [1, 1, 1]}
  s{i}_{j}: {repeat: {i: 1..3, j: 1..2}, mass: i + 10*j}
joints:
  base: {kind: free, child: hub}
  h{i}_{j}:
    repeat: {i: 1..3, j: 1..2, first: {parent: hub}}
    kind: weld
    parent: s{i}_{j-1}
    child: s{i}_{j}
)");
  ASSERT_EQ(model.bodies.size(), 8u);
  EXPECT_EQ(model.bodies[3].name, "s1_2");
  EXPECT_DOUBLE_EQ(value_of(model.bodies[3].mass, model), 21);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(model.joints[1 + 2 * i].parent.value, 1) << "first of each row";
}

TEST(Repeat, WorksForForcesSignalsAndEvents) {
  const Model model = read(kChain + R"(
signals:
  bend{i}: {repeat: {i: 1..n}, value: "joint.hinge{i}.angle"}
forces:
  spring{i}: {repeat: {i: 1..n}, kind: rotary-spring, joint: "hinge{i}", stiffness: 2 N m/rad}
  drive{i}: {repeat: {i: 1..n}, kind: feedback, joint: "hinge{i}", gains: {"bend{i}": -1 N m/rad}}
events:
  e{i}: {repeat: {i: 1..n}, at: 1 s * i, set: {L: 0.5 m}}
)");
  ASSERT_EQ(model.forces.size(), 6u);
  ASSERT_EQ(model.signals.size(), 3u);
  ASSERT_EQ(model.probes.size(), 3u);
  EXPECT_EQ(model.probes[1].name, "joint.hinge2.angle");
  EXPECT_EQ(std::get<CoordinateIndex>(model.forces[1].values[0]).joint, 1);
  const auto& gains = std::get<std::vector<SignalGain>>(model.forces[4].values[1]);
  EXPECT_EQ(gains[0].local, 1 + 3 + 1) << "t, three probes, then the second signal";
  EXPECT_DOUBLE_EQ(value_of(*model.events[2].at, model), 3);
}

TEST(Repeat, BracesWorkOutsideOfRepeatedBlocks) {
  const Model model =
      read(kChain + "forces: {tip: {kind: applied-force, body: \"link{n}\", force: [0, 0, 1 N]}}\n");
  EXPECT_EQ(std::get<BodyIndex>(model.forces[0].values[0]).value, 3);
}

TEST(Repeat, ManyCopiesReadInReasonableTime) {
  // a chain of ten thousand: nothing may be quadratic (a quadratic step would take minutes)
  EXPECT_EQ(read(kChain, {"", {"n=10000"}}).bodies.size(), 10001u);
}

TEST(Repeat, AbsurdCountsAreProblems) {
  EXPECT_THAT(problem_of(kChain, {"", {"n=1e8"}}), HasSubstr("more than 200000 entries"));
  EXPECT_THAT(problem_of(kChain, {"", {"n=1e300"}}), HasSubstr("whole number of reasonable size"));
  EXPECT_THAT(problem_of(kChain, {"", {"n=2.5"}}), HasSubstr("repeat i is 2.5; must be a whole number"));
}

TEST(Repeat, ManyCopiesOfALongTextAreAProblem) {
  std::string sum = "1 kg";
  while (sum.size() < 100'000) sum += "+1 kg";
  EXPECT_THAT(problem_of("haltere: 1\nbodies:\n  b{i}:\n    repeat: {i: 1..20000}\n    mass: " + sum + "\n"),
              HasSubstr("m.yaml:3:3: body 'b{i}': 20000 copies of so long a block take more than 1 GiB"));
}

TEST(Repeat, MistakesHaveTheirPlace) {
  const auto body = [](const std::string& entry) {
    return problem_of("haltere: 1\nbodies:\n  " + entry + "\n");
  };
  EXPECT_EQ(body("b: {repeat: {i: 1..3}, mass: 1}"),
            "m.yaml:3:15: body 'b': the name does not contain the index {i}; call it b{i}");
  EXPECT_THAT(body("b{i}: {mass: 1}"), HasSubstr("unknown name 'i'"));
  EXPECT_THAT(body("b{i}: {repeat: {i: 3}, mass: 1}"),
              HasSubstr("expected a range, not '3'; write it as 1..n"));
  EXPECT_THAT(body("b{i}: {repeat: 3, mass: 1}"), HasSubstr("repeat: expected a map"));
  EXPECT_THAT(body("b{t}: {repeat: {t: 1..3}, mass: 1}"), HasSubstr("'t' cannot be the name of an index"));
  EXPECT_THAT(body("b{i}: {repeat: {i: 1..k}, mass: 1}"), HasSubstr("unknown name 'k'"));
  EXPECT_THAT(body("b{i: {repeat: {i: 1..3}, mass: 1}"), HasSubstr("a brace is not closed"));
}

TEST(Repeat, OneMistakeIsReportedOnce) {
  EXPECT_EQ(
      problems_of(kChain + "forces:\n  f{i}: {repeat: {i: 1..n}, kind: rotary-spring, joint: \"hinge{i}\", "
                           "stiffness: 1 N}\n")
          .size(),
      1u);
}

}  // namespace
}  // namespace haltere
