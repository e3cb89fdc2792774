#include "haltere/io/plot/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "haltere/io/plot/axis.h"
#include "haltere/io/plot/markup.h"
#include "haltere/io/plot/palette.h"

namespace haltere {
namespace {

// after Okabe and Ito: told apart with every kind of colour vision; without the yellow, which is faint on
// white
constexpr int kLeft = 78, kRight = 24, kTop = 10, kBottom = 46;  // margins around the panels [px]
constexpr int kTitleHeight = 30, kLegendRow = 20, kGap = 22;
constexpr double kLetter = 6.7;         // width of a letter of the legend, on average
constexpr int kSwatch = 22;             // line in the legend
constexpr std::size_t kMostMarks = 40;  // more are a grey curtain

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  Axis axis(int intervals, double margin) const {
    return low <= high ? make_axis(low, high, intervals, margin) : make_axis(0, 1, intervals, margin);
  }
};

/// The lines of one unit, and where its legend entries stand.
struct Panel {
  std::string unit;
  std::vector<const PlotSeries*> series;
  std::vector<std::pair<double, int>> legend;  // x, row
  int legend_rows = 1;
  int top = 0;  // of the axes [px]
  Axis axis;
};

class Figure {
 public:
  Figure(const std::vector<double>& t, const std::vector<PlotSeries>& series, const PlotOptions& options);
  std::string draw();

 private:
  double x_of(double t) const { return kLeft + inner_width() * ((t - time_.low) / (time_.high - time_.low)); }
  double y_of(const Panel& panel, double value) const {
    const double inside = std::clamp(value, panel.axis.low, panel.axis.high);
    return panel.top +
           options_.panel_height * ((panel.axis.high - inside) / (panel.axis.high - panel.axis.low));
  }
  double inner_width() const { return std::max(options_.width - kLeft - kRight, 1); }
  void add_legend(Panel* panel) const;
  void draw_grid(const Panel& panel, bool last);
  void draw_marks(const Panel& panel, bool first);
  void draw_line(const Panel& panel, int index);
  std::vector<std::size_t> thin(const std::vector<double>& values) const;
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<Args>(args)...);
  }

  const std::vector<double>& t_;
  const PlotOptions& options_;
  std::vector<Panel> panels_;
  Axis time_;
  int height_ = 0;
  std::string svg_;
};

Figure::Figure(const std::vector<double>& t, const std::vector<PlotSeries>& series,
               const PlotOptions& options)
    : t_(t), options_(options) {
  for (const PlotSeries& s : series) {
    const auto same = [&](const Panel& panel) { return panel.unit == s.unit; };
    auto panel = std::find_if(panels_.begin(), panels_.end(), same);
    if (panel == panels_.end()) {
      panels_.emplace_back().unit = s.unit;
      panel = panels_.end() - 1;
    }
    panel->series.push_back(&s);
  }
  Range time;
  for (const double x : t) time.add(x);
  time_ = time.axis(10, 0);

  height_ = kTop + (options.title.empty() ? 0 : kTitleHeight);
  for (Panel& panel : panels_) {
    Range values;
    for (const PlotSeries* s : panel.series)
      for (const double v : s->values) values.add(v);
    panel.axis = values.axis(6, 0.04);
    add_legend(&panel);
    panel.top = height_ + kLegendRow * panel.legend_rows;
    height_ = panel.top + options.panel_height + kGap;
  }
  height_ += kBottom - kGap;
}

/// Entries from left to right, in as many rows as they need.
void Figure::add_legend(Panel* panel) const {
  double x = kLeft;
  for (const PlotSeries* s : panel->series) {
    const double width = kSwatch + 6 + kLetter * static_cast<double>(s->name.size()) + 18;
    if (x > kLeft && x + width > options_.width) {
      x = kLeft;
      ++panel->legend_rows;
    }
    panel->legend.emplace_back(x, panel->legend_rows - 1);
    x += width;
  }
}

void Figure::draw_grid(const Panel& panel, bool last) {
  const double right = kLeft + inner_width(), bottom = panel.top + options_.panel_height;
  for (std::size_t i = 0; i < panel.axis.ticks.size(); ++i) {
    const double y = y_of(panel, panel.axis.ticks[i]);
    put("<line class=\"grid\" x1=\"{}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", kLeft, y, right, y);
    put("<text class=\"tick\" x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 4,
        panel.axis.labels[i]);
  }
  for (std::size_t i = 0; i < time_.ticks.size(); ++i) {
    const double x = x_of(time_.ticks[i]);
    put("<line class=\"grid\" x1=\"{:.2f}\" y1=\"{}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", x, panel.top, x,
        bottom);
    if (last)
      put("<text class=\"tick\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{}</text>\n", x, bottom + 18,
          time_.labels[i]);
  }
  put("<path class=\"frame\" d=\"M{},{} V{:.2f} H{:.2f}\"/>\n", kLeft, panel.top, bottom, right);
  const double middle = panel.top + options_.panel_height / 2.0;
  put("<text class=\"label\" transform=\"translate(18,{:.2f}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n",
      middle, escape_markup(label_of(panel.axis, panel.unit)));
  if (last)
    put("<text class=\"label\" x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\">{} {}</text>\n",
        kLeft + inner_width() / 2, bottom + 38, escape_markup(options_.x),
        escape_markup(label_of(time_, options_.x_unit)));
}

void Figure::draw_marks(const Panel& panel, bool first) {
  if (options_.marks.size() > kMostMarks) return;
  double free_from = 0;
  for (const PlotMark& mark : options_.marks) {
    if (!(mark.t >= time_.low && mark.t <= time_.high)) continue;
    const double x = x_of(mark.t);
    put("<line class=\"mark\" x1=\"{:.2f}\" y1=\"{}\" x2=\"{:.2f}\" y2=\"{}\"/>\n", x, panel.top, x,
        panel.top + options_.panel_height);
    const double width = kLetter * static_cast<double>(mark.name.size());
    const bool left = x + width > options_.width;  // no room to the right
    const double start = left ? x - 4 - width : x + 4;
    if (!first || start < free_from) continue;
    put("<text class=\"note\" x=\"{:.2f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", left ? x - 4 : x + 4,
        panel.top + 12, left ? "end" : "start", escape_markup(mark.name));
    free_from = start + width;
  }
}

/// Rows to draw: of each half pixel the first, the least, the greatest and the last, in order.
std::vector<std::size_t> Figure::thin(const std::vector<double>& values) const {
  const std::size_t n = std::min(t_.size(), values.size());
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < n;) {
    const double bucket = std::floor(2 * x_of(t_[i]));
    std::size_t j = i, least = i, greatest = i;
    for (; j < n && std::floor(2 * x_of(t_[j])) == bucket; ++j) {
      if (values[j] < values[least]) least = j;
      if (values[j] > values[greatest]) greatest = j;
    }
    j = std::max(j, i + 1);
    std::array<std::size_t, 4> picked{i, least, greatest, j - 1};
    std::sort(picked.begin(), picked.end());
    kept.insert(kept.end(), picked.begin(), std::unique(picked.begin(), picked.end()));
    i = j;
  }
  return kept;
}

void Figure::draw_line(const Panel& panel, int index) {
  const PlotSeries& s = *panel.series[index];
  const std::string_view color = kColors[index % kColors.size()];
  const std::string_view dash = kDashes[index / kColors.size() % kDashes.size()];
  const auto [x, row] = panel.legend[index];
  const double y = panel.top - kLegendRow * (panel.legend_rows - row) + 9.0;
  put("<line class=\"line\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" "
      "stroke-dasharray=\"{}\"/>\n",
      x, y, x + kSwatch, y, color, dash);
  put("<text class=\"name\" x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", x + kSwatch + 6, y + 4,
      escape_markup(s.name));

  const std::vector<std::size_t> rows = thin(s.values);
  if (rows.size() == 1)
    put("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\"/>\n", x_of(t_[rows[0]]),
        y_of(panel, s.values[rows[0]]), color);
  if (rows.size() < 2) return;
  put(R"(<path class="line" stroke="{}" stroke-dasharray="{}" d=")", color, dash);
  bool pen_down = false;
  for (const std::size_t i : rows) {
    const bool finite = std::isfinite(s.values[i]) && std::isfinite(t_[i]);
    if (finite) put("{}{:.2f},{:.2f}", pen_down ? "L" : "M", x_of(t_[i]), y_of(panel, s.values[i]));
    pen_down = finite;
  }
  put("\"/>\n");
}

std::string Figure::draw() {
  put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\">\n",
      options_.width, height_);
  put("<style>.grid{{stroke:#e7e9ee}}.frame{{stroke:#7a808c;fill:none}}.line{{fill:none;stroke-width:1.7;"
      "stroke-linejoin:round}}.mark{{stroke:#7a808c;stroke-dasharray:2 3}}text{{fill:#2b2f36}}"
      ".tick{{fill:#5b616d;font-size:11.5px}}.note{{fill:#5b616d;font-size:11px}}"
      ".title{{font-size:15px;font-weight:600}}</style>\n");
  put("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", options_.width, height_);
  if (!options_.title.empty())
    put("<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", kLeft, kTop + 16,
        escape_markup(options_.title));
  for (const Panel& panel : panels_) {
    draw_grid(panel, &panel == &panels_.back());
    draw_marks(panel, &panel == &panels_.front());
    for (int i = 0; i < static_cast<int>(panel.series.size()); ++i) draw_line(panel, i);
  }
  put("</svg>\n");
  return std::move(svg_);
}

}  // namespace

std::string make_plot(const std::vector<double>& t, const std::vector<PlotSeries>& series,
                      const PlotOptions& options) {
  return Figure(t, series, options).draw();
}

std::string make_plot(const Result& result, const std::vector<std::string>& globs, PlotOptions options) {
  std::vector<PlotSeries> series;
  const std::vector<double> t = result.column("t");
  for (const Channel& channel : select_channels(result.channels(), globs)) {
    if (channel.name == "t") continue;
    std::vector<double> values = result.column(channel.name);
    // the row of the event is the first without meaning
    const auto end = std::lower_bound(t.begin(), t.end(), channel.valid_until);
    values.resize(std::min(values.size(), static_cast<std::size_t>(end - t.begin())));
    series.push_back({channel.name, channel.unit, std::move(values)});
  }
  for (const RunEvent& event : result.events()) options.marks.push_back({event.t, event.name});
  return make_plot(t, series, options);
}

}  // namespace haltere
