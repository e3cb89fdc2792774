#pragma once

#include <array>

#include "haltere/aero/lattice/vortex_lines.h"
#include "haltere/math/pack.h"

namespace haltere {

/// What the cores of segments change of what they induce at a place far away: an estimate, theory.md "Far field".
/// They change most where a segment points at that place, hence segments are kept by their directions.
class CoreEffect {
 public:
  void add_segment(const VortexLines::Node& segment, double core2);
  void add(const CoreEffect& other);
  /// In a direction of length 1, of a change that is this over the fourth power of the distance.
  double calc(const Vector3<double>& direction) const;

 private:
  double any_ = 0;  // in all directions alike
  std::array<Pack, 4> along_{Pack(0), Pack(0), Pack(0), Pack(0)};
};

}  // namespace haltere
