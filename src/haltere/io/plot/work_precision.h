#pragma once

#include <string>
#include <utility>
#include <vector>

namespace haltere {

/// One method: seconds of computing and error, of each of its settings; both positive.
struct WorkPrecisionLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// What accuracy costs, as an SVG document with logarithmic axes: down and left is better.
std::string make_work_precision(const std::vector<WorkPrecisionLine>& lines);

}  // namespace haltere
