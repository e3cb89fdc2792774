#include "haltere/model/quantity.h"

#include <array>

#include <fmt/format.h>

#include "haltere/math/dual.h"
#include "haltere/model/model.h"

namespace haltere {
namespace {

using Level = QuantityInfo::Level;
constexpr bool kReadable = true;

// clang-format off
constexpr std::array kBody{
    QuantityInfo{Quantity::kBodyPosition, "position", "xyz", "m", Level::kPosition, "origin of the body", kReadable},
    QuantityInfo{Quantity::kBodyOrientation, "orientation", "wxyz", "", Level::kPosition,
                 "unit quaternion from body to world axes", kReadable},
    QuantityInfo{Quantity::kBodyEuler, "euler", "012", "rad", Level::kPosition,
                 "angles of the sequence that the body names with `euler`", kReadable},
    QuantityInfo{Quantity::kBodyVelocity, "velocity", "xyz", "m/s", Level::kVelocity,
                 "velocity of the origin, world axes", kReadable},
    QuantityInfo{Quantity::kBodyAcceleration, "acceleration", "xyz", "m/s2", Level::kAcceleration,
                 "acceleration of the origin, world axes"},
    QuantityInfo{Quantity::kBodyAngularVelocity, "angular_velocity", "xyz", "rad/s", Level::kVelocity,
                 "angular velocity, body axes", kReadable},
    QuantityInfo{Quantity::kBodyAngularAcceleration, "angular_acceleration", "xyz", "rad/s2", Level::kAcceleration,
                 "angular acceleration, body axes"},
    QuantityInfo{Quantity::kBodyCom, "com", "xyz", "m", Level::kPosition, "centre of mass", kReadable}};

constexpr std::array kJoint{
    QuantityInfo{Quantity::kJointOrientation, "orientation", "wxyz", "", Level::kPosition,
                 "unit quaternion from child's to parent's joint frame"},
    QuantityInfo{Quantity::kReactionForce, "reaction.force", "xyz", "N", Level::kLoad,
                 "force of parent on child at the joint, world axes"},
    QuantityInfo{Quantity::kReactionTorque, "reaction.torque", "xyz", "N m", Level::kLoad,
                 "torque of parent on child at the joint, world axes"}};

constexpr std::array kMachine{
    QuantityInfo{Quantity::kSystemCom, "system.com", "xyz", "m", Level::kPosition, "centre of mass of the machine",
                 kReadable},
    QuantityInfo{Quantity::kSystemMomentum, "system.momentum", "xyz", "kg m/s", Level::kVelocity, "momentum",
                 kReadable},
    QuantityInfo{Quantity::kSystemAngularMomentum, "system.angular_momentum", "xyz", "kg m2/s", Level::kVelocity,
                 "angular momentum about the centre of mass, world axes"},
    QuantityInfo{Quantity::kKineticEnergy, "energy.kinetic", "", "J", Level::kVelocity, "kinetic energy"},
    QuantityInfo{Quantity::kPotentialEnergy, "energy.potential", "", "J", Level::kLoad,
                 "potential energy of gravity and force elements"},
    QuantityInfo{Quantity::kTotalEnergy, "energy.total", "", "J", Level::kLoad, "kinetic and potential energy"},
    QuantityInfo{Quantity::kWork, "energy.work", "", "J", Level::kLoad,
                 "work done on the machine since the start: drives, prescribed motions, dampers, events"},
    QuantityInfo{Quantity::kBalance, "energy.balance", "", "J", Level::kLoad,
                 "total energy - that at the start - work; 0 for an exact computation"}};

constexpr std::array kAngle{
    QuantityInfo{Quantity::kJointPosition, "angle", "", "rad", Level::kPosition, "angle of the joint", kReadable},
    QuantityInfo{Quantity::kJointVelocity, "rate", "", "rad/s", Level::kVelocity, "rate of the joint", kReadable},
    QuantityInfo{Quantity::kJointAcceleration, "acceleration", "", "rad/s2", Level::kAcceleration,
                 "rate of change of its rate"},
    QuantityInfo{Quantity::kJointForce, "torque", "", "N m", Level::kLoad,
                 "torque of the drive or of the prescribed motion"}};

constexpr std::array kLength{
    QuantityInfo{Quantity::kJointPosition, "position", "", "m", Level::kPosition, "position of the joint", kReadable},
    QuantityInfo{Quantity::kJointVelocity, "velocity", "", "m/s", Level::kVelocity, "velocity of the joint", kReadable},
    QuantityInfo{Quantity::kJointAcceleration, "acceleration", "", "m/s2", Level::kAcceleration,
                 "rate of change of its velocity"},
    QuantityInfo{Quantity::kJointForce, "force", "", "N", Level::kLoad,
                 "force of the drive or of the prescribed motion"}};

constexpr std::array kTurn{
    QuantityInfo{Quantity::kJointVelocity, "velocity", "", "rad/s", Level::kVelocity,
                 "angular velocity, parent's joint frame", kReadable},
    QuantityInfo{Quantity::kJointAcceleration, "acceleration", "", "rad/s2", Level::kAcceleration,
                 "rate of change of its velocity"},
    QuantityInfo{Quantity::kJointForce, "torque", "", "N m", Level::kLoad,
                 "torque of the drive or of the prescribed motion"}};
// clang-format on

/// Angles of the body's sequence, in the scalar T: differentiate through w = E(angles) rates.
template <class T>
Vector3<T> calc_euler(const EulerSequence& sequence, const Matrix3<T>& R);

template <>
Vector3<double> calc_euler<double>(const EulerSequence& sequence, const Matrix3<double>& R) {
  return sequence.calc_angles(R);
}

template <>
Vector3<Dual> calc_euler<Dual>(const EulerSequence& sequence, const Matrix3<Dual>& R) {
  const Matrix3<double> R0 = R.unaryExpr([](const Dual& x) { return x.value; });
  const Vector3<double> angles = sequence.calc_angles(R0);
  const Matrix3<double> E_inverse = sequence.calc_E<double>(angles).inverse();
  Vector3<Dual> result = angles.cast<Dual>();
  for (int d = 0; d < Dual::kDirections; ++d) {
    const Matrix3<double> R_rate = R.unaryExpr([d](const Dual& x) { return x.d[d]; });
    const Matrix3<double> W = R_rate * R0.transpose();  // skew of the rotation in this direction
    const Vector3<double> turn(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
    for (int i = 0; i < 3; ++i) result[i].d[d] = 0.5 * E_inverse.row(i).dot(turn);
  }
  return result;
}

}  // namespace

std::span<const QuantityInfo> body_quantities() {
  return kBody;
}
std::span<const QuantityInfo> joint_quantities() {
  return kJoint;
}
std::span<const QuantityInfo> machine_quantities() {
  return kMachine;
}
std::span<const QuantityInfo> coordinate_quantities(Motion motion) {
  switch (motion) {
    case Motion::kAngle:
      return kAngle;
    case Motion::kLength:
      return kLength;
    case Motion::kTurn:
      break;
  }
  return kTurn;
}

const QuantityInfo* find_quantity(std::span<const QuantityInfo> table, Quantity quantity) {
  for (const QuantityInfo& info : table)
    if (info.quantity == quantity) return &info;
  return nullptr;
}
const QuantityInfo* find_quantity(std::span<const QuantityInfo> table, std::string_view word) {
  for (const QuantityInfo& info : table)
    if (info.word == word) return &info;
  return nullptr;
}

std::string_view word_of(Motion motion, Quantity quantity) {
  const QuantityInfo* info = find_quantity(coordinate_quantities(motion), quantity);
  return info ? info->word : "";
}
std::string_view unit_of(Motion motion, Quantity quantity) {
  const QuantityInfo* info = find_quantity(coordinate_quantities(motion), quantity);
  return info ? info->unit : "";
}

std::string name_coordinate(const JointSpec& joint, Quantity quantity, int coordinate) {
  const std::string_view word = word_of(joint.motion(coordinate), quantity);
  if (word.empty()) return "";
  const std::string suffix = joint.nv() > 1 ? fmt::format(".{}", coordinate) : "";
  return fmt::format("joint.{}.{}{}", joint.name(), word, suffix);
}

template <class T>
Vector4<T> calc_body_motion(Quantity quantity, const BodyMotion<T>& motion) {
  const Matrix3<T>& R = motion.X_WB.R;
  Vector4<T> x = Vector4<T>::Zero();
  switch (quantity) {
    case Quantity::kBodyPosition:
      x.template head<3>() = motion.X_WB.p;
      break;
    case Quantity::kBodyOrientation:
      return quaternion_of<T>(R);
    case Quantity::kBodyEuler:
      x.template head<3>() = calc_euler<T>(motion.body.euler.value_or(EulerSequence{}), R);
      break;
    case Quantity::kBodyVelocity:
      x.template head<3>() = motion.V_WB.template tail<3>();
      break;
    case Quantity::kBodyAngularVelocity:
      for (int i = 0; i < 3; ++i) x[i] = R.col(i).dot(motion.V_WB.template head<3>());
      break;
    case Quantity::kBodyCom:
      x.template head<3>() = motion.X_WB * motion.p_BoBcm;
      break;
    default:  // not of these levels
      break;
  }
  return x;
}

template Vector4<double> calc_body_motion<double>(Quantity, const BodyMotion<double>&);
template Vector4<Dual> calc_body_motion<Dual>(Quantity, const BodyMotion<Dual>&);

}  // namespace haltere
