// A `vortex-lattice` in a model file: what it says, and what is refused.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"
#include "unit/io/temporary_folder.h"

#include "haltere/aero/lattice/vortex_air.h"
#include "haltere/analysis/evaluation.h"
#include "haltere/analysis/linearization.h"
#include "haltere/analysis/steady_air.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/model/entry.h"
#include "haltere/model/surfaces.h"
#include "haltere/model/surfaces/planform.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A wing that is held; `own` are more keys of it, `rest` of the model.
std::string make_text(const std::string& own, const std::string& rest = "") {
  return "haltere: 1\n"
         "air: {density: 1.2 kg/m3, wind: [10 m/s, 0, 1 m/s], step: 5 ms}\n"
         "bodies: {wing: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
         "joints: {hold: {kind: prismatic, child: wing, axis: z, prescribed: 0}}\n"
         "surfaces:\n"
         "  wing: {kind: vortex-lattice, body: wing, span_axis: y, chord_axis: x, span: 2 m, "
         "chord_panels: 2, span_panels: 4" +
         own + "}\n" + rest;
}
const std::string kPlain = ", chord: 0.25 m, core: 5 mm";

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> texts;
  try {
    for (const Problem& problem : read_model_text(text, "wing.yaml").warnings)
      texts.push_back(problem.text());
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) texts.push_back(problem.text());
  }
  return texts;
}

VortexLattice<double> read_wing(const Model& model, const std::vector<double>& parameters) {
  return std::get<VortexLattice<double>>(
      resolve<SurfaceKinds, double>(model.surfaces[0], Resolver<double>{parameters.data()}));
}

std::string refusal_of(const Model& model) {
  return message_of([&] { make_equations("recursive", model); });
}

TEST(LatticeFile, DrawsChordSweepAndTwist) {
  const Model model = read_model_text(
      make_text(
          ", upper: z, root: [1 m, 0, 0], chord: 0.5 m - 0.1*s, sweep: s^2/1 m, twist: 30 deg, core: 5 mm"),
      "wing.yaml");
  const std::vector<double> parameters = model.calc_parameters();
  const std::vector<Vector3<double>> corners = make_corners(read_wing(model, parameters));
  ASSERT_EQ(corners.size(), 15U);
  // analytic: at s = 1 m the chord is 0.4 m, its leading edge 1 m behind the root's, its trailing edge below
  const Vector3<double> leading = corners[2], trailing = corners[12];
  EXPECT_LE((leading - Vector3<double>(2, 1, 0)).norm(), 1e-15);
  EXPECT_LE((trailing - Vector3<double>(2 + 0.4 * std::sqrt(3) / 2, 1, -0.2)).norm(), 1e-15);
  EXPECT_LE((corners[7] - (leading + trailing) / 2).norm(), 1e-15);
}

TEST(LatticeFile, SpacesPanelsByTheCosine) {
  // analytic: (1 - cos(pi i/4))/2
  const std::vector<double> stations = make_stations(4, PanelSpacing::kCosine);
  ASSERT_EQ(stations.size(), 5U);
  const std::vector<double> expected{0, (1 - std::sqrt(0.5)) / 2, 0.5, (1 + std::sqrt(0.5)) / 2, 1};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(stations[i], expected[i], 1e-15);
}

TEST(LatticeFile, RefusesWhatIsNoWing) {
  EXPECT_THAT(problems_of(make_text(kPlain)), IsEmpty());
  const auto refused = [](const std::string& own) { return problems_of(make_text(own)); };
  EXPECT_THAT(refused(", chord: 0.25 m*(1 - s/1.5 m), core: 5 mm"),
              ElementsAre(AllOf(HasSubstr("wing.yaml:6:3: surface 'wing': chord at s = 1.5 m"),
                                HasSubstr("a panel must have an area"))));
  EXPECT_THAT(refused(kPlain + ", layout: edge"),
              ElementsAre(HasSubstr("load: q has no form for layout: edge")));
  EXPECT_THAT(refused(kPlain + ", layout: edge, load: j"), IsEmpty());
  EXPECT_THAT(refused(", chord: 0.25 m, core: 0"), ElementsAre(HasSubstr("a free wake has no velocity")));
  EXPECT_THAT(refused(", chord: 0.25 m, core: 0, wake: prescribed"), IsEmpty());
  EXPECT_THAT(refused(", chord: 0.25 m"), ElementsAre(HasSubstr("core")));
  EXPECT_THAT(refused(kPlain + ", density: 0"), ElementsAre(HasSubstr("nothing acts on it")));
  EXPECT_THAT(refused(kPlain + ", critical_angle: 20 deg"),
              ElementsAre(HasSubstr("edge that does not shed")));
  EXPECT_THAT(refused(kPlain + ", shedding: leading-edge, critical_angle: 20 deg, critical_suction: 0.2"),
              ElementsAre(HasSubstr("two criteria for one edge")));
  EXPECT_THAT(refused(kPlain + ", step: 0"), ElementsAre(HasSubstr("step")));
  std::string without_step = make_text(kPlain);
  without_step.replace(without_step.find(", step: 5 ms"), 12, "");
  EXPECT_THAT(problems_of(without_step),
              ElementsAre(HasSubstr("step is missing; give it here, or as `step` in `air`")));
  EXPECT_THAT(refused(kPlain + ", upper: y"), ElementsAre(HasSubstr("upper lies in the plane")));
  EXPECT_THAT(refused(kPlain + ", twist: 1/(s - 1 m)*1 m*1 rad"),
              ElementsAre(HasSubstr("twist at s = 1 m is not finite")));
}

// analytic: 0.05*4*x*(1 - x) chords above the middle, out of the upper side and square to the twisted chord
TEST(LatticeFile, DrawsCamberOutOfTheUpperSide) {
  const auto middle_of = [](const std::string& own) {
    const Model model =
        read_model_text(make_text(", chord: 0.4 m, core: 5 mm, camber: 0.2*x*(1 - x)" + own), "w.yaml");
    return make_corners(read_wing(model, model.calc_parameters()))[5 + 2];
  };
  EXPECT_LE((middle_of(", upper: z") - Vector3<double>(0.2, 1, 0.02)).norm(), 1e-15);
  EXPECT_LE((middle_of(", upper: -z") - Vector3<double>(0.2, 1, -0.02)).norm(), 1e-15);
  EXPECT_LE((middle_of("") - Vector3<double>(0.2, 1, -0.02)).norm(), 1e-15);  // y x x is -z
  const double half = std::sqrt(0.5);
  EXPECT_LE((middle_of(", upper: z, twist: 45 deg") - Vector3<double>(0.22 * half, 1, -0.18 * half)).norm(),
            1e-15);
  // it may change along the span
  const Model model =
      read_model_text(make_text(", chord: 0.4 m, core: 5 mm, upper: z, camber: x*(1 - x)*s/1 m"), "w.yaml");
  const std::vector<Vector3<double>> corners = make_corners(read_wing(model, model.calc_parameters()));
  EXPECT_NEAR(corners[5].z(), 0, 1e-15);
  EXPECT_NEAR(corners[9].z(), 0.4 * 0.25 * 2, 1e-15);
}

/// A wing on the right, its copy on the left, both cambered and twisted, `own` more keys of them.
std::string make_pair_text(const std::string& own) {
  const std::string mirror = "mirror: {plane: y, from: right, to: left}, ";
  return "haltere: 1\nair: {density: 1.2 kg/m3, step: 5 ms}\nbodies:\n  right: {" + mirror +
         "mass: 1 kg, inertia: [1, 1, 1]}\njoints:\n  hold_right: {" + mirror +
         "kind: prismatic, child: right, axis: z, prescribed: 0}\nsurfaces:\n  right: {" + mirror +
         "kind: vortex-lattice, body: right, core: 5 mm" + own + "}\n";
}

std::vector<std::vector<Vector3<double>>> draw_all(const Model& model) {
  const std::vector<double> parameters = model.calc_parameters();
  std::vector<std::vector<Vector3<double>>> all;
  for (const Entry& surface : model.surfaces)
    all.push_back(make_corners(std::get<VortexLattice<double>>(
        resolve<SurfaceKinds, double>(surface, Resolver<double>{parameters.data()}))));
  return all;
}

void expect_images(const Model& model) {
  const auto all = draw_all(model);
  ASSERT_EQ(all.size(), 2U);
  for (std::size_t k = 0; k < all[0].size(); ++k)
    EXPECT_LE((all[1][k] - all[0][k].cwiseProduct(Vector3<double>(1, -1, 1))).norm(), 1e-15);
}

TEST(LatticeFile, MirrorsItsShape) {
  const std::string rest = ", span_axis: y, chord_axis: x, camber: 0.2*x*(1 - x), twist: 5 deg*s/1 m";
  for (const std::string upper : {", upper: z", ""}) {
    expect_images(read_model_text(make_pair_text(rest + upper + ", chord: 0.4 m, span: 1 m"), "w.yaml"));
    expect_images(read_model_text(make_pair_text(rest + upper + ", outline: [[0.1, 0, 0.4], [1, 0.2, 0.5]]"),
                                  "w.yaml"));
  }
  const TemporaryFolder folder;
  folder.write("points.csv", "i, j, x, y, z\n0,0,0,0.1,0\n0,1,0.1,1,0.2\n1,0,1,0.1,0\n1,1,0.9,1,0.1\n");
  folder.write("model.yaml", make_pair_text(", points: points.csv"));
  expect_images(read_model(folder.path()));
}

// analytic: straight between the stations
TEST(LatticeFile, DrawsAnOutline) {
  const Model model = read_model_text(make_text(", core: 5 mm, upper: z, outline: [[0.5 m, 0, 0.4 m], [1.5 "
                                                "m, 0.1 m, 0.3 m], [2.5 m, 0.4 m, 0.5 m]]")
                                          .replace(make_text("").find("span: 2 m, "), 11, ""),
                                      "wing.yaml");
  const std::vector<Vector3<double>> corners = make_corners(read_wing(model, model.calc_parameters()));
  ASSERT_EQ(corners.size(), 15U);
  const std::vector<Vector3<double>> leading{
      {0, .5, 0}, {.05, 1, 0}, {.1, 1.5, 0}, {.25, 2, 0}, {.4, 2.5, 0}};
  const std::vector<Vector3<double>> trailing{
      {.4, .5, 0}, {.35, 1, 0}, {.3, 1.5, 0}, {.4, 2, 0}, {.5, 2.5, 0}};
  for (int j = 0; j < 5; ++j) {
    EXPECT_LE((corners[j] - leading[j]).norm(), 1e-15) << j;
    EXPECT_LE((corners[10 + j] - trailing[j]).norm(), 1e-15) << j;
  }
}

TEST(LatticeFile, IsDrawnInOneWay) {
  const auto without_span = [](const std::string& own, const std::string& axes = "") {
    std::string text = make_text(own);
    text.replace(text.find("span_axis: y, chord_axis: x, span: 2 m, "), 40, axes);
    return problems_of(text);
  };
  const std::string both = "span_axis: y, chord_axis: x, ";
  EXPECT_THAT(without_span(", core: 5 mm", both),
              ElementsAre(AllOf(HasSubstr("wing.yaml:6:3: surface 'wing': chord is missing"),
                                HasSubstr("`outline`, or `points`"))));
  EXPECT_THAT(without_span(kPlain, both), ElementsAre(HasSubstr("span is missing")));
  EXPECT_THAT(without_span(kPlain, "span: 1 m, span_axis: y, "),
              ElementsAre(HasSubstr("chord_axis is missing")));
  const std::string outline = ", core: 5 mm, outline: [[0, 0, 1], [1, 0, 1]]";
  EXPECT_THAT(without_span(outline, both), IsEmpty());
  EXPECT_THAT(without_span(outline + ", chord: 1 m", both),
              ElementsAre(HasSubstr("chord and outline all say")));
  EXPECT_THAT(without_span(outline + ", sweep: s", both),
              ElementsAre(HasSubstr("sweep says nothing beside outline")));
  EXPECT_THAT(without_span(outline, both + "span: 1 m, "),
              ElementsAre(HasSubstr("span says nothing beside outline")));
  EXPECT_THAT(without_span(", core: 5 mm, outline: [[0, 0, 1]]", both),
              ElementsAre(HasSubstr("a single station")));
  EXPECT_THAT(
      without_span(", core: 5 mm, outline: [[0, 0], [1, 0, 1]]", both),
      ElementsAre(HasSubstr("wing.yaml:6:128: surface 'wing': outline: expected a row of three numbers")));
  EXPECT_THAT(without_span(", core: 5 mm, outline: [[0, 0, 1], [1, 2, 1], [2, 0, 1]]", both),
              ElementsAre(HasSubstr("at s = 1 m the trailing edge lies 1 m back, the leading edge 2 m")));
  EXPECT_THAT(without_span(", core: 5 mm, outline: [[0, 0, 1], [2, 0, 1], [1, 0, 1]]", both),
              ElementsAre(HasSubstr("it crosses itself")));
}

/// What is wrong with a wing whose points are in a table.
std::vector<std::string> problems_of_points(const std::string& csv, const std::string& own = "") {
  const TemporaryFolder folder;
  if (csv != "-") folder.write("points.csv", csv);
  std::string text = make_text(", core: 5 mm, points: points.csv" + own);
  text.replace(text.find("span_axis: y, chord_axis: x, span: 2 m, chord_panels: 2, span_panels: 4"), 71,
               "load: q");
  folder.write("model.yaml", text);
  std::vector<std::string> texts;
  try {
    read_model(folder.path());
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) texts.push_back(problem.text());
  }
  return texts;
}

TEST(LatticeFile, ReadsItsPoints) {
  const std::string good = "j, i, z, y, x\n0,0,0,0,0\n1,0,0,1,0\n0,1,0,0,1\n1,1,0,1,1\n";
  EXPECT_THAT(problems_of_points(good), IsEmpty());
  EXPECT_THAT(problems_of_points(good, ", chord_panels: 1, span_panels: 1"), IsEmpty());
  EXPECT_THAT(problems_of_points(good, ", chord_panels: 3"),
              ElementsAre(HasSubstr("chord_panels is 3, but the points of 'points.csv'")));
  EXPECT_THAT(problems_of_points(good, ", twist: 1 deg"),
              ElementsAre(HasSubstr("twist says nothing beside points")));
  EXPECT_THAT(problems_of_points("-"), ElementsAre(HasSubstr("points.csv")));
  EXPECT_THAT(problems_of_points("i, j, x, y\n0,0,0,0\n"),
              ElementsAre(AllOf(HasSubstr("points.csv:1:1:"), HasSubstr("no column 'z'"))));
  EXPECT_THAT(problems_of_points("i, j, x, y, z\n"), ElementsAre(HasSubstr("it has no points")));
  EXPECT_THAT(problems_of_points("i, j, x, y, z\n0,0,0,0,0\n0,1,0,1,0\n"),
              ElementsAre(HasSubstr("1 x 2 points have no panel")));
  EXPECT_THAT(problems_of_points(good + "0,1,0,0,1\n"),
              ElementsAre(AllOf(HasSubstr("points.csv:6:1:"),
                                HasSubstr("the point i = 1, j = 0 stands there already"))));
  EXPECT_THAT(
      problems_of_points("i, j, x, y, z\n0,0,0,0,0\n0,1,0,1,0\n1,1,1,1,0\n"),
      ElementsAre(AllOf(HasSubstr("points.csv:4:1:"), HasSubstr("the point i = 1, j = 0 is missing"))));
  EXPECT_THAT(problems_of_points("i, j, x, y, z\n0,0.5,0,0,0\n"),
              ElementsAre(AllOf(HasSubstr("points.csv:2:1:"), HasSubstr("'j' is 0.5"))));
  EXPECT_THAT(problems_of_points("i, j, x, y, z\n0,0,0,0,nan\n"),
              ElementsAre(AllOf(HasSubstr("points.csv:2:9:"), HasSubstr("'nan'"))));
}

TEST(LatticeFile, RefusesPanelsThatAreNone) {
  const auto table = [](const std::string& far) {
    return "i, j, x, y, z\n0,0,0,0,0\n0,1,0,1,0\n0,2,0,2,0\n1,0,1,0,0\n" + far;
  };
  EXPECT_THAT(problems_of_points(table("1,1,1,1,0\n1,2,1,2,0\n")), IsEmpty());
  EXPECT_THAT(problems_of_points(table("1,1,1,1,0\n1,2,0,2,0\n")), IsEmpty());  // a pointed tip
  EXPECT_THAT(problems_of_points(table("1,1,0,1,0\n1,2,0,2,0\n")),
              ElementsAre(HasSubstr("row 1 and column 2 has no area")));
  EXPECT_THAT(problems_of_points(table("1,1,1,1,0\n1,2,-0.5,2,0\n")),
              ElementsAre(HasSubstr("row 1 and column 2 crosses itself")));
  EXPECT_THAT(problems_of_points(table("1,1,-0.5,1,0\n1,2,-0.5,2,0\n")),
              ElementsAre(HasSubstr("row 1 and column 1 crosses itself")));
  const std::string back =
      "i, j, x, y, z\n0,0,0,0,0\n0,1,0,1,0\n0,2,0,0.5,0\n1,0,1,0,0\n1,1,1,1,0\n1,2,1,0.5,0\n";
  EXPECT_THAT(problems_of_points(back),
              ElementsAre(HasSubstr("column 2 is turned over against its neighbour")));
}

TEST(LatticeFile, WarnsOfAStepFarFromAPanel) {
  const auto warned = [](const std::string& step) {
    std::string text = make_text(kPlain);
    return problems_of(text.replace(text.find("step: 5 ms"), 10, "step: " + step));
  };
  // analytic: the wind of sqrt(101) m/s passes a row of 0.125 m in 12.4 ms
  EXPECT_THAT(warned("100 ms"),
              ElementsAre(AllOf(HasSubstr("in a step of 0.1 s the wind of 10.0499 m/s passes 8.04 rows"),
                                HasSubstr("step: 0.0124 s"))));
  EXPECT_THAT(warned("0.5 ms"), ElementsAre(HasSubstr("passes 0.0402 rows")));
  EXPECT_THAT(warned("40 ms"), IsEmpty());
  EXPECT_THAT(warned("1 ms"), IsEmpty());
  // what moves may need short steps
  std::string moving = make_text(kPlain);
  moving.replace(moving.find("step: 5 ms"), 10, "step: 0.5 ms")
      .replace(moving.find("prescribed: 0"), 13, "prescribed: 1 m*sin(t*1 rad/s)");
  EXPECT_THAT(problems_of(moving), IsEmpty());
}

TEST(LatticeFile, WarnsOfSurfacesThatLieInEachOther) {
  const auto with = [](const std::string& root, const std::string& axes = "span_axis: y, chord_axis: x") {
    return problems_of(make_text(kPlain, "  tail: {kind: vortex-lattice, body: wing, root: [" + root + "], " +
                                             axes + ", span: 1 m, chord: 0.2 m, core: 5 mm}\n"));
  };
  const std::string fin = "span_axis: z, chord_axis: x";
  EXPECT_THAT(with("1 m, 0, 0"), IsEmpty());
  EXPECT_THAT(with("0.25 m, 0, 0"), IsEmpty());      // behind its trailing edge
  EXPECT_THAT(with("0, 2 m, 0"), IsEmpty());         // the tip goes on
  EXPECT_THAT(with("0, 2 m, 0", fin), IsEmpty());    // a winglet
  EXPECT_THAT(with("0, 0.8 m, 0", fin), IsEmpty());  // a fin that stands on it
  EXPECT_THAT(with("0.02 m, 0.53 m, 1 cm"), IsEmpty());
  EXPECT_THAT(
      with("0.02 m, 0.53 m, 0"),
      ElementsAre(AllOf(HasSubstr("surface 'tail': it lies in surface 'wing'"), HasSubstr("in the world"))));
  EXPECT_THAT(with("0.02 m, 0.53 m, 4 mm"),
              ElementsAre(HasSubstr("it lies in surface 'wing'")));  // within the core
  EXPECT_THAT(with("0.01 m, 1.03 m, -0.03 m", fin), ElementsAre(HasSubstr("it lies in surface 'wing'")));
}

/// A wing of 2 m whose outer half hangs on a joint of its own; `law`: of that joint, `own`: more keys of the wing.
std::string make_cut_text(const std::string& law,
                          const std::string& own = ", parts: {tip: {body: outer, from: 1 m}}",
                          const std::string& shape =
                              "chord: 0.3 m - 0.05*s, sweep: 0.1*s, twist: 3 deg, upper: z, span_axis: y, "
                              "chord_axis: x, span: 2 m, chord_panels: 2, span_panels: 6") {
  return "haltere: 1\nair: {density: 1.2 kg/m3, wind: [10 m/s, 0, 1 m/s], step: 5 ms}\n"
         "bodies:\n  wing: {mass: 1 kg, inertia: [1, 1, 1]}\n  outer: {mass: 1 kg, inertia: [1, 1, 1]}\n"
         "joints:\n  hold: {kind: prismatic, child: wing, axis: z, prescribed: 0.2 m*sin(20 rad/s*t)}\n"
         "  hinge: {parent: wing, child: outer, parent_frame: [0.3 m, 1 m, 0], child_frame: [0, -0.2 m, "
         "0.1 m], " +
         law +
         "}\n"
         "surfaces:\n  wing: {kind: vortex-lattice, body: wing, core: 5 mm, root: [0, 0, 0], " +
         shape + own +
         "}\n"
         "simulation: {until: 40 ms, every: 5 ms, integrator: rk4, step: 5 ms}\n";
}

TEST(LatticeFile, AllLatticesAreInOneAir) {
  const std::string other =
      "  tail: {kind: vortex-lattice, body: wing, root: [3 m, 0, 0], span_axis: y, chord_axis: x, span: 1 m, "
      "chord: 0.1 m, core: 5 mm";
  const Model alike = read_model_text(make_text(kPlain, other + "}\n"), "wing.yaml");
  EXPECT_EQ(make_equations("recursive", alike)->environments().size(), 1U);
  const Model apart = read_model_text(make_text(kPlain, other + ", step: 1 ms}\n"), "wing.yaml");
  EXPECT_THAT(refusal_of(apart), HasSubstr("surface 'tail': its step is not that of surface 'wing'"));
  const Model windy =
      read_model_text(make_text(kPlain, other + ", wind: [10 m/s, 0, 2 m/s]}\n"), "wing.yaml");
  EXPECT_THAT(refusal_of(windy), HasSubstr("surface 'tail': its wind is not that of surface 'wing'"));
}

TEST(LatticeFile, AnalysesWithoutWakesRefuseIt) {
  const Model model = read_model_text(make_text(kPlain), "wing.yaml");
  const std::unique_ptr<SteadyState> state = find_steady_state(model, {});
  EXPECT_THAT(message_of([&] { linearize({}, state->equilibrium, state->equations.get()); }),
              HasSubstr("no linear model with wakes yet"));
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  EXPECT_THAT(message_of([&] { evaluate_start(equations.get()); }), HasSubstr("with wakes yet"));
}

/// The same with more in `air`.
std::string make_text_in_air(const std::string& air) {
  std::string text = make_text(kPlain);
  const std::string before = "step: 5 ms";
  return text.replace(text.find(before), before.size(), before + ", " + air);
}

TEST(LatticeFile, PlanesOfTheAirAreChecked) {
  const auto problems = [](const std::string& planes) {
    return problems_of(make_text_in_air("planes: " + planes));
  };
  EXPECT_THAT(problems("{ground: {normal: z}, wall: {point: [0, 2.5 m, 0], normal: [0, -2, 0]}}"), IsEmpty());
  EXPECT_THAT(problems("{ground: {point: [0, 0, 0]}}"),
              ElementsAre(AllOf(HasSubstr("wing.yaml:2:"), HasSubstr("plane 'ground': normal is missing"))));
  EXPECT_THAT(problems("{ground: {normal: [0, 0, 0]}}"), ElementsAre(HasSubstr("normal has no length")));
  EXPECT_THAT(problems("{floor: {normal: z}, roof: {point: [0, 0, 2 m], normal: -z}}"),
              ElementsAre(AllOf(HasSubstr("plane 'roof': it is not perpendicular to plane 'floor'"),
                                HasSubstr("no end"))));
  EXPECT_THAT(problems("{ground: {normal: z, height: 1 m}}"), ElementsAre(HasSubstr("unknown key 'height'")));
  EXPECT_THAT(problems("[z]"), ElementsAre(HasSubstr("planes: expected a map")));
  EXPECT_THAT(problems("{ground: z}"), ElementsAre(HasSubstr("plane 'ground': expected a map")));
}

TEST(LatticeFile, AWingBehindAPlaneIsAnError) {
  const auto problems = [](const std::string& planes) {
    return problems_of(make_text_in_air("planes: " + planes));
  };
  EXPECT_THAT(problems("{wall: {normal: y}}"), IsEmpty());  // its root lies in it
  EXPECT_THAT(
      problems("{wall: {normal: -y}}"),
      ElementsAre(AllOf(HasSubstr("wing.yaml:6:"), HasSubstr("surface 'wing': it is behind plane 'wall'"),
                        HasSubstr("normals point into the air"))));
  // it goes there later
  std::string text = make_text_in_air("planes: {ground: {point: [0, 0, -0.12 m], normal: z}}");
  text.replace(text.find("prescribed: 0"), 13, "prescribed: -10 m/s*t");
  const Model model = read_model_text(text, "wing.yaml");
  Settings settings;
  settings.until = 0.1;
  settings.integrator = "rk4";
  settings.step = 5e-3;
  const RunSummary summary = run(model, make_run_options(model, settings), {});
  EXPECT_THAT(summary.message, AllOf(HasSubstr("t = 0.015 s: surface 'wing' is behind a plane"),
                                     HasSubstr("normals point into the air")));
}

TEST(LatticeFile, WakesEndAndConvectAsTheAirSays) {
  const Model model = read_model_text(
      make_text_in_air("wake_age: 0.2 s, coarsen_after: 0.1 s, convection: heun"), "wing.yaml");
  const VortexLattice<double> wing = read_wing(model, model.calc_parameters());
  EXPECT_EQ(wing.wake_age, 0.2);
  EXPECT_EQ(wing.coarsen_after, 0.1);
  EXPECT_EQ(wing.convection, Convection::kHeun);
  EXPECT_THAT(problems_of(make_text_in_air("wake_age: -1 s")), ElementsAre(HasSubstr("wake_age")));
  EXPECT_THAT(problems_of(make_text_in_air("wake_age: 3 m")), ElementsAre(HasSubstr("wake_age")));
  EXPECT_THAT(problems_of(make_text_in_air("convection: rk4")), ElementsAre(HasSubstr("convection")));
}

/// Loads jump at the end of the first step of the air, before which there were none: what they do has no size yet by which
/// a method could judge its error.
TEST(LatticeFile, AWingThatStartsAtRestInStillAirRunsWithMethodsThatChooseTheirSteps) {
  const Model model = read_model_text(R"--(haltere: 1
air: {density: 1 kg/m^3, step: 0.01 s}
bodies: {wing: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {hold: {kind: prismatic, child: wing, axis: z, prescribed: "0.1 m*cos(6.25 rad/s*t)"}}
surfaces:
  wing: {kind: vortex-lattice, body: wing, span_axis: y, chord_axis: x, upper: z, span: 4 m, chord: 1 m,
    chord_panels: 2, span_panels: 3, core: 1 cm, twist: -5 deg}
simulation: {until: 0.1 s}
)--",
                                      "wing.yaml");
  for (const char* method : {"dopri5", "dop853"}) {
    Settings settings;
    settings.integrator = method;
    const RunSummary summary = run(model, make_run_options(model, settings), {});
    EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << method << ": " << summary.message;
  }
}

TEST(LatticeFile, AWingInWindHasCoefficients) {
  // analytic: a long thin wing has 2 pi a lift per angle, less 2/AR of that (lifting line); 2 %
  std::string text = make_text(", upper: z, chord: 0.02 m, core: 0, wake: prescribed");
  text.replace(text.find("1 m/s]"), 6, "0]");
  const Model model = read_model_text(text, "wing.yaml");
  const std::unique_ptr<SteadyState> state = find_steady_state(model, {});
  const std::optional<SteadyAir> air = measure_steady_air(*state);
  ASSERT_TRUE(air);
  EXPECT_THAT(air->surfaces, ElementsAre("wing"));
  EXPECT_NEAR(air->reading.area, 0.04, 1e-15);
  EXPECT_NEAR(air->reading.chord, 0.02, 1e-15);
  EXPECT_EQ(air->reading.dynamic_pressure, 60);
  EXPECT_NEAR(air->reading.derivatives[0].CL, 2 * std::numbers::pi / (1 + 2. / 100),
              0.02 * 2 * std::numbers::pi);
  EXPECT_NEAR(air->reading.total.CL, 0, 1e-12);
  // in air at rest there is nothing to measure
  text.replace(text.find("10 m/s"), 6, "0 m/s ");
  const std::unique_ptr<SteadyState> still = find_steady_state(read_model_text(text, "wing.yaml"), {});
  EXPECT_FALSE(measure_steady_air(*still));
}

TEST(LatticeFile, AFlapStandsStillInSettledAir) {
  const auto measure = [](const std::string& deflection) {
    const std::string text =
        make_text(std::string(kPlain) + ", flaps: {tail: {hinge: 0.5, deflection: " + deflection + "}}");
    const std::unique_ptr<SteadyState> state = find_steady_state(read_model_text(text, "wing.yaml"), {});
    return measure_steady_air(*state)->reading;
  };
  const TunnelReading moves = measure("5 deg*sin(30 rad/s*t)"), stands = measure("0");
  EXPECT_EQ(moves.total.CL, stands.total.CL);
  EXPECT_EQ(moves.dynamic_pressure, stands.dynamic_pressure);
}

TEST(LatticeFile, AFlapThatIsNowhereIsAnErrorOfItsSurface) {
  const Model model =
      read_model_text(make_text(std::string(kPlain) +
                                ", flaps: {tail: {hinge: 0.5, deflection: 1 deg*m/body.wing.position.z}}"),
                      "wing.yaml");
  const RunSummary summary = run(model, make_run_options(model, {}), {});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFailed);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("surface 'wing' has a corner at no place"), HasSubstr("deflections")));
}

TEST(LatticeFile, WhatIsFreeIsCoupled) {
  const auto is_coupled = [](const std::string& text) {
    const Model model = read_model_text(text, "wing.yaml");
    return make_equations("recursive", model)->is_coupled();
  };
  EXPECT_FALSE(is_coupled(make_text(kPlain)));
  std::string text = make_text(kPlain);
  text.replace(text.find(", prescribed: 0"), 15, "");
  EXPECT_TRUE(is_coupled(text));
  const auto with_event = [](const std::string& what) {
    return make_text(kPlain, "events: {fall: {at: 1 s, " + what + "}}\n");
  };
  EXPECT_TRUE(is_coupled(with_event("break: hold")));
  EXPECT_FALSE(is_coupled(with_event("lock: hold")));
}

TEST(LatticeFile, MorePanelsThanAMatrixHoldsAreRefused) {
  EXPECT_EQ(refusal_of(read_model_text(make_text(kPlain), "wing.yaml")), "");
  std::string text = make_text(kPlain);
  text.replace(text.find("span_panels: 4"), 14, "span_panels: 900");
  text.replace(text.find("chord_panels: 2"), 15, "chord_panels: 900");
  EXPECT_THAT(refusal_of(read_model_text(text, "wing.yaml")), HasSubstr("810000 panels so far"));
}

const std::string kStraight =
    "chord: 0.3 m, upper: z, span_axis: y, chord_axis: x, span: 2 m, chord_panels: 2, span_panels: 6";

/// All loads of the wing in a run: forces, moments about the origin of its own body, and its power.
std::vector<std::vector<double>> run_loads(const Model& model) {
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  std::vector<std::vector<double>> columns{sink.column("surface.wing.power")};
  for (const std::string load : {"q", "j", "j-edge", "bernoulli"})
    for (const std::string what : {"force", "moment"})
      for (const std::string axis : {"x", "y", "z"})
        columns.push_back(sink.column("surface.wing.load." + load + "." + what + "." + axis));
  return columns;
}

// of the largest number of all: rounding in some hundred forces
void expect_same_loads(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  ASSERT_EQ(a.size(), b.size());
  double size = 0;
  for (const std::vector<double>& column : a)
    for (const double value : column) size = std::max(size, std::abs(value));
  EXPECT_GT(size, 0.1);
  for (std::size_t c = 0; c < a.size(); ++c)
    for (std::size_t k = 0; k < a[c].size(); ++k)
      EXPECT_NEAR(a[c][k], b[c][k], 1e-12 * size) << c << " " << k;
}

// analytic: a joint that does not move is no joint
TEST(LatticeFile, AWingOnTwoBodiesIsWhole) {
  for (const std::string more : {"", ", layout: edge, load: j", ", shedding: leading-edge"}) {
    const auto whole = run_loads(read_model_text(make_cut_text("kind: weld", more), "w.yaml"));
    const std::string parts = ", parts: {tip: {body: outer, from: 1 m}}" + more;
    for (const std::string law : {"kind: weld", "kind: revolute, axis: x, prescribed: 0"})
      expect_same_loads(whole, run_loads(read_model_text(make_cut_text(law, parts), "w.yaml")));
  }
}

/// A wing of kStraight with a kink of 0.4 rad in its middle, as points.
std::string make_kinked_points() {
  std::string table = "i, j, x, y, z\n";
  for (int i = 0; i <= 2; ++i)
    for (int j = 0; j <= 6; ++j) {
      const double out = std::max(0., (j - 3) / 3.);
      table += fmt::format("{},{},{},{},{}\n", i, j, 0.15 * i, j / 3. - out + std::cos(0.4) * out,
                           std::sin(0.4) * out);
    }
  return table;
}
Model read_kinked(const TemporaryFolder& folder) {
  folder.write("points.csv", make_kinked_points());
  std::string text = make_cut_text("kind: weld", "", "points: points.csv");
  text.replace(text.find(", root: [0, 0, 0]"), 17, "");
  folder.write("model.yaml", text);
  return read_model(folder.path());
}

// analytic: a hinge that stands at an angle is a kink
TEST(LatticeFile, AHingeAtAnAngleIsAKink) {
  const std::string law = "kind: revolute, axis: x, prescribed: 0.4";
  const Model hinged =
      read_model_text(make_cut_text(law, ", parts: {tip: {body: outer, from: 1 m}}", kStraight), "w.yaml");
  const TemporaryFolder folder;
  expect_same_loads(run_loads(read_kinked(folder)), run_loads(hinged));
}

/// The forces on six strips in all rows, x, y and z of the first, then of the second, ...
std::vector<std::vector<double>> run_strips(const Model& model, const std::string& load) {
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  std::vector<std::vector<double>> strips;
  for (int k = 1; k <= 6; ++k)
    for (const std::string axis : {"x", "y", "z"})
      strips.push_back(sink.column(fmt::format("surface.wing.strip.{}.force.{}", k, axis)));
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> whole =
        sink.column(fmt::format("surface.wing.load.{}.force.{}", load, "xyz"[i]));
    for (std::size_t row = 0; row < whole.size(); ++row) {
      double sum = 0, size = 0;
      for (int k = 0; k < 6; ++k) {
        sum += strips[3 * k + i][row];
        for (int j = 0; j < 3; ++j) size += std::abs(strips[3 * k + j][row]);
      }
      EXPECT_NEAR(sum, whole[row], 1e-12 * size) << i << " " << row;  // machine: a sum in another order
    }
  }
  return strips;
}

// analytic: columns of panels are all of the wing, and drawn in another way, or on two bodies, they are the same
TEST(LatticeFile, StripsMakeUpTheWing) {
  const std::string parts = ", parts: {tip: {body: outer, from: 1 m}}";
  for (const std::string load : {"q", "j", "j-edge", "bernoulli"})
    run_strips(read_model_text(make_cut_text("kind: revolute, axis: x, prescribed: 0.4*sin(30 rad/s*t)",
                                             parts + ", load: " + load, kStraight),
                               "w.yaml"),
               load);
  const Model hinged =
      read_model_text(make_cut_text("kind: revolute, axis: x, prescribed: 0.4", parts, kStraight), "w.yaml");
  const TemporaryFolder folder;
  expect_same_loads(run_strips(read_kinked(folder), "q"), run_strips(hinged, "q"));
  // the halves of a straight wing in a stream without sideslip are mirror images
  const auto straight =
      run_strips(read_model_text(make_cut_text("kind: weld", "", kStraight), "w.yaml"), "q");
  for (int k = 0; k < 3; ++k)
    for (std::size_t row = 0; row < straight[2].size(); ++row)
      EXPECT_NEAR(straight[3 * k + 2][row], straight[3 * (5 - k) + 2][row],
                  1e-10 * std::abs(straight[8].back()));
}

// analytic: what the hinge holds is the load of the panels beyond it, with half of the segments on its line
TEST(LatticeFile, AHingeHoldsWhatIsBeyondIt) {
  std::string text = make_cut_text("kind: revolute, axis: x, prescribed: 0",
                                   ", parts: {tip: {body: outer, from: 1 m}}", kStraight);
  text.replace(text.find("10 m/s, 0, 1 m/s"), 16, "10 m/s, 3 m/s, 1 m/s");  // with flow along the span
  text.replace(text.find("0.2 m*sin(20 rad/s*t)"), 21, "0");
  const Model model = read_model_text(text, "w.yaml");
  MemorySink sink;
  ASSERT_EQ(run(model, make_run_options(model, {}), {&sink}).outcome, RunSummary::Outcome::kFinished);
  // the same air by itself
  const VortexLattice<double> wing = read_wing(model, model.calc_parameters());
  VortexAir::Settings settings{1.2, 5e-3,
                               [](double, const Vector3<double>&) { return Vector3<double>(10, 3, 1); }};
  VortexAir air(settings, {{.rows = 2, .columns = 6}});
  const VortexAir::Motion still{make_corners(wing),
                                std::vector<Vector3<double>>(21, Vector3<double>::Zero())};
  air.start(0, 5e-3, {still});
  for (int k = 1; k <= 8; ++k) air.advance(5e-3 * k, {still});
  Vector3<double> force = Vector3<double>::Zero(), torque = force, on_line = force;
  for (const PointForce& f : air.calc_forces(0, LatticeLoad::kQ)) {
    const double beyond = f.point.y() - 1;
    const double part = std::abs(beyond) < 1e-9 ? 0.5 : beyond > 0 ? 1 : 0;
    force += part * f.force;
    torque += part * (f.point - Vector3<double>(0.3, 1, 0)).cross(f.force);
    if (part == 0.5) on_line += f.force;
  }
  EXPECT_GT(on_line.norm(), 1e-5 * force.norm());
  for (int i = 0; i < 3; ++i) {
    const std::string axis(1, static_cast<char>('x' + i));
    EXPECT_NEAR(sink.column("joint.hinge.reaction.force." + axis).back(), -force[i], 1e-12 * force.norm());
    EXPECT_NEAR(sink.column("joint.hinge.reaction.torque." + axis).back(), -torque[i], 1e-12 * torque.norm());
  }
}

// analytic: what the hinges and the wind put in is what the machine has more
TEST(LatticeFile, TheWorkOnAWingOnTwoBodiesIsAccountedFor) {
  const auto largest_error = [](const std::string& step) {
    std::string text = make_cut_text("kind: revolute, axis: x, prescribed: 0.4*sin(30 rad/s*t)",
                                     ", parts: {tip: {body: outer, from: 1 m}}", kStraight);
    text.replace(text.find("rk4, step: 5 ms"), 15, "rk4, step: " + step);
    const Model model = read_model_text(text, "w.yaml");
    MemorySink sink;
    const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
    EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
    EXPECT_GT(std::abs(sink.column("surface.wing.power").back()), 10);  // some joules in all
    double largest = 0;
    for (const double error : sink.column("energy.balance")) largest = std::max(largest, std::abs(error));
    return largest;
  };
  // what is left is the method's, of fourth order in its step: that of the wake stays as it is
  const double coarse = largest_error("5 ms"), fine = largest_error("1 ms");
  EXPECT_LE(coarse, 1e-3);
  EXPECT_LE(fine, coarse / 500);
}

TEST(LatticeFile, RefusesPartsThatAreNone) {
  const auto refused = [](const std::string& parts) {
    return problems_of(make_cut_text("kind: weld", ", parts: " + parts, kStraight));
  };
  EXPECT_THAT(refused("{tip: {body: outer, from: 1 m}}"), IsEmpty());
  EXPECT_THAT(refused("{tip: {body: outr, from: 1 m}}"), ElementsAre(HasSubstr("did you mean 'outer'?")));
  EXPECT_THAT(refused("{tip: {body: outer}}"), ElementsAre(HasSubstr("parts.tip: from is missing")));
  EXPECT_THAT(refused("{tip: {body: outer, form: 1 m}}"),
              ElementsAre(HasSubstr("from is missing"), HasSubstr("did you mean 'from'?")));
  EXPECT_THAT(refused("{tip: outer}"), ElementsAre(HasSubstr("parts.tip: expected a map")));
  EXPECT_THAT(refused("[outer]"), ElementsAre(HasSubstr("parts: expected a map of names")));
  EXPECT_THAT(refused("{tip: {body: outer, from: 2 m}}"),
              ElementsAre(HasSubstr("parts.tip: from is 2 m; must lie between the root and the tip")));
  EXPECT_THAT(refused("{tip: {body: outer, from: 1 m}, end: {body: wing, from: 1 m}}"),
              ElementsAre(HasSubstr("begin at the same place")));
  std::string apart = make_cut_text("kind: weld", ", parts: {tip: {body: outer, from: 1 m}}", kStraight);
  apart.replace(apart.find("parent: wing"), 12, "parent: world");
  EXPECT_THAT(problems_of(apart),
              ElementsAre(HasSubstr("parts.tip: nothing joins body 'outer' with body 'wing'")));
  std::string free_hinge =
      make_cut_text("kind: revolute, axis: x", ", parts: {tip: {body: outer, from: 1 m}}", kStraight);
  EXPECT_TRUE(make_equations("recursive", read_model_text(free_hinge, "w.yaml"))->is_coupled());
}

// the column nearest to where a part begins is moved there
TEST(LatticeFile, PanelsBeginWherePartsDo) {
  EXPECT_THAT(make_stations(4, PanelSpacing::kUniform, {0.5}), ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(make_stations(4, PanelSpacing::kUniform, {0.2}),
              ElementsAre(0, 0.2, 0.2 + 0.8 / 3, 0.2 + 1.6 / 3, 1));
  EXPECT_THAT(make_stations(3, PanelSpacing::kUniform, {0.9, 0.95}), ElementsAre(0, 0.9, 0.95, 1));
  const std::vector<double> whole = make_stations(6, PanelSpacing::kCosine),
                            cut = make_stations(6, PanelSpacing::kCosine, {0.5});
  for (int i = 0; i <= 6; ++i) EXPECT_NEAR(cut[i], whole[i], 1e-15);
}

TEST(LatticeFile, RefusesFlapsThatAreNone) {
  const auto refused = [](const std::string& flaps, const std::string& own = "") {
    return problems_of(make_text(kPlain + ", upper: z, flaps: " + flaps + own));
  };
  EXPECT_THAT(refused("{f: {hinge: 0.5, deflection: 5 deg}}"), IsEmpty());
  EXPECT_THAT(refused("{f: {hinge: 1.5, deflection: 5 deg}}"),
              ElementsAre(HasSubstr("flaps.f: hinge is 1.5; must be less than 1")));
  EXPECT_THAT(refused("{f: {hinge: 0.5}}"), ElementsAre(HasSubstr("flaps.f: deflection is missing")));
  EXPECT_THAT(refused("{f: {hinge: 0.5, deflection: 5 deg*s}}"), ElementsAre(HasSubstr("deflection")));
  EXPECT_THAT(refused("{f: {hinge: 0.5, deflection: 5 deg, begin: 1 m, end: 3 m}}"),
              ElementsAre(HasSubstr("flaps.f: it goes from 1 m to 3 m; the wing from 0 m to 2 m")));
  EXPECT_THAT(refused("{f: {hinge: 0.5, deflection: 5 deg}, g: {hinge: 0.6, deflection: 1, begin: 1 m}}"),
              ElementsAre(HasSubstr("flaps.f and flaps.g lie beside each other")));
  EXPECT_THAT(
      refused("{f: {hinge: 0.3, deflection: 0, end: 1 m}, g: {hinge: 0.6, deflection: 0, begin: 1 m}}"),
      ElementsAre(HasSubstr("chord_panels is 2; its parts and flaps need 3")));
  EXPECT_THAT(problems_of(make_text(kPlain + ", flaps: {f: {hinge: 0.5, deflection: 0}}")),
              ElementsAre(HasSubstr("flaps asks for the upper side")));
}

// a step that changes on the way holds from the end of the present one on: the air is where the wing is
TEST(LatticeFile, AStepMayChange) {
  const std::string events =
      "parameters: {dt: 5 ms}\nevents: {shorter: {at: 12 ms, set: {dt: 2 ms}}}\n"
      "simulation: {until: 23 ms, every: 1 ms, integrator: rk4, step: 1 ms}\n";
  std::string text = make_text(kPlain, events);
  text.replace(text.find("step: 5 ms}"), 11, "step: dt}");
  const Model model = read_model_text(text, "wing.yaml");
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  ASSERT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  // loads change where steps end: at 5, 10, 15, then every 2 ms
  const std::vector<double> force = sink.column("surface.wing.force.z"), t = sink.column("t");
  std::vector<double> ends;
  for (std::size_t i = 1; i < force.size(); ++i)
    if (force[i] != force[i - 1]) ends.push_back(std::round(1000 * t[i]));
  EXPECT_THAT(ends, ElementsAre(5, 10, 15, 17, 19, 21, 23));
}

// what a wing must not be: each with file and line, and with what to do
TEST(LatticeFile, EachMistakeHasItsLineAndWhatToDo) {
  const auto with = [](std::string text, const std::string& old, const std::string& now) {
    return text.replace(text.find(old), old.size(), now);
  };
  const std::string outline = make_text(", core: 5 mm, outline: [[0, 0, 1], [1, 2, 1], [2, 0, 1]]");
  const std::string parts = make_cut_text("kind: weld", ", parts: {tip: {body: outer, from: 1 m}}");
  const std::string tail =
      "  tail: {kind: vortex-lattice, body: wing, root: [0.02 m, 0.53 m, 0], span_axis: y, chord_axis: x, "
      "span: 1 m, "
      "chord: 0.2 m, core: 5 mm}\n";
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"no area", make_text(", chord: 0*s, core: 5 mm")},
      {"crosses itself", with(outline, "span: 2 m, chord_panels", "chord_panels")},
      {"negative chord", make_text(", chord: 0.25 m*(1 - s/(1.5 m)), core: 5 mm")},
      {"unconnected bodies", with(parts, "parent: wing", "parent: world")},
      {"zero density", make_text(kPlain + ", density: 0")},
      {"step missing", with(make_text(kPlain), ", step: 5 ms", "")},
      {"step far", with(make_text(kPlain), "step: 5 ms", "step: 100 ms")},
      {"overlap", make_text(kPlain, tail)}};
  for (const auto& [name, text] : mistakes) {
    std::vector<Problem> problems;
    try {
      problems = read_model_text(text, "wing.yaml").warnings;
    } catch (const InputError& error) {
      problems = error.problems();
    }
    ASSERT_THAT(problems, testing::SizeIs(1)) << name;
    for (const Problem& problem : problems) {
      EXPECT_EQ(problem.mark.file, "wing.yaml") << name;
      EXPECT_GT(problem.mark.line, 5) << name << ": " << problem.text();
      EXPECT_FALSE(problem.hint.empty()) << name << ": " << problem.text();
    }
  }
}

}  // namespace
}  // namespace haltere
