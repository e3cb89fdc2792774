#pragma once

#include <vector>

#include "haltere/aero/lattice/vortex_lines.h"
#include "haltere/math/types.h"

namespace haltere {

/// A plane that no air goes through: the ground, a wall of a wind tunnel, the middle of a machine of which one half is drawn.
struct AirPlane {
  Vector3<double> point = Vector3<double>::Zero();    // [m]
  Vector3<double> normal = Vector3<double>::UnitZ();  // of any length, into the air
};

/// The mirror images that make such planes walls. What the image of a vortex induces at a point is the mirror image
/// of what the vortex induces at the image of the point: sources stay as they are, points are mirrored.
///   v(p) = sum over all images S of  S u(S p)                                              theory.md (E37)
class ImagePlanes {
 public:
  /// Whether the images of images end: planes must be perpendicular to each other. Parallel walls have no end.
  static bool are_perpendicular(const AirPlane& a, const AirPlane& b);

  ImagePlanes() = default;
  explicit ImagePlanes(const std::vector<AirPlane>& planes);
  bool is_empty() const { return images_.empty(); }
  /// Adds what the lines and their images induce at the points.
  void add_velocities(const VortexLines& lines, double core, const PointList& points,
                      PointList* velocities) const;
  /// Behind one of the planes: no air is there.
  bool is_behind(const Vector3<double>& point) const;

 private:
  struct Image {  // p -> R p + shift
    Matrix3<double> R;
    Vector3<double> shift;
  };
  std::vector<AirPlane> planes_;  // normals of length one
  std::vector<Image> images_;     // without the machine itself
};

}  // namespace haltere
