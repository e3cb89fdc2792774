#include "haltere/dynamics/machine/constraint_set.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_tree.h"

#include "haltere/math/rotation.h"

/// One free body that a second joint, a hinge about z at the world's origin, holds 1 m from its own origin.
/// Expected values: a point on a circle                                                  (source: analytic)
namespace haltere {
namespace {

constexpr double kRounding = 1e-14;  // a few operations on numbers of size one

FrameSpec make_frame(double x) {
  FrameSpec frame;
  frame.position = {Expression(x), Expression(0.0), Expression(0.0)};
  return frame;
}

struct Hinged {
  Hinged() {
    model = random.tree(1);
    model.joints[0] = random.joint("base", find_kind(joint_kinds(), "free"), 0, 1);
    JointSpec hinge = random.joint("hinge", find_kind(joint_kinds(), "revolute"), 0, 1);
    hinge.entry.values[0] = std::vector<Expression>{Expression(0.0), Expression(0.0), Expression(1.0)};
    hinge.parent_frame = make_frame(0);
    hinge.child_frame = make_frame(-1);
    model.joints.push_back(hinge);
    scene.X_WB.resize(2);
    scene.V_WB.assign(2, Vector6<double>::Zero());
    scene.q.setZero(8);
    scene.v.setZero(7);
    scene.q_of = {0, 7};
    scene.v_start = {0, 6};
  }
  /// The body turned by `angle` about the hinge at `rate`, and then moved away by `gap`.
  BodyRows<double> calc(const ConstraintSet<double>& set, double angle, double rate,
                        const Vector3<double>& gap) {
    p = {std::cos(angle), std::sin(angle), 0};
    scene.X_WB[1] = {rotation_about<double>(2, angle), p + gap};
    scene.V_WB[1] << 0, 0, rate, rate * Vector3<double>::UnitZ().cross(p);
    std::vector<BodyRows<double>> rows;
    set.update_rows(scene, &rows);
    return rows.at(0);
  }

  test::RandomTree random{1};
  Model model;
  Scene<double> scene;
  Vector3<double> p;  // from the hinge to the body
};

TEST(ConstraintSet, AHingeHoldsThreeLengthsAndTwoAngles) {
  Hinged machine;
  const ConstraintSet<double> set(machine.model, {}, 1);
  EXPECT_EQ(set.n_rows, 5);
  EXPECT_THAT(set.names, ::testing::ElementsAre("joint 'hinge'"));
  EXPECT_THAT(set.is_length, ::testing::ElementsAre(true, true, true, false, false));
  EXPECT_THAT(set.position_rows, ::testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(set.n_turns, 1);
}

TEST(ConstraintSet, ABodyThatCirclesTheHingeMeetsItsRows) {
  Hinged machine;
  const ConstraintSet<double> set(machine.model, {}, 1);
  const double rate = 0.7, acceleration = -0.4;
  const BodyRows<double> rows = machine.calc(set, 0.3, rate, Vector3<double>::Zero());
  EXPECT_LE(rows.g.head(5).lpNorm<Eigen::Infinity>(), kRounding);
  Vector6<double> gdot;
  calc_row_rates(rows, machine.scene, gdot.data());
  EXPECT_LE(gdot.head(5).lpNorm<Eigen::Infinity>(), kRounding);
  Vector6<double> A;
  A << 0, 0, acceleration, acceleration * Vector3<double>::UnitZ().cross(machine.p) - rate * rate * machine.p;
  EXPECT_LE((rows.G_B * A + rows.bias).head(5).lpNorm<Eigen::Infinity>(), kRounding);
}

TEST(ConstraintSet, PositionRowsAreTheGapAndGTheirDerivative) {
  Hinged machine;
  const ConstraintSet<double> set(machine.model, {}, 1);
  const Vector3<double> gap(0.1, -0.2, 0.3);
  const BodyRows<double> rows = machine.calc(set, 0.3, 0, gap);
  EXPECT_LE((rows.g.head<3>() - gap).lpNorm<Eigen::Infinity>(), kRounding);
  EXPECT_LE((rows.G_A + rows.G_B).topRightCorner(3, 3).cwiseAbs().maxCoeff(), kRounding);

  // a small turn about x, then about y: the change of the rows is G times it; truncation: its square
  const double e = 1e-6;
  for (int axis = 0; axis < 2; ++axis) {
    const Transform<double> before = machine.scene.X_WB[1];
    machine.scene.X_WB[1].R = rotation_about<double>(axis, e) * before.R;
    std::vector<BodyRows<double>> turned;
    set.update_rows(machine.scene, &turned);
    machine.scene.X_WB[1] = before;
    const Vector6<double> change = (turned[0].g - rows.g) / e;
    EXPECT_LE((change - rows.G_B.col(axis)).head(5).lpNorm<Eigen::Infinity>(), 2 * e);
    EXPECT_GT(rows.G_B.col(axis).segment<2>(3).norm(), 0.9);  // angles, not halves of them
  }
}

TEST(ConstraintSet, ReadsTheAngleNearItsTurns) {
  Hinged machine;
  const ConstraintSet<double> set(machine.model, {}, 1);
  machine.calc(set, 0.3, 0.7, Vector3<double>::Zero());
  for (const int turns : {-2, 0, 1}) {
    const double near = 0.5 + 2 * std::numbers::pi * turns;
    set.update_coordinates(&near, &machine.scene);
    EXPECT_NEAR(machine.scene.q[7], 0.3 + 2 * std::numbers::pi * turns, 1e-14);
    EXPECT_NEAR(machine.scene.v[6], 0.7, kRounding);
  }
}

}  // namespace
}  // namespace haltere
