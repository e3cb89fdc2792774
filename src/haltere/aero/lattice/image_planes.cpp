#include "haltere/aero/lattice/image_planes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace haltere {
namespace {

// cosine between planes: what rounding in directions given as numbers may do to a right angle; nine digits, a choice
constexpr double kRightAngle = 1e-9;

}  // namespace

bool ImagePlanes::are_perpendicular(const AirPlane& a, const AirPlane& b) {
  return std::abs(a.normal.normalized().dot(b.normal.normalized())) <= kRightAngle;
}

/// Mirrors of all that there is so far, plane by plane: 2^n - 1 images of n planes.
ImagePlanes::ImagePlanes(std::vector<AirPlane> planes) : planes_(std::move(planes)) {
  for (AirPlane& plane : planes_) {
    plane.normal.normalize();
    const Matrix3<double> R = Matrix3<double>::Identity() - 2 * plane.normal * plane.normal.transpose();
    const Vector3<double> shift = 2 * plane.normal.dot(plane.point) * plane.normal;
    const std::size_t before = images_.size();
    for (std::size_t i = 0; i < before; ++i)
      images_.push_back({R * images_[i].R, R * images_[i].shift + shift});
    images_.push_back({R, shift});
  }
}

double ImagePlanes::calc_depth(const Vector3<double>& point) const {
  double depth = -std::numeric_limits<double>::infinity();
  for (const AirPlane& plane : planes_) depth = std::max(depth, (plane.point - point).dot(plane.normal));
  return depth;
}

}  // namespace haltere
