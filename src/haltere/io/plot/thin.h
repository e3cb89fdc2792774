#pragma once

#include <cstddef>
#include <vector>

/// Lines have far more points than a picture can show: which to draw.
namespace haltere {

/// A line as it is drawn.
struct DrawnPoints {
  std::vector<double> x, y;  // NaN where there is nothing
};

/// Points first, ..., last that follow each other without a gap.
struct PointRun {
  std::size_t first = 0, last = 0;
};
std::vector<PointRun> find_runs(const DrawnPoints& points);

/// Of a line whose x never falls back: of each interval of x as wide as `width` the first point, the least, the
/// greatest and the last.
std::vector<std::size_t> thin_by_columns(const DrawnPoints& points, PointRun run, double width);

/// Of any line: what is left out lies no farther than `tolerance` from what is drawn.
std::vector<std::size_t> thin_by_shape(const DrawnPoints& points, PointRun run, double tolerance);

}  // namespace haltere
