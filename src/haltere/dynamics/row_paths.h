#pragma once

#include <utility>
#include <vector>

#include "haltere/dynamics/machine/constraint_set.h"

namespace haltere {

/// Small matrices whose size is known when they are used.
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

/// The rows of one constraint: the bodies that they load, and where they stand among all rows.
struct RowSet {
  int first_body, second_body;  // 0: the world
  int start, n;
};

/// The sets from `first` on, their rows counted from there.
std::vector<RowSet> list_row_sets(const Model& model, const ConstraintSet<double>& constraints,
                                  std::size_t first);

/// How rows feel each other through a tree, Phi = A M^-1 A^T (the Delassus matrix).
/// Their loads pass inwards, joint by joint. At
/// each joint they leave e = S^T p, what its own coordinates take; two rows feel each other through the
/// joints that both of them pass, and nowhere else:
///   Phi_ij = sum over these joints of e_i^T D^-1 e_j.                 theory.md (E15), [rodriguez1992]
/// So neighbours in a long row of loops know of each other, and all others do not.
class RowPaths {
 public:
  using Loads = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;  // a wrench a row

  /// `parents`, `n_free`: of each body, and of the coordinates of its joint; 0 is the world, and parents come
  /// before their children.
  RowPaths(const std::vector<int>& parents, const std::vector<int>& n_free, std::vector<RowSet> sets);

  const std::vector<RowSet>& sets() const { return sets_; }
  /// Pairs of sets that have a joint in common, the first number not above the second.
  const std::vector<std::pair<int, int>>& coupled() const { return coupled_; }

  /// `start(set, second, loads)`: the loads of its rows on the first or the second body. `pass(body, loads,
  /// e, h)`: what they leave at its joint, h = D^-1 e, and in `loads` what reaches the parent.
  template <class Start, class Pass>
  void update(const Start& start, const Pass& pass) {
    for (std::size_t s = 0; s < sets_.size(); ++s) {
      if (sets_[s].n == 0) continue;
      start(static_cast<int>(s), false, &loads_[0]);
      start(static_cast<int>(s), true, &loads_[1]);
      for (Step& step : paths_[s]) {
        if (step.joins) loads_[0] += loads_[1];
        pass(step.body, &loads_[step.of_second ? 1 : 0], &step.e, &step.h);
      }
    }
  }
  /// Phi of the rows of two sets.
  void calc_block(int s, int t, SmallMatrix* block) const;

 private:
  struct Step {
    int body;
    bool of_second;    // the loads of the second body pass, else those of the first, or of both
    bool joins;        // those of the second come in here
    SmallMatrix e, h;  // coordinates x rows
  };
  std::vector<Step> make_path(const RowSet& set, const std::vector<int>& parents) const;
  void find_coupled(const std::vector<int>& n_free);

  std::vector<RowSet> sets_;
  std::vector<std::vector<Step>> paths_;  // bodies descend
  std::vector<std::pair<int, int>> coupled_;
  Loads loads_[2];
};

}  // namespace haltere
