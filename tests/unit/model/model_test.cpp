#include "haltere/model/model.h"

#include <limits>

#include <gtest/gtest.h>

#include "unit/model/machine.h"

namespace haltere {
namespace {

// machine: numbers of size one through some ten operations
constexpr double kRoundoff = 16 * std::numeric_limits<double>::epsilon();

RotationSpec make_rotation(RotationSpec::Form form, std::vector<double> values) {
  RotationSpec rotation;
  rotation.form = form;
  for (const double x : values) rotation.values.emplace_back(x);
  return rotation;
}

TEST(Model, CountsCoordinatesOfEveryJoint) {
  WrittenModel machine;
  machine.add_body("a", 1);
  machine.add_body("b", 1);
  machine.add_body("c", 1);
  machine.add_joint("fly", "free", "world", "a");
  machine.add_joint("hinge", "revolute", "a", "b");
  machine.add_joint("ball", "spherical", "b", "c");
  // analytic: 7 + 1 + 4 positions, 6 + 1 + 3 velocities
  EXPECT_EQ(machine.model.nq(), 12);
  EXPECT_EQ(machine.model.nv(), 10);
  EXPECT_EQ(machine.model.joints[0].motion(2), Motion::kTurn);
  EXPECT_EQ(machine.model.joints[0].motion(3), Motion::kLength);
  EXPECT_EQ(machine.model.joints[1].motion(0), Motion::kAngle);
}

TEST(Model, FindsByName) {
  WrittenModel machine;
  machine.add_body("a", 1);
  machine.add_joint("hinge", "revolute", "world", "a");
  machine.add_parameter("k", 2.5);
  EXPECT_EQ(machine.model.find_body("a"), 1);
  EXPECT_EQ(machine.model.find_body("world"), 0);
  EXPECT_EQ(machine.model.find_joint("hinge"), 0);
  EXPECT_EQ(machine.model.find_parameter("k"), 0);
  EXPECT_FALSE(machine.model.find_body("hinge"));
  EXPECT_EQ(machine.model.calc_parameters(), std::vector<double>{2.5});
}

TEST(JointSpec, ACoordinateIsPassiveDrivenOrPrescribed) {
  WrittenModel machine;
  machine.add_body("a", 1);
  JointSpec& joint = machine.add_joint("slide", "planar", "world", "a");
  joint.driven[1] = Expression(2);
  joint.prescribed[2] = Expression(3);
  EXPECT_EQ(joint.mode(0), CoordinateMode::kPassive);
  EXPECT_EQ(joint.mode(1), CoordinateMode::kDriven);
  EXPECT_EQ(joint.mode(2), CoordinateMode::kPrescribed);
}

// analytic: a quarter turn about z carries x to y
TEST(RotationSpec, AllFormsGiveTheSameQuarterTurn) {
  constexpr double kQuarter = 1.5707963267948966;
  Matrix3<double> expected;
  expected << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  using Form = RotationSpec::Form;
  const Resolver<double> resolver;
  for (const RotationSpec& rotation :
       {make_rotation(Form::kEuler, {kQuarter, 0, 0}), make_rotation(Form::kAxisAngle, {0, 0, 2, kQuarter}),
        make_rotation(Form::kQuaternion, {3, 0, 0, 3})})
    EXPECT_LE((rotation.calc_R(resolver) - expected).norm(), kRoundoff);
  EXPECT_EQ(RotationSpec{}.calc_R(resolver), Matrix3<double>::Identity());
}

TEST(RotationSpec, CarriesDerivatives) {
  // analytic: dR/da = [z] R for a turn by `a` about z, here at a = 0
  const Scope scope{[](std::string_view) { return Variable{}; },
                    [] { return std::vector<std::string>{"a"}; }};
  std::vector<TextProblem> problems;
  RotationSpec rotation = make_rotation(RotationSpec::Form::kAxisAngle, {0, 0, 1, 0});
  rotation.values[3] = Expression::parse("a", scope, std::nullopt, &problems);
  const Dual a(0, 1);  // d/da in direction 1
  const Matrix3<Dual> R = rotation.calc_R(Resolver<Dual>{&a});
  EXPECT_EQ(R(1, 0).d[1], 1);
  EXPECT_EQ(R(0, 1).d[1], -1);
  EXPECT_EQ(R(0, 0).d[1], 0);
}

TEST(MassProperties, ComeFromTheTensorOrFromAShape) {
  WrittenModel machine;
  BodySpec& body = machine.add_body("a", 2, {3, 4, 5});
  body.inertia[3] = Expression(-0.5);
  body.inertia[5] = Expression(0.25);
  body.center_of_mass = position(0.1, 0.2, 0.3);
  const Resolver<double> resolver;
  MassProperties<double> m = calc_mass_properties(body, resolver);
  Matrix3<double> expected;
  expected << 3, -0.5, 0, -0.5, 4, 0.25, 0, 0.25, 5;
  EXPECT_EQ(m.mass, 2);
  EXPECT_EQ(m.p_BoBcm, Vector3<double>(0.1, 0.2, 0.3));
  EXPECT_EQ(m.I_BBcm, expected);

  body.inertia_shape = machine.make_entry(shape_kinds(), "", "sphere", {{"radius", Expression(0.5)}});
  m = calc_mass_properties(body, resolver);
  // analytic: 2/5 m r^2
  EXPECT_LE((m.I_BBcm - 0.2 * Matrix3<double>::Identity()).norm(), kRoundoff);
}

}  // namespace
}  // namespace haltere
