#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "haltere/aero/lattice/lattice.h"

namespace haltere {

/// Corners of a lattice, by node(), that axes go along with: the first one along a line, the second one aside of it.
struct FrameCorners {
  int origin, along, aside;
};

/// Of any lattice that has an area: as far from each other as there are.
inline FrameCorners choose_corners(const Lattice& l) {
  const std::vector<Vector3<double>>& corners = l.corners();
  const auto find_largest = [&](const auto& measure) {
    int best = 0;
    for (int k = 1; k < l.n_nodes(); ++k)
      if (measure(corners[k] - corners[0]) > measure(corners[best] - corners[0])) best = k;
    return best;
  };
  const int along = find_largest([](const Vector3<double>& r) { return r.squaredNorm(); });
  const Vector3<double> line = corners[along] - corners[0];
  const int aside = find_largest([&](const Vector3<double>& r) { return line.cross(r).squaredNorm(); });
  return {0, along, aside};
}

/// Those of a body of revolution: its axis, which ends in its poles, and a corner between them.
inline FrameCorners choose_body_corners(const Lattice& l) {
  return {l.node(0, 0), l.node(l.rows(), 0), l.node(l.rows() / 2, 0)};
}

/// Axes that go along with three corners.
class LatticeFrame {
 public:
  LatticeFrame(const Lattice& l, const FrameCorners& corners) : origin_(l.corners()[corners.origin]) {
    const Vector3<double> a = l.corners()[corners.along] - origin_, b = l.corners()[corners.aside] - origin_;
    R_.col(0) = a.normalized();
    R_.col(2) = a.cross(b).normalized();
    R_.col(1) = R_.col(2).cross(R_.col(0));
  }
  const Matrix3<double>& R() const { return R_; }
  Vector3<double> see(const Vector3<double>& place) const { return R_.transpose() * (place - origin_); }

 private:
  Vector3<double> origin_;
  Matrix3<double> R_;
};

// of the size of a machine: a corner that is farther from where a rigid body would have it has moved by itself. Above the
// rounding of places a thousand sizes from the origin; a choice
constexpr double kRigid = 1e-12;

/// Whether lattices stand to each other as they did: at(s) now, was(s) then. Not those of which any place is not finite.
template <class At, class Was>
bool stand_alike(std::size_t n, const At& at, const Was& was) {
  const FrameCorners corners = choose_corners(was(0));
  const LatticeFrame now(at(0), corners), then(was(0), corners);
  double size = 0, most = 0;
  for (std::size_t s = 0; s < n; ++s)
    for (int k = 0; k < at(s).n_nodes(); ++k) {
      const Vector3<double> p = now.see(at(s).corners()[k]);
      const double off = (p - then.see(was(s).corners()[k])).norm();
      if (!std::isfinite(off)) return false;
      size = std::max(size, p.norm());
      most = std::max(most, off);
    }
  return most <= kRigid * size;
}

inline bool is_rigid(const Lattice& now, const Lattice& before) {
  return stand_alike(
      1, [&](std::size_t) -> const Lattice& { return now; },
      [&](std::size_t) -> const Lattice& { return before; });
}

}  // namespace haltere
