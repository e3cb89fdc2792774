#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/reading.h"

#include "haltere/io/model/expand.h"
#include "haltere/model/joints.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

const std::string kHead = "haltere: 1\nparameters: {a: 0.3, k_right: 2 N m/rad, k_left: 3 N m/rad}\n";

/// A body that hangs on the world, mirrored in the plane with the given normal.
std::string make_wing(const std::string& normal, const std::string& joint, const std::string& rest = "") {
  const std::string mirror = "    mirror: {plane: " + normal + ", from: right, to: left}\n";
  return kHead + "bodies:\n  wing_right:\n" + mirror +
         "    mass: 1 kg\n    center_of_mass: [0.1, 0.2, a]\n"
         "    inertia: {xx: 2, yy: 3, zz: 4, xy: 0.1, xz: 0.2, yz: 0.3}\n"
         "joints:\n  hinge_right:\n" +
         mirror + "    child: wing_right\n" + joint + rest;
}

/// Pose of the child at joint coordinates q, from the model's own description.
Transform<double> calc_X_WB(const Model& model, int joint, const std::vector<double>& q) {
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  const JointSpec& spec = model.joints[joint];
  const auto any = resolve<JointKinds, double>(spec.entry, resolver);
  const Transform<double> X_FM = std::visit(
      [&](const auto& kind) {
        const Transform<double> A = kind.calc_alignment();
        return A * kind.calc_X_FM(q.data()) * A.inverse();
      },
      any);
  return spec.parent_frame.calc_X<double>(resolver) * X_FM *
         spec.child_frame.calc_X<double>(resolver).inverse();
}

Matrix3<double> reflection(int normal) {
  Matrix3<double> S = Matrix3<double>::Identity();
  S(normal, normal) = -1;
  return S;
}

/// S X S: the pose of the mirror image.
void expect_mirror_image(const Transform<double>& X, const Transform<double>& image, int normal) {
  const Matrix3<double> S = reflection(normal);
  // machine precision of a product of a few rotations
  EXPECT_LT((S * X.R * S - image.R).norm(), 1e-14);
  EXPECT_LT((S * X.p - image.p).norm(), 1e-14);
}

class EveryPlane : public ::testing::TestWithParam<int> {
 protected:
  std::string normal() const { return std::string(1, static_cast<char>('x' + GetParam())); }
  int axis() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Mirror, EveryPlane, ::testing::Values(0, 1, 2));

TEST_P(EveryPlane, EqualCoordinatesAreMirrorImages) {
  const std::string frames =
      "    parent_frame: {position: [0.3, 0.5, a], rotation: {sequence: xyz, angles: [0.2, 0.4, a]}}\n"
      "    child_frame: {position: [0.1, -0.4, 0.7], rotation: {axis: [1, 2, 3], angle: 40 deg}}\n";
  for (const char* kind :
       {"kind: revolute\n    axis: [1, 2, 0.5]", "kind: prismatic\n    axis: [1, 2, 0.5]",
        "kind: universal\n    axis: [1, 2, 0.5]\n    second_axis: [0, 1, 1]", "kind: weld"}) {
    const Model model = read(make_wing(normal(), std::string("    ") + kind + "\n" + frames));
    ASSERT_EQ(model.joints.size(), 2u);
    EXPECT_EQ(model.joints[1].name(), "hinge_left");
    EXPECT_EQ(model.bodies[model.joints[1].child.value].name, "wing_left");
    const std::vector<double> q{0.7, -0.3};
    expect_mirror_image(calc_X_WB(model, 0, q), calc_X_WB(model, 1, q), axis());
  }
}

TEST_P(EveryPlane, MassPropertiesAreReflected) {
  const Model model = read(make_wing(normal(), "    kind: free\n"));
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  const MassProperties<double> right = calc_mass_properties(model.bodies[1], resolver);
  const MassProperties<double> left = calc_mass_properties(model.bodies[2], resolver);
  const Matrix3<double> S = reflection(axis());
  EXPECT_EQ(left.p_BoBcm, S * right.p_BoBcm);
  EXPECT_EQ(left.I_BBcm, S * right.I_BBcm * S);
  EXPECT_EQ(left.mass, right.mass);
}

TEST_P(EveryPlane, InitialStateOfAFreeJointIsReflected) {
  const Model model = read(make_wing(normal(), "    kind: free\n",
                                     "initial:\n  hinge_right:\n    mirror: {plane: " + normal() +
                                         ", from: right, to: left}\n"
                                         "    orientation: [0.5, 0.1, 0.3, 0.7]\n    position: [1, 2, 3]\n"
                                         "    angular_velocity: [4, 5, 6]\n    velocity: [7, 8, 9]\n"));
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  const Matrix3<double> S = reflection(axis());
  const JointSpec &right = model.joints[0], &left = model.joints[1];
  const Matrix3<double> R = right.initial_orientation.calc_R<double>(resolver);
  EXPECT_LT((left.initial_orientation.calc_R<double>(resolver) - S * R * S).norm(), 1e-15);
  for (int i = 0; i < 3; ++i) {
    const double sign = S(i, i);
    EXPECT_EQ(value_of(*left.initial_position[3 + i], model),
              sign * value_of(*right.initial_position[3 + i], model));
    EXPECT_EQ(value_of(*left.initial_velocity[3 + i], model),
              sign * value_of(*right.initial_velocity[3 + i], model));
    // axial: the other signs
    EXPECT_EQ(value_of(*left.initial_velocity[i], model),
              -sign * value_of(*right.initial_velocity[i], model));
  }
}

TEST_P(EveryPlane, PrescribedAnglesAreReflected) {
  const Model model = read(make_wing(normal(),
                                     "    kind: spherical\n    prescribed: {sequence: zxy, angles: [0.1 "
                                     "rad/s * t, 0.2, 0.3 rad/s^2 * t^2]}\n"));
  const auto calc_R = [&](int j) {
    Vector3<double> angles;
    const double t = 1.7;
    const std::vector<double> parameters = model.calc_parameters();
    for (int i = 0; i < 3; ++i)
      angles[i] = model.joints[j].prescribed[i]->calc<double, double>(parameters.data(), &t);
    return model.joints[j].prescribed_sequence->calc_R<double>(angles);
  };
  const Matrix3<double> S = reflection(axis());
  EXPECT_LT((calc_R(1) - S * calc_R(0) * S).norm(), 1e-15);
}

TEST_P(EveryPlane, PlanarAndCylindricalMotionsAreMirrorImages) {
  // coordinates that run the other way get the opposite sign
  for (const char* kind : {"kind: planar\n    axis: x", "kind: planar\n    axis: [1, 2, 3]",
                           "kind: planar\n    axis: z", "kind: cylindrical\n    axis: [3, 1, 2]"}) {
    const std::string given =
        std::string(kind).find("planar") != std::string::npos ? "[0.3, 0.4, 0.5]" : "[0.3, 0.4]";
    const Model model =
        read(make_wing(normal(), std::string("    ") + kind + "\n    prescribed: " + given + "\n"));
    std::vector<double> q[2];
    for (int j = 0; j < 2; ++j)
      for (const auto& formula : model.joints[j].prescribed) q[j].push_back(value_of(*formula, model));
    expect_mirror_image(calc_X_WB(model, 0, q[0]), calc_X_WB(model, 1, q[1]), axis());
  }
}

TEST(Mirror, EqualsTheOtherSideWrittenByHand) {
  const std::string forces = R"(forces:
  push_right: {kind: applied-force, body: wing_right, point: [1, 2, 3], force: [4, 1 N/s * t, 6], axes: body,
               mirror: {plane: y, from: right, to: left}}
  twist_right: {kind: applied-torque, body: wing_right, torque: [1, 2, 3 N m/s * t],
                mirror: {plane: y, from: right, to: left}}
  spring_right: {kind: rotary-spring, joint: hinge_right, stiffness: k_right,
                 mirror: {plane: y, from: right, to: left}}
)";
  const std::string by_hand = R"(forces:
  push_left: {kind: applied-force, body: wing_left, point: [1, -2, 3], force: [4, -1 N/s * t, 6], axes: body}
  twist_left: {kind: applied-torque, body: wing_left, torque: [-1, 2, -3 N m/s * t]}
  spring_left: {kind: rotary-spring, joint: hinge_left, stiffness: k_left}
)";
  const std::string wing =
      make_wing("y", "    kind: revolute\n    axis: [1, 2, 3]\n    parent_frame: [0, 1, 2]\n");
  const Model mirrored = read(wing + forces), hand = read(wing + by_hand);
  ASSERT_EQ(mirrored.forces.size(), 6u);
  for (int f = 0; f < 3; ++f) {
    const Entry &a = mirrored.forces[2 * f + 1], &b = hand.forces[f];
    EXPECT_EQ(a.name, b.name);
    ASSERT_EQ(a.kind, b.kind);
    ASSERT_EQ(a.values.size(), b.values.size());
    const std::vector<double> parameters = mirrored.calc_parameters();
    const double t = 1.25;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      ASSERT_EQ(a.values[i].index(), b.values[i].index());
      if (const auto* body = std::get_if<BodyIndex>(&a.values[i])) {
        EXPECT_EQ(*body, std::get<BodyIndex>(b.values[i]));
      }
      if (const auto* list = std::get_if<std::vector<Expression>>(&a.values[i])) {
        const auto& other = std::get<std::vector<Expression>>(b.values[i]);
        for (int k = 0; k < 3; ++k)
          EXPECT_EQ(((*list)[k].calc<double, double>(parameters.data(), &t)),
                    (other[k].calc<double, double>(parameters.data(), &t)));
      }
      if (const auto* number = std::get_if<Expression>(&a.values[i])) {
        EXPECT_EQ(value_of(*number, mirrored), value_of(std::get<Expression>(b.values[i]), hand));
      }
    }
  }
}

TEST(Mirror, AxisWordsAreReflected) {
  const Model model = read(make_wing("y", "    kind: revolute\n    axis: -x\n"));
  const auto& axis = std::get<std::vector<Expression>>(model.joints[1].entry.values[0]);
  EXPECT_EQ(value_of(axis[0], model), 1);  // axial: -(-x)
}

TEST(Mirror, SizesStayAsTheyAre) {
  const Model model = read(R"(haltere: 1
bodies:
  wing_right: {mass: 1, inertia: {kind: box, size: [1, 2, 3]}, mirror: {plane: y, from: right, to: left}}
joints:
  j_right: {kind: free, child: wing_right, mirror: {plane: y, from: right, to: left}}
)");
  EXPECT_EQ(value_of(std::get<std::vector<Expression>>(model.bodies[2].inertia_shape->values[0])[1], model),
            2);
}

TEST(Mirror, WithReplacesLiterally) {
  const Model model = read(R"(haltere: 1
bodies:
  wing_right: {mass: 1, inertia: [1, 1, 1], center_of_mass: [0, 1, 0],
               mirror: {plane: y, from: right, to: left, with: {mass: 5, center_of_mass: [0, 1, 0]}}}
joints:
  j_right: {kind: free, child: wing_right, mirror: {plane: y, from: right, to: left}}
)");
  EXPECT_EQ(value_of(model.bodies[1].mass, model), 1);
  EXPECT_EQ(value_of(model.bodies[2].mass, model), 5);
  EXPECT_EQ(value_of(model.bodies[2].center_of_mass[1], model), 1);
}

TEST(Mirror, WorksTogetherWithRepeat) {
  const Model model = read(R"(haltere: 1
parameters: {n: 3}
bodies:
  hub: {mass: 1, inertia: [1, 1, 1]}
  right{i}:
    repeat: {i: 1..n}
    mirror: {plane: y, from: right, to: left}
    mass: i
    inertia: [1, 1, 1]
    center_of_mass: [0, i, 0]
joints:
  base: {kind: free, child: hub}
  hinge_right{i}:
    repeat: {i: 1..n, first: {parent: hub}}
    mirror: {plane: y, from: right, to: left}
    kind: revolute
    axis: x
    parent: right{i-1}
    child: right{i}
    parent_frame: [0, 0.1*i, 0]
)");
  ASSERT_EQ(model.bodies.size(), 8u);
  const int left3 = *model.find_body("left3");
  EXPECT_EQ(value_of(model.bodies[left3].center_of_mass[1], model), -3);
  const JointSpec& joint = model.joints[*model.find_joint("hinge_left3")];
  EXPECT_EQ(joint.parent.value, *model.find_body("left2"));
  EXPECT_DOUBLE_EQ(value_of(joint.parent_frame.position[1], model), -0.3);
}

TEST(Mirror, MistakesHaveTheirPlace) {
  const auto body = [](const std::string& mirror) {
    return problem_of("haltere: 1\nbodies:\n  wing_right: {mass: 1, mirror: " + mirror + "}\njoints: {}\n");
  };
  EXPECT_THAT(body("{plane: y, from: rigth, to: left}"), HasSubstr("'rigth' does not occur in the name"));
  EXPECT_THAT(body("{plane: w, from: right, to: left}"), HasSubstr("plane is 'w'; must be x, y or z"));
  EXPECT_THAT(body("{plan: y, from: right, to: left}"),
              HasSubstr("unknown key 'plan' in mirror; did you mean 'plane'?"));
  EXPECT_THAT(body("{plane: y}"), HasSubstr("mirror needs plane, from and to"));
}

TEST(Mirror, WhatHasNoImageIsNamed) {
  EXPECT_THAT(problem_of(R"(haltere: 1
bodies:
  right: {mass: 1}
joints:
  j_right: {kind: free, child: right, mirror: {plane: y, from: right, to: left}}
)"),
              HasSubstr("joint 'j_left': unknown child body 'left', the mirror image of 'right'"));
}

TEST(Mirror, AForceOnACoordinateThatTurnsRoundIsRefused) {
  EXPECT_THAT(problem_of(make_wing(
                  "y", "    kind: cylindrical\n    axis: z\n",
                  "forces:\n  s_right: {kind: linear-spring, joint: hinge_right.1, rest_position: 1, "
                  "mirror: {plane: y, from: right, to: left}}\n")),
              HasSubstr("coordinate 1 of joint 'hinge_left' runs the other way in the mirror"));
}

}  // namespace
}  // namespace haltere
