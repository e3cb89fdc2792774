// What a page of a report carries, read back by an independent decoder: bounds of all that is rounded, extremes, sizes.
#include "haltere/io/report/report.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report_page.h"
#include "unit/io/reading.h"
#include "unit/io/sample_run.h"
#include "unit/io/temporary_folder.h"

#include "haltere/io/result/hdf5_sink.h"
#include "haltere/math/rotation.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kViewer =
    "<!doctype html>\n<title>x</title>\n<!-- haltere:data -->\n<script>go()</script>\n";

Report report_of(const Result& result, double size = kReportSize) {
  ReportContent content{"a title"};
  content.results.push_back({&result, "run"});
  return make_report(kViewer, content, size);
}

/// A machine with a wheel, a spring, a wing and a massless part.
const std::string kMachine = R"(haltere: 1
name: machine
gravity: [0, 0, -9.81]
parameters: {k: 100 N/m, n: 2}
bodies:
  frame: {mass: 5 kg, inertia: [0.1, 0.2, 0.25], euler: zyx}
  wheel: {mass: 1 kg, inertia: [0.02, 0.04, 0.02], shape: {kind: cylinder, radius: 0.3 m, length: 0, axis: y}}
  arm: {mass: 0.5 kg, center_of_mass: [0.2, 0, 0], inertia: {kind: rod, length: 0.4 m, axis: x}}
joints:
  base: {kind: planar, child: frame, axis: y}
  axle: {kind: revolute, parent: frame, child: wheel, parent_frame: [-0.2, 0, 0], axis: y}
  hinge: {kind: revolute, parent: frame, child: arm, parent_frame: [0.2, 0, 0], axis: y}
constraints:
  contact: {kind: rolling, to: wheel, radius: 0.3 m}
forces:
  spring: {kind: spring-damper, from_point: [1, 0, 1], to: arm, to_point: [0.4, 0, 0], stiffness: k, damping: 1, rest_length: 0.5}
air: {density: 1.2}
surfaces:
  wing: {kind: blade-element, body: arm, span_axis: x, chord_axis: y, span: 0.4, chord: 0.1 m + 0.1*s, points: 3}
report:
  "a preset": ["joint.*.angle", {title: path, channels: "body.frame.position.z", x: body.frame.position.x}]
initial: {base: {position: [0, 0.3]}}
simulation: {until: 0.5 s, every: 0.001 s}
)";

Result run_machine(const TemporaryFolder& folder, const std::vector<std::string>& channels = {}) {
  const Model model = read(kMachine);
  RunOptions options = make_run_options(model, {});
  options.channels = channels;
  Hdf5Sink sink(folder / "result.h5");
  run(model, options, {&sink});
  return Result(folder / "result.h5");
}

TEST(Report, ChannelsAreThoseOfTheResultToTheRoundingOfFloats) {
  const TemporaryFolder folder;
  const Result result = run_machine(folder);
  const ReportPage page(report_of(result).page);
  const auto& r = page.json["results"][0];
  EXPECT_EQ(page.numbers(r["time"]), result.column("t"));
  ASSERT_EQ(r["channels"].size() + 1, result.channels().size());
  for (const Channel& channel : result.channels()) {
    if (channel.name == "t") continue;
    const auto& json = page.channel(0, channel.name);
    EXPECT_EQ(json["unit"], channel.unit);
    const std::vector<double> values = page.numbers(json["data"]), exact = result.column(channel.name);
    if (json.contains("time")) {  // constant
      EXPECT_EQ(values.size(), 2u) << channel.name;
      EXPECT_EQ(*std::max_element(exact.begin(), exact.end()), *std::min_element(exact.begin(), exact.end()));
      continue;
    }
    ASSERT_EQ(values.size(), exact.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], static_cast<float>(exact[i])) << channel.name;
  }
}

TEST(Report, PosesAreThoseOfTheRows) {
  const TemporaryFolder folder;
  const Result result = run_machine(folder);
  const ReportPage page(report_of(result).page);
  const auto& r = page.json["results"][0];
  const std::vector<double> t = page.numbers(r["poses"]["time"]), p = page.numbers(r["poses"]["position"]),
                            q = page.numbers(r["poses"]["orientation"]);
  ASSERT_EQ(t, result.column("t"));
  ASSERT_EQ(r["bodies"].size(), 3u);
  for (std::size_t b = 0; b < 3; ++b) {
    const std::string name = "body." + r["bodies"][b]["name"].get<std::string>();
    const char* letters[] = {".orientation.w", ".orientation.x", ".orientation.y", ".orientation.z"};
    std::vector<std::vector<double>> exact;
    for (const char* letter : letters) exact.push_back(result.column(name + letter));
    const std::vector<double> x = result.column(name + ".position.x");
    for (std::size_t i = 0; i < t.size(); ++i) {
      EXPECT_EQ(p[3 * (3 * i + b)], static_cast<float>(x[i]));
      double cosine = 0, before = 0;
      for (std::size_t k = 0; k < 4; ++k) cosine += q[4 * (3 * i + b) + k] * exact[k][i];
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_NEAR(q[4 * (3 * i + b) + k] / 32767, std::copysign(1, cosine) * exact[k][i], 0.50001 / 32767);
        if (i > 0) before += q[4 * (3 * i + b) + k] * q[4 * (3 * (i - 1) + b) + k];
      }
      if (i > 0) {
        EXPECT_GT(before, 0) << "neighbours have the same sign";
      }
    }
  }
}

TEST(Report, FramesHavePosesWhereRowsDoNot) {
  const TemporaryFolder folder;
  const Result result = run_machine(folder, {"energy.*"});
  const ReportPage page(report_of(result).page);
  const auto& r = page.json["results"][0];
  EXPECT_THAT(r["notes"], IsEmpty());
  const std::vector<double> t = page.numbers(r["poses"]["time"]), p = page.numbers(r["poses"]["position"]);
  EXPECT_GT(t.size(), 450u);  // a thousand of the 501 rows
  EXPECT_EQ(p.size(), 9 * t.size());
  // the same machine with all its channels
  const TemporaryFolder other;
  const std::vector<double> z = run_machine(other).column("body.frame.position.z");
  for (std::size_t i = 0; i < t.size(); ++i)
    EXPECT_FLOAT_EQ(p[9 * i + 2], z[static_cast<std::size_t>(std::lround(t[i] / 0.001))]);
}

TEST(Report, KnowsWhatTheModelLooksLike) {
  const TemporaryFolder folder;
  const ReportPage page(report_of(run_machine(folder)).page);
  const auto& r = page.json["results"][0];
  EXPECT_EQ(r["model"], "machine");
  EXPECT_EQ(r["gravity"], (std::vector<double>{0, 0, -9.81}));
  EXPECT_EQ(r["tree"][1]["parent"], "frame");
  EXPECT_EQ(r["bodies"][1]["shapes"][0]["kind"], "disc");
  EXPECT_FALSE(r["bodies"][1]["shapes"][0].contains("guess"));
  EXPECT_EQ(r["wheels"][0]["body"], 1);
  EXPECT_EQ(r["wheels"][0]["path"]["x"], "constraint.contact.point.x");
  EXPECT_EQ(r["planes"][0]["normal"], (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(r["links"][0]["kind"], "spring");
  EXPECT_EQ(r["links"][0]["from"]["body"], -1);
  EXPECT_EQ(r["links"][0]["to"]["body"], 2);
  EXPECT_EQ(r["surfaces"][0]["columns"], 3);
  // chord at the tip: 0.1 + 0.1 * 0.4 (analytic)
  const std::vector<double> nodes = r["surfaces"][0]["nodes"];
  ASSERT_EQ(nodes.size(), 24u);
  EXPECT_NEAR(nodes[9], 0.4, 1e-9);
  EXPECT_NEAR(nodes[22], 0.14, 1e-9);
  EXPECT_EQ(r["presets"][0]["panes"][1]["x"], "body.frame.position.x");
  EXPECT_EQ(r["parameters"][0], (nlohmann::json::array({"k", 100., "N/m"})));
  EXPECT_EQ(r["joints"][2]["axis"], (std::vector<double>{0, 1, 0}));
}

// box and ellipsoid of the same mass and inertia (analytic: m (b^2 + c^2)/12 and m (b^2 + c^2)/5)
TEST(Report, AGuessedShapeHasTheInertiaOfItsBody) {
  const TemporaryFolder folder;
  const ReportPage page(report_of(run_machine(folder)).page);
  const auto& shape = page.json["results"][0]["bodies"][0]["shapes"][0];
  EXPECT_TRUE(shape["guess"]);
  ASSERT_EQ(shape["kind"], "ellipsoid");
  const std::vector<double> a = shape["radii"], flat = shape["R"];
  Matrix3<double> R;
  for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = flat[i];
  const Vector3<double> s(a[0] * a[0], a[1] * a[1], a[2] * a[2]);
  const Vector3<double> own = Vector3<double>(s[1] + s[2], s[0] + s[2], s[0] + s[1]);
  const Matrix3<double> I = R * Matrix3<double>(own.asDiagonal()) * R.transpose();
  EXPECT_NEAR(I(0, 0), 0.1, 1e-8);
  EXPECT_NEAR(I(1, 1), 0.2, 1e-8);
  EXPECT_NEAR(I(2, 2), 0.25, 1e-8);
}

TEST(Report, AnOlderResultHasPlotsAndANote) {
  const TemporaryFolder folder;
  {
    Hdf5Sink sink(folder / "r.h5");
    sink.begin(make_sample_channels({{"x", "m"}}), make_sample_info());
    write_sample_rows(&sink, 2, 50);
    sink.end(make_sample_summary());
  }
  const Result result(folder / "r.h5");
  const ReportPage page(report_of(result).page);
  const auto& r = page.json["results"][0];
  EXPECT_THAT(r["notes"][0].get<std::string>(), HasSubstr("older version"));
  EXPECT_THAT(r["bodies"], IsEmpty());
  EXPECT_EQ(page.numbers(page.channel(0, "x")["data"]).size(), 50u);
}

// -- sizes

/// Rows of noise, with a spike in one of them that nobody may lose.
void write_noise(const std::filesystem::path& file, long rows, std::size_t channels) {
  std::vector<std::pair<std::string, std::string>> names;
  for (std::size_t c = 0; c < channels; ++c) names.emplace_back("c" + std::to_string(c), "m");
  Hdf5Sink sink(file);
  RunInfo info = make_sample_info();
  sink.begin(make_sample_channels(names), info);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> noise(-1, 1);
  std::vector<double> row(channels + 1);
  for (long r = 0; r < rows; ++r) {
    row[0] = 1e-3 * static_cast<double>(r);
    for (std::size_t c = 1; c <= channels; ++c) row[c] = noise(random);
    if (r == rows / 3) row[1] = 50;
    if (r == rows / 2) row[2] = -50;
    sink.row(row);
  }
  sink.end(make_sample_summary());
}

TEST(Report, KeepsItsSizeAndEveryExtreme) {
  const TemporaryFolder folder;
  write_noise(folder / "r.h5", 100'000, 8);
  const Result result(folder / "r.h5");
  for (const double size : {3e5, 1e6}) {
    const Report report = report_of(result, size);
    EXPECT_LE(report.page.size(), size);
    EXPECT_GT(report.page.size(), 0.5 * size);
    ASSERT_EQ(report.dropped.size(), 2u);
    EXPECT_THAT(report.dropped[0], HasSubstr("of 100000 values, all extremes among them"));
    const ReportPage page(report.page);
    EXPECT_EQ(page.json["dropped"].size(), 2u);
    for (const char* name : {"c0", "c1", "c5"}) {
      const auto& channel = page.channel(0, name);
      const std::vector<double> t = page.numbers(channel["time"]), x = page.numbers(channel["data"]),
                                exact = result.column(name), times = result.column("t");
      ASSERT_EQ(t.size(), x.size());
      EXPECT_TRUE(std::is_sorted(t.begin(), t.end()));
      EXPECT_EQ(t.front(), times.front());
      EXPECT_EQ(t.back(), times.back());
      // between neighbours that are kept, nothing goes beyond the kept values around them: each bucket has its own extremes
      EXPECT_EQ(*std::max_element(x.begin(), x.end()),
                static_cast<float>(*std::max_element(exact.begin(), exact.end())));
      EXPECT_EQ(*std::min_element(x.begin(), x.end()),
                static_cast<float>(*std::min_element(exact.begin(), exact.end())));
      for (std::size_t i = 0, row = 0; i < t.size(); ++i) {
        while (times[row] < t[i]) ++row;
        ASSERT_EQ(times[row], t[i]);
        ASSERT_EQ(x[i], static_cast<float>(exact[row]));
      }
    }
  }
}

TEST(Report, TheSameResultGivesTheSameBytes) {
  const TemporaryFolder folder, other;
  const std::string page = report_of(run_machine(folder)).page;
  EXPECT_EQ(page, report_of(Result(folder / "result.h5")).page);
  const ReportPage decoded(page);
  EXPECT_EQ(decoded.gzip_head.substr(4, 4), std::string(4, '\0')) << "a time";
}

// -- names

TEST(Report, NamesCannotLeaveTheirPlace) {
  const TemporaryFolder folder;
  const std::vector<std::string> hostile{"</script><script>alert(1)</script>",
                                         "\"quoted\" & <b>",
                                         "größe ✓ \xf0\x9f\xa6\x8b",
                                         std::string(100'000, 'n'),
                                         "<!-- haltere:data -->",
                                         "\xff\xfe not text"};
  std::vector<std::pair<std::string, std::string>> names;
  for (const std::string& name : hostile) names.emplace_back(name, "</script>");
  {
    Hdf5Sink sink(folder / "r.h5");
    RunInfo info = make_sample_info();
    info.model_name = info.model_text = info.command = hostile[0];
    sink.begin(make_sample_channels(names), info);
    write_sample_rows(&sink, names.size() + 1, 10);
    sink.end(make_sample_summary());
  }
  const Result result(folder / "r.h5");
  ReportContent content{hostile[0]};
  content.results.push_back({&result, hostile[0]});
  content.results.push_back({&result, hostile[0]});
  content.tables.push_back({hostile[0], {{hostile[1], false}}, {{hostile[2]}}, {}});
  const std::string page = make_report(kViewer, content).page;
  EXPECT_THAT(page, Not(HasSubstr("alert")));
  const ReportPage decoded(page);
  EXPECT_EQ(decoded.elements, 1);
  EXPECT_TRUE(page.starts_with("<!doctype html>\n<title>x</title>\n<script type"));
  EXPECT_TRUE(page.ends_with("</script>\n\n<script>go()</script>\n"));
  EXPECT_EQ(decoded.json["title"], hostile[0]);
  EXPECT_EQ(decoded.json["results"][0]["name"], hostile[0]);
  EXPECT_NE(decoded.json["results"][1]["name"], hostile[0]);  // unique
  for (int i = 0; i < 5; ++i) EXPECT_EQ(decoded.json["results"][0]["channels"][i]["name"], hostile[i]);
  EXPECT_EQ(decoded.json["tables"][0]["rows"][0][0], hostile[2]);
}

TEST(Report, NumbersBeyondFloatsKeepTheirSize) {
  const TemporaryFolder folder;
  {
    Hdf5Sink sink(folder / "r.h5");
    sink.begin(make_sample_channels({{"huge", "m"}, {"plain", "m"}}), make_sample_info());
    for (const double x : {0., 1., 2.}) sink.row(std::vector<double>{x, 1e300 * x, x});
    sink.end(make_sample_summary());
  }
  const Result result(folder / "r.h5");
  const ReportPage page(report_of(result).page);
  EXPECT_EQ(page.numbers(page.channel(0, "huge")["data"]), (std::vector<double>{0, 1e300, 2e300}));
  EXPECT_EQ(page.channel(0, "plain")["data"]["type"], "f32");
}

// -- sheets

TEST(Report, SheetsAreExactToAPartOfTheirBox) {
  const TemporaryFolder folder;
  const auto make_frame = [](int index) {
    Frame frame;
    frame.t = 0.1 * index;
    frame.bodies.resize(1);
    for (const bool is_wake : {false, true}) {
      const int rows = is_wake ? 3 * index : 2;
      VortexSheet sheet{.surface = "left", .is_wake = is_wake, .rows = rows, .columns = 4, .air_rows = rows};
      double x = 1 + index + (is_wake ? 0.3 : 0);
      const auto next = [&] { return std::sin(x += 0.7); };
      for (int i = 0; i < (rows + 1) * 5; ++i) sheet.nodes.emplace_back(1e-3 * next(), 5 + next(), -7);
      for (int i = 0; i < rows * 4; ++i) sheet.circulations.push_back(3 * next());
      for (int i = 0; i < rows * 4 && !is_wake; ++i) sheet.pressures.push_back(-100 * next());
      frame.sheets.push_back(sheet);
    }
    return frame;
  };
  {
    RunInfo info = make_sample_info();
    info.frames = 0.1;
    info.bodies = {"b"};
    info.surfaces = {"left"};
    Hdf5Sink sink(folder / "r.h5");
    sink.begin(make_sample_channels({{"x", "m"}}), info);
    write_sample_rows(&sink, 2, 10);
    for (int k = 0; k < 5; ++k) sink.frame(make_frame(k));
    sink.end(make_sample_summary());
  }
  const Result result(folder / "r.h5");
  const ReportPage page(report_of(result).page);
  const auto& sheets = page.json["results"][0]["sheets"];
  ASSERT_EQ(sheets.size(), 2u);
  for (const auto& json : sheets) {
    const bool is_wake = json["kind"] == "wake";
    const auto t = page.numbers(json["time"]), rows = page.numbers(json["rows"]),
               first = page.numbers(json["first_node"]), ring = page.numbers(json["first_ring"]),
               box = page.numbers(json["box"]), nodes = page.numbers(json["nodes"]),
               circulation = page.numbers(json["circulation"]);
    ASSERT_EQ(t.size(), 5u);
    for (int k = 0; k < 5; ++k) {
      const VortexSheet exact = make_frame(k).sheets[is_wake ? 1 : 0];
      EXPECT_EQ(rows[k], exact.rows);
      for (std::size_t i = 0; i < exact.nodes.size(); ++i)
        for (int c = 0; c < 3; ++c) {
          const double size = box[6 * k + 3 + c];
          const double x = box[6 * k + c] + size * nodes[3 * (first[k] + static_cast<double>(i)) + c] / 65535;
          EXPECT_NEAR(x, exact.nodes[i][c], 0.50001 * size / 65535 + 1e-15 * std::abs(x));
        }
      for (std::size_t i = 0; i < exact.circulations.size(); ++i)
        EXPECT_NEAR(circulation[static_cast<std::size_t>(ring[k]) + i] / 32767 *
                        json["circulation_scale"].get<double>(),
                    exact.circulations[i], 0.50001 / 32767 * 3);
    }
    EXPECT_EQ(json.contains("pressure"), !is_wake);
  }
}

TEST(Report, FiguresAndTablesStandBesideResults) {
  const TemporaryFolder folder;
  const Result result = run_machine(folder);
  ReportContent content{"t"};
  content.results.push_back({&result, "run", 0.25});
  content.figures.push_back({"roots",
                             {"Re", "1/s"},
                             {"Im", "1/s", true},
                             true,
                             true,
                             {{"m", {1, 2}, {3, 4}, true, true, {"a", "b"}, {0, -1}}}});
  content.tables.push_back({"sums", {{"case", false}, {"value", true}}, {{"x", "1"}}, {0}});
  const ReportPage page(make_report(kViewer, content).page);
  EXPECT_EQ(page.json["results"][0]["loop"], 0.25);
  const auto& figure = page.json["figures"][0];
  EXPECT_TRUE(figure["circle"]);
  EXPECT_EQ(page.numbers(figure["series"][0]["y"]), (std::vector<double>{3, 4}));
  EXPECT_EQ(figure["series"][0]["result"], (std::vector<int>{0, -1}));
  EXPECT_EQ(page.json["tables"][0]["columns"][1]["align"], "right");
  EXPECT_EQ(page.numbers(page.json["results"][0]["time"]), result.column("t"));
}

// -- the model file

TEST(ReportPresets, UnknownChannelsAreProblemsWithAHint) {
  EXPECT_EQ(problem_of(kPendulum + "report: {\"angles\": [joint.hinge.angel]}\n"),
            "m.yaml:6:21: report 'angles': no channel matches 'joint.hinge.angel'; did you mean "
            "'joint.hinge.angle'?");
  EXPECT_THAT(problem_of(kPendulum + "report: {a: [{channels: joint.hinge.angle, x: time}]}\n"),
              HasSubstr("x: there is no channel 'time'"));
  EXPECT_THAT(problem_of(kPendulum + "report: {a: [{chanels: joint.hinge.angle}]}\n"),
              HasSubstr("channels are missing"));
  EXPECT_THAT(problem_of(kPendulum + "report: {a: joint.hinge.angle}\n"),
              HasSubstr("expected a list of panes"));
  EXPECT_THAT(problem_of(kPendulum + "report: [a]\n"), HasSubstr("expected a map of names"));
  EXPECT_THAT(problem_of(kPendulum + "report: {a: [[]]}\n"), HasSubstr("a pane without channels"));
}

TEST(ReportPresets, ACaseMayLackWhatTheOthersShow) {
  const std::string text = kPendulum + R"(signals: {s: 2*joint.hinge.angle}
report: {"the signal": [signal.s], "both": [signal.s, joint.hinge.angle], "removed": [joint.hinge.rate]}
cases:
  bare: {signals: {s: ~}, report: {"removed": ~}}
)";
  EXPECT_EQ(read(text).presets.size(), 3u);
  const Model bare = read(text, {.case_name = "bare", .set = {}});
  ASSERT_EQ(bare.presets.size(), 1u);
  EXPECT_EQ(bare.presets[0].title, "both");
  EXPECT_EQ(bare.presets[0].panes.size(), 1u);
}

}  // namespace
}  // namespace haltere
