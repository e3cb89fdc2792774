#include "haltere/model/quantity.h"

#include <set>

#include <gtest/gtest.h>

#include "unit/model/machine.h"

namespace haltere {
namespace {

TEST(Quantities, HaveOneWordAndOneOwnerEach) {
  const auto check = [](std::span<const QuantityInfo> table, Owner owner) {
    std::set<std::string_view> words;
    std::set<Quantity> quantities;
    for (const QuantityInfo& q : table) {
      EXPECT_TRUE(words.insert(q.word).second) << q.word;
      EXPECT_TRUE(quantities.insert(q.quantity).second) << q.word;
      EXPECT_EQ(owner_of(q.quantity), owner) << q.word;
      EXPECT_LE(q.components.size(), 4U) << q.word;
    }
  };
  check(body_quantities(), Owner::kBody);
  check(joint_quantities(), Owner::kJoint);
  check(machine_quantities(), Owner::kMachine);
  for (const Motion motion : {Motion::kAngle, Motion::kLength, Motion::kTurn})
    check(coordinate_quantities(motion), Owner::kJoint);
}

TEST(Quantities, OfFormulasAreKnownWithoutAccelerations) {
  using Level = QuantityInfo::Level;
  for (const auto table :
       {body_quantities(), joint_quantities(), machine_quantities(), coordinate_quantities(Motion::kAngle),
        coordinate_quantities(Motion::kLength), coordinate_quantities(Motion::kTurn)})
    for (const QuantityInfo& q : table)
      EXPECT_TRUE(!q.readable || q.level == Level::kPosition || q.level == Level::kVelocity) << q.word;
}

TEST(Quantities, OfACoordinateAreNamedByWhatItDoes) {
  WrittenModel machine;
  machine.add_body("wing");
  const JointSpec hinge = machine.add_joint("hinge", "revolute", "world", "wing");
  const JointSpec free = machine.add_joint("float", "free", "world", "wing");
  EXPECT_EQ(name_coordinate(hinge, Quantity::kJointPosition, 0), "joint.hinge.angle");
  EXPECT_EQ(name_coordinate(hinge, Quantity::kJointForce, 0), "joint.hinge.torque");
  EXPECT_EQ(name_coordinate(free, Quantity::kJointVelocity, 1), "joint.float.velocity.1");
  EXPECT_EQ(name_coordinate(free, Quantity::kJointPosition, 4), "joint.float.position.4");
  EXPECT_EQ(name_coordinate(free, Quantity::kJointPosition, 1), "");  // a turn has none
}

}  // namespace
}  // namespace haltere
