#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "haltere/aero/surface_load.h"
#include "haltere/dynamics/equations.h"
#include "haltere/model/constraints/constraint.h"
#include "haltere/model/forces/force.h"

namespace haltere {

/// What a channel shows; a quantity has up to four components, and an index: of a body, joint, force, signal
/// or event.
enum class Quantity : std::uint8_t {
  kTime,
  // -- of a body; world axes unless stated
  kBodyPosition,             // of Bo                                           [m]
  kBodyOrientation,          // unit quaternion w x y z, w >= 0
  kBodyEuler,                // angles of the body's sequence                   [rad]
  kBodyVelocity,             // of Bo                                           [m/s]
  kBodyAcceleration,         // of Bo                                           [m/s2]
  kBodyAngularVelocity,      // body axes                                       [rad/s]
  kBodyAngularAcceleration,  // body axes                                       [rad/s2]
  kBodyCom,                  // centre of mass                                  [m]
  // -- of a joint; the component is the coordinate
  kJointPosition,      // [rad or m]
  kJointOrientation,   // unit quaternion q_FM of a spherical or free joint
  kJointVelocity,      // [rad/s or m/s]
  kJointAcceleration,  // [rad/s2 or m/s2]
  kJointForce,         // drive or prescribing force                      [N m or N]
  kReactionForce,      // parent on child at the joint, world axes        [N]
  kReactionTorque,     // [N m]
  // -- of a force element; component 0 the power [W], 1 the energy [J]
  kForce,
  kForceOwn,  // what its kind adds
  kGravity,
  // -- of a surface in the air; world axes
  kSurface,        // power [W], energy [J]
  kSurfaceForce,   // [N]
  kSurfaceMoment,  // about the origin of its body                    [N m]
  kSurfaceOwn,     // what its kind adds
  // -- of the machine
  kSystemCom,              // [m]
  kSystemMomentum,         // [kg m/s]
  kSystemAngularMomentum,  // about the centre of mass                        [kg m2/s]
  kEnergy,                 // kinetic, potential, total                       [J]
  kEnergyWork,             // work, balance                                   [J]
  // -- of a constraint: joints that close loops, then the model's constraints
  kConstraintForce,       // on the second body at its point                 [N]
  kConstraintTorque,      // the same                                        [N m]
  kConstraintMultiplier,  // the component is the row
  kConstraintOwn,         // what its kind adds
  kConstraintDrift,       // largest of its rows; lengths in length scales
  kDrift,                 // position, velocity: largest of all rows
  kSignal,
  kEvent  // how many times it has happened
};

/// How the kind of a force, surface or constraint reads a channel of its own.
using OwnReading = std::variant<std::monostate, decltype(ForceChannel::read), decltype(SurfaceChannel::read),
                                decltype(ConstraintChannel::read)>;

/// One recorded number: its name, SI unit and meaning, and where it is read. Names: docs/channels.md.
struct Channel {
  std::string name;
  std::string unit;  // "" for pure numbers
  std::string meaning;
  Quantity quantity{};
  int index = 0;
  int component = 0;
  /// In a result: an event has then taken away what it belongs to. [s]
  double valid_until = std::numeric_limits<double>::infinity();
  OwnReading read{};  // of what a kind adds; its last argument is the component
};

/// One instant of a run: what the Equations observed, and what only the run knows.
struct Instant {
  Snapshot snapshot;
  std::vector<MassProperties<double>> masses;  // of each body, with the parameters of this instant
  double total_at_start = 0;                   // kinetic + potential energy                       [J]
  std::vector<int> happened;                   // how many times each event has happened

  double total() const { return snapshot.kinetic + snapshot.potential; }
  double work() const { return snapshot.work + snapshot.event_work; }
  double balance() const { return total() - total_at_start - work(); }
};

/// All channels of a model, `t` first, in a fixed order.
std::vector<Channel> make_channels(const Model& model);

/// Those whose name matches one of the globs (`*` any run of characters, `?` one); `t` always. No glob: all.
/// A glob that matches nothing is an InputError with a "did you mean".
std::vector<Channel> select_channels(std::vector<Channel> all, const std::vector<std::string>& globs);

/// Those that the model's `outputs` name; problems stand in its file.
std::vector<Channel> select_outputs(const Model& model);

/// Channels whose joint, constraint or force element an event takes away. What they show afterwards is what
/// the frames of the joint do, and no load.
std::vector<int> find_ended(const Model& model, const std::vector<Channel>& channels, const EventSpec& event);

/// The value of every channel, in order. Neighbours that are components of one quantity share its
/// computation.
void calc_row(const Model& model, const std::vector<Channel>& channels, const Instant& instant,
              std::span<double> row);

}  // namespace haltere
