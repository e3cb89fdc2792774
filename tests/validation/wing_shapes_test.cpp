// Shapes of a lattice against the theory of thin aerofoils: a section is a wing of 1e6 chords with one column of panels.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

constexpr double kPi = std::numbers::pi;

struct Section {
  double lift, moment;  // coefficients; nose up, about a quarter of the chord
};

/// In steady flow: steps of a thousand chords, so that what is shed is far away. The segment at the edge has the
/// change of the last step, which falls the more slowly the more rows there are: by 3/4 for one.
Section calc_section(const std::string& own, int rows, double alpha = 0) {
  const Model model = read_model_text(
      fmt::format(
          "haltere: 1\n"
          "air: {{density: 2 kg/m3, wind: ['cos({0})*1 m/s', 0, 'sin({0})*1 m/s'], step: 1000 s}}\n"
          "bodies: {{wing: {{mass: 1 kg, inertia: [1, 1, 1]}}}}\n"
          "joints: {{hold: {{kind: prismatic, child: wing, axis: z, prescribed: 0}}}}\n"
          "surfaces:\n"
          "  wing: {{kind: vortex-lattice, body: wing, root: [-0.25 m, -0.5e6 m, 0], span_axis: y, "
          "chord_axis: x, upper: z, span: 1e6 m, chord: 1 m, chord_panels: {1}, span_panels: 1, core: 0, "
          "wake: prescribed{2}}}\n"
          "simulation: {{until: {3} s, every: {3} s, integrator: rk4, step: 1000 s}}\n",
          alpha, rows, own, 1000 * (20 + 8 * rows)),
      "section.yaml");
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  const double x = sink.column("surface.wing.force.x").back(), z = sink.column("surface.wing.force.z").back();
  return {(z * std::cos(alpha) - x * std::sin(alpha)) / 1e6,
          sink.column("surface.wing.moment.y").back() / 1e6};
}

// what is shed is 1e4 chords away, and squares of small numbers
constexpr double kSteady = 2e-4;

// analytic: C_l = 2 pi alpha
TEST(WingShapes, AFlatSectionHasTheLiftOfThinAerofoils) {
  for (const int rows : {1, 4}) {
    const Section flat = calc_section("", rows, 1e-3);
    EXPECT_NEAR(flat.lift / (2 * kPi * 1e-3), 1, kSteady) << rows;
    EXPECT_NEAR(flat.moment / (2 * kPi * 1e-3), 0, kSteady) << rows;
  }
}

// analytic: a camber line z = 4 e x (1 - x) has C_l = 2 pi (alpha + 2 e), C_m = - pi e. Of M equal flat panels, whose
// slopes are those of the line in their middles: (1 - 1/M) of that lift, as lumped vortices at a quarter of each panel
// are exact for the slopes at three quarters; and (1 - 1/M^2) of the moment
TEST(WingShapes, CamberTurnsTheZeroLiftAngle) {
  constexpr double e = 1e-3;
  for (const int rows : {2, 4, 8, 16, 32}) {
    const Section cambered = calc_section(fmt::format(", camber: {}*4*x*(1 - x)", e), rows);
    EXPECT_NEAR(cambered.lift / (4 * kPi * e), 1 - 1. / rows, kSteady) << rows;
    EXPECT_NEAR(cambered.moment / (-kPi * e), 1 - 1. / (rows * rows), kSteady) << rows;
    // against the angle of zero lift, no lift
    const Section still =
        calc_section(fmt::format(", camber: {}*4*x*(1 - x)", e), rows, -2 * e * (1 - 1. / rows));
    EXPECT_NEAR(still.lift / (4 * kPi * e), 0, kSteady) << rows;
  }
}

// analytic: with cos h = 1 - 2 x of the hinge, C_l = 2 delta (pi - h + sin h), C_m = - delta/2 sin h (1 - cos h).
// independent: lumped vortices in the plane, at a quarter of each of M equal panels, have these parts of both
TEST(WingShapes, AFlapLiftsAsThatOfAThinAerofoil) {
  constexpr double delta = 1e-3;
  struct Lumped {
    double hinge;
    int rows;
    double lift, moment;
  };
  for (const auto& [hinge, rows, lift, moment] :
       {Lumped{0.5, 4, 0.9547116724, 1.1044661673}, Lumped{0.5, 64, 0.9969730210, 1.0077216638},
        Lumped{0.75, 4, 0.8979916778, 0.9919215273}, Lumped{0.75, 16, 0.9722703914, 0.9992385468},
        Lumped{0.75, 64, 0.9929591409, 0.9999474389}}) {
    const Section flapped =
        calc_section(fmt::format(", flaps: {{f: {{hinge: {}, deflection: {}}}}}", hinge, delta), rows);
    const double h = std::acos(1 - 2 * hinge);
    EXPECT_NEAR(flapped.lift / (2 * delta * (kPi - h + std::sin(h))), lift, kSteady) << hinge << " " << rows;
    EXPECT_NEAR(flapped.moment / (-delta / 2 * std::sin(h) * (1 - std::cos(h))), moment, kSteady)
        << hinge << " " << rows;
    EXPECT_NEAR(lift, 1, 0.46 / rows) << "first order in the panels";
  }
}

/// Forces x, z on a wing of 2 m in a stream that its joint turns about the leading edge, and a flap about the line
/// behind the first row: it begins 1e-8 chords behind the leading edge.
std::vector<std::vector<double>> calc_forces(const std::string& joint, const std::string& flap) {
  const Model model = read_model_text(
      "haltere: 1\nair: {density: 2 kg/m3, wind: [5 m/s, 0, 0], step: 10 ms}\nbodies: {wing: {mass: 1 kg, "
      "inertia: [1, "
      "1, 1]}}\njoints: {hold: {kind: revolute, axis: y, child: wing, prescribed: " +
          joint +
          "}}\nsurfaces:\n  wing: {kind: vortex-lattice, body: wing, span_axis: y, chord_axis: x, upper: z, "
          "span: 2 m, "
          "chord: 1 m, chord_panels: 4, span_panels: 3, core: 0, wake: prescribed, flaps: {f: {hinge: 1e-8, "
          "deflection: " +
          flap + "}}}\nsimulation: {until: 100 ms, every: 10 ms, integrator: rk4, step: 10 ms}\n",
      "flap.yaml");
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, {}), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  std::vector<std::vector<double>> columns;
  for (const std::string load : {"q", "bernoulli"})
    for (const std::string axis : {"x", "z"})
      columns.push_back(sink.column("surface.wing.load." + load + ".force." + axis));
  return columns;
}

// analytic: a flap that is all of the wing is a wing that pitches. What is left of it ahead of the hinge counts for
// about the square root of its chord, 1e-4
TEST(WingShapes, AFlapThatIsAllOfTheWingPitches) {
  const std::string law = "0.2*sin(20 rad/s*t)";
  const auto turned = calc_forces(law, "0"), flapped = calc_forces("0", law);
  for (std::size_t c = 0; c < turned.size(); ++c) {
    double size = 0;
    for (const double force : turned[c]) size = std::max(size, std::abs(force));
    EXPECT_GT(size, 1);
    for (std::size_t k = 0; k < turned[c].size(); ++k)
      EXPECT_NEAR(flapped[c][k], turned[c][k], 1e-3 * size) << c << " " << k;
  }
}

}  // namespace
}  // namespace haltere
