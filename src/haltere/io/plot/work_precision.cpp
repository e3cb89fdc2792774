#include "haltere/io/plot/work_precision.h"

#include "haltere/io/plot/plot.h"

namespace haltere {

std::string make_work_precision(const std::vector<WorkPrecisionLine>& lines) {
  std::vector<std::vector<double>> seconds;
  std::vector<PlotSeries> series;
  for (const WorkPrecisionLine& line : lines) {
    PlotSeries s{line.name, "", {}};
    s.x = seconds.size();
    s.dots = true;
    seconds.emplace_back();
    for (const auto& [time, error] : line.points) {
      seconds.back().push_back(time);
      s.values.push_back(error);
    }
    series.push_back(std::move(s));
  }
  PlotOptions options;
  options.panel_height = 420;
  options.x = "time of computing";
  options.y = "largest error of positions [rad, length scales]";
  options.log_x = options.log_y = true;
  return make_plot(seconds, series, options);
}

}  // namespace haltere
