// Wheels that roll without slip, as a user runs them.
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/analysis/assembly.h"
#include "haltere/dynamics/implicit_form.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"
#include "haltere/simulate/start.h"

namespace haltere {
namespace {

using testing::HasSubstr;
using Outcome = RunSummary::Outcome;

MemorySink run_model(const Model& model, const Settings& settings) {
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  return sink;
}

double last(const MemorySink& sink, const std::string& channel) {
  return sink.value(sink.rows() - 1, channel);
}

/// A thin disc that rolls round a circle, its axis along body x and turned down by `tilt` (source: analytic).
/// Newton and Euler about the centre, with the spin p about the axis and the turn W about the vertical:
///   p W cos(tilt) (I_axis + m r^2) = m g r sin(tilt) - I_diameter W^2 sin(tilt) cos(tilt).
struct SteadyDisc {
  double r = 0.5, m = 1, g = 9.81, tilt = 20 * std::numbers::pi / 180, W = 1.5;
  double p = (m * g * r * std::sin(tilt) - m * r * r / 4 * W * W * std::sin(tilt) * std::cos(tilt)) /
             (W * std::cos(tilt) * (m * r * r / 2 + m * r * r));
  double period() const { return 2 * std::numbers::pi / W; }
  double path_radius() const { return r * p / W; }

  Model model(const std::string& more = "") const {
    return read_model_text(fmt::format(R"yaml(haltere: 1
parameters: {{r: {:.17g} m, tilt: {:.17g} rad, W: {:.17g} rad/s, p: {:.17g} rad/s}}
gravity: [0, 0, -9.81]
bodies:
  disc: {{mass: 1, inertia: {{kind: cylinder, radius: r, length: 0, axis: x}}}}
joints:
  base: {{kind: free, child: disc}}
constraints:
  ground: {{kind: rolling, to: disc, axis: x, radius: r}}
initial:
  base:
    orientation: {{axis: y, angle: tilt}}
    position: [0, 0, r*cos(tilt)]
    angular_velocity: [(p + W*sin(tilt))*cos(tilt), 0, "W - (p + W*sin(tilt))*sin(tilt)"]
    velocity: [0, -r*p, 0]
{}
)yaml",
                                       r, tilt, W, p, more),
                           "disc.yaml");
  }
};

TEST(RollingDisc, GoesRoundACircleInEveryFormulationAndChart) {
  const SteadyDisc disc;
  const Model model = disc.model();
  // own derivation of the reference                               (source: independent, 3.601345621958371)
  EXPECT_NEAR(disc.p + disc.W * std::sin(disc.tilt), 3.601345621958371, 1e-14);
  for (const auto& [formulation, chart] :
       {std::pair{"recursive", "lie"}, std::pair{"absolute", "lie"}, std::pair{"absolute", "quaternion"},
        std::pair{"absolute", "euler-zyx"}})
    for (const char* method : {"none", "baumgarte:10,10", "projection", "s-both2"}) {
      Settings settings;
      settings.formulation = formulation;
      settings.chart = chart;
      settings.stabilization = method;
      settings.until = disc.period() / 2;
      settings.every = disc.period() / 2;
      settings.tolerance = 1e-12;
      const MemorySink sink = run_model(model, settings);
      ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
      // solver
      const double close = 1e-9 * tolerance_scale();
      EXPECT_NEAR(last(sink, "body.disc.position.x"), 2 * disc.path_radius(), close) << formulation << method;
      EXPECT_NEAR(last(sink, "body.disc.position.y"), 0, close);
      EXPECT_NEAR(last(sink, "body.disc.position.z"), disc.r * std::cos(disc.tilt), close);
      EXPECT_NEAR(last(sink, "constraint.ground.multiplier.normal"), -disc.m * disc.g, 100 * close);
      EXPECT_NEAR(last(sink, "constraint.ground.multiplier.longitudinal"), 0, 100 * close);
      EXPECT_NEAR(last(sink, "constraint.ground.multiplier.lateral"), -disc.m * disc.W * disc.r * disc.p,
                  100 * close);
      EXPECT_LE(sink.summary().audit.relative_balance(), close);
    }
}

TEST(RollingDisc, NonholonomicRowsCountAsVelocitiesOnly) {
  const Model model = SteadyDisc().model();
  for (const FormulationInfo& formulation : general_formulations()) {
    const auto equations = make_equations(formulation.name, model);
    EXPECT_EQ(equations->sizes().na - equations->sizes().ng, 2) << formulation.name;
    EXPECT_EQ(static_cast<int>(equations->position_rows().size()), equations->sizes().ng);
    const auto form = equations->make_implicit_form();
    int nonholonomic = 0;
    for (int row = 0; row < form->m(); ++row) nonholonomic += form->is_holonomic(row) ? 0 : 1;
    EXPECT_EQ(nonholonomic, 2);
  }
}

// a wheel that starts above the ground with a speed that slips: it is lowered without rolling, then spins as
// its speed asks for
TEST(RollingDisc, IsAssembledByPositionsFirstAndVelocitiesAfter) {
  const SteadyDisc disc;
  const Model model = read_model_text(R"yaml(haltere: 1
bodies: {wheel: {mass: 1, inertia: [0.01, 0.02, 0.01]}}
joints: {base: {kind: free, child: wheel}}
constraints: {ground: {kind: rolling, to: wheel, radius: 0.3}}
initial: {base: {position: [1, 2, 0.5], velocity: [3, 0.2, 0.4]}}
)yaml",
                                      "wheel.yaml");
  const Start start = calc_start(model, {});
  const Vector3<double> p = start.scene.X_WB[1].p;
  EXPECT_NEAR(p[0], 1, 1e-14);  // machine
  EXPECT_NEAR(p[1], 2, 1e-14);
  EXPECT_NEAR(p[2], 0.3, 1e-14);
  // what is stated is kept: the wheel spins as its speed asks for (analytic); only the ground takes the speed
  // towards it
  const Vector6<double> V = start.scene.V_WB[1];
  EXPECT_EQ(V[3], 3);
  EXPECT_NEAR(V[1] * 0.3, V[3], 1e-12);
  EXPECT_NEAR(V[5], 0, 1e-12);

  // the user's choice: the speed is kept, the spin follows
  const auto equations = make_equations("recursive", model);
  CoordinateSelection keep = select_coordinates(model, "joint.base.velocity.3", "--keep");
  keep.add(select_coordinates(model, "joint.base.velocity.0", "--keep"));
  keep.add(select_coordinates(model, "joint.base.velocity.2", "--keep"));
  const Assembly assembly = assemble(make_partition(keep, CoordinateSelection(6)),
                                     equations->calc_initial_state(), equations.get());
  ASSERT_EQ(assembly.failure, "");
  EXPECT_NEAR(assembly.y[7 + 1], 3 / 0.3, 1e-12);
  EXPECT_NEAR(assembly.y[7 + 3], 3, 1e-15);
}

TEST(RollingDisc, FliesOffWhenItsContactIsRemoved) {
  const SteadyDisc disc;
  const Model model = disc.model(
      "events: {jump: {at: 0.5 s, remove: ground}}\nsimulation: {until: 1 s, every: "
      "0.5 s, tolerance: 1e-11}");
  for (const FormulationInfo& formulation : general_formulations()) {
    Settings settings;
    settings.formulation = formulation.name;
    const MemorySink sink = run_model(model, settings);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    EXPECT_NEAR(last(sink, "body.disc.position.z"), disc.r * std::cos(disc.tilt) - 9.81 / 8, 1e-9);
    EXPECT_NEAR(last(sink, "body.disc.velocity.y"), -disc.r * disc.p * std::cos(disc.W * 0.5), 1e-9);
  }
}

TEST(RollingDisc, ThatLiesFlatIsNamed) {
  const Model model = read_model_text(R"yaml(haltere: 1
bodies: {wheel: {mass: 1, inertia: [0.01, 0.02, 0.01]}}
joints: {base: {kind: free, child: wheel}}
constraints: {ground: {kind: rolling, to: wheel, radius: 0.3, axis: z}}
)yaml",
                                      "flat.yaml");
  try {
    calc_start(model, {});
    FAIL();
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("constraint 'ground': the wheel lies flat"));
  }
}

// without spin it falls, and an integrator would take steps without end where it touches everywhere
TEST(RollingDisc, ThatFallsFlatEndsItsRunAndIsNamed) {
  for (const FormulationInfo& formulation : general_formulations()) {
    const Model model = read_model_text(R"yaml(haltere: 1
gravity: [0, 0, -9.81]
bodies: {wheel: {mass: 1, inertia: [0.01, 0.02, 0.01]}}
joints: {base: {kind: free, child: wheel}}
constraints: {ground: {kind: rolling, to: wheel, radius: 0.3}}
initial: {base: {orientation: {axis: x, angle: 20 deg}, position: [0, 0, 0.3*cos(20 deg)]}}
simulation: {until: 3 s, every: 0.1 s}
)yaml",
                                        "falls.yaml");
    Settings settings;
    settings.formulation = formulation.name;
    const MemorySink sink = run_model(model, settings);
    EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
    EXPECT_THAT(sink.summary().message, HasSubstr("constraint 'ground': the wheel lies flat"))
        << formulation.name;
    EXPECT_GT(sink.summary().t, 0.1);
  }
}

}  // namespace
}  // namespace haltere
