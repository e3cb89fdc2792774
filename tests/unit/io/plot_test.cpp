#include "haltere/io/plot/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stack>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/plot/axis.h"
#include "haltere/io/plot/legend.h"
#include "haltere/io/plot/markup.h"
#include "haltere/io/plot/result_plot.h"
#include "haltere/io/plot/text.h"
#include "haltere/io/plot/thin.h"
#include "haltere/io/plot/work_precision.h"
#include "haltere/io/result/hdf5_sink.h"
#include "haltere/model/problem.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Tags open and close in order, as far as XML asks for it.
bool is_well_formed(const std::string& text) {
  std::stack<std::string> open;
  for (std::size_t i = text.find('<'); i != std::string::npos; i = text.find('<', i + 1)) {
    const std::size_t end = text.find('>', i);
    if (end == std::string::npos) return false;
    std::string tag = text.substr(i + 1, end - i - 1);
    if (tag.starts_with("!") || tag.starts_with("meta") || tag.ends_with("/")) continue;
    if (tag.starts_with("/")) {
      if (open.empty() || open.top() != tag.substr(1)) return false;
      open.pop();
    } else {
      open.push(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + part.size())) ++n;
  return n;
}

std::vector<double> make_times(int n) {
  std::vector<double> t;
  for (int i = 0; i < n; ++i) t.push_back(0.01 * i);
  return t;
}

std::vector<double> make_wave(int n, double amplitude = 1) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(amplitude * std::sin(0.05 * i));
  return x;
}

TEST(Plot, SeriesOfOneUnitShareAPanel) {
  const std::string svg = make_plot(
      make_times(100),
      {{"a", "rad", make_wave(100)}, {"b", "J", make_wave(100)}, {"c", "rad", make_wave(100, 2)}}, {});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(count(svg, "class=\"frame\""), 2);
  EXPECT_EQ(count(svg, "<path class=\"line\""), 3);
  EXPECT_THAT(svg, HasSubstr("[rad]"));
  EXPECT_THAT(svg, HasSubstr("[J]"));
  EXPECT_THAT(svg, HasSubstr("t [s]"));
}

TEST(Plot, NamesAreEscaped) {
  PlotOptions options;
  options.title = "a < b & c";
  options.marks = {{0.1, "<script>"}};
  const std::string svg = make_plot(make_times(50), {{"\"x\"", "m", make_wave(50)}}, options);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(Plot, DrawsWhateverNumbersItGets) {
  constexpr double kMax = std::numeric_limits<double>::max();
  for (const std::vector<double>& values : {std::vector<double>{},
                                            {1},
                                            {0, 0},
                                            {5, 5, 5},
                                            {-kMax, kMax},
                                            {1e-308, 2e-308},
                                            {12, 12 + 1e-9, 12 - 1e-9},
                                            {1, NAN, 2, INFINITY, 3},
                                            {1e300, 1e-300},
                                            {7, std::nextafter(7, 8)}}) {
    std::vector<double> t = make_times(static_cast<int>(values.size()));
    const std::string svg = make_plot(t, {{"x", "m", values}}, {});
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    EXPECT_LT(svg.size(), 20000U);
  }
}

TEST(Plot, LongSeriesAreThinnedButKeepTheirExtremes) {
  const int n = 200'000;
  std::vector<double> x = make_wave(n);
  x[123'456] = 50;  // single spikes
  x[156'789] = -50;
  const std::string svg = make_plot(make_times(n), {{"x", "m", x}}, {});
  EXPECT_LT(svg.size(), 200'000U);
  for (const char* tick : {">40</text>", ">−40</text>"})
    EXPECT_THAT(svg, HasSubstr(tick));  // the axis reaches them
  // both are drawn: the line goes over all but a fifth of the panel, the wave alone over a fiftieth
  double highest = 1e9, lowest = 0;
  const std::size_t path = svg.find("<path class=\"line\"");
  for (std::size_t i = svg.find(',', path); i != std::string::npos; i = svg.find(',', i + 1)) {
    highest = std::min(highest, std::strtod(svg.c_str() + i + 1, nullptr));
    lowest = std::max(lowest, std::strtod(svg.c_str() + i + 1, nullptr));
  }
  const std::size_t frame = svg.find("<path class=\"frame\" d=\"M");
  const double top = std::strtod(svg.c_str() + svg.find(',', frame) + 1, nullptr);
  EXPECT_LT(highest - top, 0.2 * PlotOptions{}.panel_height);
  EXPECT_LT(top + PlotOptions{}.panel_height - lowest, 0.2 * PlotOptions{}.panel_height);
}

TEST(Axis, HasRoundTicks) {
  EXPECT_THAT(make_axis(0, 10, 10, 0).labels,
              ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(make_axis(-0.23, 0.31, 6, 0.04).labels,
              ElementsAre("−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3", "0.4"));
}

TEST(Axis, LargeAndSmallNumbersGetAPowerOfTen) {
  const Axis axis = make_axis(0, 4e-6, 6, 0.04);
  EXPECT_EQ(axis.exponent, -6);
  EXPECT_EQ(label_of(axis, "kg m2/s"), "[10⁻⁶ kg·m²/s]");
  EXPECT_EQ(axis.labels.back(), "5");
  EXPECT_EQ(make_axis(0, 2.5e7, 6, 0.04).exponent, 6);
}

TEST(Axis, ValuesThatHardlyDifferAreWrittenAsDifferences) {
  const Axis axis = make_axis(12.5, 12.5 + 3e-9, 6, 0.04);
  EXPECT_NE(axis.offset, 0);
  // what the label says to add is the offset to far less than a tick: 1 % of their distance
  const std::string label = label_of(axis, "J");
  ASSERT_TRUE(label.starts_with("− ")) << label;
  const double said = std::strtod(label.substr(std::string("− ").size()).c_str(), nullptr);
  EXPECT_NEAR(said, axis.offset, 0.01 * (axis.ticks[1] - axis.ticks[0]));
  for (const std::string& tick : axis.labels) EXPECT_LT(tick.size(), 6U) << tick;
}

TEST(Axis, UnitsAreWrittenAsPeopleDo) {
  EXPECT_EQ(pretty_unit("m/s2"), "m/s²");
  EXPECT_EQ(pretty_unit("N m/rad"), "N·m/rad");
  EXPECT_EQ(pretty_unit("kg m2 s-2"), "kg·m²·s⁻²");
  EXPECT_EQ(pretty_unit("1/s"), "1/s");
}

TEST(Axis, LogarithmicOnesHaveTicksAtDecadesAndNinePartsBetween) {
  const Axis axis = make_log_axis(2e-6, 3e-3, 6, 0);
  EXPECT_THAT(axis.labels, ElementsAre("10⁻⁵", "10⁻⁴", "10⁻³"));
  // 2 ... 9 of 10⁻⁶, of two whole decades, and 2, 3 of 10⁻³
  EXPECT_EQ(axis.minor.size(), 8U + 8 + 8 + 2);
  EXPECT_NEAR(axis.place(1e-4), std::log10(1e-4 / 2e-6) / std::log10(3e-3 / 2e-6), 1e-12);  // analytic
  EXPECT_THAT(make_log_axis(0.1, 1000, 6, 0).labels, ElementsAre("0.1", "1", "10", "100", "1000"));
}

TEST(Axis, LogarithmicOnesOfManyDecadesLeaveSomeOut) {
  const Axis axis = make_log_axis(1e-300, 1e300, 6, 0.04);
  EXPECT_LE(axis.ticks.size(), 7U);
  EXPECT_GE(axis.ticks.size(), 4U);
  EXPECT_THAT(axis.labels, testing::Contains("10⁰"));
}

TEST(Axis, LogarithmicOnesOfFewDecadesHaveTicksAtRoundNumbers) {
  EXPECT_THAT(make_log_axis(1.5, 8, 6, 0).labels, ElementsAre("2", "5"));
  const Axis narrow = make_log_axis(10, 12, 6, 0);
  EXPECT_THAT(narrow.labels, ElementsAre("10.0", "10.5", "11.0", "11.5", "12.0"));
  for (const auto& [low, high] : {std::pair{3.0, 3.0}, {1e-310, 2e-310}, {1e307, 1.7e308}, {4e-4, 4.1e-4}}) {
    const Axis axis = make_log_axis(low, high, 2, 0.04);
    EXPECT_GT(axis.low, 0) << low;
    EXPECT_TRUE(std::isfinite(axis.high)) << low;
    EXPECT_LT(axis.low, axis.high) << low;
    EXPECT_EQ(axis.ticks.size(), axis.labels.size()) << low;
  }
}

TEST(Axis, WhatIsNotPositiveHasNoPlaceOnALogarithmicOne) {
  const Axis axis = make_log_axis(1, 100, 6, 0);
  EXPECT_TRUE(std::isnan(axis.place(0)));
  EXPECT_TRUE(std::isnan(axis.place(-1)));
  EXPECT_EQ(axis.place(1), 0);
  EXPECT_EQ(axis.place(100), 1);
}

/// All numbers that follow `before`.
std::vector<double> find_numbers(const std::string& text, const std::string& before) {
  std::vector<double> numbers;
  for (std::size_t i = text.find(before); i != std::string::npos; i = text.find(before, i + 1))
    numbers.push_back(std::strtod(text.c_str() + i + before.size(), nullptr));
  return numbers;
}

/// Corners of the first line of a figure.
std::vector<std::pair<double, double>> find_corners(const std::string& svg) {
  std::vector<std::pair<double, double>> corners;
  std::size_t i = svg.find(" d=\"", svg.find("<path class=\"line\"")) + 4;
  for (; svg[i] == 'M' || svg[i] == 'L'; i = svg.find_first_of("ML\"", i + 1)) {
    char* end = nullptr;
    const double x = std::strtod(svg.c_str() + i + 1, &end);
    corners.emplace_back(x, std::strtod(end + 1, nullptr));
  }
  return corners;
}

TEST(Plot, WhatIsNotPositiveIsAGapOnALogarithmicAxis) {
  PlotOptions options;
  options.log_y = true;
  const std::string svg = make_plot(make_times(7), {{"x", "m", {1, 10, 0, -5, NAN, 100, 1000}}}, options);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  const std::size_t path = svg.find("<path class=\"line\"");
  EXPECT_EQ(count(svg.substr(path), "M"), 2);
  // decades are equally high
  const auto corners = find_corners(svg);
  ASSERT_EQ(corners.size(), 4U);
  EXPECT_NEAR(corners[0].second - corners[1].second, corners[2].second - corners[3].second, 0.02);  // print
}

TEST(Plot, LogarithmicFiguresOfNothingCanBeDrawn) {
  PlotOptions options;
  options.log_x = options.log_y = true;
  for (const std::vector<double>& values : {std::vector<double>{}, {0, -1}, {NAN, NAN}, {1e-320, 1e308}}) {
    const std::string svg =
        make_plot(make_times(static_cast<int>(values.size())), {{"x", "m", values}}, options);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(Plot, OneQuantityOverAnotherKeepsItsShape) {
  // a circle run through many times, far finer than a picture can show
  const int n = 100'000;
  std::vector<double> x, y;
  for (int i = 0; i < n; ++i) {
    x.push_back(std::cos(2e-3 * i));
    y.push_back(std::sin(2e-3 * i));
  }
  PlotOptions options;
  options.x = "x";
  options.x_unit = "m";
  options.equal = true;
  const std::string svg = make_plot(x, {{"y", "m", y}}, options);
  const auto corners = find_corners(svg);
  EXPECT_LT(corners.size(), n / 5);
  const auto [left, right] = std::minmax_element(corners.begin(), corners.end());
  const auto by_y = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [high, low] = std::minmax_element(corners.begin(), corners.end(), by_y);
  EXPECT_NEAR(right->first - left->first, low->second - high->second, 0.5);  // px: equal scales
  const double radius = (right->first - left->first) / 2;
  const double middle_x = left->first + radius, middle_y = high->second + radius;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    // also between corners the line is that near to the circle [px]
    const double px = (corners[i - 1].first + corners[i].first) / 2 - middle_x,
                 py = (corners[i - 1].second + corners[i].second) / 2 - middle_y;
    ASSERT_NEAR(std::hypot(px, py), radius, 0.4);
  }
}

TEST(Plot, WhatThinningLeavesOutIsNoFartherThanItsTolerance) {
  DrawnPoints points;
  for (int i = 0; i < 20'000; ++i) {  // a spiral with a straight way back, points close to each other
    const double t = 1e-3 * i;
    points.x.push_back(i < 15'000 ? t * std::cos(t) : (20 - t) * 3 - 5);
    points.y.push_back(i < 15'000 ? t * std::sin(t) : 0.5);
  }
  const double tolerance = 0.05;
  const std::vector<std::size_t> kept = thin_by_shape(points, {0, points.x.size() - 1}, tolerance);
  EXPECT_LT(kept.size(), 1000U);
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(kept.back(), points.x.size() - 1);
  for (std::size_t k = 1; k < kept.size(); ++k) {
    const double ax = points.x[kept[k - 1]], ay = points.y[kept[k - 1]];
    const double bx = points.x[kept[k]] - ax, by = points.y[kept[k]] - ay;
    for (std::size_t i = kept[k - 1]; i <= kept[k]; ++i) {
      const double px = points.x[i] - ax, py = points.y[i] - ay;
      const double along = std::clamp((px * bx + py * by) / (bx * bx + by * by), 0.0, 1.0);
      ASSERT_LE(std::hypot(px - along * bx, py - along * by), tolerance * (1 + 1e-9)) << i;
    }
  }
}

TEST(Plot, SizesForPrintAreThoseOfThePaper) {
  for (const double height : {0.0, 60.0, 100.0}) {
    PlotOptions options;
    options.paper_width = 86;
    options.paper_height = height;
    const std::string svg = make_plot(
        make_times(100),
        {{"a", "rad", make_wave(100)}, {"b", "J", make_wave(100)}, {"c", "J", make_wave(100)}}, options);
    EXPECT_THAT(svg, HasSubstr(" width=\"86mm\""));
    EXPECT_THAT(svg, HasSubstr(" font-size=\"8\""));
    const double written = find_numbers(svg, " height=\"").at(0);
    EXPECT_NEAR(written, height > 0 ? height : written, 1e-3);  // six digits are written
    // 1/72 inch is one unit, so that text has its size in pt
    const std::size_t box = svg.find("viewBox=\"0 0 ") + 13;
    EXPECT_NEAR(std::strtod(svg.c_str() + box, nullptr), 86 / 25.4 * 72, 1e-2);
    // nothing stands outside
    for (const double y : find_numbers(svg, " y=\"")) EXPECT_LE(y, written / 25.4 * 72);
  }
}

TEST(Plot, PapersTooLowForTheirPanelsAreRefusedWithWhatWouldDo) {
  PlotOptions options;
  options.paper_width = 86;
  options.paper_height = 30;
  const auto draw = [&] {
    return make_plot(make_times(9), {{"a", "rad", make_wave(9)}, {"b", "J", make_wave(9)}}, options);
  };
  try {
    draw();
    FAIL();
  } catch (const InputError& error) {
    const std::string hint = error.problems().at(0).hint;
    options.paper_height = std::strtod(hint.c_str(), nullptr);
    EXPECT_NO_THROW(draw()) << hint;
  }
}

TEST(Plot, SourcesAreToldByDashesAndNamesByColors) {
  std::vector<PlotSeries> series;
  for (const char* source : {"intact", "damaged"})
    for (const char* name : {"left", "right"}) {
      series.push_back({name, "rad", make_wave(50)});
      series.back().source = source;
    }
  const std::string svg = make_plot(make_times(50), series, {});
  for (const char* name : {">intact<", ">damaged<", ">left<", ">right<"})
    EXPECT_EQ(count(svg, name), 1) << name;
  EXPECT_EQ(count(svg, "<path class=\"line\" stroke=\"#0072b2\""), 2);
  EXPECT_EQ(count(svg, "<path class=\"line\" stroke=\"#0072b2\" d"), 1);  // of which one has dashes
}

TEST(Plot, SourcesOfOneNameHaveColorsAndTheNameStandsAtTheAxis) {
  std::vector<PlotSeries> series;
  for (const char* source : {"intact", "damaged"}) {
    series.push_back({"angle", "rad", make_wave(50)});
    series.back().source = source;
  }
  const std::string svg = make_plot(make_times(50), series, {});
  EXPECT_THAT(svg, HasSubstr(">angle [rad]<"));
  EXPECT_THAT(svg, HasSubstr("<path class=\"line\" stroke=\"#d55e00\" d"));
  EXPECT_THAT(svg, Not(HasSubstr("stroke-dasharray=\" ")));
}

TEST(Plot, MoreSourcesThanDashesHaveANameForEveryLine) {
  std::vector<PlotSeries> series;
  for (const char* source : {"1", "2", "3", "4", "5"})
    for (const char* name : {"left", "right"}) {
      series.push_back({name, "rad", make_wave(50)});
      series.back().source = source;
    }
  EXPECT_THAT(make_plot(make_times(50), series, {}), HasSubstr(">right, 5<"));
}

TEST(Plot, HostileNamesDoNoHarm) {
  for (const std::string& name :
       {std::string("</text><script>"), std::string("a\"b'c&d"), std::string("\xff\xfe\xc3("),
        std::string("a\0b", 3), std::string("\xed\xa0\x80\xef\xbf\xbf"), std::string(100'000, 'm'),
        std::string("角度 ∠"), std::string("⁻²")}) {
    PlotOptions options;
    options.title = options.x = options.font = name;
    options.marks = {{0.1, name}};
    const std::string svg =
        make_plot(make_times(50), {{name, name, make_wave(50)}, {"b", name, {}}}, options);
    EXPECT_TRUE(is_well_formed(svg)) << name.substr(0, 20);
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    // all of it is UTF-8 that XML knows
    for (const char* bad : {"\xff", "\xfe", "\xc3(", "\xed\xa0", "\xef\xbf\xbf"})
      EXPECT_THAT(svg, Not(HasSubstr(bad)));
    EXPECT_EQ(svg.find('\0'), std::string::npos);
  }
}

TEST(Legend, EntriesStandBesideEachOtherWithoutTouching) {
  std::vector<LegendEntry> entries;
  for (int i = 0; i < 23; ++i)
    entries.push_back({"joint.hinge" + std::string(i % 5, 'x') + ".angle", i % 7, 0, false});
  const LegendSizes sizes{8, 16, 220};
  const Legend legend = make_legend(entries, sizes);
  EXPECT_GT(legend.rows, 5);
  EXPECT_LT(legend.rows, 23);
  for (std::size_t i = 0; i < legend.places.size(); ++i) {
    const auto& [entry, x, row] = legend.places[i];
    const double end = x + 16 + 4 + 8 * calc_text_width(entry.name);
    EXPECT_LE(end, 220);
    if (i + 1 < legend.places.size() && legend.places[i + 1].row == row) {
      EXPECT_LT(end + 8, legend.places[i + 1].x);  // a letter's width of space
    }
  }
}

TEST(Legend, NamesWiderThanTheFigureLoseTheirMiddle) {
  const Legend legend = make_legend({{"begin" + std::string(1000, '-') + "end", 0, 0, false}}, {8, 16, 100});
  const std::string name = legend.places.at(0).entry.name;
  EXPECT_TRUE(name.starts_with("begin")) << name;
  EXPECT_TRUE(name.ends_with("end")) << name;
  EXPECT_LE(8 * calc_text_width(name), 80);
}

TEST(Text, WidthsAreThoseOfHelvetica) {
  // Helvetica's metrics, in thousandths: j 222, o 556, i 222, n 556, t 278; classes are within 5 % of a word
  EXPECT_NEAR(calc_text_width("joint") / 1.06, 1.834, 0.05 * 1.834);
  // f 278, u 556, s 500, e 556, l 222, a 556, g 556, e 556
  EXPECT_NEAR(calc_text_width("fuselage") / 1.06, 3.780, 0.05 * 3.780);
}

TEST(Text, BreaksLinesAtSpaces) {
  EXPECT_THAT(wrap("one two three", calc_text_width("one two")), ElementsAre("one two", "three"));
  EXPECT_TRUE(wrap("", 10).empty());
}

TEST(Markup, SuperscriptsAreRaisedAndLinesGoOnBelow) {
  EXPECT_EQ(escape_svg_text("m/s²", 10), R"(m/s<tspan dy="-3.60" font-size="7.20">2</tspan>)");
  EXPECT_EQ(escape_svg_text("10⁻⁶<", 10),
            R"(10<tspan dy="-3.60" font-size="7.20">−6</tspan><tspan dy="3.60">&lt;</tspan>)");
}

TEST(WorkPrecision, HasDotsNamesAndDecades) {
  const std::string svg =
      make_work_precision({{"rk4 & co", {{0.01, 1e-3}, {0.1, 1e-7}}}, {"dop853", {{0.005, 1e-9}}}});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_THAT(svg, HasSubstr("rk4 &amp; co"));
  EXPECT_EQ(count(svg, "<circle"), 3 + 2);  // points, and those of the legend
  EXPECT_EQ(count(svg, "<path class=\"line\""), 1);
  EXPECT_TRUE(is_well_formed(make_work_precision({})));
}

/// Results in a folder: t = 0 ... 9 s, a row each.
class ResultPlotTest : public testing::Test {
 protected:
  Result make(const std::string& name, const std::vector<std::pair<std::string, std::string>>& channels,
              const std::vector<std::vector<double>>& columns) {
    Hdf5Sink sink(folder_ / (name + ".h5"));
    sink.begin(make_sample_channels(channels), make_sample_info());
    for (std::size_t row = 0; row < columns[0].size(); ++row) {
      std::vector<double> values{static_cast<double>(row)};
      for (const std::vector<double>& column : columns) values.push_back(column[row]);
      sink.row(values);
    }
    sink.event({"release", 2.5, false, "k = 4 N/m", 1.5});
    sink.end(make_sample_summary());
    return Result(folder_ / (name + ".h5"));
  }
  static ResultPlot plot_of(const std::vector<std::string>& globs) {
    ResultPlot plot;
    plot.globs = globs;
    return plot;
  }
  TemporaryFolder folder_;
};

TEST_F(ResultPlotTest, DrawsTheSameChannelsOfSeveralResults) {
  const Result a = make("a", {{"x", "m"}, {"y", "m"}}, {make_wave(10), make_wave(10, 2)});
  const Result b = make("b", {{"y", "m"}, {"x", "m"}}, {make_wave(20), make_wave(20, 2)});
  const std::string svg = make_result_plot({{&a, "intact"}, {&b, "damaged"}}, plot_of({"*"})).svg;
  EXPECT_EQ(count(svg, "<path class=\"line\""), 4);
  EXPECT_EQ(count(svg, ">damaged<"), 1);
  EXPECT_EQ(count(svg, ">release (intact)<"), 1);  // at one time: one mark
  EXPECT_EQ(count(svg, "class=\"mark\""), 1);
}

TEST_F(ResultPlotTest, AChannelThatAnotherResultLacksIsAMistakeOfThatResult) {
  const Result a = make("a", {{"x", "m"}}, {make_wave(10)}), b = make("b", {{"y", "m"}}, {make_wave(10)});
  try {
    make_result_plot({{&a, "intact"}, {&b, "damaged"}}, plot_of({"x"}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("damaged"));
  }
}

TEST_F(ResultPlotTest, AnglesAreInDegreesAlongBothAxes) {
  const double angle = 5 * std::numbers::pi / 3;  // 300 deg: the axis ends at its tick, or has none there
  const Result a = make("a", {{"angle", "rad"}, {"rate", "rad/s"}, {"k", "N m/rad"}},
                        {{0, angle / 2, angle}, {0, 1, 2}, {1, 2, 3}});
  ResultPlot plot = plot_of({"rate", "k"});
  plot.x = "angle";
  plot.degrees = true;
  const std::string svg = make_result_plot({{&a, ""}}, plot).svg;
  for (const char* text : {"angle [deg]", "rate [deg/s]", "k [N·m/rad]", ">300<", ">100<"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST_F(ResultPlotTest, RowsAreThoseOfTheTimeThatIsWanted) {
  const Result a = make("a", {{"x", "m"}}, {{0, 10, 20, 30, 40, 50, 60, 70, 80, 90}});
  ResultPlot plot = plot_of({"x"});
  plot.from = 3;
  plot.to = 5;
  EXPECT_EQ(find_corners(make_result_plot({{&a, ""}}, plot).svg).size(), 3U);
  plot.from = 20;
  plot.to.reset();
  EXPECT_THROW(make_result_plot({{&a, ""}}, plot), InputError);
}

TEST_F(ResultPlotTest, WhatALogarithmicAxisCannotShowIsSaid) {
  const Result a = make("a", {{"x", "m"}, {"y", "m"}}, {{0, -1, 20, 30}, {-1, -2, -3, -4}});
  ResultPlot plot = plot_of({"x", "y"});
  plot.options.log_y = true;
  const ResultPicture picture = make_result_plot({{&a, ""}}, plot);
  ASSERT_EQ(picture.notes.size(), 2U);
  EXPECT_THAT(picture.notes[0], HasSubstr("x: 2 of 4 values"));
  EXPECT_EQ(count(picture.svg, "<path class=\"line\""), 1);
  plot.globs = {"y"};
  EXPECT_THROW(make_result_plot({{&a, ""}}, plot), InputError);
  plot.magnitude = true;
  const ResultPicture absolute = make_result_plot({{&a, ""}}, plot);
  EXPECT_THAT(absolute.svg, HasSubstr("|y|"));
  EXPECT_TRUE(absolute.notes.empty());
}

TEST_F(ResultPlotTest, EqualScalesAreForOneUnit) {
  const Result a =
      make("a", {{"x", "m"}, {"y", "m"}, {"angle", "rad"}}, {make_wave(10), make_wave(10), make_wave(10)});
  ResultPlot plot = plot_of({"y"});
  plot.x = "x";
  plot.options.equal = true;
  EXPECT_NO_THROW(make_result_plot({{&a, ""}}, plot));
  plot.globs = {"angle"};
  EXPECT_THROW(make_result_plot({{&a, ""}}, plot), InputError);
  plot.x = "*";
  EXPECT_THROW(make_result_plot({{&a, ""}}, plot), InputError);
}

TEST(ResultNames, AreAsLongAsTheyHaveToBe) {
  EXPECT_THAT(tell_apart({"/r/p-l=1", "/r/p-l=2"}), ElementsAre("l=1", "l=2"));
  EXPECT_THAT(tell_apart({"/r/p-m2=1", "/r/p-m2=1.02"}), ElementsAre("m2=1", "m2=1.02"));
  EXPECT_THAT(tell_apart({"/r/a-", "/r/a-b"}), ElementsAre("a-", "a-b"));
  EXPECT_THAT(tell_apart({"/r/a/run", "/r/b/run"}), ElementsAre("a", "b"));
  EXPECT_THAT(tell_apart({"/r/double-pendulum", "/r/double-pendulum-damped"}),
              ElementsAre("double-pendulum", "double-pendulum-damped"));
  EXPECT_THAT(tell_apart({"/r/a", "/r/a/b"}), ElementsAre("a", "a/b"));
  EXPECT_THAT(tell_apart({"/r/only"}), ElementsAre("only"));
}

TEST(Page, ShowsFactsAuditAndFigures) {
  const TemporaryFolder folder;
  Hdf5Sink sink(folder / "result.h5");
  sink.begin(make_sample_channels({{"joint.hinge.angle", "rad"}, {"energy.total", "J"}}), make_sample_info());
  write_sample_rows(&sink, 3, 100);
  sink.event({"release", 2.5, false, "k = 4 N/m", 1.5});
  sink.end(make_sample_summary());
  const std::string html = make_page(Result(folder / "result.h5"));
  EXPECT_TRUE(is_well_formed(html));
  EXPECT_THAT(html, HasSubstr("<h1>pendulum</h1>"));
  EXPECT_THAT(html, HasSubstr("Huygens 1673"));
  EXPECT_THAT(html, HasSubstr("energy balance closes"));
  EXPECT_THAT(html, HasSubstr("event release"));
  EXPECT_EQ(count(html, "<figure>"), 2);
  for (const char* outside : {"href=", "src=", "url(", "@import"}) EXPECT_THAT(html, Not(HasSubstr(outside)));
}

}  // namespace
}  // namespace haltere
