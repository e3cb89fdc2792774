#include <cmath>

#include <gtest/gtest.h>

#include "unit/model/machine.h"

namespace haltere {
namespace {

/// A swinging box on a spring; all lengths times `length`, all masses times `mass`.
Model make_model(double length, double mass) {
  WrittenModel machine;
  BodySpec& body = machine.add_body("box", 3 * mass);
  body.inertia_shape = machine.make_entry(shape_kinds(), "", "box",
                                          {{"size", numbers(length * Vector3<double>(0.1, 0.2, 0.3))}});
  body.center_of_mass = position(0.15 * length, 0.07 * length, 0.01 * length);
  JointSpec& joint = machine.add_joint("pin", "revolute", "world", "box");
  joint.parent_frame.position = position(100 * length, 0, 0);  // where the machine stands is no size of it
  joint.child_frame.position = position(0.01 * length, 0, 0);
  return machine.model;
}

TEST(LengthScale, IsTheLargestLengthOfTheMachine) {
  // analytic: the centre of mass lies furthest out
  EXPECT_DOUBLE_EQ(calc_length_scale(make_model(1, 1), {}),
                   std::sqrt(0.15 * 0.15 + 0.07 * 0.07 + 0.01 * 0.01));
}

TEST(LengthScale, FollowsTheUnitsToTheLastBit) {
  const double scale = calc_length_scale(make_model(1, 1), {});
  for (const int k : {-20, -1, 1, 20})
    EXPECT_EQ(calc_length_scale(make_model(std::ldexp(1, k), std::ldexp(1, -k)), {}), std::ldexp(scale, k));
}

TEST(LengthScale, OfAPointMassIsItsSpring) {
  WrittenModel machine;
  machine.add_body("bead", 1);
  machine.add_joint("rail", "prismatic", "world", "bead");
  EXPECT_EQ(calc_length_scale(machine.model, {}), 0);
  machine.model.joints[0].initial_position[0] = Expression(0.25);
  EXPECT_EQ(calc_length_scale(machine.model, {}), 0.25);
  machine.add_force("spring", "linear-spring",
                    {{"joint", CoordinateIndex{0, 0}}, {"rest_position", Expression(0.5)}});
  EXPECT_EQ(calc_length_scale(machine.model, {}), 0.5);
}

}  // namespace
}  // namespace haltere
