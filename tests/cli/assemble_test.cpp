#include <string>

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

constexpr const char* kCrank = "joint.ground0.angle";

class Assemble : public ProgramTest {
 protected:
  /// The parallelograms of `four-bar`, rods of 1 m, with another `initial`.
  void write_linkage(const std::string& initial) const {
    std::string text = read_text(shipped("four-bar") + "/model.yaml");
    const std::size_t begin = text.find("initial:"), end = text.find("simulation:");
    text.replace(begin, end - begin, initial);
    write("linkage.yaml", text);
  }
};

TEST_F(Assemble, PutsAParallelogramTogetherFromARoughGuess) {
  // rockers lean by 0.4 rad, the rest is a guess
  write_linkage("initial: {left1: -0.7}\n");
  const Outcome o =
      haltere({"assemble", "linkage.yaml", "--set", "N=1", "--keep", "joint.ground0.angle=0.4 rad", "--keep",
               "joint.ground0.rate=2 rad/s", "--json", "a.json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("initial:\n  ground0: {angle: 0.4, rate: 2}\n"));
  EXPECT_THAT(o.err, HasSubstr("note: another way to put it together"));
  EXPECT_THAT(o.err, HasSubstr("are redundant"));
  const json a = json::parse(read("a.json"));
  // analytic: opposite sides of a parallelogram are parallel; tolerance: machine
  EXPECT_EQ(a["q"][kCrank], 0.4);
  EXPECT_NEAR(a["q"]["joint.ground1.angle"].get<double>(), 0.4, 1e-12);
  EXPECT_NEAR(a["q"]["joint.left1.angle"].get<double>(), -0.4, 1e-12);
  EXPECT_NEAR(a["v"]["joint.ground1.rate"].get<double>(), 2, 1e-12);
  EXPECT_NEAR(a["v"]["joint.left1.rate"].get<double>(), -2, 1e-12);
  EXPECT_EQ(a["roles"]["q"][kCrank], "kept");
  EXPECT_EQ(a["roles"]["q"]["joint.left1.angle"], "solved");
  EXPECT_EQ(a["others"].size(), 1U);
}

TEST_F(Assemble, ItsOutputRunsAndIsNotMovedAgain) {
  ASSERT_EQ(
      haltere({"assemble", shipped("four-bar"), "--keep", "joint.ground0.angle=40deg", "-o", "initial.yaml"})
          .status,
      0);
  write_linkage(read("initial.yaml"));
  const Outcome o = haltere({"run", "linkage.yaml", "--until", "0.1"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, Not(HasSubstr("`initial`")));
  const Outcome again = haltere({"assemble", "linkage.yaml", "--keep", kCrank});
  EXPECT_EQ(again.out, read("initial.yaml"));
}

TEST_F(Assemble, ItsJsonIsAStateForEvaluate) {
  ASSERT_EQ(haltere({"assemble", "andrews", "--keep", "joint.beta.*", "--json", "state.json", "-o", "i.yaml"})
                .status,
            0);
  const Outcome o = haltere({"evaluate", "andrews", "--state", "state.json", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  for (const char* name : {"E3", "E4", "E6"})
    EXPECT_LE(json::parse(o.out)["constraints"][name]["drift"].get<double>(), 1e-12);
}

TEST_F(Assemble, MovesLeastWhereNothingIsNamed) {
  const Outcome o = haltere({"assemble", "bricard", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json a = json::parse(o.out);  // and nothing else is on stdout
  EXPECT_EQ(a["redundant_rows"].size(), 1U);
  EXPECT_EQ(a["roles"]["q"]["joint.hinge1.angle"], "moved");
}

TEST_F(Assemble, WhatIsKeptTooMuchEndsWithStatus1AndNoFile) {
  const Outcome o =
      haltere({"assemble", shipped("four-bar"), "--set", "N=1", "--keep", "joint.ground0.angle=0.3", "--keep",
               "joint.ground1.angle=0.5", "-o", "initial.yaml", "--json", "a.json"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("joint 'right1', row position"));
  EXPECT_THAT(
      o.err,
      HasSubstr("try: without keeping one of joint.ground0.angle, joint.ground1.angle; 1 too many is kept"));
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Assemble, ARodThatIsTooShortEndsWithStatus1AndItsRow) {
  std::string text = read_text(shipped("four-bar") + "/model.yaml");
  const std::string far = "parent_frame: [i*L, 0, 0]";
  text.replace(text.find(far), far.size(), "parent_frame: [i*4*L, 0, 0]");
  write("short.yaml", text);
  const Outcome o = haltere({"assemble", "short.yaml", "--set", "N=1", "-o", "initial.yaml"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("joint 'right1', row position.x"));
  EXPECT_THAT(o.err, HasSubstr("try: other dimensions"));
  EXPECT_FALSE(exists("initial.yaml"));
}

TEST_F(Assemble, WrongNamesAndUnitsEndWithStatus2) {
  const auto problem_of = [&](const char* option, const std::string& value) {
    const Outcome o = haltere({"assemble", shipped("four-bar"), option, value});
    EXPECT_EQ(o.status, 2) << value;
    EXPECT_THAT(o.out, IsEmpty());
    return o.err;
  };
  EXPECT_THAT(problem_of("--keep", "joint.grund0.angle"), HasSubstr("did you mean 'joint.ground0.angle'?"));
  EXPECT_THAT(problem_of("--solve", "joint.right1.angle"), HasSubstr("closes a loop"));
  EXPECT_THAT(problem_of("--keep", "joint.ground0.angle=3 m"), HasSubstr("--keep joint.ground0.angle"));
  EXPECT_THAT(problem_of("--keep", "joint.ground0.rate=3 Hz"), HasSubstr("rad/s"));
  EXPECT_THAT(problem_of("--keep", "joint.ground0.angle="), HasSubstr("--keep"));
  EXPECT_EQ(haltere({"assemble", "falling-cat", "--solve", "joint.nothing.*"}).status, 2);
}

TEST_F(Assemble, PrescribedCoordinatesCannotBeSolvedFor) {
  write("led.yaml", R"(
haltere: 1
bodies: {arm: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {motor: {kind: revolute, child: arm, prescribed: "t*1 rad/s"}}
)");
  const Outcome o = haltere({"assemble", "led.yaml", "--solve", "joint.motor.angle"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("--solve 'joint.motor.angle': is prescribed"));
}

}  // namespace
}  // namespace haltere
