#include "haltere/io/plot/plot.h"

#include <cmath>
#include <limits>
#include <stack>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/plot/axis.h"
#include "haltere/io/result/hdf5_sink.h"

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
  x[123'456] = 50;  // a single spike
  const std::string svg = make_plot(make_times(n), {{"x", "m", x}}, {});
  EXPECT_LT(svg.size(), 200'000U);
  std::vector<double> calm = make_wave(n);
  EXPECT_THAT(svg, HasSubstr(">50</text>"));  // the axis reaches it
  // the spike is drawn: its point is higher than all others (at most 4 % of the panel below the top tick)
  double highest = 1e9;
  const std::size_t path = svg.find("<path class=\"line\"");
  for (std::size_t i = svg.find(',', path); i != std::string::npos; i = svg.find(',', i + 1))
    highest = std::min(highest, std::strtod(svg.c_str() + i + 1, nullptr));
  const std::size_t frame = svg.find("<path class=\"frame\" d=\"M");
  const double top = std::strtod(svg.c_str() + svg.find(',', frame) + 1, nullptr);
  EXPECT_LT(highest - top, 0.2 * PlotOptions{}.panel_height);
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
