#include "haltere/io/plot/thin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace haltere {
namespace {

/// Directions, seen from a point that is drawn, in which a straight line passes close by all points since.
class Cone {
 public:
  explicit Cone(double tolerance) : tolerance_(tolerance) {}

  /// Takes the point at (dx, dy) from the apex; false where the line to it does not pass by those before.
  bool add(double dx, double dy) {
    const double distance = std::hypot(dx, dy);
    if (distance < reach_ - tolerance_) return false;  // it turns back
    reach_ = std::max(reach_, distance);
    if (distance <= tolerance_) return true;
    const double angle = std::atan2(dy, dx), half = std::asin(tolerance_ / distance);
    if (!has_middle_) middle_ = angle;
    has_middle_ = true;
    const double turn = std::remainder(angle - middle_, 2 * std::numbers::pi);
    if (turn < least_ || turn > greatest_) return false;
    least_ = std::max(least_, turn - half);
    greatest_ = std::min(greatest_, turn + half);
    return true;
  }

 private:
  double tolerance_, reach_ = 0;
  bool has_middle_ = false;
  double middle_ = 0, least_ = -std::numbers::pi, greatest_ = std::numbers::pi;
};

}  // namespace

std::vector<PointRun> find_runs(const DrawnPoints& points) {
  std::vector<PointRun> runs;
  bool open = false;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const bool drawn = std::isfinite(points.x[i]) && std::isfinite(points.y[i]);
    if (drawn && !open) runs.push_back({i, i});
    if (drawn) runs.back().last = i;
    open = drawn;
  }
  return runs;
}

std::vector<std::size_t> thin_by_columns(const DrawnPoints& points, PointRun run, double width) {
  const auto column = [&](std::size_t i) { return std::floor(points.x[i] / width); };
  std::vector<std::size_t> kept;
  for (std::size_t i = run.first; i <= run.last;) {
    std::size_t j = i, least = i, greatest = i;
    for (; j <= run.last && column(j) == column(i); ++j) {
      if (points.y[j] < points.y[least]) least = j;
      if (points.y[j] > points.y[greatest]) greatest = j;
    }
    std::array<std::size_t, 4> picked{i, least, greatest, j - 1};
    std::sort(picked.begin(), picked.end());
    kept.insert(kept.end(), picked.begin(), std::unique(picked.begin(), picked.end()));
    i = j;
  }
  return kept;
}

std::vector<std::size_t> thin_by_shape(const DrawnPoints& points, PointRun run, double tolerance) {
  std::vector<std::size_t> kept{run.first};
  const double part = tolerance / std::numbers::sqrt2;  // across, and along where the line turns back
  Cone cone(part);
  for (std::size_t i = run.first + 1; i <= run.last; ++i) {
    const auto add = [&] {
      return cone.add(points.x[i] - points.x[kept.back()], points.y[i] - points.y[kept.back()]);
    };
    if (add()) continue;
    kept.push_back(i - 1);
    cone = Cone(part);
    add();
  }
  if (run.last > run.first) kept.push_back(run.last);
  return kept;
}

}  // namespace haltere
