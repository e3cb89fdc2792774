#include "haltere/io/plot/locus_plot.h"

#include <complex>
#include <vector>

#include <fmt/format.h>

#include "haltere/io/plot/plot.h"

namespace haltere {

std::string make_locus_plot(const std::string& parameter, const std::string& unit, const RootLocus& locus,
                            const std::string& title) {
  std::vector<PlotSeries> series;
  for (const bool imaginary : {false, true})
    for (std::size_t i = 0; i < locus.tracks.size(); ++i) {
      PlotSeries s{fmt::format("{} {}", imaginary ? "Im" : "Re", i + 1), imaginary ? "rad/s" : "1/s", {}};
      for (const std::complex<double>& x : locus.tracks[i])
        s.values.push_back(imaginary ? x.imag() : x.real());
      series.push_back(std::move(s));
    }
  PlotOptions options;
  options.title = title;
  options.panel_height = 300;
  options.x = parameter;
  options.x_unit = unit;
  for (const StabilityLimit& limit : locus.limits)
    options.marks.push_back({limit.value, fmt::format("{:.5g}", limit.value)});
  return make_plot(locus.values, series, options);
}

}  // namespace haltere
