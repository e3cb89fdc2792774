#include "haltere/simulate/start.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/evaluator.h"
#include "haltere/simulate/prescribed_motion.h"
#include "haltere/simulate/stated.h"

namespace haltere {
namespace {

// in radians or length scales; of velocities a part of the largest: more than rounding, and worth a note; a
// choice
constexpr double kChanged = 1e-9;
// of the largest velocity: rows that are off by more cannot be met. (Directions in which a machine near a
// singular position hardly moves, weaker than 1e-3, are passed over by the solver of the rows.)
constexpr double kUnmet = 1e-2;

/// Finds the largest changes from one state to another.
class Comparison {
 public:
  Comparison(const Equations& tree, const Eigen::VectorXd& from, const Eigen::VectorXd& to)
      : coordinates_(list_coordinates(tree.model())),
        nq_(tree.sizes().nq),
        scales_(tree.calc_scales().segment(nq_, tree.sizes().nv)),
        from_(from),
        to_(to) {}

  void add_position(const std::vector<bool>& stated, bool wanted, std::vector<StartChange>* changes) const {
    StartChange largest;
    double most = kChanged;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      if (stated[i] != wanted) continue;
      const StateCoordinate& c = coordinates_[i];
      const double change = calc_position_change(c), size = change / scales_[static_cast<int>(i)];
      if (!(size > most)) continue;
      most = size;
      largest = {c.position, c.position_unit, from_[c.q], to_[c.q], change, false, wanted};
    }
    if (!largest.name.empty()) changes->push_back(largest);
  }

  void add_velocity(const std::vector<bool>& stated, bool wanted, std::vector<StartChange>* changes) const {
    StartChange largest;
    double most = kChanged * calc_speed();
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      if (stated[i] != wanted) continue;
      const StateCoordinate& c = coordinates_[i];
      const double from = from_[nq_ + static_cast<int>(i)], to = to_[nq_ + static_cast<int>(i)];
      const double change = std::abs(to - from), size = change / scales_[static_cast<int>(i)];
      if (!(size > most)) continue;
      most = size;
      largest = {c.velocity, c.velocity_unit, from, to, change, true, wanted};
    }
    if (!largest.name.empty()) changes->push_back(largest);
  }

 private:
  /// Largest velocity of both, in radians or length scales a second.
  double calc_speed() const {
    if (scales_.size() == 0) return 0;
    const auto size = [&](const Eigen::VectorXd& y) {
      return y.segment(nq_, scales_.size()).cwiseQuotient(scales_).lpNorm<Eigen::Infinity>();
    };
    return std::max(size(from_), size(to_));
  }
  double calc_position_change(const StateCoordinate& c) const {
    if (c.motion != Motion::kTurn) return std::abs(to_[c.q] - from_[c.q]);
    Vector4<double> back = from_.segment<4>(c.q);
    back.tail<3>() *= -1;
    return quaternion_log<double>(multiply<double>(to_.segment<4>(c.q), back)).norm();
  }

  const std::vector<StateCoordinate> coordinates_;
  const int nq_;
  const Eigen::VectorXd scales_;
  const Eigen::VectorXd &from_, &to_;
};

/// "`initial` states what the constraints do not allow; ...": positions first, then velocities.
std::string make_note(const std::vector<StartChange>& changes, bool stated) {
  std::string list;
  for (const StartChange& change : changes)
    if (change.is_stated == stated) list += (list.empty() ? "" : ", and ") + change.text();
  if (list.empty()) return "";
  return stated
             ? fmt::format(
                   "the constraints do not allow what `initial` states; changed least, the most of "
                   "all {}",
                   list)
             : fmt::format("the constraints determine what `initial` leaves open: the most of all {}", list);
}

void require_positions(const Settling& settling, const Eigen::VectorXd& y, Equations* tree) {
  if (settling.status == Status::kOk) return;
  throw RunError(make_step_message(
      0, "the machine cannot be put together from its initial state",
      settling.worst_row < 0 || settling.status == Status::kNotFinite || !std::isfinite(settling.left)
          ? tree->explain_failure(0, y)
          : fmt::format("{} stays off by {:.3g}", tree->row_name(settling.worst_row), settling.left),
      "", "an initial state nearer to a position that obeys its constraints (haltere assemble finds one)"));
}

/// Only motions that formulas prescribe can ask for velocities that do not exist.
void require_velocities(const Settling& settling, const Eigen::VectorXd& y, Equations* tree) {
  if (settling.status != Status::kOk)
    throw RunError(make_step_message(0, "the machine cannot start", tree->explain_failure(0, y), "", ""));
  if (settling.left <= kUnmet * settling.size) return;
  const std::string moved = name_prescribed_motion(tree->model(), tree->parameters(), settling.worst_row);
  throw RunError(make_step_message(
      0, fmt::format("the prescribed motion of {} cannot be followed", moved.empty() ? "a joint" : moved),
      fmt::format("no velocities obey {}: it stays off by {:.3g} (radians, or length scales, per second)",
                  tree->row_name(settling.worst_row), settling.left),
      "", "another start, where what is prescribed can move; or prescribing less"));
}

}  // namespace

std::string StartChange::text() const {
  return unit.empty() ? fmt::format("{} by {:.3g} rad", name, change)
                      : fmt::format("{} from {:.6g} to {:.6g} {}", name, from, to, unit);
}

std::vector<StartChange> list_start_changes(const Equations& tree, const Eigen::VectorXd& guess,
                                            const Eigen::VectorXd& y) {
  const CoordinateSelection stated = list_stated(tree.model());
  const Comparison comparison(tree, guess, y);
  std::vector<StartChange> changes;
  for (const bool wanted : {true, false}) {
    comparison.add_position(stated.positions, wanted, &changes);
    comparison.add_velocity(stated.velocities, wanted, &changes);
  }
  return changes;
}

std::vector<std::string> describe(const std::vector<StartChange>& changes) {
  std::vector<std::string> notes;
  for (const bool stated : {true, false}) {
    std::string note = make_note(changes, stated);
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

Start calc_start(const Model& model, const std::vector<double>& parameters) {
  Equations tree("recursive", model);
  tree.set_parameters(parameters);
  Start start;
  start.y = tree.calc_initial_state();
  if (tree.sizes().na > 0) {
    const Eigen::VectorXd guess = start.y;
    const CoordinateSelection stated = list_stated(model);
    require_positions(settle_positions(stated.positions, &tree, &start.y), start.y, &tree);
    require_velocities(settle_velocities(stated.velocities, &tree, &start.y), start.y, &tree);
    for (const int row : tree.find_dependent_rows()) start.redundant.push_back(tree.row_name(row));
    start.changes = list_start_changes(tree, guess, start.y);
    start.notes = describe(start.changes);
  }
  tree.calc_scene(0, start.y, &start.scene);
  return start;
}

}  // namespace haltere
