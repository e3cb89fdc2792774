// Wings that are free in an air that remembers: its mass, flutter, and laws that hold however both agree.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "message_of.h"
#include "source_folder.h"

#include "haltere/analysis/steady_state.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;
// of a surface's own channels: behind six numbers of each of four formulas
constexpr std::size_t kIterations = 24;

Model read_section(const std::string& case_name, const std::vector<std::string>& set = {}) {
  return read_model(source_path("models/typical-section"), {case_name, set});
}

RunOptions options_of(const Model& model, const std::string& formulation = "recursive",
                      const std::string& integrator = "rk4") {
  RunOptions options = make_run_options(model, {});
  options.formulation = formulation;
  options.integrator = integrator;
  return options;
}

/// Mass of the air that a plate of half a metre and n rows takes along, per metre of span: analytic,
///   (1 + 1/n) pi rho b^2 along its normal, (1 - 1/n^2)(1 + 2/n) pi rho b^4/8 about its middle
double calc_air_mass(int n) {
  return (1 + 1. / n) * kPi * 1.225 / 4;
}
double calc_air_inertia(int n) {
  return (1 - 1. / (n * n)) * (1 + 2. / n) * kPi * 1.225 / 16 / 8;
}

class Plate : public testing::TestWithParam<std::tuple<double, const char*>> {};

// analytic: acceleration = load/(mass + mass of the air), whatever the mass of the plate, and no more than three
// iterations a step
TEST_P(Plate, IsAsHeavyAsItsAir) {
  const auto& [part, formulation] = GetParam();
  for (const int n : {1, 4, 16})
    for (const bool turns : {false, true}) {
      if (turns && n == 1) continue;  // one ring has no inertia
      const Model model = read_section(
          "still-air", {fmt::format("part={}", part), fmt::format("panels={}", n),
                        // slow: loads of the flow, squared in velocities, are below 1e-13
                        turns ? "thrust=0" : "thrust=1e-3 N/m", turns ? "torque=1e-3 N" : "torque=0"});
      Simulation simulation(model, options_of(model, formulation));
      double iterations = 0;
      for (int step = 1; step <= 10; ++step) {
        simulation.step();
        iterations += simulation.snapshot().surfaces[0].own[kIterations];
        const double own = turns ? part * kPi * 1.225 / 16 / 8 : part * kPi * 1.225 / 4,
                     air = turns ? calc_air_inertia(n) : calc_air_mass(n), expected = 1e-3 / (own + air);
        EXPECT_NEAR(simulation.snapshot().vdot[turns ? 2 : 0], expected, 1e-10 * expected) << n << turns;
      }
      EXPECT_LE(iterations, 3 * 10);
    }
}

INSTANTIATE_TEST_SUITE_P(Masses, Plate,
                         testing::Combine(testing::Values(0.01, 1., 100.),
                                          testing::Values("recursive", "absolute")));

/// Two square plates side by side on slides along their normals, in still air.
std::string write_two_plates(const std::string& first, const std::string& second,
                             const std::string& rest = "") {
  return fmt::format(R"(haltere: 1
air: {{density: 1.2 kg/m3, step: 1 ms}}
bodies: {{left: {{mass: 0.5 kg, inertia: [1, 1, 1]}}, right: {{mass: 0.1 kg, inertia: [1, 1, 1]}}}}
joints:
  left: {{kind: prismatic, child: left, axis: z{}}}
  right: {{kind: prismatic, child: right, axis: z, parent_frame: [0, 1.2 m, 0]{}}}
surfaces:
  left: {{kind: vortex-lattice, body: left, span_axis: y, chord_axis: x, span: 1 m, chord: 1 m, chord_panels: 3,
         span_panels: 4, core: 0, wake: prescribed, shedding: none, load: j}}
  right: {{kind: vortex-lattice, body: right, span_axis: y, chord_axis: x, span: 1 m, chord: 1 m, chord_panels: 3,
          span_panels: 4, core: 0, wake: prescribed, shedding: none, load: j}}
{}simulation: {{until: 10 ms, every: 1 ms, integrator: rk4, step: 1 ms}}
)",
                     first, second, rest);
}

// as slow that velocities, squared, and ways are nothing beside the accelerations: 4e-12 of them
constexpr double kSlow = 1e-6;  // [m/s2]

/// Forces on both when one is led with kSlow: the air of led wings, without any coupling.
std::array<double, 2> lead(bool left) {
  const std::string law = fmt::format(", prescribed: {} m/s^2*t^2", kSlow / 2), held = ", prescribed: 0";
  const Model model =
      read_model_text(left ? write_two_plates(law, held) : write_two_plates(held, law), "plates.yaml");
  Simulation simulation(model, options_of(model));
  simulation.step_until(2e-3);
  std::array<double, 2> forces{};
  for (int s = 0; s < 2; ++s) forces[s] = simulation.snapshot().surfaces[s].total.force().z();
  return forces;
}

// what a push does to both follows from what they do to each other when they are led: M a + K a = f
TEST(TwoPlates, MoveEachOther) {
  const std::array<double, 2> by_left = lead(true), by_right = lead(false);
  EXPECT_LT(by_left[1], 0);  // between them the air is carried along ...
  EXPECT_LT(by_left[1] / by_left[0], 0.2);
  EXPECT_NEAR(by_left[1] / by_right[0], 1, 1e-6);  // ... and alike both ways: they are alike
  const Model model = read_model_text(
      write_two_plates("", "", "forces: {push: {kind: applied-force, body: left, force: [0, 0, 1e-6]}}\n"),
      "plates.yaml");
  for (const FormulationInfo& formulation : general_formulations()) {
    Simulation simulation(model, options_of(model, std::string(formulation.name)));
    simulation.step_until(2e-3);
    const Snapshot& now = simulation.snapshot();
    const double a = now.vdot[0], b = now.vdot[1];
    // discretisation: kSlow
    EXPECT_NEAR(0.5 * a - (by_left[0] * a + by_right[0] * b) / kSlow, 1e-6, 1e-10 * 1e-6) << formulation.name;
    EXPECT_NEAR(0.1 * b - (by_left[1] * a + by_right[1] * b) / kSlow, 0, 1e-10 * 1e-6) << formulation.name;
    // the air's mass against theirs: the larger eigenvalue of M^-1 K, analytic for two
    const double k[2][2] = {{-by_left[0] / kSlow / 0.5, -by_right[0] / kSlow / 0.5},
                            {-by_left[1] / kSlow / 0.1, -by_right[1] / kSlow / 0.1}},
                 mean = (k[0][0] + k[1][1]) / 2,
                 ratio = mean + std::sqrt(mean * mean - k[0][0] * k[1][1] + k[0][1] * k[1][0]);
    EXPECT_NEAR(now.surfaces[0].own[kIterations + 2], ratio, 1e-8 * ratio);
    // what is recorded is what acts
    EXPECT_NEAR(0.1 * b, now.surfaces[1].total.force().z(), 1e-14 * 1e-6) << formulation.name;
  }
}

/// The largest pitch within 0.4 s up to a time.
double find_pitch(Simulation* simulation, double until) {
  double most = 0;
  simulation->step_until(until - 0.4);
  while (simulation->t() < until) {
    simulation->step();
    most = std::max(most, std::abs(simulation->snapshot().scene.q[2]));
  }
  return most;
}

// Theodorsen, exact: section A flutters from 32.758724389 m/s on. Rows: 8, with which a lattice of load q does so at
// -0.185 % (independent)
TEST(TypicalSection, FluttersWhereTheodorsenSays) {
  for (const double part : {0.98, 1.02}) {
    const Model model =
        read_section("a", {fmt::format("U={}", part * 32.758724389), "panels=8", "simulation.until=2.5"});
    Simulation simulation(model, options_of(model));
    const double early = find_pitch(&simulation, 1.2), late = find_pitch(&simulation, 2.4);
    EXPECT_EQ(late > early, part > 1) << early << " " << late;
  }
}

/// Plunge and pitch after a while.
Eigen::Vector2d fly(const Model& model, const RunOptions& options, double until) {
  Simulation simulation(model, options);
  simulation.step_until(until);
  const Snapshot& now = simulation.snapshot();
  return {now.scene.q[0], now.scene.q[2]};
}

// both formulations tell the same motion, to the tolerance of what both agree on; methods the same to their own
TEST(TypicalSection, MovesAlikeInAllFormulationsAndMethods) {
  const Model model = read_section("a", {"panels=4"});
  const double until = 0.2;
  const Eigen::Vector2d plain = fly(model, options_of(model), until);
  EXPECT_GT(plain.norm(), 1e-3);
  EXPECT_NEAR((fly(model, options_of(model, "absolute"), until) - plain).norm(), 0, 1e-8 * 1e-2);
  RunOptions fine = options_of(model, "recursive", "dop853");
  fine.step = 0;
  fine.tolerance = 1e-11;
  const Eigen::Vector2d exact = fly(model, fine, until);
  for (const char* method : {"dopri5", "hamming", "rk4", "generalized-alpha"}) {
    RunOptions options = options_of(model, "recursive", method);
    options.step /= 4;
    // steps of w h = 0.1: 1e-6 of fourth order methods, h^2 for the other
    const double tolerance = std::string(method) == "generalized-alpha" ? 2e-3 : 2e-6;
    EXPECT_NEAR((fly(model, options, until) - exact).norm(), 0, tolerance * 1e-2) << method;
  }
}

// analytic: a flat plate has the lift 2 pi rho b U^2 sin(alpha) at its quarter chord, and turns until its spring holds that
TEST(TypicalSection, StandsInWindAsItsSpringHoldsIt) {
  for (const double U : {20., 40.}) {
    const double onset = 0.01, k = 1039.08177017482, moment = 2 * kPi * 1.225 * 0.25 * U * U * 0.3;
    double turned = 0;
    for (int i = 0; i < 200; ++i)
      turned += (moment * std::sin(onset + turned) * std::cos(onset + turned) - k * turned) / k;
    const std::unique_ptr<SteadyState> state = find_steady_state(
        read_section("a", {fmt::format("U={}", U), "air.wind=[U*cos(0.01), 0, U*sin(0.01)]"}), {});
    ASSERT_EQ(state->equilibrium.failure, "");
    Snapshot now;
    ASSERT_EQ(state->equations->observe(0, state->equilibrium.y, &now), Status::kOk);
    // a span of 10^6 chords has 2e-6 less lift than an infinite one (2/AR, lifting line), and near divergence
    // (42.4 m/s) nine times that moves the plate
    EXPECT_NEAR(now.scene.q[2], turned, 2e-5 * turned) << U;
    EXPECT_LT(calc_acceleration_left(*state, "absolute"), 1e-9);
  }
}

// Newton: what is recorded of the air, springs and the mass that moves are in balance at any instant
TEST(TypicalSection, IsMovedByWhatIsRecorded) {
  for (const char* load : {"q", "j", "j-edge", "bernoulli"}) {
    const Model model = read_section("a", {"panels=4", fmt::format("surfaces.section.load={}", load)});
    for (const FormulationInfo& formulation : general_formulations()) {
      RunOptions options = options_of(model, std::string(formulation.name));
      options.step /= 8;
      Simulation simulation(model, options);
      for (int step = 0; step < 160; ++step) {
        simulation.step();
        const Snapshot& now = simulation.snapshot();
        const double mass = 19.2422550032375e6, lift = now.surfaces[0].total.force().z(),
                     spring = -2770.8847204662e6 * now.scene.q[0], w = now.scene.v[2], pitch = now.scene.q[2],
                     a_cm = now.vdot[0] - 0.05 * (now.vdot[2] * std::cos(pitch) - w * w * std::sin(pitch));
        EXPECT_NEAR(mass * a_cm, lift + spring, 1e-10 * std::abs(lift)) << load << formulation.name;
      }
      EXPECT_TRUE(simulation.summary().audit.closes_to(1e-8)) << load;  // of rk4 at w h = 0.02
    }
  }
}

// an event within a step of the air: both agree again from there on
TEST(TypicalSection, AgreesAgainAfterAnEventWithinAStep) {
  const Model model = read_section("a", {"panels=4", "events={damage: {at: 51.3 ms, set: {k_a: 0.5*k_a}}}"});
  const Eigen::Vector2d plain = fly(model, options_of(model), 0.1);
  EXPECT_GT((plain - fly(read_section("a", {"panels=4"}), options_of(model), 0.1)).norm(), 1e-4);
  EXPECT_NEAR((fly(model, options_of(model, "absolute"), 0.1) - plain).norm(), 0, 1e-8 * 1e-2);
}

// a balance that differences could not tell from rounding: angles of 1e-6, a span of 10^6 chords
TEST(TypicalSection, ComesToRestFromASmallPush) {
  for (const char* push : {"push=1e-2", "push=1e-6"}) {
    const std::unique_ptr<SteadyState> state = find_steady_state(read_section("a", {push}), {});
    ASSERT_EQ(state->equilibrium.failure, "") << push;
    // analytic: no load asks for an angle. Solver: steps of 1e-9 radians are none
    EXPECT_LT(std::abs(state->equilibrium.y[2]), 1e-9) << push;
  }
}

TEST(TypicalSection, SaysThatAnImpactLeavesOutTheAir) {
  const Model model = read_section("a", {"panels=4", "events={jams: {at: 51.3 ms, lock: support}}"});
  Simulation simulation(model, options_of(model));
  simulation.step_until(0.1);
  const std::vector<std::string> notes = simulation.summary().notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("the impact leaves out the mass of the air around free wings") != std::string::npos;
  }));
}

// a checkpoint in the step of the air in which an event follows
TEST(TypicalSection, GoesOnWithTheSameBitsBeforeAnEventWithinAStep) {
  const Model model = read_section("a", {"panels=4", "events={damage: {at: 53.7 ms, set: {k_a: 0.5*k_a}}}"});
  RunOptions options = options_of(model);
  options.step /= 4;  // 2 ms; a step of the air ends at 46.9 and 54.7 ms
  Simulation whole(model, options);
  whole.step_until(0.05);
  const Checkpoint checkpoint = whole.save();
  Simulation continued(model, options);
  continued.load(checkpoint);
  for (Simulation* simulation : {&whole, &continued}) simulation->step_until(0.1);
  EXPECT_EQ(whole.state(), continued.state());
}

TEST(Coupling, NoEventTearsAWing) {
  const std::string text = R"(haltere: 1
air: {density: 1.2 kg/m3, wind: [5, 0, 0], step: 20 ms}
bodies: {inner: {mass: 1, inertia: [1, 1, 1]}, outer: {mass: 1, inertia: [1, 1, 1]}}
joints:
  base: {kind: revolute, child: inner, axis: y}
  hinge: {kind: revolute, parent: inner, child: outer, axis: x, parent_frame: [0, 1 m, 0], child_frame: [0, 1 m, 0]}
surfaces:
  wing: {kind: vortex-lattice, body: inner, span_axis: y, chord_axis: x, span: 2 m, chord: 0.4 m, chord_panels: 2,
         span_panels: 4, core: 1 cm, parts: {tip: {body: outer, from: 1 m}}}
events: {snap: {at: 1 s, break: JOINT}}
)";
  const auto refusal = [&](const std::string& joint) {
    std::string own = text;
    own.replace(own.find("JOINT"), 5, joint);
    return message_of([&] { make_equations("recursive", read_model_text(own, "wing.yaml")); });
  };
  EXPECT_THAT(refusal("hinge"), AllOf(HasSubstr("wing.yaml:"), HasSubstr("event 'snap'"),
                                      HasSubstr("joint 'hinge' breaks off within surface 'wing'")));
  EXPECT_EQ(refusal("base"), "");
}

// loads of the steps before throw off what is light, and are refused with the figure; heavy sections stand them
TEST(Coupling, LooseIsRefusedWhereTheAirIsHeavy) {
  const std::string loose = "surfaces.section.coupling=loose";
  const Model light = read_section("still-air", {loose});
  const std::string message = message_of([&] { Simulation(light, options_of(light)).step(); });
  EXPECT_THAT(message, AllOf(HasSubstr("loose"), HasSubstr("the air weighs 112 of what it moves"),
                             HasSubstr("coupling: strong")));
  const auto calc_difference = [&](const std::string& panels) {
    const Model heavy = read_section("a", {panels, loose});
    const Eigen::Vector2d strong = fly(read_section("a", {panels}), options_of(heavy), 0.1);
    return (fly(heavy, options_of(heavy), 0.1) - strong).norm() / strong.norm();
  };
  const double coarse = calc_difference("panels=8"), fine = calc_difference("panels=16");
  EXPECT_LT(coarse, 0.1);
  EXPECT_LT(fine, 0.7 * coarse);
}

TEST(Coupling, LoadsThatAreNotFiniteAreSaidToBe) {
  const Model model = read_section("still-air", {"thrust=1e200 N/m"});
  Simulation simulation(model, options_of(model));
  EXPECT_THAT(message_of([&] { simulation.step(); }),
              AllOf(HasSubstr("t = 0 s: "), HasSubstr("not finite"), HasSubstr("try: ")));
}

}  // namespace
}  // namespace haltere
