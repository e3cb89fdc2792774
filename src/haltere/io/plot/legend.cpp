#include "haltere/io/plot/legend.h"

#include <algorithm>
#include <numeric>

#include "haltere/io/plot/text.h"

namespace haltere {
namespace {

constexpr double kSpace = 1.5;   // between entries, in font sizes
constexpr double kToName = 0.5;  // from a line to its name
constexpr int kMostColumns = 12;

/// The widest entry of each of `columns` columns.
std::vector<double> calc_columns(const std::vector<double>& widths, int columns) {
  std::vector<double> widest(columns, 0);
  for (std::size_t i = 0; i < widths.size(); ++i)
    widest[i % columns] = std::max(widest[i % columns], widths[i]);
  return widest;
}

}  // namespace

Legend make_legend(const std::vector<LegendEntry>& entries, const LegendSizes& sizes) {
  Legend legend;
  std::vector<double> widths;
  for (LegendEntry entry : entries) {
    const double line = entry.color == LegendEntry::kNoLine ? 0 : sizes.swatch + kToName * sizes.font;
    entry.name = shorten(entry.name, (sizes.width - line) / sizes.font);
    widths.push_back(line + (calc_text_width(entry.name) + kSpace) * sizes.font);
    legend.places.push_back({std::move(entry), 0, 0});
  }
  if (entries.empty()) return legend;
  const double room = sizes.width + kSpace * sizes.font;
  const auto fits = [&](const std::vector<double>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0) <= room;
  };
  std::vector<double> columns = widths;  // all in one row
  for (int n = std::min<int>(kMostColumns, static_cast<int>(widths.size())); !fits(columns) && n > 0; --n)
    columns = calc_columns(widths, n);
  double x = 0;
  for (std::size_t i = 0; i < legend.places.size(); ++i) {
    if (i % columns.size() == 0) x = 0;
    legend.places[i].x = x;
    legend.places[i].row = static_cast<int>(i / columns.size());
    x += columns[i % columns.size()];
  }
  legend.rows = legend.places.back().row + 1;
  return legend;
}

}  // namespace haltere
