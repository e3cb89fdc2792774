#include <gtest/gtest.h>

#include "count_allocations.h"
#include "unit/integrate/problems.h"

#include "haltere/integrate/integrator.h"

namespace haltere {

namespace {

TEST(Allocation, IsCounted) {
  const long before = allocations;
  const Eigen::VectorXd vector = Eigen::VectorXd::Zero(100);
  EXPECT_GT(allocations, before + vector.norm());
}

TEST(Allocation, HappensInNoStep) {
  for (const IntegratorInfo& info : integrators()) {
    problems::FreeTop problem;
    const auto integrator = info.make(problem, {.step = info.steps == StepChoice::kAdaptive ? 0 : 0.01,
                                                .tolerance = 1e-8,
                                                .until = 10,
                                                .parameter = info.parameter.otherwise});
    integrator->start(0, problem.calc_initial_state());
    integrator->step(10);  // CVODE sets itself up in its first step
    Eigen::VectorXd y = integrator->y();
    const long before = allocations;
    while (integrator->t() < 10) {
      const StepReport report = integrator->step(10);
      integrator->interpolate((report.t0 + report.t1) / 2, y);
    }
    EXPECT_EQ(allocations, before) << info.name;
  }
}

}  // namespace

}  // namespace haltere
