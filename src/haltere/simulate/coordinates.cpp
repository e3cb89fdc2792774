#include "haltere/simulate/coordinates.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "haltere/model/quantity.h"
#include "haltere/simulate/glob.h"

namespace haltere {
namespace {

StateCoordinate make_coordinate(const JointSpec& joint, int k) {
  StateCoordinate c;
  c.motion = joint.motion(k);
  c.position = c.motion == Motion::kTurn ? fmt::format("joint.{}.orientation", joint.name())
                                         : name_coordinate(joint, Quantity::kJointPosition, k);
  c.position_unit = unit_of(c.motion, Quantity::kJointPosition);
  c.velocity = name_coordinate(joint, Quantity::kJointVelocity, k);
  c.velocity_unit = unit_of(c.motion, Quantity::kJointVelocity);
  return c;
}

/// Why a name that the model knows cannot be chosen, or "".
std::string find_obstacle(const Model& model, const std::string& glob) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointSpec& joint = model.joints[j];
    for (int k = 0; k < joint.nv(); ++k) {
      const StateCoordinate c = make_coordinate(joint, k);
      if (!matches_glob(glob, c.position) && !matches_glob(glob, c.velocity)) continue;
      if (static_cast<int>(j) >= model.n_tree())
        return fmt::format("joint '{}' closes a loop: its coordinates follow from those of the other joints",
                           joint.name());
      if (joint.locked)
        return "is locked: it stays at its initial position, and can be neither kept nor solved for";
      return "is prescribed: its motion follows from its formula, and it can be neither kept nor solved for";
    }
  }
  return "";
}

bool any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

std::vector<bool> choose(const std::vector<bool>& keep, const std::vector<bool>& solve) {
  if (!any(keep) && !any(solve)) return {};
  std::vector<bool> chosen(keep.size());
  for (std::size_t i = 0; i < keep.size(); ++i) chosen[i] = !keep[i] && (solve[i] || !any(solve));
  return chosen;
}

}  // namespace

std::vector<StateCoordinate> list_coordinates(const Model& model) {
  std::vector<StateCoordinate> list;
  int q = 0;
  for (int j = 0; j < model.n_tree(); ++j) {
    const JointSpec& joint = model.joints[j];
    for (int k = 0; k < joint.nv(); ++k) {
      if (joint.mode(k) == CoordinateMode::kPrescribed) continue;
      list.push_back(make_coordinate(joint, k));
      list.back().q = q;
      if (list.back().motion != Motion::kTurn)
        ++q;
      else if (k == 2)
        q += 4;
    }
  }
  return list;
}

void CoordinateSelection::add(const CoordinateSelection& other) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = positions[i] || other.positions[i];
    velocities[i] = velocities[i] || other.velocities[i];
  }
}

CoordinateSelection select_coordinates(const Model& model, const std::string& glob,
                                       const std::string& option) {
  const std::vector<StateCoordinate> all = list_coordinates(model);
  CoordinateSelection selection(all.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    selection.positions[i] = matches_glob(glob, all[i].position);
    selection.velocities[i] = matches_glob(glob, all[i].velocity);
    names.insert(names.end(), {all[i].position, all[i].velocity});
  }
  if (any(selection.positions) || any(selection.velocities)) return selection;
  std::string obstacle = find_obstacle(model, glob);
  if (!obstacle.empty())
    throw InputError({Problem{{}, fmt::format("{} '{}'", option, glob), std::move(obstacle), ""}});
  std::string hint = hint_for_glob(glob, names);
  if (hint.empty()) hint = "`haltere evaluate MODEL` shows the coordinates";
  throw InputError({Problem{{}, option, fmt::format("no coordinate matches '{}'", glob), std::move(hint)}});
}

Partition make_partition(const CoordinateSelection& keep, const CoordinateSelection& solve) {
  Partition partition{choose(keep.positions, solve.positions), choose(keep.velocities, solve.velocities)};
  if (partition.velocities.empty()) partition.velocities = partition.positions;
  return partition;
}

}  // namespace haltere
