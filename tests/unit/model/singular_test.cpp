#include "haltere/model/singular.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/model/machine.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;

/// Names of the singular joints, each with its coordinates.
std::vector<std::string> find(const Model& model) {
  std::vector<std::string> names;
  for (const SingularJoint& s : find_singular_joints(model, model.calc_parameters())) {
    std::string name = model.joints[s.joint].name();
    for (const int k : s.coordinates) name += " " + std::to_string(k);
    names.push_back(name + (s.massless ? " massless" : ""));
  }
  return names;
}

/// A chain of hinges: one body a joint, given the axis and the moments of each.
struct Link {
  Vector3<double> axis;
  double mass;
};
WrittenModel make_chain(const std::vector<Link>& links) {
  WrittenModel machine;
  std::string parent = "world";
  for (const Link& link : links) {
    const std::string name = "b" + std::to_string(machine.model.bodies.size());
    machine.add_body(name, link.mass, link.mass * Vector3<double>(0.1, 0.2, 0.25));
    machine.add_joint("j" + name.substr(1), "revolute", parent, name, {{"axis", numbers(link.axis)}});
    parent = name;
  }
  return machine;
}

// analytic in all cases: a free coordinate is singular where a velocity along it alone, others following,
// costs no energy

TEST(SingularJoints, AGimbalOfMasslessRingsIsRegular) {
  EXPECT_THAT(find(make_chain({{{0, 0, 1}, 0}, {{0, 1, 0}, 0}, {{1, 0, 0}, 1}}).model), ElementsAre());
}

TEST(SingularJoints, AxesThatAreAlignedOnlyAtTheStartAreRegular) {
  EXPECT_THAT(find(make_chain({{{0, 0, 1}, 0}, {{1, 0, 0}, 0}, {{0, 0, 1}, 1}}).model), ElementsAre());
}

TEST(SingularJoints, AMasslessBodyBetweenTwoHingesOnOneAxisIsSingular) {
  EXPECT_THAT(find(make_chain({{{1, 2, 3}, 0}, {{1, 2, 3}, 1}}).model), ElementsAre("j1 0"));
}

TEST(SingularJoints, MassBetweenThemMakesItRegular) {
  EXPECT_THAT(find(make_chain({{{1, 2, 3}, 1}, {{1, 2, 3}, 1}}).model), ElementsAre());
  EXPECT_THAT(find(make_chain({{{1, 2, 3}, 1e-9}, {{1, 2, 3}, 1}}).model), ElementsAre());
}

TEST(SingularJoints, APrescribedCoordinateNeedsNoInertia) {
  WrittenModel machine = make_chain({{{1, 2, 3}, 0}, {{1, 2, 3}, 1}});
  machine.model.joints[0].prescribed[0] = Expression(0);
  EXPECT_THAT(find(machine.model), ElementsAre());
}

TEST(SingularJoints, FourGimbalRingsAreOneTooMany) {
  const WrittenModel machine = make_chain({{{0, 0, 1}, 0}, {{0, 1, 0}, 0}, {{1, 0, 0}, 0}, {{0, 0, 1}, 1}});
  EXPECT_THAT(find(machine.model), ElementsAre("j1 0"));
}

TEST(SingularJoints, OfAMasslessLimbOnlyTheTipIsNamed) {
  EXPECT_THAT(find(make_chain({{{0, 0, 1}, 1}, {{0, 1, 0}, 0}, {{1, 0, 0}, 0}}).model),
              ElementsAre("j3 0 massless"));
}

TEST(SingularJoints, AWeldedMassCounts) {
  WrittenModel machine = make_chain({{{0, 0, 1}, 0}});
  machine.add_body("load", 1, {1, 1, 1});
  machine.add_joint("glue", "weld", "b1", "load");
  EXPECT_THAT(find(machine.model), ElementsAre());
}

TEST(SingularJoints, ARodHasNoInertiaAboutItself) {
  for (const char* kind : {"spherical", "free"}) {
    WrittenModel machine;
    BodySpec& body = machine.add_body("stick", 1);
    body.inertia_shape = machine.make_entry(shape_kinds(), "", "rod",
                                            {{"length", Expression(2)}, {"axis", numbers({1, 2, 0.5})}});
    machine.add_joint("ball", kind, "world", "stick");
    const std::vector<SingularJoint> found = find_singular_joints(machine.model, {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].coordinates.size(), 1u);
    EXPECT_FALSE(found[0].massless);
  }
}

TEST(SingularJoints, ARodOnAHingeAlongItIsSingular) {
  WrittenModel machine;
  BodySpec& body = machine.add_body("stick", 1);
  body.inertia_shape = machine.make_entry(shape_kinds(), "", "rod",
                                          {{"length", Expression(2)}, {"axis", numbers({1, 2, 0.5})}});
  machine.add_joint("pin", "revolute", "world", "stick", {{"axis", numbers({1, 2, 0.5})}});
  EXPECT_THAT(find(machine.model), ElementsAre("pin 0"));
}

TEST(SingularJoints, APointMassSlidesButDoesNotTurn) {
  WrittenModel machine;
  machine.add_body("bead", 1e-12);
  machine.add_joint("rail", "planar", "world", "bead");
  EXPECT_THAT(find(machine.model), ElementsAre("rail 2"));
  // off the origin it still has two directions to go, and the joint three
  machine.model.bodies[1].center_of_mass = position(0.1, 0, 0);
  EXPECT_THAT(find(machine.model), ElementsAre("rail 2"));
}

TEST(SingularJoints, APointMassOnAnArmTurns) {
  WrittenModel machine;
  machine.add_body("bob", 1e-12).center_of_mass = position(0.1, 0, 0);
  machine.add_joint("pin", "universal", "world", "bob", {{"axis", numbers({0, 0, 1})}});
  EXPECT_THAT(find(machine.model), ElementsAre());
}

TEST(SingularJoints, ALongChainIsRegular) {
  std::vector<Link> links(20'000, {{0, 0, 1}, 1});
  WrittenModel machine;
  machine.model.bodies.reserve(links.size() + 1);
  int parent = 0;
  for (const Link& link : links) {
    BodySpec& body = machine.add_body("", link.mass, link.mass * Vector3<double>(0.1, 0.2, 0.25));
    body.center_of_mass = position(0.5, 0, 0);
    JointSpec& joint = machine.add_joint("", "revolute", "world", "world", {{"axis", numbers(link.axis)}});
    joint.parent = {parent};
    joint.child = {++parent};
    if (parent > 1) joint.parent_frame.position = position(1, 0, 0);
  }
  EXPECT_THAT(find_singular_joints(machine.model, {}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace haltere
