#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/model/machine.h"

namespace haltere {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> check(WrittenModel* machine) {
  std::vector<Problem> problems;
  check_model(machine->model, machine->model.calc_parameters(), &problems);
  return texts(problems);
}

/// A pendulum: body 'bob' on the hinge 'pin'.
WrittenModel make_pendulum() {
  WrittenModel machine;
  machine.add_body("bob", 1, {0.1, 0.1, 0.1});
  machine.add_joint("pin", "revolute", "world", "bob");
  return machine;
}

TEST(CheckModel, IsSilentAboutASoundMachine) {
  WrittenModel machine = make_pendulum();
  EXPECT_THAT(check(&machine), IsEmpty());
}

TEST(CheckModel, RefusesNegativeMass) {
  WrittenModel machine = make_pendulum();
  machine.model.bodies[1].mass = Expression(-2);
  EXPECT_THAT(check(&machine), ElementsAre("m.yaml:1:3: body 'bob': mass is -2 kg; must not be negative"));
}

TEST(CheckModel, RefusesWhatIsNotFinite) {
  WrittenModel machine = make_pendulum();
  machine.model.bodies[1].inertia[3] = Expression(kNan);
  machine.model.joints[0].parent_frame.position[1] = Expression(kNan);
  machine.model.gravity[2] = Expression(std::numeric_limits<double>::infinity());
  EXPECT_THAT(check(&machine),
              ElementsAre("gravity: gravity.z is not a finite number",
                          "m.yaml:1:3: body 'bob': inertia.xy is not a finite number",
                          "m.yaml:2:3: joint 'pin': parent_frame.position.y is not a finite number"));
}

TEST(CheckModel, AParameterThatIsNoNumberIsTheOnlyNews) {
  WrittenModel machine = make_pendulum();
  machine.add_parameter("k", kNan);
  machine.model.bodies[1].mass = Expression(-2);
  EXPECT_THAT(check(&machine), ElementsAre("m.yaml:3:3: parameter 'k': its value is not a finite number"));
}

TEST(CheckModel, AppliesTheRulesOfTheFields) {
  WrittenModel machine = make_pendulum();
  machine.add_force("mount", "rotary-spring",
                    {{"joint", CoordinateIndex{0, 0}}, {"stiffness", Expression(-120)}});
  machine.model.bodies[1].inertia_shape =
      machine.make_entry(shape_kinds(), "", "box", {{"size", numbers({1, -0.5, 1})}});
  EXPECT_THAT(check(&machine),
              ElementsAre("m.yaml:1:3: body 'bob': inertia.size.y is -0.5 m; must not be negative",
                          "m.yaml:3:3: force 'mount': stiffness is -120 N m/rad; must not be negative"));
}

TEST(CheckModel, RefusesAxesWithoutDirection) {
  WrittenModel machine;
  for (const char* name : {"a", "b", "c", "d"}) machine.add_body(name, 1, {1, 1, 1});
  machine.add_joint("zero", "revolute", "world", "a", {{"axis", numbers({0, 0, 0})}});
  machine.add_joint("alike", "universal", "a", "b",
                    {{"axis", numbers({1, 2, 0})}, {"second_axis", numbers({-2, -4, 0})}});
  machine.add_joint("good", "universal", "b", "c",
                    {{"axis", numbers({1, 2, 0})}, {"second_axis", numbers({1, 0, 0})}});
  JointSpec& turned = machine.add_joint("turned", "revolute", "c", "d");
  turned.child_frame.rotation.form = RotationSpec::Form::kQuaternion;
  turned.child_frame.rotation.values.resize(4);
  EXPECT_THAT(
      check(&machine),
      ElementsAre(
          "m.yaml:5:3: joint 'zero': axis has no length; give it a direction",
          "m.yaml:6:3: joint 'alike': its axes are parallel; two of its motions are one and the same: "
          "turn one axis",
          "m.yaml:8:3: joint 'turned': child_frame.rotation has no direction: its quaternion is zero"));
}

TEST(CheckModel, WarnsOfAnInertiaThatNoBodyHas) {
  WrittenModel machine = make_pendulum();
  // analytic: the block (2.5, 0.5; 0.5, 2.5) has the moments 2 and 3; 6 > 2 + 3
  for (int i = 0; i < 2; ++i) machine.model.bodies[1].inertia[i] = Expression(2.5);
  machine.model.bodies[1].inertia[2] = Expression(6);
  machine.model.bodies[1].inertia[3] = Expression(0.5);
  EXPECT_THAT(
      check(&machine),
      ElementsAre(
          "m.yaml:1:3: warning: body 'bob': no rigid body has this inertia: principal moments 2, 3, 6 "
          "kg m2; 6 > 2 + 3; computed as given"));
}

TEST(CheckModel, WarnsOfANegativeMomentAtAnyScale) {
  for (const double scale : {1.0, 1e-15, 1e12}) {
    WrittenModel machine = make_pendulum();
    const Vector3<double> moments(2 * scale, -1 * scale, 2 * scale);
    for (int i = 0; i < 3; ++i) machine.model.bodies[1].inertia[i] = Expression(moments[i]);
    EXPECT_THAT(check(&machine), ElementsAre(AllOf(HasSubstr(": warning: "), HasSubstr("is negative"))));
  }
}

TEST(CheckModel, AcceptsAFlatPlateWhoseMomentsAddUp) {
  WrittenModel machine = make_pendulum();
  for (int i = 0; i < 3; ++i)
    machine.model.bodies[1].inertia[i] = Expression(i == 2 ? 0.1 + 0.2 : 0.1 * (i + 1));
  EXPECT_THAT(check(&machine), IsEmpty());
}

std::vector<std::string> check_singularity_of(const WrittenModel& machine) {
  std::vector<Problem> problems;
  check_singularity(machine.model, machine.model.calc_parameters(), &problems);
  return texts(problems);
}

TEST(CheckSingularity, NamesAMasslessBodyThatMakesTheSystemSingular) {
  WrittenModel machine = make_pendulum();
  EXPECT_THAT(check_singularity_of(machine), IsEmpty());
  machine.add_body("ghost");
  machine.add_joint("tip", "revolute", "bob", "ghost");
  EXPECT_THAT(
      check_singularity_of(machine),
      ElementsAre(
          "m.yaml:4:3: joint 'tip': the massless body 'ghost' makes the system singular: nothing here "
          "has mass; give the body mass, prescribe the joint, or weld it"));
}

TEST(CheckSingularity, NamesTheCoordinateOfARodThatTurnsAboutItself) {
  WrittenModel machine;
  machine.add_body("stick", 1, {1, 1, 0});
  machine.add_joint("ball", "spherical", "world", "stick");
  EXPECT_THAT(check_singularity_of(machine),
              ElementsAre(AllOf(
                  HasSubstr("the body 'stick' makes the system singular: its coordinate 2 meets no inertia"),
                  HasSubstr("a rod or a point has none"))));
}

}  // namespace
}  // namespace haltere
