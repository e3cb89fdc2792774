#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/integrate/problems.h"

#include "haltere/integrate/integrator.h"

namespace haltere {

namespace {

using Outcome = StepReport::Outcome;

TEST(CvodeBdf, TakesFewStepsOnAStiffMotion) {
  problems::Stiff problem(1e8);
  const auto integrator = find_integrator("cvode-bdf")->make(problem, {.tolerance = 1e-6, .until = 10});
  integrator->start(0, problem.calc_initial_state());
  while (integrator->t() < 10) ASSERT_EQ(integrator->step(10).outcome, Outcome::kOk);
  // an explicit method is bound to h < 3e-8 s by stability: 3e8 steps
  EXPECT_LT(integrator->counters().steps, 1000);
  // discretisation: local errors of 1e-6, summed up over ten seconds and carried along
  EXPECT_LT((integrator->y() - problem.calc_exact(10)).norm(), 1e-3);
}

TEST(CvodeBdf, SaysSoIfTheToleranceIsBelowTheArithmetic) {
  problems::Kepler problem;
  const auto integrator = find_integrator("cvode-bdf")->make(problem, {.tolerance = 1e-18, .until = 10});
  integrator->start(0, problem.calc_initial_state());
  const StepReport report = integrator->step(10);
  EXPECT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_THAT(report.message, ::testing::HasSubstr("tolerance"));
}

TEST(CvodeAdams, CountsRejectedStepsOverAllStarts) {
  problems::Kepler problem(0.9);
  const auto integrator = find_integrator("cvode-adams")->make(problem, {.tolerance = 1e-6, .until = 7});
  integrator->start(0, problem.calc_initial_state());
  while (integrator->t() < 7) ASSERT_EQ(integrator->step(7).outcome, Outcome::kOk);
  const long once = integrator->counters().rejected;
  EXPECT_GT(once, 0);
  integrator->start(0, problem.calc_initial_state());
  while (integrator->t() < 7) ASSERT_EQ(integrator->step(7).outcome, Outcome::kOk);
  EXPECT_EQ(integrator->counters().rejected, 2 * once);
}

}  // namespace

}  // namespace haltere
