#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "haltere/math/spatial.h"
#include "haltere/model/joints/joint.h"

/// The quantities of a machine: each has one word, unit and meaning, which formulas, channels and the
/// documentation take from the tables here.
namespace haltere {

struct BodySpec;
struct JointSpec;

/// What a channel shows or a formula reads; a quantity has up to four components, and an index: of a body,
/// joint, force, signal or event.
enum class Quantity : std::uint8_t {
  kTime,
  // -- of a body
  kBodyPosition,
  kBodyOrientation,
  kBodyEuler,
  kBodyVelocity,
  kBodyAcceleration,
  kBodyAngularVelocity,
  kBodyAngularAcceleration,
  kBodyCom,
  // -- of a joint; of the first four the component is the coordinate
  kJointPosition,
  kJointVelocity,
  kJointAcceleration,
  kJointForce,
  kJointOrientation,
  kReactionForce,
  kReactionTorque,
  // -- of the machine
  kSystemCom,
  kSystemMomentum,
  kSystemAngularMomentum,
  kKineticEnergy,
  kPotentialEnergy,
  kTotalEnergy,
  kWork,
  kBalance,
  // -- of a force element; component 0 the power [W], 1 the energy [J]
  kForce,
  kForceOwn,  // what its kind adds
  kGravity,
  // -- of a surface in the air; world axes
  kSurface,        // power [W], energy [J]
  kSurfaceForce,   // [N]
  kSurfaceMoment,  // about the origin of its body                    [N m]
  kSurfaceOwn,     // what its kind adds
  // -- of a constraint: joints that close loops, then the model's constraints
  kConstraintForce,       // on the second body at its point          [N]
  kConstraintTorque,      // the same                                 [N m]
  kConstraintMultiplier,  // the component is the row
  kConstraintOwn,         // what its kind adds
  kConstraintDrift,       // largest of its rows; lengths in length scales
  kDrift,                 // position, velocity: largest of all rows
  kState,                 // what the model remembers; its index among the states
  kSignal,
  kEvent  // how many times it has happened
};

enum class Owner { kBody, kJoint, kMachine, kOther };
/// By the groups above: each begins with its first and ends before the first of the next.
constexpr Owner owner_of(Quantity q) {
  if (q < Quantity::kBodyPosition || q >= Quantity::kForce) return Owner::kOther;
  if (q < Quantity::kJointPosition) return Owner::kBody;
  return q < Quantity::kSystemCom ? Owner::kJoint : Owner::kMachine;
}

struct QuantityInfo {
  /// What must be known before it.
  enum class Level { kPosition, kVelocity, kAcceleration, kLoad };
  Quantity quantity{};
  std::string_view word;        // "angular_velocity"; of the machine the whole name: "system.com"
  std::string_view components;  // one letter each: "xyz"; none for a single number
  std::string_view unit;        // "" for pure numbers
  Level level{};
  std::string_view meaning;
  bool readable = false;  // by formulas
};

/// In the order of the channels; world axes unless the meaning says otherwise.
std::span<const QuantityInfo> body_quantities();
std::span<const QuantityInfo> joint_quantities();  // of the joint as a whole
std::span<const QuantityInfo> machine_quantities();
/// Of one joint coordinate: position (a turn has none), velocity, acceleration, force.
std::span<const QuantityInfo> coordinate_quantities(Motion motion);

/// "angle" or "position", "rate" or "velocity": what files and channels call them.
std::string_view word_of(Motion motion, Quantity quantity);
std::string_view unit_of(Motion motion, Quantity quantity);

/// That of a table, or null.
const QuantityInfo* find_quantity(std::span<const QuantityInfo> table, Quantity quantity);
const QuantityInfo* find_quantity(std::span<const QuantityInfo> table, std::string_view word);

/// `joint.NAME.WORD`, with `.K` for joints of several coordinates; "" where there is no such quantity.
std::string name_coordinate(const JointSpec& joint, Quantity quantity, int coordinate);

/// What the quantities of a body on the levels of position and velocity are computed from.
template <class T>
struct BodyMotion {
  const BodySpec& body;
  const Transform<T>& X_WB;
  const Vector6<T>& V_WB;
  Vector3<T> p_BoBcm;  // read for kBodyCom alone
};
/// All components of one of them; 0 behind the last.
template <class T>
Vector4<T> calc_body_motion(Quantity quantity, const BodyMotion<T>& motion);

}  // namespace haltere
