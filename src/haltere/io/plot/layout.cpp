#include "haltere/io/plot/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "haltere/io/plot/palette.h"
#include "haltere/io/plot/text.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

constexpr FigureLook kScreen{.font = 12,
                             .tick_font = 11.5,
                             .title_font = 15,
                             .note_font = 11,
                             .line = 1.7,
                             .frame = 1,
                             .grid = 1,
                             .row = 20,
                             .row_gap = 2,
                             .title_row = 22,
                             .gap = 22,
                             .swatch = 22,
                             .dot = 3,
                             .left = 78,
                             .right = 24,
                             .top = 10,
                             .tick_drop = 18,
                             .name_drop = 38,
                             .bottom = 46,
                             .column = 0.5,
                             .fonts = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"};
constexpr FigureLook kPaper{.font = 8,
                            .tick_font = 7.5,
                            .title_font = 9,
                            .note_font = 7,
                            .line = 1,
                            .frame = 0.6,
                            .grid = 0.4,
                            .row = 11,
                            .row_gap = 2.5,
                            .title_row = 12.5,
                            .gap = 9,
                            .swatch = 16,
                            .dot = 1.7,
                            .left = 20,
                            .right = 4,
                            .top = 5,
                            .tick_drop = 9.5,
                            .name_drop = 20,
                            .bottom = 24,
                            .column = 0.125,
                            .fonts = "Helvetica, Arial, 'Liberation Sans', sans-serif"};
constexpr double kPointsPerMm = 72 / 25.4;
constexpr double kHighestPage = 230 * kPointsPerMm;
constexpr double kFreePart = 0.04;  // free above and below lines, as a part of their range
constexpr int kPasses = 4;          // legends, axes and margins depend on each other

struct ValueRange {
  bool is_log = false;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double x) {
    if (!std::isfinite(x) || (is_log && x <= 0)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  Axis axis(int intervals, double margin) const {
    if (is_log) return low <= high ? make_log_axis(low, high, intervals, margin) : make_log_axis(1, 10, 2, 0);
    return low <= high ? make_axis(low, high, intervals, margin) : make_axis(0, 1, intervals, margin);
  }
};

std::vector<FigurePanel> make_panels(const std::vector<PlotSeries>& series) {
  std::vector<FigurePanel> panels;
  for (const PlotSeries& s : series) {
    const auto same = [&](const FigurePanel& panel) { return panel.unit == s.unit; };
    auto panel = std::find_if(panels.begin(), panels.end(), same);
    if (panel == panels.end()) {
      panels.emplace_back().unit = s.unit;
      panel = panels.end() - 1;
    }
    panel->lines.push_back({&s, 0, 0});
  }
  return panels;
}

/// Its place in the list, to which it is added.
int find_or_add(const std::string& name, std::vector<std::string>* names) {
  const auto found = std::find(names->begin(), names->end(), name);
  if (found != names->end()) return static_cast<int>(found - names->begin());
  names->push_back(name);
  return static_cast<int>(names->size()) - 1;
}

constexpr int kNumColors = static_cast<int>(kColors.size()), kNumDashes = static_cast<int>(kDashes.size());

/// Every line has a colour, further rounds a dash, and a name in the legend.
void tell_lines_apart(FigurePanel* panel, bool name_sources) {
  for (int i = 0; i < static_cast<int>(panel->lines.size()); ++i) {
    FigurePanel::Line& line = panel->lines[i];
    line.color = i % kNumColors;
    line.dash = i / kNumColors % kNumDashes;
    const std::string name = line.series->name + (name_sources ? ", " + line.series->source : "");
    panel->entries.push_back({name, line.color, line.dash, line.series->dots});
  }
}

/// Names have colours and sources dashes; or the other way where every panel has one name.
void choose_styles(FigureLayout* layout) {
  std::vector<std::string> sources;
  std::vector<std::vector<std::string>> names(layout->panels.size());
  std::size_t most_names = 0;
  for (std::size_t p = 0; p < layout->panels.size(); ++p) {
    for (const FigurePanel::Line& line : layout->panels[p].lines) {
      find_or_add(line.series->source, &sources);
      find_or_add(line.series->name, &names[p]);
    }
    most_names = std::max(most_names, names[p].size());
  }
  const bool colors_of_sources = most_names == 1;
  const bool apart = colors_of_sources ? sources.size() <= kColors.size() * kDashes.size()
                                       : sources.size() <= kDashes.size() && most_names <= kColors.size();
  if (sources.size() <= 1 || !apart) {
    for (FigurePanel& panel : layout->panels) tell_lines_apart(&panel, sources.size() > 1);
    return;
  }
  for (int i = 0; i < static_cast<int>(sources.size()); ++i)
    layout->sources.push_back({sources[i], colors_of_sources ? i % kNumColors : LegendEntry::kInk,
                               colors_of_sources ? i / kNumColors : i, false});
  for (std::size_t p = 0; p < layout->panels.size(); ++p) {
    FigurePanel& panel = layout->panels[p];
    for (FigurePanel::Line& line : panel.lines) {
      const int source = find_or_add(line.series->source, &sources);
      line.color = colors_of_sources ? source % kNumColors : find_or_add(line.series->name, &names[p]);
      line.dash = colors_of_sources ? source / kNumColors : source;
    }
    for (int i = 0; i < static_cast<int>(names[p].size()); ++i)
      panel.entries.push_back({names[p][i], colors_of_sources ? LegendEntry::kNoLine : i, 0, false});
  }
}

/// The name of a panel that shows one thing goes to its axis, if there is room.
void name_axis(const FigureLayout& layout, const std::string& given, FigurePanel* panel) {
  panel->name = given;
  const bool has_own = given.empty() && panel->entries.size() == 1;
  if (has_own) panel->name = panel->entries.front().name;
  const double room = (layout.panel_height + 0.8 * layout.look.gap) / layout.look.font;
  if (has_own && calc_text_width(panel->name + ' ' + label_of(panel->axis, panel->unit)) > room)
    panel->name.clear();
  const bool needs_legend = !has_own || panel->name.empty();
  panel->legend = make_legend(needs_legend ? panel->entries : std::vector<LegendEntry>{},
                              {layout.look.font, layout.look.swatch, layout.inner_width()});
}

double calc_fixed_height(const FigureLayout& layout) {
  double height = layout.look.top + layout.look.bottom +
                  layout.look.title_row * static_cast<double>(layout.title.size()) +
                  layout.look.row * layout.source_legend.rows +
                  layout.look.gap * (static_cast<double>(layout.panels.size()) - 1);
  for (const FigurePanel& panel : layout.panels)
    height += layout.look.row * panel.legend.rows + layout.look.row_gap;
  return height;
}

double calc_panel_height(const FigureLayout& layout, const PlotOptions& options) {
  if (options.paper_width <= 0) return std::max(options.panel_height, 1);
  const double n = static_cast<double>(std::max<std::size_t>(layout.panels.size(), 1));
  const double fixed = calc_fixed_height(layout), least = 4 * layout.look.font;
  if (options.paper_height > 0) {
    const double height = (options.paper_height * kPointsPerMm - fixed) / n;
    if (height < least)
      throw wrong_input("size", fmt::format("{:g} mm are too low for this figure", options.paper_height),
                        fmt::format("{:.0f} mm would do", std::ceil((fixed + n * least) / kPointsPerMm)));
    return height;
  }
  const double good = n == 1 ? std::min(0.5 * layout.width, 65 * kPointsPerMm)
                             : std::min(0.34 * layout.width, 42 * kPointsPerMm);
  return std::max(least, std::min(good, (kHighestPage - fixed) / n));
}

/// What all lines of a figure span.
struct FigureRanges {
  ValueRange x;
  bool x_grows = true;        // as time does; else a curve in the plane, or dots, have some room around them
  std::vector<ValueRange> y;  // of the panels
};

FigureRanges calc_ranges(const std::vector<std::vector<double>>& x, const FigureLayout& layout,
                         const PlotOptions& options) {
  FigureRanges ranges;
  ranges.x.is_log = options.log_x;
  for (const std::vector<double>& column : x) {
    for (const double value : column) ranges.x.add(value);
    ranges.x_grows &= std::is_sorted(column.begin(), column.end());
  }
  for (const FigurePanel& panel : layout.panels) {
    ranges.y.push_back({.is_log = options.log_y});
    for (const FigurePanel::Line& line : panel.lines) {
      for (const double value : line.series->values) ranges.y.back().add(value);
      ranges.x_grows &= !line.series->dots;
    }
  }
  return ranges;
}

double calc_label_width(const Axis& axis) {
  double widest = 0;
  for (const std::string& label : axis.labels) widest = std::max(widest, calc_text_width(label));
  return widest;
}

/// The most ticks whose labels do not touch each other.
template <class Make>
Axis make_horizontal_axis(const Make& make, double length, double font) {
  constexpr int kMost = 10;
  const auto fits = [&](const Axis& axis) {
    return axis.ticks.size() < 2 || (axis.place(axis.ticks[1]) - axis.place(axis.ticks[0])) * length >
                                        (calc_label_width(axis) + 1.2) * font;
  };
  int intervals = std::clamp(static_cast<int>(length / (3.6 * font)), 2, kMost);
  while (intervals > 2 && !fits(make(intervals))) --intervals;
  return make(intervals);
}

/// Ticks at the ends look well, half an interval without any line does not.
void trim_axis(const ValueRange& range, Axis* axis) {
  if (axis->is_log || axis->ticks.size() < 2 || !(range.low < range.high)) return;
  const double free = kFreePart * (range.high - range.low), half = (axis->ticks[1] - axis->ticks[0]) / 2;
  const double low = range.low - free, high = range.high + free;
  if (high < axis->high - half) {
    axis->high = high;
    axis->ticks.pop_back();
    axis->labels.pop_back();
  }
  if (low > axis->low + half) {
    axis->low = low;
    axis->ticks.erase(axis->ticks.begin());
    axis->labels.erase(axis->labels.begin());
  }
}

int calc_vertical_intervals(const FigureLayout& layout, int most) {
  return std::clamp(static_cast<int>(layout.panel_height / (1.8 * layout.look.tick_font)), 2, most);
}

/// One unit of both axes is as long: the panel is as high as its range asks, within limits, then ranges grow.
void make_axes_equal(const FigureRanges& ranges, bool fixed, FigureLayout* layout) {
  const double inner = layout->inner_width(), free = 1 + 2 * kFreePart;
  const double lowest = fixed ? layout->panel_height : 6 * layout->look.font;
  const double highest = fixed ? layout->panel_height : inner;
  const Axis x = ranges.x.axis(2, 0), y = ranges.y[0].axis(2, 0);  // which can be drawn
  const double scale = std::min(inner / (free * (x.high - x.low)), highest / (free * (y.high - y.low)));
  layout->panel_height = std::clamp(scale * free * (y.high - y.low), lowest, highest);
  const auto make = [&](const Axis& range, double length, int intervals) {
    const double middle = range.low / 2 + range.high / 2, half = length / scale / 2;
    return make_axis(middle - half, middle + half, intervals, 0);
  };
  layout->x = make_horizontal_axis([&](int n) { return make(x, inner, n); }, inner, layout->look.tick_font);
  layout->panels[0].axis = make(y, layout->panel_height, calc_vertical_intervals(*layout, 10));
}

void make_axes(const FigureRanges& ranges, FigureLayout* layout) {
  ValueRange x = ranges.x;
  if (!ranges.x_grows && !x.is_log) {
    const double free = kFreePart * (x.high - x.low);
    if (std::isfinite(free)) x.low -= free, x.high += free;
  }
  const auto make = [&](int intervals) {
    return x.axis(intervals, x.is_log && !ranges.x_grows ? kFreePart : 0);
  };
  layout->x = make_horizontal_axis(make, layout->inner_width(), layout->look.tick_font);
  for (std::size_t p = 0; p < layout->panels.size(); ++p) {
    Axis& axis = layout->panels[p].axis;
    axis = ranges.y[p].axis(calc_vertical_intervals(*layout, 6), kFreePart);
    trim_axis(ranges.y[p], &axis);
  }
}

/// Panels from above to below.
void stack_panels(FigureLayout* layout) {
  const FigureLook& look = layout->look;
  double y = look.top + look.title_row * static_cast<double>(layout->title.size()) +
             look.row * layout->source_legend.rows;
  for (FigurePanel& panel : layout->panels) {
    panel.top = y + look.row * panel.legend.rows + look.row_gap;
    y = panel.top + layout->panel_height + look.gap;
  }
  layout->height = y - look.gap + look.bottom;
}

}  // namespace

FigureLayout make_layout(const std::vector<std::vector<double>>& x, const std::vector<PlotSeries>& series,
                         const PlotOptions& options) {
  FigureLayout layout;
  const bool paper = options.paper_width > 0, fixed = paper && options.paper_height > 0;
  layout.look = paper ? kPaper : kScreen;
  const FigureLook& look = layout.look;
  layout.width = paper ? options.paper_width * kPointsPerMm : options.width;
  layout.left = look.left;
  layout.right = look.right;
  layout.panels = make_panels(series);
  choose_styles(&layout);
  const FigureRanges ranges = calc_ranges(x, layout, options);
  for (int pass = 0; pass < kPasses; ++pass) {
    constexpr double kBold = 0.93;  // letters of titles are wider
    layout.title = wrap(options.title, kBold * layout.inner_width() / look.title_font);
    layout.source_legend = make_legend(layout.sources, {look.font, look.swatch, layout.inner_width()});
    layout.panel_height = calc_panel_height(layout, options);
    make_axes(ranges, &layout);
    if (options.equal && layout.panels.size() == 1) make_axes_equal(ranges, fixed, &layout);
    double widest = 0;
    for (FigurePanel& panel : layout.panels) {
      name_axis(layout, options.y, &panel);
      widest = std::max(widest, calc_label_width(panel.axis));
    }
    layout.left = std::max(look.left, 2.4 * look.font + widest * look.tick_font);
    if (!layout.x.labels.empty())
      layout.right = std::max(look.right, calc_text_width(layout.x.labels.back()) * look.tick_font / 2 + 1);
  }
  stack_panels(&layout);
  if (fixed) layout.height = options.paper_height * kPointsPerMm;
  return layout;
}

}  // namespace haltere
