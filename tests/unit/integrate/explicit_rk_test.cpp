#include "haltere/integrate/explicit_rk.h"

#include <cmath>

#include <gtest/gtest.h>

#include "unit/integrate/problems.h"

namespace haltere {

namespace {

using problems::Problem;
using Outcome = StepReport::Outcome;

struct Expected {
  std::string_view name;
  int order;
  int dense_order;
  double h;         // a step where errors are far above rounding and far below 1 [s]
  int orbit_steps;  // the same for a sixth of an orbit, whose error terms are further apart
};

class ExplicitMethods : public ::testing::TestWithParam<Expected> {
 protected:
  /// Every step accepted: the limit alone sets its length.
  static std::unique_ptr<Integrator> make(Problem& problem, double h) {
    auto integrator =
        find_integrator(GetParam().name)->make(problem, {.step = h, .tolerance = 1e30, .until = 100});
    integrator->start(0, problem.calc_initial_state());
    return integrator;
  }
  static double calc_error(Problem& problem, double h, int steps) {
    const auto integrator = make(problem, h);
    for (int k = 1; k <= steps; ++k) {
      EXPECT_EQ(integrator->step(k * h).outcome, Outcome::kOk);
      EXPECT_EQ(integrator->t(), k * h);
    }
    return (integrator->y() - problem.calc_exact(steps * h)).norm();
  }
  /// log2 of the ratio of errors with steps h and h/2 over the same time.
  static double calc_observed_order(Problem& problem, double h, int steps) {
    return std::log2(calc_error(problem, h, steps) / calc_error(problem, h / 2, 2 * steps));
  }
  /// The largest error inside the first step.
  static double calc_dense_error(Problem& problem, double h) {
    const auto integrator = make(problem, h);
    EXPECT_EQ(integrator->step(h).outcome, Outcome::kOk);
    Eigen::VectorXd y = integrator->y();
    double error = 0;
    for (int i = 1; i < 40; ++i) {
      integrator->interpolate(i * h / 40, y);
      error = std::max(error, (y - problem.calc_exact(i * h / 40)).norm());
    }
    return error;
  }
};

INSTANTIATE_TEST_SUITE_P(Registry, ExplicitMethods,
                         ::testing::Values(Expected{"rk4", 4, 3, 0.05, 16},
                                           Expected{"dopri5", 5, 4, 0.05, 64},
                                           Expected{"dop853", 8, 7, 0.2, 8}),
                         [](const auto& test) { return std::string(test.param.name); });

// discretisation: the next term of the error adds about h |C_{p+1}/C_p| to an observed order
constexpr double kPlay = 0.35;

TEST_P(ExplicitMethods, HaveTheirOrderOnAnOrbit) {
  problems::Kepler problem(0.3);
  const int steps = GetParam().orbit_steps;
  EXPECT_NEAR(calc_observed_order(problem, 1. / steps, steps), GetParam().order, kPlay);
}

TEST_P(ExplicitMethods, HaveTheirOrderWithQuaternionsThatAreNormalised) {
  problems::FreeTop problem;
  EXPECT_NEAR(calc_observed_order(problem, GetParam().h, 20), GetParam().order, kPlay);
}

TEST_P(ExplicitMethods, HaveTheirOrderWithDampingAndExplicitTime) {
  problems::Stiff problem(2);
  EXPECT_NEAR(calc_observed_order(problem, 2 * GetParam().h, 12), GetParam().order, kPlay);
}

TEST_P(ExplicitMethods, InterpolateWithTheOrderOfTheDenseOutput) {
  // order p: the error inside one step goes with h^(p+1)
  problems::Kepler orbit(0.3);
  problems::FreeTop top;
  for (Problem* problem : {static_cast<Problem*>(&orbit), static_cast<Problem*>(&top)}) {
    const double h = 2 * GetParam().h;
    const double order = std::log2(calc_dense_error(*problem, h) / calc_dense_error(*problem, h / 2));
    EXPECT_NEAR(order, GetParam().dense_order + 1, kPlay);
  }
}

TEST_P(ExplicitMethods, AreAsAccurateAsTheirToleranceAsks) {
  if (find_integrator(GetParam().name)->steps != StepChoice::kAdaptive)
    return;  // a fixed step has no tolerance
  problems::Oscillator problem;
  const auto calc_final_error = [&](double tolerance) {
    const auto integrator =
        find_integrator(GetParam().name)->make(problem, {.tolerance = tolerance, .until = 20});
    integrator->start(0, problem.calc_initial_state());
    while (integrator->t() < 20) EXPECT_EQ(integrator->step(20).outcome, Outcome::kOk);
    return (integrator->y() - problem.calc_exact(20)).norm();
  };
  // proportional: the slope is 1; a tenth for steps that are not quite alike
  EXPECT_NEAR(std::log10(calc_final_error(1e-6) / calc_final_error(1e-10)) / 4, 1, 0.1);
}

/// Bogacki and Shampine 3(2), MATLAB's ode23: its last stage is at 3/4 of the step.          [bogacki1989]
struct LastStageInside {
  static constexpr Tableau<3> kTableau{.name = "bs32",
                                       .source = "[bogacki1989]",
                                       .order = 3,
                                       .a = {{{0, 0, 0}, {1. / 2, 0, 0}, {0, 3. / 4, 0}}},
                                       .b = {2. / 9, 1. / 3, 4. / 9},
                                       .c = {0, 1. / 2, 3. / 4}};
  static constexpr Rows<0, 4> kExtra{};
  static constexpr Row<0> kExtraC{};
  static constexpr Rows<1, 4> kError{{{-5. / 72, 1. / 12, 1. / 9, -1. / 8}}};
  static constexpr int kErrorOrder = 3;
  static constexpr Rows<0, 4> kDense{};
  static constexpr double kStability = 0;
  static double calc_error(const std::array<double, 1>& norms) { return norms[0]; }
};
static_assert(order_of(LastStageInside::kTableau) == 3 && is_consistent(LastStageInside::kTableau));

TEST(ExplicitRk, TakesAMethodWhoseLastStageIsInsideTheStep) {
  const auto calc_error = [](double tolerance) {
    problems::Kepler problem(0.3);
    ExplicitRk<LastStageInside> integrator(problem, {.tolerance = tolerance, .until = 3});
    integrator.start(0, problem.calc_initial_state());
    while (integrator.t() < 3) EXPECT_EQ(integrator.step(3).outcome, Outcome::kOk);
    return (integrator.y() - problem.calc_exact(3)).norm();
  };
  // proportional: the slope is 1; a tenth for steps that are not quite alike
  EXPECT_NEAR(std::log10(calc_error(1e-5) / calc_error(1e-9)) / 4, 1, 0.1);
}

TEST(Rk4, StepsFromMultipleToMultipleOfTheStep) {
  problems::Oscillator problem;
  const auto integrator = find_integrator("rk4")->make(problem, {.step = 0.1, .until = 100});
  integrator->start(0.5, problem.calc_exact(0.5));
  for (int k = 1; k <= 900; ++k) {
    integrator->step(100);
    ASSERT_EQ(integrator->t(), 0.5 + k * 0.1);  // by multiplication, not by adding up
  }
}

TEST(Rk4, ShortensTheStepBeforeALimitAndGoesBackToTheGrid) {
  problems::Oscillator problem;
  const auto integrator = find_integrator("rk4")->make(problem, {.step = 0.1, .until = 1});
  integrator->start(0, problem.calc_exact(0));
  std::vector<double> times;
  for (const double limit : {0.25, 0.3, 0.6005})
    while (integrator->t() < limit) {
      integrator->step(limit);
      times.push_back(integrator->t());
    }
  // 0.3 is below 3 * 0.1 in binary, and is hit; 0.6005 is reached by a stretched step, not by a crumb
  EXPECT_EQ(times, (std::vector<double>{0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6005}));
}

TEST(Rk4, SaysWhatToTryWhereAStepFails) {
  problems::Ending problem(Status::kSingular);
  const auto integrator = find_integrator("rk4")->make(problem, {.step = 0.3, .until = 3});
  integrator->start(0, problem.calc_initial_state());
  StepReport report;
  while (report.outcome == Outcome::kOk) report = integrator->step(3);
  EXPECT_EQ(report.message,
            "t = 0.9 s: the step of h = 0.3 s failed\n"
            "  the equations are singular at t = 1.05 s: the hinge is stretched\n"
            "  try: a smaller --step, or a method that chooses its steps (--integrator dop853)");
}

TEST(Dop853, LeavesNoCrumbBeforeALimit) {
  problems::Oscillator problem(0);
  const auto integrator = find_integrator("dop853")->make(problem, {.tolerance = 1e-9, .until = 7});
  integrator->start(0, problem.calc_initial_state());
  double shortest = 1;
  while (integrator->t() < 7) {
    const StepReport report = integrator->step(7);
    if (report.t0 > 1) shortest = std::min(shortest, report.t1 - report.t0);
  }
  // steps on a uniform motion are alike: what is shared out before the limit is no less than half of one
  EXPECT_GT(shortest, 0.2);
}

TEST(Dop853, EvaluatesTheStagesOfTheDenseOutputOnlyWhereSomebodyLooks) {
  problems::Oscillator problem;
  const auto integrator = find_integrator("dop853")->make(problem, {.step = 0.1, .until = 1});
  integrator->start(0, problem.calc_initial_state());
  integrator->step(1);
  const long before = integrator->counters().evaluations;
  Eigen::VectorXd y = integrator->y();
  integrator->interpolate(integrator->t() / 3, y);
  integrator->interpolate(integrator->t() / 2, y);
  EXPECT_EQ(integrator->counters().evaluations, before + 3);
}

TEST(Dopri5, GivesUpWhereTheMotionBlowsUp) {
  // q'' = 6 q^2: q = 1 / (1 - t)^2 leaves for infinity at t = 1 (source: analytic)
  class BlowUp : public Problem {
   public:
    Sizes sizes() const override { return {.nq = 1, .nv = 1}; }
    Eigen::VectorXd calc_scales() const override { return Eigen::VectorXd::Ones(2); }
    Status calc_ydot(double, ConstRef y, Ref ydot) override {
      ydot << y[1], 6 * y[0] * y[0];
      return Status::kOk;
    }
    Eigen::VectorXd calc_exact(double) const override { return Eigen::Vector2d(1, 2); }
  };
  BlowUp problem;
  const auto integrator = find_integrator("dopri5")->make(problem, {.tolerance = 1e-9, .until = 2});
  integrator->start(0, problem.calc_initial_state());
  StepReport report;
  while (report.outcome == Outcome::kOk && integrator->t() < 2) report = integrator->step(2);
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_NEAR(integrator->t(), 1, 1e-6);  // solver: the time of the pole is as accurate as the motion
  EXPECT_NE(report.message.find("smallest allowed"), std::string::npos) << report.message;
}

}  // namespace

}  // namespace haltere
