#pragma once

#include <cstddef>
#include <vector>

#include "haltere/math/types.h"

namespace haltere {

/// Points or vectors as three lists of whole packs (math/pack.h), so that four of them are computed at once.
class PointList {
 public:
  explicit PointList(int size = 0) { resize(size); }
  void resize(int size);  // all zero
  int size() const { return size_; }
  int n_packs() const { return static_cast<int>(x_.size()) / 4; }
  Vector3<double> operator[](int i) const { return {x_[i], y_[i], z_[i]}; }
  void set(int i, const Vector3<double>& point) {
    x_[i] = point[0];
    y_[i] = point[1];
    z_[i] = point[2];
  }
  double* x() { return x_.data(); }
  const double* x() const { return x_.data(); }
  double* y() { return y_.data(); }
  const double* y() const { return y_.data(); }
  double* z() { return z_.data(); }
  const double* z() const { return z_.data(); }

 private:
  int size_ = 0;
  std::vector<double> x_, y_, z_;
};

/// Vortex lines: chains of straight segments with a circulation each, which induce by the law of Biot and Savart
///   V = Gamma/(4 pi) (r1 x r2) [r0 . (r1/|r1| - r2/|r2|)] / (|r1 x r2|^2 + core^2 |r0|^2)
/// at a point that r1 and r2 lead to from the ends of the segment r0; nothing on the segment itself. A node is
/// looked at once for the two segments that meet there.
class VortexLines {
 public:
  /// A node, and the segment that ends there.
  struct Node {
    double x, y, z;
    double dx, dy, dz;   // from the node before
    double length2;      // of that
    double circulation;  // over 4 pi
    double growth;       // of the square of the core
    Vector3<double> place() const { return {x, y, z}; }
  };
  struct Range {
    int first, last;  // the last one is not in it
    int size() const { return last - first; }
  };

  void clear();  // keeps its memory
  void begin(const Vector3<double>& node);
  /// `growth`: what is added to the square of the common core, for vortices that are old.    [m2]
  void extend(const Vector3<double>& node, double circulation, double growth = 0);
  void add(const Node& end) { nodes_.push_back(end); }  // a segment of other lines
  long n_segments() const { return static_cast<long>(nodes_.size()) - static_cast<long>(starts_.size()); }

  // -- what they are made of: a chain is its nodes, the first of which ends no segment
  int n_chains() const { return static_cast<int>(starts_.size()); }
  const std::vector<Node>& nodes() const { return nodes_; }
  Range chain(int i) const {
    return {static_cast<int>(starts_[i]),
            static_cast<int>(i + 1 < n_chains() ? starts_[i + 1] : nodes_.size())};
  }

  /// Adds what all lines induce at the points. Sums run over the lines in their order, at each point alone: the
  /// bits do not depend on how many points there are.
  void add_velocities(const PointList& points, double core, PointList* velocities) const;
  /// Of some chains, at some packs of the points.
  void add_velocities(const PointList& points, Range packs, Range chains, double core,
                      PointList* velocities) const;

 private:
  void add_velocities_inline(const PointList& points, Range packs, Range chains, double core,
                             PointList* velocities) const;
  void add_velocities_avx2(const PointList& points, Range packs, Range chains, double core,
                           PointList* velocities) const;
  void add_velocities_baseline(const PointList& points, Range packs, Range chains, double core,
                               PointList* velocities) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> starts_;  // of chains
};

}  // namespace haltere
