// Predictor-corrector methods: their orders, from the first step on and over a limit in the middle.
#include <cmath>

#include <gtest/gtest.h>

#include "unit/integrate/problems.h"

#include "haltere/integrate/integrator.h"

namespace haltere {
namespace {

using problems::Problem;

/// The error at t = 2 with steps of h; `stops` are times that the run must hit.
double calc_error(const char* name, Problem& problem, double h, const std::vector<double>& stops) {
  const auto integrator = find_integrator(name)->make(problem, {.step = h, .tolerance = 1e-9, .until = 2});
  integrator->start(0, problem.calc_initial_state());
  for (const double stop : stops)
    while (integrator->t() < stop) {
      const StepReport report = integrator->step(stop);
      EXPECT_EQ(report.outcome, StepReport::Outcome::kOk) << report.message;
      if (report.outcome != StepReport::Outcome::kOk) return 0;
    }
  return (integrator->y() - problem.calc_exact(stops.back())).norm();
}

double calc_order(const char* name, Problem& problem, const std::vector<double>& stops) {
  return std::log2(calc_error(name, problem, 0.02, stops) / calc_error(name, problem, 0.01, stops));
}

// discretisation: the next term of the error adds some tenths to an observed order
constexpr double kPlay = 0.35;

TEST(Multistep, ObservedOrders) {
  problems::Oscillator oscillator;
  problems::Kepler orbit(0.3);
  problems::FreeTop top;
  for (Problem* problem :
       {static_cast<Problem*>(&oscillator), static_cast<Problem*>(&orbit), static_cast<Problem*>(&top)}) {
    // the modifier removes the leading error of smooth motion: between four and five is seen
    EXPECT_GT(calc_order("hamming", *problem, {2}), 4 - kPlay);
    EXPECT_LT(calc_order("hamming", *problem, {2}), 5 + kPlay);
    EXPECT_NEAR(calc_order("abm45", *problem, {2}), 5, kPlay);
  }
}

// a limit that is no multiple of the step: a shorter step, then a new start, none of which costs the order
TEST(Multistep, ALimitInTheMiddleKeepsTheOrder) {
  problems::Kepler orbit(0.3);
  EXPECT_GT(calc_order("hamming", orbit, {0.777, 2}), 4 - kPlay);
  EXPECT_NEAR(calc_order("abm45", orbit, {0.777, 2}), 5, kPlay);
}

TEST(Multistep, TwoEvaluationsAStep) {
  problems::Oscillator problem;
  for (const char* name : {"hamming", "abm45"}) {
    const auto integrator =
        find_integrator(name)->make(problem, {.step = 0.01, .tolerance = 1e-9, .until = 2});
    integrator->start(0, problem.calc_initial_state());
    while (integrator->t() < 2) integrator->step(2);
    EXPECT_EQ(integrator->counters().steps, 200);
    // one to begin, three starting steps of 3 + 3 + 1 + 3 + 1, then predictor and corrector
    EXPECT_EQ(integrator->counters().evaluations, 1 + 3 * 11 + 197 * 2) << name;
  }
}

}  // namespace
}  // namespace haltere
