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
///   v(p) = sum over all images S of  S u(S p)                                              theory.md (E39)
class ImagePlanes {
 public:
  /// Whether the images of images end: planes must be perpendicular to each other. Parallel walls have no end.
  static bool are_perpendicular(const AirPlane& a, const AirPlane& b);

  ImagePlanes() = default;
  explicit ImagePlanes(std::vector<AirPlane> planes);
  bool is_empty() const { return images_.empty(); }
  int n_images() const { return static_cast<int>(images_.size()); }
  /// Adds what the images of vortices induce at the points; add(points, velocities) does for the vortices themselves.
  struct Workspace {
    PointList points, velocities;
  };
  template <class Add>
  void add_images(const PointList& points, PointList* velocities, Workspace* workspace, const Add& add) const;
  /// How far a point is behind one of the planes, where no air is; negative: it is before all of them.      [m]
  double calc_depth(const Vector3<double>& point) const;

 private:
  struct Image {  // p -> R p + shift
    Matrix3<double> R;
    Vector3<double> shift;
  };
  std::vector<AirPlane> planes_;  // normals of length one
  std::vector<Image> images_;     // without the machine itself
};

template <class Add>
void ImagePlanes::add_images(const PointList& points, PointList* velocities, Workspace* workspace,
                             const Add& add) const {
  PointList &mirrored = workspace->points, &there = workspace->velocities;
  for (const Image& image : images_) {
    mirrored.resize(points.size());
    there.resize(points.size());
    for (int i = 0; i < points.size(); ++i) mirrored.set(i, image.R * points[i] + image.shift);
    add(mirrored, &there);
    // R is its own inverse for a plane, and for perpendicular ones, whose mirrors commute
    for (int i = 0; i < points.size(); ++i) velocities->set(i, (*velocities)[i] + image.R * there[i]);
  }
}

}  // namespace haltere
