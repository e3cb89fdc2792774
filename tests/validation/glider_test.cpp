// A glider that is free in still air: its steady glide, against the balance of forces.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tolerance.h"

#include "haltere/analysis/steady_air.h"
#include "haltere/io/model/model_reader.h"

namespace haltere {
namespace {

// of balsa: 20 g, half a metre, wing and tail as lattices; the neutral point is 4 cm behind the wing's leading edge, about
constexpr const char* kGlider = R"(haltere: 1
parameters: {cg: 3 cm, tail: 0.28 m, V: 4 m/s}
gravity: [0, 0, -9.81]
air: {density: 1.225, step: 5 ms}
bodies: {glider: {mass: 20 g, inertia: [1.5e-4, 1.5e-4, 2.5e-4]}}
joints: {base: {kind: free, child: glider}}
surfaces:
  wing: {kind: vortex-lattice, body: glider, root: [cg, -0.25, 0], span_axis: y, chord_axis: -x, upper: z, span: 0.5,
         chord: 8 cm, twist: 3 deg, chord_panels: 2, span_panels: 8, core: 1 mm}
  tail: {kind: vortex-lattice, body: glider, root: [cg - tail, -0.09, 0.05], span_axis: y, chord_axis: -x, upper: z,
         span: 0.18, chord: 5 cm, twist: -1 deg, chord_panels: 2, span_panels: 4, core: 1 mm}
initial: {base: {position: [0.3, -2, 5], velocity: [V, 0, -0.2]}}
)";

constexpr double kWeight = 0.02 * 9.81;

std::unique_ptr<SteadyState> find_glide(std::vector<std::string> set = {}) {
  return find_steady_state(read_model_text(kGlider, "glider.yaml", {.case_name = "", .set = std::move(set)}),
                           {});
}

// It was sought without end once: what a wake leaves at a point was known to 1e-9 only, so that the air seemed to notice
// where the glider is, and loads did not come to rest.
TEST(Glider, GlidesWhereItsLoadsBalance) {
  const std::unique_ptr<SteadyState> state = find_glide();
  const Equilibrium& found = state->equilibrium;
  ASSERT_EQ(found.failure, "");
  EXPECT_FALSE(found.settled);
  EXPECT_EQ(found.symmetry.n_drift(), 3);
  EXPECT_EQ(found.turn.norm(), 0);
  const std::optional<SteadyAir> air = measure_steady_air(*state);
  ASSERT_TRUE(air);
  const TunnelReading& reading = air->reading;
  const double V = reading.stream.norm(), qS = reading.dynamic_pressure * reading.area;
  const double sink = std::asin(reading.stream.z() / V);  // the air comes from below
  EXPECT_GT(sink, 0);
  // analytic: lift and drag hold the weight, along and across the path, and nothing turns it about its centre of mass.
  // (solver: loads to 1e-9)
  EXPECT_NEAR(reading.total.CL * qS, kWeight * std::cos(sink), 1e-7 * kWeight);
  EXPECT_NEAR(reading.total.CD * qS, kWeight * std::sin(sink), 1e-7 * kWeight);
  EXPECT_NEAR(reading.total.CY * qS, 0, 1e-7 * kWeight);
  EXPECT_NEAR(reading.total.Cm * qS * reading.chord, 0, 1e-7 * kWeight * reading.chord);
  EXPECT_NEAR(reading.total.Cl * qS * reading.span, 0, 1e-7 * kWeight * reading.span);
  // the far field's drag is that of the near one but for rows and columns: a tenth of it with so few
  EXPECT_NEAR(reading.CD_far / reading.total.CL, std::tan(sink), 0.1 * std::tan(sink));
  // lifting line: at least CL / (pi AR)
  EXPECT_GT(std::tan(sink), 0.9 * reading.total.CL / (3.14159 * 0.5 / 0.08));
}

// analytic: where it is, how fast it begins and where it heads makes no difference, all else is one glide
TEST(Glider, GlidesAlikeFromOtherStarts) {
  const auto speed = [](const SteadyState& state) {
    return state.equilibrium.y.segment<3>(state.equations->sizes().nq + 3).norm();
  };
  const std::unique_ptr<SteadyState> first = find_glide();
  ASSERT_EQ(first->equilibrium.failure, "");
  for (const char* other : {"V=3 m/s", "initial.base.position=[100, 20, 30]"}) {
    const std::unique_ptr<SteadyState> state = find_glide({other});
    ASSERT_EQ(state->equilibrium.failure, "") << other;
    EXPECT_NEAR(speed(*state), speed(*first), 1e-6 * speed(*first)) << other;
  }
}

}  // namespace
}  // namespace haltere
