// A `vortex-lattice` in a model file: what it says, and what is refused.
#include <cmath>
#include <numbers>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"

#include "haltere/aero/lattice/planform.h"
#include "haltere/analysis/evaluation.h"
#include "haltere/analysis/linearization.h"
#include "haltere/analysis/steady_air.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/model/entry.h"
#include "haltere/model/surfaces.h"
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
  EXPECT_THAT(refused(kPlain + ", upper: y"), ElementsAre(HasSubstr("upper lies in the plane")));
  EXPECT_THAT(refused(kPlain + ", twist: 1/(s - 1 m)*1 m*1 rad"),
              ElementsAre(HasSubstr("twist at s = 1 m is not finite")));
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
  EXPECT_THAT(message_of([&] { linearize(*state, {}); }), HasSubstr("no linear model with wakes yet"));
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
  EXPECT_THAT(problems("{ground: {normal: z}, wall: {point: [0, 1 m, 0], normal: [0, -2, 0]}}"), IsEmpty());
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
  const auto start = [](const std::string& planes) {
    const Model model = read_model_text(make_text_in_air("planes: " + planes), "wing.yaml");
    Settings settings;
    settings.until = 5e-3;
    return message_of([&] { run(model, make_run_options(model, settings), {}); });
  };
  EXPECT_EQ(start("{wall: {normal: y}}"), "");  // its root lies in it
  EXPECT_THAT(start("{wall: {normal: -y}}"),
              AllOf(HasSubstr("surface 'wing' is behind a plane"), HasSubstr("normals point into the air")));
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

TEST(LatticeFile, WhatIsFreeIsRefused) {
  std::string text = make_text(kPlain);
  text.replace(text.find(", prescribed: 0"), 15, "");
  EXPECT_THAT(refusal_of(read_model_text(text, "wing.yaml")),
              HasSubstr("surface 'wing': joint 'hold' is free to move"));
  const auto with_event = [](const std::string& what) {
    return read_model_text(make_text(kPlain, "events: {fall: {at: 1 s, " + what + "}}\n"), "wing.yaml");
  };
  EXPECT_THAT(refusal_of(with_event("break: hold")), HasSubstr("event 'fall' lets joint 'hold' go"));
  EXPECT_THAT(refusal_of(with_event("lock: hold")), "");
}

TEST(LatticeFile, MorePanelsThanAMatrixHoldsAreRefused) {
  EXPECT_EQ(refusal_of(read_model_text(make_text(kPlain), "wing.yaml")), "");
  std::string text = make_text(kPlain);
  text.replace(text.find("span_panels: 4"), 14, "span_panels: 900");
  text.replace(text.find("chord_panels: 2"), 15, "chord_panels: 900");
  EXPECT_THAT(refusal_of(read_model_text(text, "wing.yaml")), HasSubstr("810000 panels so far"));
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

}  // namespace
}  // namespace haltere
