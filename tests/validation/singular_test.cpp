// Machines that pass positions where the rows of their loops lose their independence.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "shipped_models.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Outcome = RunSummary::Outcome;

// of the parallelograms after 10 s and ten passages (source: analytic, models/four-bar/expected.yaml)
constexpr double kAngle = -31.750597186986102;

MemorySink run_model(const Model& model, const Settings& settings) {
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  return sink;
}

double last(const MemorySink& sink, const char* channel) {
  return sink.value(sink.rows() - 1, channel);
}

TEST(SingularPositions, ArePassedAtEveryToleranceThatDoublesCanServe) {
  const Model model = read_model(shipped_model("four-bar"));
  for (const FormulationInfo& formulation : general_formulations())
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      Settings settings;
      settings.formulation = formulation.name;
      settings.every = 10;
      settings.tolerance = tolerance;
      const MemorySink sink = run_model(model, settings);
      ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
      // solver: some hundred steps, each with the tolerance, in ten turns of growing error; accelerations
      // near a passage are good to 1e-9
      EXPECT_NEAR(last(sink, "joint.ground0.angle"), kAngle, 1000 * tolerance + 2e-8)
          << formulation.name << ' ' << tolerance;
    }
}

struct Method {
  const char* name;
  double step, error;  // [s], [rad]: of its order, measured with the half and the whole step
};

// of second order with equal steps of 2 ms, and chosen by a tolerance
constexpr Method kMethods[] = {{"generalized-alpha", 2e-3, 1e-3},
                               {"hht", 2e-3, 1e-3},
                               {"generalized-alpha", 0, 0.1},
                               {"ida-bdf", 0, 1e-3},
                               {"cvode-bdf", 0, 1e-3},
                               {"central-difference", 1e-3, 1e-3}};

TEST(SingularPositions, ArePassedByEveryKindOfMethodOnTheSameBranch) {
  const Model model = read_model(shipped_model("four-bar"));
  for (const FormulationInfo& formulation : general_formulations())
    for (const Method& method : kMethods) {
      Settings settings;
      settings.formulation = formulation.name;
      settings.integrator = method.name;
      settings.every = 10;
      settings.tolerance = 1e-7;
      if (method.step > 0) settings.step = method.step;
      const MemorySink sink = run_model(model, settings);
      const std::string what = std::string(formulation.name) + ' ' + method.name;
      ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << what << sink.summary().message;
      EXPECT_NEAR(last(sink, "joint.ground0.angle"), kAngle, method.error) << what;
      // on the other branch the rockers turn against each other
      EXPECT_NEAR(last(sink, "joint.ground0.angle"), last(sink, "joint.ground2.angle"), 1e-5) << what;
    }
}

TEST(SingularPositions, ThatAnotherMethodPassesAreSaid) {
  Settings settings;
  settings.integrator = "generalized-alpha";
  settings.step = 2e-3;
  settings.until = 2;
  const MemorySink sink = run_model(read_model(shipped_model("four-bar")), settings);
  EXPECT_THAT(sink.summary().notes, Contains(HasSubstr("singular position")));
}

// the first thing that a run does there is to look at itself
TEST(SingularPositions, CanBeWhereARunStarts) {
  const Model model = read_model(
      shipped_model("four-bar"),
      {.case_name = "",
       .set = {"initial.ground0.angle=pi/2", "initial.ground1.angle=pi/2", "initial.ground2.angle=pi/2",
               "initial.left1.angle=-pi/2", "initial.left2.angle=-pi/2"}});
  for (const FormulationInfo& formulation : general_formulations())
    for (const char* integrator : {"cvode-bdf", "cvode-adams", "dop853", "generalized-alpha"}) {
      Settings settings;
      settings.formulation = formulation.name;
      settings.integrator = integrator;
      settings.until = 0.3;
      const MemorySink sink = run_model(model, settings);
      EXPECT_EQ(sink.summary().outcome, Outcome::kFinished) << integrator << sink.summary().message;
      EXPECT_NEAR(last(sink, "joint.ground0.angle"), last(sink, "joint.ground2.angle"), 1e-6) << integrator;
    }
}

/// A parallelogram of N couplers, `distance` before it lies flat, at 2.5 rad/s.
struct Parallelogram {
  explicit Parallelogram(int n)
      : model(read_model(shipped_model("four-bar"), {.case_name = "", .set = {"N=" + std::to_string(n)}})),
        equations(make_equations("recursive", model)),
        pull(((n + 1) / 2. + n) * 9.81 / ((n + 1) / 3. + n)) {}

  double sign(int coordinate) const {
    return equations->coordinate_names()[coordinate].find("ground") != std::string::npos ? -1 : 1;
  }
  Eigen::VectorXd calc_state(double distance) const {
    Eigen::VectorXd y = equations->calc_initial_state();
    const Sizes sizes = equations->sizes();
    for (int i = 0; i < sizes.nq; ++i) y[i] = sign(i) * (std::numbers::pi / 2 - distance);
    for (int i = sizes.nq; i < sizes.nq + sizes.nv; ++i) y[i] = sign(i) * 2.5;
    return y;
  }
  Eigen::VectorXd calc_vdot(const Eigen::VectorXd& y) const {
    Eigen::VectorXd ydot(y.size());
    EXPECT_EQ(equations->calc_ydot(0, y, ydot), Status::kOk);
    return ydot.segment(equations->sizes().nq, equations->sizes().nv);
  }

  Model model;
  std::unique_ptr<Equations> equations;
  double pull;  // q'' = pull sin q
};

constexpr double kDistances[] = {0.3, 0.1, 0.06, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-9, 0, -1e-6, -0.01, -0.1};

// (source: analytic, README of models/four-bar)
TEST(SingularPositions, HaveTheAccelerationsOfTheBranch) {
  for (const int n : {1, 2, 5}) {
    Parallelogram machine(n);
    for (const double distance : kDistances) {
      const Eigen::VectorXd vdot = machine.calc_vdot(machine.calc_state(distance));
      const double expected = machine.pull * std::cos(distance);
      for (int i = 0; i < vdot.size(); ++i)
        // rounding over the third power of the distance at which states are compared, 0.06, and their weights
        EXPECT_NEAR(vdot[i], machine.sign(machine.equations->sizes().nq + i) * expected, 5e-9)
            << n << ' ' << distance;
    }
  }
}

/// What a row of a run would have at `distance` before it lies flat.
Snapshot observe(const Parallelogram& machine, std::string_view formulation, double distance) {
  Scene<double> scene;
  machine.equations->calc_scene(0, machine.calc_state(distance), &scene);
  const auto equations = make_equations(formulation, machine.model);
  Snapshot snapshot;
  EXPECT_EQ(equations->observe(0, equations->calc_state(scene), &snapshot), Status::kOk);
  return snapshot;
}

// (source: analytic, README of models/four-bar)
TEST(SingularPositions, HaveRowsWithTheAccelerationsOfTheBranch) {
  const Parallelogram machine(2);
  for (const FormulationInfo& formulation : general_formulations())
    for (const double distance : kDistances) {
      const Snapshot snapshot = observe(machine, formulation.name, distance);
      for (const char* rocker : {"rocker0", "rocker1", "rocker2"})
        EXPECT_NEAR(snapshot.A_WB[*machine.model.find_body(rocker)][2], -machine.pull * std::cos(distance),
                    5e-9)
            << formulation.name << ' ' << distance;
    }
}

// Two rockers that are alike need the same force across them, and the coupler does not turn: so its two pins
// share what it takes to move it.    (source: analytic)
TEST(SingularPositions, HaveRowsWithTheLoadsOfTheBranchWhereThoseAreFinite) {
  const Parallelogram machine(1);
  const int coupler = *machine.model.find_body("coupler1");
  for (const FormulationInfo& formulation : general_formulations())
    for (const double distance : kDistances) {
      const Snapshot snapshot = observe(machine, formulation.name, distance);
      // it is moved without turning; gravity is against y
      const Vector3<double> F = 0.5 * (snapshot.A_WB[coupler].tail<3>() + Vector3<double>(0, 9.81, 0));
      const Vector6<double> left = snapshot.F_reaction[*machine.model.find_joint("left1")],
                            right = snapshot.F_reaction[*machine.model.find_joint("right1")];
      // solver: accelerations good to 5e-9, over the distance at which states are compared
      EXPECT_LE((left.tail<3>() - F).norm(), 1e-7) << formulation.name << ' ' << distance;
      EXPECT_LE((right.tail<3>() + F).norm(), 1e-7) << formulation.name << ' ' << distance;
    }
}

// Of three rockers the middle one is pushed twice: what evens it out acts on an arm that vanishes, so that the
// loads grow as 1/distance. They are the solve's own, not a polynomial through a pole.    (source: analytic)
TEST(SingularPositions, HaveRowsWithLoadsThatGrowWhereThoseOfTheBranchDo) {
  const Parallelogram machine(2);
  const int right1 = *machine.model.find_joint("right1"), right2 = *machine.model.find_joint("right2");
  for (const FormulationInfo& formulation : general_formulations()) {
    const auto calc_pole = [&](double distance) {
      const Snapshot s = observe(machine, formulation.name, distance);
      return distance * (s.F_reaction[right1][3] - s.F_reaction[right2][3]);
    };
    for (const double distance : {0.03, 0.01, 1e-3})
      EXPECT_NEAR(calc_pole(distance), calc_pole(1e-2), 1e-2) << formulation.name << ' ' << distance;
    EXPECT_GT(std::abs(calc_pole(1e-3)), 0.5);
  }
}

// what a step is off moves the accelerations by as much, not by that over the distance squared
TEST(SingularPositions, DoNotAmplifyWhatAStepIsOff) {
  Parallelogram machine(2);
  constexpr double kOff = 1e-6;
  for (const double distance : kDistances) {
    Eigen::VectorXd y = machine.calc_state(distance);
    const Eigen::VectorXd vdot = machine.calc_vdot(y);
    for (int i = 0; i < machine.equations->sizes().nq; ++i) y[i] += kOff * std::sin(3. * i + 1);
    // slopes of the accelerations where states are compared, and the weights of the states
    EXPECT_LE((machine.calc_vdot(y) - vdot).lpNorm<Eigen::Infinity>(), 1e4 * kOff) << distance;
  }
}

// A stop that bends the torque within the states that are compared: no polynomial tells what it does, so the
// rates are those of the state itself.    (source: analytic, one equation on the branch)
TEST(SingularPositions, ArePassedWithAForceThatBendsBesideThem) {
  const Model model =
      read_model(shipped_model("four-bar"),
                 {.case_name = "",
                  .set = {"forces.stop={kind: applied-torque, body: rocker0, "
                          "torque: [0, 0, \"400 N m rad^-1*max(0, -1.45 rad - joint.ground0.angle)\"]}"}});
  // I q" = 3.5 m g L sin q + stop, with I = 3 m L^2 for two couplers; Runge-Kutta to 1e-12
  double q = 0, rate = -1;
  const auto calc = [](double x) { return (3.5 * 9.81 * std::sin(x) + 400 * std::max(0., -1.45 - x)) / 3; };
  constexpr int kSteps = 8000;
  constexpr double kStep = 0.8 / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double k1 = calc(q), k2 = calc(q + kStep / 2 * rate),
                 k3 = calc(q + kStep / 2 * (rate + kStep / 2 * k1)),
                 k4 = calc(q + kStep * (rate + kStep / 2 * k2));
    q += kStep * rate + kStep * kStep / 6 * (k1 + k2 + k3);
    rate += kStep / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  for (const FormulationInfo& formulation : general_formulations()) {
    Settings settings;
    settings.formulation = formulation.name;
    settings.until = 0.8;
    settings.every = 0.4;
    settings.tolerance = 1e-8;
    const MemorySink sink = run_model(model, settings);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    // solver: some hundred steps, and the bend; with a polynomial across the bend it is off by 5e-3
    EXPECT_NEAR(last(sink, "joint.ground0.angle"), q, 1e-6) << formulation.name;
    EXPECT_NEAR(last(sink, "joint.ground0.acceleration"), calc(q), 1e-3) << formulation.name;
  }
}

// crank and rod of one length: when the slider is over the axle the rod lies on the crank, and could turn
// with it. On the branch of the motion x = 2 L cos(angle).    (source: analytic)
TEST(SingularPositions, OfASliderCrankArePassedToo) {
  const Model model = read_model_text(R"yaml(haltere: 1
bodies:
  crank: {mass: 2 kg, center_of_mass: [0.2, 0, 0], inertia: [0.1, 0.2, 0.3]}
  rod: {mass: 0.7 kg, center_of_mass: [0.25, 0, 0], inertia: [0.01, 0.05, 0.05]}
  slider: {mass: 0.4 kg, inertia: [0.01, 0.01, 0.01]}
joints:
  axle: {kind: revolute, child: crank, axis: z}
  pin: {kind: revolute, parent: crank, child: rod, parent_frame: [0.5, 0, 0], axis: z}
  guide: {kind: prismatic, child: slider, axis: x}
  wrist: {kind: revolute, parent: rod, child: slider, parent_frame: [0.5, 0, 0], axis: z}
initial: {axle: {angle: 1 rad, rate: 3 rad/s}, pin: {angle: -2 rad}, guide: 0.54 m}
simulation: {until: 6 s, every: 0.5 s, tolerance: 1e-10}
)yaml",
                                      "slider-crank.yaml", {});
  for (const FormulationInfo& formulation : general_formulations())
    for (const char* integrator : {"dop853", "generalized-alpha"}) {
      Settings settings;
      settings.formulation = formulation.name;
      settings.integrator = integrator;
      // of second order: at 1e-6 its own damping takes more energy (1.2 %) than a run may lose
      settings.tolerance = integrator == std::string("dop853") ? 1e-10 : 1e-7;
      const MemorySink sink = run_model(model, settings);
      ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
      for (int row = 0; row < sink.rows(); ++row)
        EXPECT_NEAR(sink.value(row, "joint.guide.position"), std::cos(sink.value(row, "joint.axle.angle")),
                    1e-5)
            << formulation.name << ' ' << integrator << ' ' << row;
      EXPECT_GT(std::abs(last(sink, "joint.axle.angle")), 4) << "it did not get through";
    }
}

}  // namespace
}  // namespace haltere
