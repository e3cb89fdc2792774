#include "haltere/io/plot/steady_plot.h"

#include <vector>

#include "haltere/io/plot/plot.h"

namespace haltere {

std::string make_steady_plot(const SteadySweep& sweep, const std::string& title) {
  std::vector<double> values;
  for (const SteadyPoint& point : sweep.points) values.push_back(point.value);
  const std::vector<SweepColumn> columns = list_columns(sweep);
  std::vector<PlotSeries> series;
  for (const SweepColumn::Of of : {SweepColumn::Of::kAir, SweepColumn::Of::kState})
    for (const SweepColumn* column : find_varying(columns, of))
      series.push_back({column->name, column->unit, column->values});
  PlotOptions options;
  options.title = title;
  options.panel_height = 300;
  options.x = sweep.parameter;
  options.x_unit = sweep.unit;
  return make_plot(values, series, options);
}

}  // namespace haltere
