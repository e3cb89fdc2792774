// What remembers around a machine: its memory changes once for each of its own steps, whatever method moves the
// machine, and nothing that is only tried or looked at leaves a trace in it.
#include <cmath>
#include <limits>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "message_of.h"

#include "haltere/dynamics/machine/machine.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;
using Outcome = RunSummary::Outcome;

// a slider of 2 kg, 3 m/s; a flap beside it that locks within a step of the environment, and comes free
constexpr const char* kSlider = R"(haltere: 1
parameters: {k: 9 N/m}
bodies:
  slider: {mass: 2 kg}
  flap: {mass: 1 kg, center_of_mass: [0, 0, -0.1], inertia: [1e-3, 1e-3, 1e-3]}
joints:
  slide: {kind: prismatic, child: slider, axis: x}
  hinge: {kind: revolute, child: flap, axis: y}
initial: {slide: {velocity: 3}, hinge: {rate: 1}}
events:
  jam: {at: 0.55, lock: hinge}
  loosen: {at: 1.27, free: hinge}
simulation: {until: 2 s}
)";

constexpr double kMass = 2, kAdded = 0.25, kPeriod = 0.1, kVelocity = 3;

/// An elastic line to a place that moves to the slider every 0.1 s, and 0.25 kg of something that is carried along.
class Anchor : public Environment {
 public:
  std::string name() const override { return "anchor"; }
  std::vector<BodyIndex> bodies() const override { return {{1}}; }
  void set_machine(const Machine<double>& machine) override { k_ = machine.parameters[0]; }
  void start(const Scene<double>& motion) override {
    steps = 0;
    advance(motion);
  }
  double next_time() const override { return kPeriod * static_cast<double>(steps); }
  void advance(const Scene<double>& motion) override {
    place_ = motion.X_WB[1].p.x();
    ++steps;
  }
  Account<double> add_load(const Scene<double>& scene, Loads<double>* loads) const override {
    const double force = -k_ * (scene.X_WB[1].p.x() - place_);
    loads->F_B_W[1][3] += force;
    Matrix6<double> K = Matrix6<double>::Zero();
    K(3, 3) = kAdded;
    loads->added.push_back({{1}, K});
    const double power = force * scene.V_WB[1][3];
    return {.potential = 0, .dissipation = 0, .input = power, .power = power};
  }
  void visit_state(Archive& archive) override { archive(place_, steps); }

  long steps = 0;  // that began

 private:
  double k_ = 0, place_ = 0;
};

/// Position and velocity of the slider.
struct Slider {
  double x = 0, v = kVelocity;
  /// analytic: within a step of the anchor it swings about where it was, x = x_n + v_n/w sin(w t)
  void move(double t, double k = 9) {
    const double w = std::sqrt(k / (kMass + kAdded));
    x += v / w * std::sin(w * t);
    v *= std::cos(w * t);
  }
};

struct Anchored {
  explicit Anchored(std::string_view formulation = "recursive", std::string_view integrator = "dop853",
                    std::shared_ptr<Environment> around = std::make_shared<Anchor>())
      : environment(std::move(around)) {
    Settings settings;
    settings.formulation = formulation;
    settings.integrator = integrator;
    settings.tolerance = 1e-10;
    settings.every = 0.01;
    const IntegratorInfo& method = *find_integrator(integrator);
    if (method.steps != StepChoice::kAdaptive) settings.step = method.order < 4 ? 1e-3 : 5e-3;
    options = make_run_options(model, settings);
    EquationsOptions own = make_equations_options(options);
    own.environments = {environment};
    equations = make_equations(options.formulation, model, own);
  }
  long steps() const { return std::dynamic_pointer_cast<Anchor>(environment)->steps; }

  const Model model = read_model_text(kSlider, "slider.yaml");
  std::shared_ptr<Environment> environment;
  RunOptions options;
  std::unique_ptr<Equations> equations;
};

Slider read(Simulation* simulation) {
  const Scene<double>& scene = simulation->snapshot().scene;
  return {scene.X_WB[1].p.x(), scene.V_WB[1][3]};
}

TEST(Environment, GoesItsOwnStepsUnderEveryMethodAndFormulation) {
  for (const FormulationInfo& formulation : general_formulations())
    for (const IntegratorInfo& method : integrators()) {
      SCOPED_TRACE(std::string(formulation.name) + " " + std::string(method.name));
      Anchored machine(formulation.name, method.name);
      Simulation simulation(*machine.equations, machine.options);
      // discretisation: of second order (w h)^2/12 = 3e-7 of 6 m; the others are set to 1e-10 a step, over some
      // hundred steps and twenty starts
      const double allowed = method.order < 4 ? 1e-5 : 1e-7;
      Slider exact;
      for (int n = 1; n <= 20; ++n) {
        simulation.step_until(n == 20 ? 2 : n * kPeriod);
        exact.move(kPeriod);
        EXPECT_NEAR(read(&simulation).x, exact.x, allowed) << n;
        EXPECT_NEAR(read(&simulation).v, exact.v, allowed) << n;
      }
      EXPECT_GE(machine.steps(), 20);  // the last one ends where the run does
      EXPECT_LE(machine.steps(), 21);
      // its work is in the account: a balance that does not close is a failed run
      EXPECT_EQ(simulation.summary().outcome, Outcome::kFinished) << simulation.summary().message;
      EXPECT_EQ(simulation.summary().events.size(), 2U);
    }
}

/// What two bodies carry along between them, as the air of two wings does.
class Between : public Anchor {
 public:
  std::vector<BodyIndex> bodies() const override { return {{1}, {2}}; }
  Account<double> add_load(const Scene<double>& scene, Loads<double>* loads) const override {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        Matrix6<double> K = Matrix6<double>::Zero();
        for (int k = 0; k < 6; ++k) K(k, (k + 2 * (i + j)) % 6) += 0.01 * (1 + k + i + 2 * j);
        if (i == j)
          loads->added.push_back({{1 + i}, K});
        else
          loads->coupled.push_back({{1 + i}, {1 + j}, K});
      }
    return Anchor::add_load(scene, loads);
  }
};

// M vdot = f - A^T lambda with the mass matrix that is told, with what bodies carry between them (machine precision)
TEST(Environment, StandsInTheMassMatrixAlsoBetweenBodies) {
  for (const FormulationInfo& formulation : general_formulations()) {
    Anchored machine(formulation.name, "dop853", std::make_shared<Between>());
    Equations& equations = *machine.equations;
    const Eigen::VectorXd y = equations.calc_initial_state();
    equations.start_environments(0, y);
    Eigen::VectorXd ydot(y.size()), f, b;
    Eigen::MatrixXd M, A;
    Snapshot seen;
    ASSERT_EQ(equations.calc_ydot(0, y, ydot), Status::kOk);
    ASSERT_EQ(equations.observe(0, y, &seen), Status::kOk);
    ASSERT_EQ(equations.calc_constraint_matrix(0, y, &A, &b), Status::kOk);
    ASSERT_EQ(equations.calc_free_motion(0, y, &M, &f), Status::kOk);
    Eigen::VectorXd left = M * equations.sizes().v(ydot) - f;
    if (A.rows() > 0) left += A.transpose() * seen.lambda;
    EXPECT_GT((M - M.transpose()).norm(), 1e-3) << formulation.name;
    EXPECT_LE(left.lpNorm<Eigen::Infinity>(), 1e-12 * (1 + f.norm()) * tolerance_scale()) << formulation.name;
  }
}

TEST(Environment, SeesNothingOfWhatIsLookedAt) {
  for (const char* method : {"dop853", "rk4", "generalized-alpha", "cvode-bdf"}) {
    std::vector<Eigen::VectorXd> ends;
    for (const double every : {1e-3, 0.5}) {
      Anchored machine("recursive", method);
      machine.options.every = every;
      MemorySink sink;
      const RunSummary summary = run(*machine.equations, machine.options, {&sink});
      ASSERT_EQ(summary.outcome, Outcome::kFinished) << summary.message;
      ends.push_back(Eigen::Vector2d(sink.value(sink.rows() - 1, "joint.slide.position"),
                                     sink.value(sink.rows() - 1, "joint.slide.velocity")));
    }
    EXPECT_EQ(ends[0], ends[1]) << method;
  }
}

TEST(Environment, RowsWithinAStepHaveTheMemoryOfThatStep) {
  Anchored machine;
  MemorySink sink;
  machine.options.every = 0.025;
  run(*machine.equations, machine.options, {&sink});
  Slider begun;                          // where the present step of the anchor began
  for (int row = 1; row <= 16; ++row) {  // no event yet
    Slider now = begun;
    now.move(0.025 * ((row - 1) % 4 + 1));
    EXPECT_NEAR(sink.value(row, "joint.slide.position"), now.x, 1e-8) << row;
    // a row at the end of a step is one of that step
    const double acceleration = -9 / (kMass + kAdded) * (now.x - begun.x);
    EXPECT_NEAR(sink.value(row, "joint.slide.acceleration"), acceleration, 1e-7) << row;
    if (row % 4 == 0) begun = now;
  }
}

TEST(Environment, IsPartOfACheckpoint) {
  for (const char* method : {"dop853", "rk4", "generalized-alpha"}) {
    Anchored one("recursive", method), other("recursive", method);
    Simulation first(*one.equations, one.options), second(*other.equations, other.options);
    first.step_until(0.73);  // the flap is locked, and a step of the anchor is under way
    second.load(first.save());
    EXPECT_EQ(other.steps(), one.steps()) << method;
    for (Simulation* simulation : {&first, &second})
      while (!simulation->is_done()) simulation->step();
    EXPECT_EQ(first.state(), second.state()) << method;
  }
}

TEST(Environment, ACheckpointWithoutItIsRefusedByName) {
  Anchored machine;
  Simulation around(*machine.equations, machine.options), alone(machine.model, machine.options);
  around.step_until(0.3);
  alone.step_until(0.3);
  const Eigen::VectorXd before = around.state();
  EXPECT_THAT(message_of([&] { around.load(alone.save()); }), HasSubstr("no state of 'environment, anchor'"));
  EXPECT_EQ(around.state(), before);
  EXPECT_THAT(message_of([&] { alone.load(around.save()); }), HasSubstr("does not fit this run"));
}

TEST(Environment, FollowsTheParameters) {
  Anchored machine;
  Simulation simulation(*machine.equations, machine.options);
  simulation.step_until(1);
  simulation.set_parameter("k", 36);
  simulation.step_until(1.2);
  Slider exact;
  for (int n = 0; n < 12; ++n) exact.move(kPeriod, n < 10 ? 9 : 36);
  // 1.0 and 1.2 s are ends of steps but for rounding of n T
  EXPECT_NEAR(read(&simulation).x, exact.x, 1e-8);
  EXPECT_NEAR(read(&simulation).v, exact.v, 1e-8);
}

TEST(Environment, OneThatStandsStillOrIsNotFiniteIsNamed) {
  struct Standing final : Anchor {
    double next_time() const override { return std::min(Anchor::next_time(), 0.3); }
  };
  struct Infinite final : Anchor {
    Account<double> add_load(const Scene<double>& scene, Loads<double>* loads) const override {
      Account<double> account = Anchor::add_load(scene, loads);
      if (scene.t > 0.35) {
        loads->F_B_W[1][3] = account.power = account.input = std::numeric_limits<double>::quiet_NaN();
      }
      return account;
    }
  };
  Anchored standing("recursive", "dop853", std::make_shared<Standing>()),
      infinite("recursive", "dop853", std::make_shared<Infinite>());
  MemorySink sink;
  RunSummary summary = run(*standing.equations, standing.options, {&sink});
  EXPECT_EQ(summary.outcome, Outcome::kFailed);
  EXPECT_THAT(summary.message,
              HasSubstr("t = 0.3 s: environment 'anchor': its step that begins here ends at 0.3 s"));
  summary = run(*infinite.equations, infinite.options, {&sink});
  EXPECT_EQ(summary.outcome, Outcome::kFailed);
  EXPECT_THAT(summary.message, HasSubstr("environment 'anchor': what it does to the machine is not finite"));
}

}  // namespace
}  // namespace haltere
