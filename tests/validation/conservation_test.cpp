#include <cmath>

#include <gtest/gtest.h>

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

/// Conservation laws and observed orders on real machines (source of every expectation: analytic).
namespace haltere {
namespace {

constexpr const char* kFloatingTree = R"(
haltere: 1
name: floating
bodies:
  hull: {mass: 3, center_of_mass: [0.1, 0, 0.05], inertia: [0.4, 0.5, 0.6]}
  "arm{i}": {repeat: {i: 1..4}, mass: 0.5, center_of_mass: [0.3, 0, 0], inertia: [0.02, 0.05, 0.06]}
joints:
  base: {kind: free, child: hull}
  "shoulder{i}": {repeat: {i: 1..2}, kind: spherical, parent: hull, child: "arm{i}", parent_frame: [0, 0.5*i - 0.75, 0]}
  "elbow{i}":
    repeat: {i: 3..4}
    kind: universal
    parent: "arm{i-2}"
    child: "arm{i}"
    parent_frame: [0.6, 0, 0]
    axis: y
    second_axis: z
forces:
  "spring{i}": {repeat: {i: 3..4}, kind: rotary-spring, joint: "elbow{i}.0", stiffness: 2 N*m/rad}
initial:
  base: {velocity: [1, -0.5, 0.2], angular_velocity: [0.7, -0.4, 1.1]}
  shoulder1: {angular_velocity: [1, 0.5, -0.3]}
  elbow4: {angle: [0.4, -0.2], rate: [0.5, 1]}
simulation: {until: 100 s, step: 0.001 s, every: 10 s, integrator: rk4}
)";

MemorySink run_text(const std::string& text, const Settings& settings) {
  const Model model = read_model_text(text, "model.yaml", {});
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, settings), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  return sink;
}

TEST(FreeSystem, KeepsMomentumAndEnergyOver100000Steps) {
  const MemorySink sink = run_text(kFloatingTree, {});
  EXPECT_GE(sink.summary().steps, 100000);
  const long last = sink.rows() - 1;
  for (const char* axis : {"x", "y", "z"}) {
    const std::string p = std::string("system.momentum.") + axis,
                      l = std::string("system.angular_momentum.") + axis;
    // 5 kg m/s and 1 kg m2/s in play; rk4 at 1 ms has a local error of 1e-15, rounding adds up as sqrt(1e5)
    EXPECT_NEAR(sink.value(last, p), sink.value(0, p), 1e-10);
    EXPECT_NEAR(sink.value(last, l), sink.value(0, l), 1e-9);
  }
  // of 5 J; fourth-order method: 1e5 steps times 1e-14
  EXPECT_NEAR(sink.value(last, "energy.total"), sink.value(0, "energy.total"), 1e-8);
  const double norm = std::hypot(
      std::hypot(sink.value(last, "joint.base.orientation.w"), sink.value(last, "joint.base.orientation.x")),
      std::hypot(sink.value(last, "joint.base.orientation.y"), sink.value(last, "joint.base.orientation.z")));
  EXPECT_NEAR(norm, 1, 1e-15);  // normalised at every step
}

/// Error of the end state against a run with a tiny step.
double end_error(const std::string& integrator, double step) {
  Settings settings;
  settings.until = 2.0;
  settings.every = 2.0;
  settings.integrator = "dop853";
  settings.tolerance = 1e-13;
  const MemorySink exact = run_text(kFloatingTree, settings);
  settings.integrator = integrator;
  settings.step = step;
  const MemorySink sink = run_text(kFloatingTree, settings);
  double error = 0;
  for (const char* channel : {"body.arm4.position.x", "body.arm4.position.y", "body.arm4.position.z",
                              "joint.elbow4.angle.0", "body.arm4.velocity.x", "body.hull.orientation.y"})
    error = std::max(error,
                     std::abs(sink.value(sink.rows() - 1, channel) - exact.value(exact.rows() - 1, channel)));
  return error;
}

TEST(FixedStepMethods, ShowTheirOrderOnAMachineWithRotations) {
  for (const IntegratorInfo& method : integrators()) {
    if (method.steps == StepChoice::kAdaptive) continue;
    const double order =
        std::log2(end_error(std::string(method.name), 0.01) / end_error(std::string(method.name), 0.005));
    // asymptotic to a tenth at these steps; the modifier of hamming takes away the leading error
    EXPECT_GT(order, method.order - 0.3) << method.name;
    EXPECT_LT(order, method.order + (method.name == "hamming" ? 1.3 : 0.3)) << method.name;
  }
}

/// Every method ends where the others do.
TEST(EveryMethod, AgreesOnAMachineWithRotations) {
  for (const IntegratorInfo& method : integrators()) {
    Settings settings;
    settings.until = 2.0;
    settings.every = 2.0;
    settings.tolerance = 1e-10;
    settings.integrator = "dop853";
    const MemorySink exact = run_text(kFloatingTree, settings);
    settings.integrator = std::string(method.name);
    if (method.steps != StepChoice::kAdaptive) settings.step = 1e-3;
    const MemorySink sink = run_text(kFloatingTree, settings);
    // local tolerance 1e-10 over some 100 ... 1000 steps; of second order: h^2/12 = 1e-7 times third
    // derivatives of some hundred m/s3
    EXPECT_NEAR(sink.value(sink.rows() - 1, "body.arm4.position.x"),
                exact.value(exact.rows() - 1, "body.arm4.position.x"), method.order < 4 ? 1e-4 : 2e-7)
        << method.name;
  }
}

}  // namespace
}  // namespace haltere
