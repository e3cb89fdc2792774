#include "haltere/io/plot/work_precision.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "haltere/io/plot/markup.h"
#include "haltere/io/plot/palette.h"

namespace haltere {
namespace {

constexpr int kWidth = 900, kPanelLeft = 70, kPanelTop = 20, kInner = 520, kHeight = 420;  // [px]
constexpr int kLineHeight = 18;

/// Whole powers of ten around the values.
struct Decades {
  int low = 0, high = 0;
  bool empty = true;

  void add(double x) {
    const int below = static_cast<int>(std::floor(std::log10(x))),
              above = static_cast<int>(std::ceil(std::log10(x)));
    low = empty ? below : std::min(low, below);
    high = empty ? above : std::max(high, above);
    empty = false;
  }
  /// 0 ... 1
  double place(double x) const { return (std::log10(x) - low) / std::max(high - low, 1); }
};

std::string power_of_ten(int exponent) {
  return fmt::format(R"(10<tspan dy="-5" font-size="9">{}</tspan>)", exponent);
}

class Diagram {
 public:
  explicit Diagram(const std::vector<WorkPrecisionLine>& lines) : lines_(lines) {
    for (const WorkPrecisionLine& line : lines)
      for (const auto& [seconds, error] : line.points) {
        work_.add(seconds);
        error_.add(error);
      }
  }

  std::string draw() {
    const int rows = static_cast<int>(lines_.size());
    const int height = std::max(kPanelTop + kHeight + 60, kPanelTop + rows * kLineHeight + 20);
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n",
        kWidth, height);
    draw_grid();
    for (std::size_t i = 0; i < lines_.size(); ++i) draw_line(i);
    return svg_ + "</svg>\n";
  }

 private:
  double x_of(double seconds) const { return kPanelLeft + kInner * work_.place(seconds); }
  double y_of(double error) const { return kPanelTop + kHeight * (1 - error_.place(error)); }

  void draw_grid() {
    for (int e = work_.low; e <= work_.high; ++e) {
      const double x = x_of(std::pow(10., e));
      svg_ += fmt::format(
          "<path stroke=\"#ddd\" d=\"M{0:.1f},{1}V{2}\"/>\n<text x=\"{0:.1f}\" y=\"{3}\" "
          "text-anchor=\"middle\">{4}</text>\n",
          x, kPanelTop, kPanelTop + kHeight, kPanelTop + kHeight + 20, power_of_ten(e));
    }
    for (int e = error_.low; e <= error_.high; ++e) {
      const double y = y_of(std::pow(10., e));
      svg_ += fmt::format(
          "<path stroke=\"#ddd\" d=\"M{0},{1:.1f}H{2}\"/>\n<text x=\"{3}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5}</text>\n",
          kPanelLeft, y, kPanelLeft + kInner, kPanelLeft - 8, y + 4, power_of_ten(e));
    }
    svg_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">time of computing [s]</text>\n",
                        kPanelLeft + kInner / 2, kPanelTop + kHeight + 44);
    svg_ += fmt::format(
        "<text transform=\"translate(16,{}) rotate(-90)\" text-anchor=\"middle\">largest error of "
        "positions [rad, length scales]</text>\n",
        kPanelTop + kHeight / 2);
  }

  void draw_line(std::size_t i) {
    const std::string_view color = kColors[i % kColors.size()],
                           dash = kDashes[(i / kColors.size()) % kDashes.size()];
    std::string path;
    for (const auto& [seconds, error] : lines_[i].points) {
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", x_of(seconds), y_of(error));
      svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x_of(seconds),
                          y_of(error), color);
    }
    svg_ += fmt::format(
        "<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" stroke-dasharray=\"{}\" d=\"{}\"/>\n", color,
        dash, path);
    const int y = kPanelTop + 12 + static_cast<int>(i) * kLineHeight, x = kPanelLeft + kInner + 20;
    svg_ += fmt::format(
        "<path stroke=\"{0}\" stroke-width=\"1.6\" stroke-dasharray=\"{1}\" d=\"M{2},{3}h22\"/>\n<circle "
        "cx=\"{4}\" "
        "cy=\"{3}\" r=\"3.5\" fill=\"{0}\"/>\n<text x=\"{5}\" y=\"{6}\">{7}</text>\n",
        color, dash, x, y, x + 11, x + 28, y + 4, escape_markup(lines_[i].name));
  }

  const std::vector<WorkPrecisionLine>& lines_;
  Decades work_, error_;
  std::string svg_;
};

}  // namespace

std::string make_work_precision(const std::vector<WorkPrecisionLine>& lines) {
  return Diagram(lines).draw();
}

}  // namespace haltere
