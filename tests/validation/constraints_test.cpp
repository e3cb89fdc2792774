// Constrained machines as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Outcome = RunSummary::Outcome;

MemorySink run_model(const Model& model, const Settings& settings) {
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  return sink;
}

double last(const MemorySink& sink, const char* channel) {
  return sink.value(sink.rows() - 1, channel);
}

// N = 2 after 4 s and four passages through a singular position                         (source: analytic,
// closed form on the parallelogram branch, models/four-bar/expected.yaml)
TEST(Parallelogram, KeepsItsBranchWithEveryOneStepMethod) {
  const Model model = read_model(shipped_model("four-bar"));
  for (const FormulationInfo& formulation : general_formulations())
    for (const char* integrator : {"rk4", "dopri5", "dop853", "hamming", "abm45"}) {
      Settings settings;
      settings.formulation = formulation.name;
      settings.integrator = integrator;
      settings.until = 4;
      settings.every = 4;
      settings.tolerance = 1e-9;
      if (find_integrator(integrator)->steps != StepChoice::kAdaptive) settings.step = 2e-3;
      const MemorySink sink = run_model(model, settings);
      ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
      // solver: tolerance 1e-9 over some hundred steps, amplified at the passages
      EXPECT_NEAR(last(sink, "joint.ground0.angle"), -12.684259593513971, 2e-5)
          << formulation.name << ' ' << integrator;
    }
}

TEST(Bricard, MovesAndNamesTheRowThatItDoesNotNeed) {
  const Model model = read_model(shipped_model("bricard"));
  std::vector<double> angles;
  for (const FormulationInfo& formulation : general_formulations()) {
    Settings settings;
    settings.formulation = formulation.name;
    settings.every = 5;
    const MemorySink sink = run_model(model, settings);
    EXPECT_THAT(sink.summary().notes, Contains(HasSubstr("joint 'hinge6' closes a loop")));
    EXPECT_EQ(
        std::count_if(sink.summary().notes.begin(), sink.summary().notes.end(),
                      [](const std::string& note) { return note.find("redundant") != std::string::npos; }),
        1);
    EXPECT_LE(sink.summary().audit.relative_balance(), 1e-8 * tolerance_scale());
    // the symmetry of the loop: every second hinge turns alike
    EXPECT_NEAR(last(sink, "joint.hinge1.angle"), -last(sink, "joint.hinge3.angle"), 1e-7);
    EXPECT_NEAR(last(sink, "joint.hinge1.angle"), -last(sink, "joint.hinge5.angle"), 1e-7);
    angles.push_back(last(sink, "joint.hinge1.angle"));
  }
  EXPECT_NEAR(angles[0], angles[1], 1e-6);
}

// a bead led along a circle by a coincident point, on a rod of length 1: the work of the constraint is the
// energy
TEST(Coincident, TheWorkOfAPathClosesTheBalance) {
  const Model model = read_model_text(R"yaml(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1 kg, center_of_mass: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}
  rod: {mass: 0.5 kg, center_of_mass: [0.4, 0, 0], inertia: [0.01, 0.05, 0.05]}
joints:
  shoulder: {kind: spherical, child: arm}
  elbow: {kind: universal, parent: arm, child: rod, parent_frame: [1, 0, 0], axis: y, second_axis: z}
constraints:
  hand:
    kind: coincident
    from_point: ["1.2 m + 0.2 m*cos(3 rad/s*t)", "0.2 m*sin(3 rad/s*t)", "-0.3 m*sin(2 rad/s*t)"]
    to: rod
    to_point: [0.8, 0, 0]
  level: {kind: distance, from_point: [0, 2, 0], to: arm, to_point: [1, 0, 0], distance: "2.2 m + 0.05 m*sin(t*1 rad/s)"}
initial: {elbow: {angle: [0.9, 0.2]}}
simulation: {until: 3 s, every: 0.5 s, tolerance: 1e-10}
)yaml",
                                      "hand.yaml");
  std::vector<double> forces;
  for (const FormulationInfo& formulation : general_formulations()) {
    Settings settings;
    settings.formulation = formulation.name;
    const MemorySink sink = run_model(model, settings);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    EXPECT_LE(sink.summary().audit.relative_balance(), 1e-9 * tolerance_scale()) << formulation.name;
    EXPECT_GT(sink.summary().audit.energy_scale, 1);
    forces.push_back(last(sink, "constraint.hand.force.z"));
    EXPECT_LT(last(sink, "drift.position"), 1e-8);  // solver: rows are interpolated between steps
  }
  EXPECT_NEAR(forces[0], forces[1], 1e-5 * std::abs(forces[0]));
}

TEST(Stabilization, EveryMethodIsOfTheOrderOfTheIntegrator) {
  const Model model = read_model(shipped_model("double-pendulum"));
  Settings settings;
  settings.until = 1;
  settings.every = 1;
  settings.tolerance = 1e-13;
  const double exact = last(run_model(model, settings), "joint.elbow.angle");
  settings.formulation = "absolute";
  settings.integrator = "rk4";
  for (const char* chart : {"lie", "quaternion", "euler-xyz"})
    for (const char* method : {"none", "baumgarte:10,10", "projection", "s-both2"}) {
      settings.chart = chart;
      settings.stabilization = method;
      std::array<double, 2> errors{};
      for (int i = 0; i < 2; ++i) {
        settings.step = 0.01 / (1 + i);
        errors[i] = std::abs(last(run_model(model, settings), "joint.elbow.angle") - exact);
      }
      const double order = std::log2(errors[0] / errors[1]);
      EXPECT_NEAR(order, 4, 0.7) << chart << ' ' << method << ' ' << errors[0] << ' ' << errors[1];
    }
}

// a state of CVODE stands for the nearest one that obeys
TEST(Stabilization, CvodeObeysTheJointsOfATree) {
  const Model model = read_model(shipped_model("double-pendulum"));
  Settings settings;
  settings.until = 2;
  settings.every = 0.5;
  settings.tolerance = 1e-10;
  const double exact = last(run_model(model, settings), "joint.elbow.angle");
  settings.formulation = "absolute";
  for (const char* integrator : {"cvode-bdf", "cvode-adams"}) {
    settings.integrator = integrator;
    const MemorySink sink = run_model(model, settings);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    EXPECT_NEAR(last(sink, "joint.elbow.angle"), exact, 1e-6) << integrator;  // solver: some thousand steps
    EXPECT_LT(last(sink, "drift.position"), 1e-12);
  }
}

TEST(Stabilization, ABoundOnTheDriftStopsTheRun) {
  const Model model = read_model(shipped_model("double-pendulum"));
  Settings settings;
  settings.formulation = "absolute";
  settings.stabilization = "none";
  settings.integrator = "rk4";
  settings.step = 0.02;
  settings.drift = 1e-7;
  const MemorySink sink = run_model(model, settings);
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
  EXPECT_THAT(sink.summary().message, HasSubstr("drifted apart"));
  EXPECT_THAT(sink.summary().message, HasSubstr("--stabilization projection"));
  EXPECT_GT(sink.rows(), 1);
}

TEST(Chart, SaysWhichBodyItsAnglesCannotFollow) {
  const Model model = read_model(shipped_model("pendulum"));
  Settings settings;
  settings.formulation = "absolute";
  settings.chart = "euler-zyz";  // turns about z pass through the middle angle 0
  const MemorySink sink = run_model(model, settings);
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
  EXPECT_THAT(sink.summary().message, HasSubstr("body 'bob': the angles of the chart euler-zyz"));
}

TEST(Loops, AStartThatCannotBeAssembledNamesTheRow) {
  const Model model = read_model_text(R"yaml(haltere: 1
bodies:
  a: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  pivot: {kind: revolute, child: a}
constraints:
  far: {kind: coincident, from_point: [5, 0, 0], to: a, to_point: [1, 0, 0]}
)yaml",
                                      "far.yaml");
  const MemorySink sink = run_model(model, {});
  EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
  EXPECT_THAT(sink.summary().message, HasSubstr("cannot be put together"));
  EXPECT_THAT(sink.summary().message, HasSubstr("constraint 'far', row x"));
}

}  // namespace
}  // namespace haltere
