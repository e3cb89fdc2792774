#pragma once

#include <vector>

#include "haltere/aero/lattice/segment_tree.h"

namespace haltere {

/// What vortex lines induce at many points: summed one by one, or far cells of a tree by their multipoles, to a
/// tolerance. theory.md "Far field"
///
/// Of each point the error is at most tolerance * scale(). The scale is the speed that one node in ten exceeds, of a
/// sample of 32 that the lines alone decide, those at rest left out. It is the largest speed that the lines give to
/// their nodes, which is what is convected, but not that of a few which happen to lie beside the core of another
/// line: these would make all others wrong. That it does not depend on the points keeps the bits at a point
/// independent of which others there are. Errors of expansions are bounded. Cores act in near cells alone; what they
/// would change of the others is estimated.
///
/// The same bits come out for any number of threads and points, and in any unit of length that is a power of two.
class FarField {
 public:
  /// About where a tree is as fast at 1e-4, bench/lattice.
  static constexpr int kTreeFrom = 3000;
  /// Points for which a tree is worth its time: it is made in that of about as many sums over all lines.
  static constexpr int kPointsFrom = 500;

  /// Looks at the lines, which must stay as they are until the next time. With tolerance 0, fewer segments than
  /// `tree_from`, or lines that move no node, all is summed one by one: the bits of VortexLines.
  void update(const VortexLines& lines, double core, double tolerance, int tree_from = kTreeFrom);

  bool uses_tree() const { return uses_tree_; }
  double scale() const { return scale_; }  // [m/s]
  void add_velocities(const PointList& points, PointList* velocities);
  /// The largest error, in scales, at so many of the points, evenly from the first on, which are summed one by one
  /// as well. 0 without a tree.
  double calc_error(const PointList& points, int sample);

 private:
  struct Far {
    int cell, order;
  };
  /// What the errors of all far cells of a list together may be, and what each may have of it.
  struct Budget {
    double limit = 0;  // [m/s]
    double share = 0;  // of a cell, in its strength over the square of its distance
    double used = 0;
  };
  struct List {
    std::vector<Far> far;
    std::vector<VortexLines::Range> near;  // chains
    std::vector<int> stack;
  };
  struct Target {
    SegmentTree::Place place;
    int index;
  };
  struct Scratch {  // of a thread
    List list;
    PointList points, velocities;
  };

  double calc_scale() const;
  void add_one_by_one(const PointList& points, PointList* velocities) const;
  void add_by_tree(const PointList& points, PointList* velocities);
  void sort_targets(const PointList& points);
  void add_group(const PointList& points, VortexLines::Range group, Scratch* scratch,
                 PointList* velocities) const;
  void update_budget();
  void make_list(const SegmentTree::Cube& cube, Budget* budget, List* list) const;
  void fill_list(const SegmentTree::Cube& cube, Budget* budget, List* list) const;
  bool take_far(int cell, const SegmentTree::Cube& cube, Budget* budget, List* list) const;

  const VortexLines* lines_ = nullptr;
  double core_ = 0, tolerance_ = 0, scale_ = 0;
  bool uses_tree_ = false;
  SegmentTree tree_;
  Budget budget_;
  List first_list_;
  std::vector<Target> targets_;  // by place
  std::vector<int> groups_;      // where each begins, and the end
  std::vector<Scratch> scratches_;
};

}  // namespace haltere
