#include "haltere/io/plot/plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "haltere/io/plot/layout.h"
#include "haltere/io/plot/markup.h"
#include "haltere/io/plot/palette.h"
#include "haltere/io/plot/text.h"
#include "haltere/io/plot/thin.h"

namespace haltere {
namespace {

constexpr std::size_t kMostMarks = 40;  // more are a grey curtain
constexpr std::string_view kInkColor = "#2b2f36", kFaintColor = "#5b616d", kFrameColor = "#7a808c";

class Figure {
 public:
  Figure(const std::vector<std::vector<double>>& x, const std::vector<PlotSeries>& series,
         const PlotOptions& options)
      : x_(x), options_(options), layout_(make_layout(x, series, options)), look_(layout_.look) {}
  std::string draw();

 private:
  double bottom_of(const FigurePanel& panel) const { return panel.top + layout_.panel_height; }
  double right_end() const { return layout_.width - layout_.right; }
  double x_of(double x) const { return layout_.left + layout_.inner_width() * layout_.x.place(x); }
  double y_of(const FigurePanel& panel, double y) const {
    return bottom_of(panel) - layout_.panel_height * panel.axis.place(y);
  }
  void draw_head();
  void draw_style();
  void draw_text(std::string_view kind, double x, double y, std::string_view anchor, const std::string& text,
                 double font);
  void draw_legend(const Legend& legend, double top);
  void draw_vertical_axis(const FigurePanel& panel);
  void draw_horizontal_axis(const FigurePanel& panel, bool last);
  void draw_frame(const FigurePanel& panel);
  void draw_marks(const FigurePanel& panel, bool first);
  void draw_line(const FigurePanel& panel, const FigurePanel::Line& line);
  std::string dash_of(int dash) const;
  DrawnPoints place(const FigurePanel& panel, const PlotSeries& series) const;
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<Args>(args)...);
  }

  const std::vector<std::vector<double>>& x_;
  const PlotOptions& options_;
  const FigureLayout layout_;
  const FigureLook& look_;
  std::string svg_;
};

/// A name in CSS, whatever letters it has.
std::string quote_font(const std::string& name) {
  std::string quoted = "'";
  for (const char c : name) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '\'';
}

void Figure::draw_head() {
  const bool paper = options_.paper_width > 0;
  const double unit = paper ? 25.4 / 72 : 1;  // of width and height, which programs show it with
  const std::string fonts =
      (options_.font.empty() ? "" : quote_font(options_.font) + ", ") + std::string(look_.fonts);
  put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.6g} {1:.6g}\" width=\"{2:.6g}{4}\" "
      "height=\"{3:.6g}{4}\" font-family=\"{5}\" font-size=\"{6}\">\n",
      layout_.width, layout_.height, layout_.width * unit, layout_.height * unit, paper ? "mm" : "",
      escape_markup(fonts), look_.font);
  draw_style();
  put("<rect width=\"{:.6g}\" height=\"{:.6g}\" fill=\"#ffffff\"/>\n", layout_.width, layout_.height);
}

void Figure::draw_style() {
  put("<style>.grid{{stroke:#e7e9ee;stroke-width:{}}}.frame{{stroke:{};stroke-width:{};fill:none}}"
      ".minor{{stroke:{};stroke-width:{};fill:none}}",
      look_.grid, kFrameColor, look_.frame, kFrameColor, 0.7 * look_.frame);
  put(".line{{fill:none;stroke-width:{};stroke-linejoin:round}}.mark{{stroke:{};stroke-width:{};"
      "stroke-dasharray:{} {}}}text{{fill:{}}}",
      look_.line, kFrameColor, look_.frame, 2 * look_.frame, 3 * look_.frame, kInkColor);
  put(".tick{{fill:{0};font-size:{1}px}}.note{{fill:{0};font-size:{2}px}}.title{{font-size:{3}px;"
      "font-weight:600}}</style>\n",
      options_.paper_width > 0 ? kInkColor : kFaintColor, look_.tick_font, look_.note_font, look_.title_font);
}

void Figure::draw_text(std::string_view kind, double x, double y, std::string_view anchor,
                       const std::string& text, double font) {
  put(R"(<text class="{}" x="{:.2f}" y="{:.2f}")", kind, x, y);
  if (anchor != "start") put(R"( text-anchor="{}")", anchor);
  put(">{}</text>\n", escape_svg_text(text, font));
}

std::string Figure::dash_of(int dash) const {
  if (dash == 0) return "";
  std::string lengths;
  for (const double length : kDashes[dash]) lengths += fmt::format(" {:.4g}", length * look_.line);
  return fmt::format(" stroke-dasharray=\"{}\"", lengths.substr(1));
}

void Figure::draw_legend(const Legend& legend, double top) {
  for (const auto& [entry, place, row] : legend.places) {
    const double x = layout_.left + place, y = top + look_.row * (row + 0.5);
    double name = x;
    if (entry.color != LegendEntry::kNoLine) {
      const std::string_view color = entry.color < 0 ? kInkColor : kColors[entry.color];
      put("<line class=\"line\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\"{}/>\n",
          x, y, x + look_.swatch, y, color, dash_of(entry.dash));
      if (entry.dots)
        put("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"{}\"/>\n", x + look_.swatch / 2, y,
            look_.dot, color);
      name += look_.swatch + 0.5 * look_.font;
    }
    draw_text("name", name, y + 0.34 * look_.font, "start", entry.name, look_.font);
  }
}

void Figure::draw_vertical_axis(const FigurePanel& panel) {
  const double left = layout_.left, minor = 0.25 * look_.font;
  for (std::size_t i = 0; i < panel.axis.ticks.size(); ++i) {
    const double y = y_of(panel, panel.axis.ticks[i]);
    put("<line class=\"grid\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", left, y,
        right_end(), y);
    draw_text("tick", left - 0.5 * look_.font, y + 0.34 * look_.tick_font, "end", panel.axis.labels[i],
              look_.tick_font);
  }
  for (const double value : panel.axis.minor)
    put("<path class=\"minor\" d=\"M{:.2f},{:.2f}h{:.2f}\"/>\n", left, y_of(panel, value), minor);
  const std::string unit = label_of(panel.axis, panel.unit);
  const std::string label = panel.name + (panel.name.empty() || unit.empty() ? "" : " ") + unit;
  const double middle = panel.top + layout_.panel_height / 2;
  const double x = options_.paper_width > 0 ? look_.font : 1.5 * look_.font;
  put("<text class=\"label\" transform=\"translate({:.2f},{:.2f}) rotate(-90)\" "
      "text-anchor=\"middle\">{}</text>\n",
      x, middle, escape_svg_text(shorten(label, layout_.height / look_.font), look_.font));
}

void Figure::draw_horizontal_axis(const FigurePanel& panel, bool last) {
  const double bottom = bottom_of(panel), minor = 0.25 * look_.font;
  for (std::size_t i = 0; i < layout_.x.ticks.size(); ++i) {
    const double x = x_of(layout_.x.ticks[i]);
    put("<line class=\"grid\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", x, panel.top, x,
        bottom);
    if (last) draw_text("tick", x, bottom + look_.tick_drop, "middle", layout_.x.labels[i], look_.tick_font);
  }
  for (const double value : layout_.x.minor)
    put("<path class=\"minor\" d=\"M{:.2f},{:.2f}v{:.2f}\"/>\n", x_of(value), bottom, -minor);
  if (!last) return;
  const std::string label = options_.x + ' ' + label_of(layout_.x, options_.x_unit);
  draw_text("label", layout_.left + layout_.inner_width() / 2, bottom + look_.name_drop, "middle",
            shorten(label, layout_.inner_width() / look_.font), look_.font);
}

void Figure::draw_frame(const FigurePanel& panel) {
  put("<path class=\"frame\" d=\"M{:.2f},{:.2f} V{:.2f} H{:.2f}\"/>\n", layout_.left, panel.top,
      bottom_of(panel), right_end());
}

void Figure::draw_marks(const FigurePanel& panel, bool first) {
  if (options_.marks.size() > kMostMarks) return;
  const double space = 0.33 * look_.font;
  double free_from = 0;
  for (const PlotMark& mark : options_.marks) {
    if (!(mark.t >= layout_.x.low && mark.t <= layout_.x.high) || !std::isfinite(x_of(mark.t))) continue;
    const double x = x_of(mark.t);
    put("<line class=\"mark\" x1=\"{0:.2f}\" y1=\"{1:.2f}\" x2=\"{0:.2f}\" y2=\"{2:.2f}\"/>\n", x, panel.top,
        bottom_of(panel));
    const std::string name = shorten(mark.name, layout_.inner_width() / 2 / look_.note_font);
    const double width = calc_text_width(name) * look_.note_font;
    const bool left = x + space + width > layout_.width;  // no room to the right
    const double start = left ? x - space - width : x + space;
    if (!first || start < free_from) continue;
    draw_text("note", left ? x - space : x + space, panel.top + look_.note_font, left ? "end" : "start", name,
              look_.note_font);
    free_from = start + width;
  }
}

DrawnPoints Figure::place(const FigurePanel& panel, const PlotSeries& series) const {
  const std::vector<double>& x = x_[series.x];
  const std::size_t n = std::min(x.size(), series.values.size());
  DrawnPoints points{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const bool finite = std::isfinite(x[i]) && std::isfinite(series.values[i]);
    points.x[i] = finite ? x_of(x[i]) : std::numeric_limits<double>::quiet_NaN();
    points.y[i] = finite ? y_of(panel, series.values[i]) : points.x[i];
  }
  return points;
}

void Figure::draw_line(const FigurePanel& panel, const FigurePanel::Line& line) {
  const std::string_view color = kColors[line.color];
  const DrawnPoints points = place(panel, *line.series);
  const std::vector<PointRun> runs = find_runs(points);
  const bool alone = runs.size() == 1 && runs[0].first == runs[0].last;
  const double radius = line.series->dots || alone ? look_.dot : 0.7 * look_.line;  // else of single points
  const auto draw_dot = [&](std::size_t i) {
    put("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n", points.x[i], points.y[i], radius,
        color);
  };
  std::string path;
  for (const PointRun run : runs) {
    if (line.series->dots || run.first == run.last)
      for (std::size_t i = run.first; i <= run.last; ++i) draw_dot(i);
    if (run.first == run.last) continue;
    const bool grows = std::is_sorted(points.x.begin() + static_cast<std::ptrdiff_t>(run.first),
                                      points.x.begin() + static_cast<std::ptrdiff_t>(run.last) + 1);
    const std::vector<std::size_t> rows =
        grows ? thin_by_columns(points, run, look_.column) : thin_by_shape(points, run, look_.column / 4);
    for (const std::size_t i : rows)
      fmt::format_to(std::back_inserter(path), "{}{:.2f},{:.2f}", i == rows.front() ? "M" : "L", points.x[i],
                     points.y[i]);
  }
  if (!path.empty())
    put("<path class=\"line\" stroke=\"{}\"{} d=\"{}\"/>\n", color, dash_of(line.dash), path);
}

std::string Figure::draw() {
  draw_head();
  for (std::size_t i = 0; i < layout_.title.size(); ++i)
    draw_text("title", layout_.left,
              look_.top + look_.title_row * static_cast<double>(i) + 1.1 * look_.title_font, "start",
              layout_.title[i], look_.title_font);
  draw_legend(layout_.source_legend, look_.top + look_.title_row * static_cast<double>(layout_.title.size()));
  for (const FigurePanel& panel : layout_.panels) {
    draw_legend(panel.legend, panel.top - look_.row_gap - look_.row * panel.legend.rows);
    draw_horizontal_axis(panel, &panel == &layout_.panels.back());
    draw_vertical_axis(panel);
    draw_frame(panel);
    draw_marks(panel, &panel == &layout_.panels.front());
    for (const FigurePanel::Line& line : panel.lines) draw_line(panel, line);
  }
  put("</svg>\n");
  return std::move(svg_);
}

}  // namespace

std::string make_plot(const std::vector<std::vector<double>>& x, const std::vector<PlotSeries>& series,
                      const PlotOptions& options) {
  return Figure(x, series, options).draw();
}

std::string make_plot(const std::vector<double>& x, const std::vector<PlotSeries>& series,
                      const PlotOptions& options) {
  return make_plot(std::vector<std::vector<double>>{x}, series, options);
}

double calc_width(const PlotOptions& options) {
  return options.paper_width > 0 ? options.paper_width : options.width * 25.4 / 96;
}

}  // namespace haltere
