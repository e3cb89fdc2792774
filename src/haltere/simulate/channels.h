#pragma once

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
