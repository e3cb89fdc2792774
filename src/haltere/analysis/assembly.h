#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/simulate/coordinates.h"

namespace haltere {

/// Another way to put the machine together.
struct Branch {
  Eigen::VectorXd y;
  double distance = 0;      // from the guess, in radians and length scales
  bool is_isolated = true;  // else a point of a motion, or singular
};

/// Positions and velocities that obey the constraints. Indices of coordinates are those of
/// list_coordinates().
struct Assembly {
  Eigen::VectorXd guess, y;
  std::string failure;  // why it cannot be put together, and what to try; empty: it is
  double distance = 0;  // of the positions from the guess, in radians and length scales
  double drift = 0;     // largest residual that is left, in the same

  std::vector<int> redundant_rows;
  std::vector<int> free_positions,
      free_velocities;       // solved for, but not determined by the rows: moved least
  bool is_singular = false;  // the rows lose independence in this position, but not beside it
  double regularity = 1;     // smallest over largest singular value of the independent rows
  bool is_nearly_singular() const;

  std::vector<Branch> others;  // nearest first
  int n_guesses = 1;           // from how many it was tried
  bool ran_away = false;       // Newton's method from the guess itself came to a farther branch, or to none

  // -- where it failed
  std::vector<int> unmet_rows;
  std::vector<int> to_free;  // kept coordinates: with any one of them free, or with all (see `failure`)

  std::vector<std::string> notes;  // all that in words
};

/// From any guess (y of `recursive` equations), at t = 0. Positions by Newton's method with steps that are
/// bounded and shortened where they do not help; where the rows determine them, also from other guesses
/// around the given one, and the nearest that was found is taken. Ranks are decided on rows and coordinates
/// in their own scales.
Assembly assemble(const Partition& partition, const Eigen::VectorXd& guess, Equations* equations);

/// What happens to each entry of the state: it was stated and stays, is one of those to solve for, is kept, or
/// moves where it must.
enum class AssemblyRole { kStated, kSolved, kKept, kMoved };
struct AssemblyRoles {
  std::vector<AssemblyRole> q, v;
};
AssemblyRoles calc_roles(const Partition& partition, const Model& model);
std::string_view to_word(AssemblyRole role);

}  // namespace haltere
