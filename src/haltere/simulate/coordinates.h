#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "haltere/model/model.h"

namespace haltere {

/// A velocity in the state of `recursive`, and the position that it moves.
struct StateCoordinate {
  std::string position;  // name; the turns of a spherical or free joint share `joint.NAME.orientation`
  std::string velocity;  //
  std::string_view position_unit, velocity_unit;  // no unit: an orientation, which is no single number
  Motion motion{};
  int q = 0;  // where its position stands in the state; of a turn, where its quaternion starts
};

/// In the order of the state.
std::vector<StateCoordinate> list_coordinates(const Model& model);

/// Coordinates that were named, by their positions or by their velocities.
struct CoordinateSelection {
  explicit CoordinateSelection(std::size_t n = 0) : positions(n, false), velocities(n, false) {}
  void add(const CoordinateSelection& other);

  std::vector<bool> positions, velocities;
};

/// What a name or glob means; InputError where that is nothing: which was meant, or why it cannot be chosen.
CoordinateSelection select_coordinates(const Model& model, const std::string& glob,
                                       const std::string& option);

/// Which coordinates are solved for; the others stay. Empty: all of them, with the least change in the sense
/// of kinetic energy.
struct Partition {
  std::vector<bool> positions, velocities;
};

/// What is kept stays. Of the rest, that is solved for which `solve` names, or all where it names nothing.
/// Velocities follow their positions, unless some are named themselves.
Partition make_partition(const CoordinateSelection& keep, const CoordinateSelection& solve);

}  // namespace haltere
