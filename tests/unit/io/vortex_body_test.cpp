// A `vortex-body` in a model file: what it says, and what is refused.
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"

#include "haltere/analysis/steady_air.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/model/lattices.h"
#include "haltere/model/surfaces/planform.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kRound = ", radius: 0.2 m*sqrt(1 - (2*s/1 m - 1)^2)";

std::string make_text(const std::string& own, const std::string& rest = "") {
  return "haltere: 1\n"
         "air: {density: 1.2 kg/m3, wind: [10 m/s, 0, 1 m/s], step: 5 ms}\n"
         "bodies: {hull: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
         "joints: {hold: {kind: prismatic, child: hull, axis: z, prescribed: 0}}\n"
         "surfaces:\n"
         "  hull: {kind: vortex-body, body: hull, length: 1 m" +
         own + "}\n" + rest;
}

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> texts;
  try {
    for (const Problem& problem : read_model_text(text, "hull.yaml").warnings)
      texts.push_back(problem.text());
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) texts.push_back(problem.text());
  }
  return texts;
}

VortexLattice<double> read_hull(const std::string& own) {
  const Model model = read_model_text(make_text(own), "hull.yaml");
  const std::vector<double> parameters = model.calc_parameters();
  return find_lattice(model.surfaces[0], Resolver<double>{parameters.data()}).value();
}

TEST(VortexBodyFile, DrawsARadiusAlongAnAxis) {
  const VortexLattice<double> hull = read_hull(
      ", nose: [1 m, 0, 0], axis: x, length_panels: 4, around_panels: 4, length_spacing: uniform, radius: "
      "0.4*s*(1 - s/1 m)");
  ASSERT_EQ(hull.points->rows, 5);
  ASSERT_EQ(hull.points->columns, 5);
  const auto corner = [&](int i, int j) { return hull.points->points[5 * i + j]; };
  // analytic: a radius of 0.1 m in the middle, of a square as large as the circle; columns begin at the top and go round so
  // that normals point out
  const double r = 0.1 * std::sqrt(std::acos(-1) / 2);
  EXPECT_LE((corner(2, 0) - Vector3<double>(1.5, 0, r)).norm(), 1e-15);
  EXPECT_LE((corner(2, 1) - Vector3<double>(1.5, r, 0)).norm(), 1e-15);
  EXPECT_EQ(corner(2, 4), corner(2, 0));
  for (int j = 0; j <= 4; ++j) {
    EXPECT_EQ(corner(0, j), Vector3<double>(1, 0, 0));
    EXPECT_EQ(corner(4, j), Vector3<double>(2, 0, 0));
  }
  const Vector3<double> normal = (corner(2, 1) - corner(1, 0)).cross(corner(1, 1) - corner(2, 0));
  EXPECT_GT(normal.dot(Vector3<double>(0, 1, 1)), 0);
  // with the axis upright columns begin at y
  EXPECT_NEAR(read_hull(", axis: z" + kRound).points->points[8 * 17].y(),
              0.2 * std::sqrt(std::acos(-1) / 8 / std::sin(std::acos(-1) / 8)), 1e-15);
}

TEST(VortexBodyFile, RefusesWhatIsNoBody) {
  const auto refused = [](const std::string& own) { return problems_of(make_text(own)); };
  EXPECT_THAT(refused(", axis: x" + kRound), IsEmpty());
  EXPECT_THAT(refused(kRound), ElementsAre(HasSubstr("hull.yaml:6:9: surface 'hull': axis is missing")));
  EXPECT_THAT(refused(", axis: [0, 0, 0]" + kRound),
              ElementsAre(HasSubstr("hull.yaml:6:3: surface 'hull': axis has no length")));
  EXPECT_THAT(refused(", axis: x, radius: 0.1*(0.75 m - s)*(1 m - s)*s/1 m^2"),
              ElementsAre(AllOf(
                  HasSubstr("hull.yaml:6:3: surface 'hull': radius at s = 0.75 m is 0 m; must be positive"),
                  HasSubstr("between the nose"))));
  EXPECT_THAT(
      refused(", axis: x, radius: -0.1*s*(1 - s/1 m)"),
      ElementsAre(HasSubstr("radius at s = 0.00390625 m is -0.00038909912109375 m; must be positive")));
  EXPECT_THAT(refused(", axis: x, radius: 0.1*s"),
              ElementsAre(AllOf(HasSubstr("radius at s = 1 m is 0.1 m: the body is open there"),
                                HasSubstr("0 at both ends"))));
  EXPECT_THAT(refused(", axis: x, radius: 0.2 m*sqrt(0.9 - (2*s/1 m - 1)^2)"),
              ElementsAre(HasSubstr("radius at s = 0 m is not")));
  EXPECT_THAT(refused(", axis: x, length_panels: 3" + kRound), ElementsAre(HasSubstr("length_panels is 3")));
  EXPECT_THAT(refused(", axis: x, around_panels: 7" + kRound),
              ElementsAre(HasSubstr("around_panels is 7; must be an even number")));
  EXPECT_THAT(refused(", axis: x, density: 0" + kRound), ElementsAre(HasSubstr("nothing acts on it")));
  EXPECT_THAT(refused(", axis: x, length: -1 m" + kRound), Not(IsEmpty()));
  EXPECT_THAT(message_of([&] {
                make_equations(
                    "recursive",
                    read_model_text(make_text(", axis: x, length_panels: 90, around_panels: 50" + kRound),
                                    "hull.yaml"));
              }),
              HasSubstr("hull.yaml:6:3: surface 'hull'"));
}

const std::string kSmall = ", axis: x, length_panels: 8, around_panels: 8" + kRound;
const std::string kWing =
    "  wing: {kind: vortex-lattice, body: hull, root: [0.3 m, 0.22 m, 0], span_axis: y, chord_axis: x, "
    "upper: z, span: 0.5 m, "
    "chord: 0.2 m, chord_panels: 2, span_panels: 4, core: 5 mm, wake_age: 20 ms}\n";
const std::string kEnd = "simulation: {until: 50 ms, every: 5 ms, integrator: rk4, step: 5 ms}\n";

/// Its rows; the run must come to its end.
MemorySink run_to_end(const std::string& text) {
  const Model model = read_model_text(text, "hull.yaml");
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  return sink;
}

TEST(VortexBodyFile, LiftsTheWingBesideIt) {
  std::string wing_alone = make_text(kSmall, kWing + kEnd);
  const std::size_t from = wing_alone.find("  hull: {kind: vortex-body");
  wing_alone.erase(from, wing_alone.find('\n', from) + 1 - from);
  const double with = run_to_end(make_text(kSmall, kWing + kEnd)).column("surface.wing.force.z").back(),
               without = run_to_end(wing_alone).column("surface.wing.force.z").back();
  // analytic: upwash of 1 + (b/y)^2 is 1.28 on average from 0.22 m to 0.72 m beside a cylinder of 0.2 m, less for this one
  // of fineness 2.5, and for a wing whose root is no end any more
  EXPECT_GT(with, 1.1 * without);
  EXPECT_LT(with, 1.6 * without);
}

TEST(VortexBodyFile, WarnsOfWhatLiesInIt) {
  const auto wing_at = [](const std::string& root, const std::string& span) {
    std::string wing = kWing;
    wing.replace(wing.find("0.3 m, 0.22 m, 0"), 16, root);
    wing.replace(wing.find("span: 0.5 m"), 11, "span: " + span);
    return problems_of(make_text(kSmall, wing));
  };
  const auto names_hull = ElementsAre(HasSubstr("it lies in surface 'hull' where the motion begins"));
  EXPECT_THAT(wing_at("0.3 m, 0.22 m, 0", "0.5 m"), IsEmpty());
  EXPECT_THAT(wing_at("0.4 m, 0.2 m, 0", "0.5 m"), IsEmpty());  // on its side
  EXPECT_THAT(wing_at("0.3 m, -0.25 m, 0", "0.5 m"), names_hull);
  // through its middle, where the edges of both meet, and wholly within
  EXPECT_THAT(wing_at("0.3 m, 0, 0", "0.5 m"), names_hull);
  EXPECT_THAT(wing_at("0.4 m, 0, 0", "0.04 m"), names_hull);
  const auto second = [](const std::string& nose, const std::string& radius) {
    return problems_of(make_text(
        kSmall, "  other: {kind: vortex-body, body: hull, nose: [" + nose +
                    "], axis: x, length: 1 m, length_panels: 8, around_panels: 8, radius: " + radius +
                    "*sqrt(1 - (2*s/1 m - 1)^2)}\n"));
  };
  EXPECT_THAT(second("0, 0.5 m, 0", "0.2 m"), IsEmpty());
  EXPECT_THAT(second("0.9 m, 0, 0", "0.2 m"), ElementsAre(HasSubstr("it lies in surface")));
  EXPECT_THAT(second("0, 0, 0", "0.1 m"), ElementsAre(HasSubstr("it lies in surface")));
}

TEST(VortexBodyFile, IsRecordedByItsPressures) {
  const MemorySink sink = run_to_end(make_text(kSmall, kEnd));
  // analytic: no force in a steady stream, k2 - k1 volumes of Munk's moment across it, nose up (at 2.5: 0.546, 0.0335 m3)
  EXPECT_NEAR(sink.column("surface.hull.force.z").back(), 0, 1e-12);
  EXPECT_NEAR(sink.column("surface.hull.force.x").back(), 0, 1e-12);
  const double volume = 4 * std::acos(-1) / 3 * 0.5 * 0.04;
  EXPECT_NEAR(sink.column("surface.hull.moment.y").back(), 1.2 * volume * 0.546 * 10,
              0.35 * 1.2 * volume * 0.546 * 10);
}

TEST(VortexBodyFile, SharesTheAirOfTheWings) {
  const auto refused = [](const std::string& text) {
    return message_of([&] { make_equations("recursive", read_model_text(text, "hull.yaml")); });
  };
  EXPECT_EQ(refused(make_text(kSmall, kWing)), "");
  EXPECT_THAT(refused(make_text(kSmall + ", wind: [9 m/s, 0, 1 m/s]", kWing)),
              AllOf(HasSubstr("wind"), HasSubstr("surface 'wing'")));
  std::string free_hull = make_text(kSmall);
  free_hull.replace(free_hull.find(", prescribed: 0"), 15, "");
  EXPECT_THAT(refused(free_hull), HasSubstr("surface 'hull': joint 'hold' is free to move"));
}

TEST(VortexBodyFile, StandsInATunnelBesideTheWings) {
  const Model model = read_model_text(make_text(kSmall, kWing), "hull.yaml");
  const std::unique_ptr<SteadyState> state = find_steady_state(model, {});
  const std::optional<SteadyAir> air = measure_steady_air(*state);
  ASSERT_TRUE(air);
  EXPECT_THAT(air->surfaces, ElementsAre("hull", "wing"));
  EXPECT_NEAR(air->reading.area, 0.1, 1e-15);  // of the wing
  EXPECT_NEAR(air->reading.span, 0.5, 1e-15);
  EXPECT_THAT(air->reading.strips[0], IsEmpty());
  EXPECT_EQ(air->reading.strips[1].size(), 4U);
}

/// Keeps its frames.
class FrameSink : public Sink {
 public:
  void begin(const std::vector<Channel>& /*channels*/, const RunInfo& /*info*/) override {}
  void row(std::span<const double> /*values*/) override {}
  bool wants_frames() const override { return true; }
  void frame(const Frame& frame) override { frames.push_back(frame); }
  void end(const RunSummary& /*summary*/) override {}
  std::vector<Frame> frames;
};

TEST(VortexBodyFile, IsDrawnWithoutAWake) {
  const Model model = read_model_text(make_text(kSmall, kWing + kEnd), "hull.yaml");
  FrameSink sink;
  RunOptions options = make_run_options(model, {});
  options.frames = 0.01;
  run(model, options, {&sink});
  ASSERT_FALSE(sink.frames.empty());
  const std::vector<VortexSheet>& sheets = sink.frames.back().sheets;
  ASSERT_EQ(sheets.size(), 3U);
  EXPECT_EQ(sheets[0].surface, "hull");
  EXPECT_FALSE(sheets[0].is_wake);
  EXPECT_EQ(sheets[0].rows, 8);
  EXPECT_EQ(sheets[1].surface, "wing");
  EXPECT_TRUE(sheets[2].is_wake);
  // analytic: the nose is pushed in, the sides are sucked out
  EXPECT_LT(sheets[0].pressures[0], 0);
  EXPECT_GT(sheets[0].pressures[8 * 4], 0);
}

}  // namespace
}  // namespace haltere
