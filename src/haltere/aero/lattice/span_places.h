#pragma once

#include <vector>

#include "haltere/aero/lattice/lattice.h"

namespace haltere {

/// Says of a point where a force acts on a lattice where along the span that is: forces act in the middle of
/// segments and panels.
class SpanPlaces {
 public:
  explicit SpanPlaces(const Lattice& lattice);

  /// In halves of columns: 2 j between columns j - 1 and j, 2 j + 1 on column j. Of the nearest middle.
  int find(const Vector3<double>& point) const;

 private:
  struct Middle {
    Vector3<double> point;
    int place;
  };
  std::vector<Middle> middles_;  // sorted by x, y, z
};

}  // namespace haltere
