#include <algorithm>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/model/machine.h"

#include "haltere/model/kind_info.h"
#include "haltere/model/quantity.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of_bodies(const Model& model) {
  std::vector<std::string> names;
  for (const BodySpec& body : model.bodies) names.push_back(body.name);
  return names;
}

void expect_tree_order(const Model& model) {
  ASSERT_EQ(model.bodies.size(), model.joints.size() + 1);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    ASSERT_EQ(model.joints[j].child.value, static_cast<int>(j) + 1);
    ASSERT_LT(model.joints[j].parent.value, model.joints[j].child.value);
  }
}

TEST(SortTree, KeepsTheOrderOfTheFileWhereParentsComeFirst) {
  WrittenModel machine;
  for (const char* name : {"a", "b", "c", "d"}) machine.add_body(name, 1);
  machine.add_joint("jd", "revolute", "b", "d");
  machine.add_joint("jb", "revolute", "world", "b");
  machine.add_joint("jc", "revolute", "a", "c");
  machine.add_joint("ja", "revolute", "world", "a");
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_THAT(texts(problems), IsEmpty());
  EXPECT_THAT(names_of_bodies(machine.model), ElementsAre("world", "a", "b", "c", "d"));
  expect_tree_order(machine.model);
  EXPECT_EQ(machine.model.joints[3].name(), "jd");
  EXPECT_EQ(machine.model.joints[3].parent.value, 2);
}

TEST(SortTree, PutsParentsBeforeTheirChildren) {
  WrittenModel machine;
  for (const char* name : {"hand", "other", "arm", "trunk"}) machine.add_body(name, 1);
  machine.add_joint("wrist", "revolute", "arm", "hand");
  machine.add_joint("shoulder", "spherical", "trunk", "arm");
  machine.add_joint("fly", "free", "world", "trunk");
  machine.add_joint("slide", "prismatic", "world", "other");
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_THAT(texts(problems), IsEmpty());
  EXPECT_THAT(names_of_bodies(machine.model), ElementsAre("world", "trunk", "arm", "hand", "other"));
  expect_tree_order(machine.model);
}

TEST(SortTree, RenumbersForcesAndProbes) {
  WrittenModel machine;
  machine.add_body("hand", 1);
  machine.add_body("arm", 1);
  machine.add_joint("wrist", "revolute", "arm", "hand");
  machine.add_joint("shoulder", "revolute", "world", "arm");
  machine.add_force("spring", "rotary-spring", {{"joint", CoordinateIndex{0, 0}}});
  machine.add_force("push", "applied-force", {{"body", BodyIndex{1}}});
  machine.model.probes = {{Probe::Quantity::kBodyCom, 1, 0, "body.hand.com.x"},
                          {Probe::Quantity::kJointVelocity, 0, 0, "joint.wrist.rate"},
                          {Probe::Quantity::kSystemCom, 0, 1, "system.com.y"}};
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_THAT(texts(problems), IsEmpty());
  EXPECT_EQ(std::get<CoordinateIndex>(machine.model.forces[0].values[0]).joint,
            *machine.model.find_joint("wrist"));
  EXPECT_EQ(std::get<BodyIndex>(machine.model.forces[1].values[0]).value, *machine.model.find_body("hand"));
  EXPECT_EQ(machine.model.probes[0].index, *machine.model.find_body("hand"));
  EXPECT_EQ(machine.model.probes[1].index, *machine.model.find_joint("wrist"));
  EXPECT_EQ(machine.model.probes[2].index, 0);
  EXPECT_EQ(*machine.model.find_body("hand"), 2);  // it did move
}

TEST(SortTree, NamesEveryMistakeOfTheTopology) {
  WrittenModel machine;
  for (const char* name : {"lost", "twice", "a", "b", "c", "self"}) machine.add_body(name, 1);
  machine.add_joint("j1", "revolute", "world", "twice");
  machine.add_joint("j2", "revolute", "a", "twice");
  machine.add_joint("j3", "revolute", "c", "a");
  machine.add_joint("j4", "revolute", "a", "b");
  machine.add_joint("j5", "revolute", "b", "c");
  machine.add_joint("j6", "revolute", "a", "world");
  machine.add_joint("j7", "revolute", "self", "self");
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_THAT(
      texts(problems),
      ElementsAre(
          "m.yaml:12:3: joint 'j6': its child is the world, which does not move; swap parent and child",
          "m.yaml:13:3: joint 'j7': parent and child are both 'self'; name two bodies",
          "m.yaml:1:3: body 'lost': no joint has it as its child; add one, of kind 'free' if nothing "
          "holds it",
          "m.yaml:3:3: body 'a': the bodies 'a', 'c', 'b' hang on each other in a cycle; let one of "
          "them hang on the world"));
}

TEST(SortTree, TheSecondJointOfABodyClosesALoop) {
  WrittenModel machine;
  for (const char* name : {"crank", "coupler", "rocker"}) machine.add_body(name, 1);
  machine.add_joint("a", "revolute", "world", "crank");
  machine.add_joint("b", "revolute", "crank", "coupler");
  machine.add_joint("c", "revolute", "coupler", "rocker");
  machine.add_joint("d", "revolute", "world", "rocker");
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(machine.model.n_tree(), 3);
  EXPECT_EQ(machine.model.joints[3].name(), "d");
}

// the first joints of a and b hang on each other; the world is reached by the third
TEST(SortTree, FindsATreeWhereTheFirstJointsMakeACycle) {
  WrittenModel machine;
  for (const char* name : {"a", "b"}) machine.add_body(name, 1);
  machine.add_joint("ba", "revolute", "b", "a");
  machine.add_joint("ab", "revolute", "a", "b");
  machine.add_joint("hold", "revolute", "world", "a");
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(machine.model.joints[0].name(), "hold");
  EXPECT_EQ(machine.model.joints[1].name(), "ab");
  EXPECT_EQ(machine.model.joints[2].name(), "ba");
}

TEST(SortTree, ABodyThatHangsOnACycleIsNoMember) {
  WrittenModel machine;
  for (const char* name : {"tip", "a", "b"}) machine.add_body(name, 1);
  machine.add_joint("j1", "revolute", "a", "tip");
  machine.add_joint("j2", "revolute", "b", "a");
  machine.add_joint("j3", "revolute", "a", "b");
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].message, "the bodies 'a', 'b' hang on each other in a cycle");
}

TEST(SortTree, AReferenceThatIsNotUnderstoodIsNoSecondProblem) {
  WrittenModel machine;
  machine.add_body("a", 1);
  machine.add_joint("j", "revolute", "world", "misspelt");  // child -1, reported by the reader
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_THAT(texts(problems), IsEmpty());
}

TEST(SortTree, OrdersALongChainInAnyFileOrder) {
  constexpr int kBodies = 100'000;
  WrittenModel machine;
  machine.model.bodies.resize(kBodies + 1);
  std::vector<int> order(kBodies);
  std::iota(order.begin(), order.end(), 1);
  std::mt19937 generator(1);
  std::shuffle(order.begin(), order.end(), generator);
  for (int i = 0; i < kBodies; ++i) {  // order[i] hangs on order[i - 1]
    JointSpec joint;
    joint.entry.kind = find_kind(joint_kinds(), "revolute");
    joint.parent = {i == 0 ? 0 : order[i - 1]};
    joint.child = {order[i]};
    machine.model.joints.push_back(joint);
  }
  std::vector<Problem> problems;
  sort_tree(&machine.model, &problems);
  EXPECT_THAT(texts(problems), IsEmpty());
  expect_tree_order(machine.model);
}

}  // namespace
}  // namespace haltere
