#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source_folder.h"
#include "unit/integrate/problems.h"

#include "haltere/integrate/integrator.h"

/// Laws that every method in the list obeys; a new one gets them without a line.
namespace haltere {

namespace {

using problems::Problem;
using Outcome = StepReport::Outcome;
using ::testing::HasSubstr;

std::string make_test_name(const ::testing::TestParamInfo<IntegratorInfo>& test) {
  std::string name(test.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class EveryIntegrator : public ::testing::TestWithParam<IntegratorInfo> {
 protected:
  // fixed-step methods take a step that reaches about the same accuracy
  static IntegratorOptions make_options(double tolerance, double until) {
    return {.step = GetParam().steps == StepChoice::kAdaptive
                        ? 0
                        : 0.25 * std::pow(tolerance, 1. / GetParam().order),
            .tolerance = tolerance,
            .until = until};
  }
  static std::unique_ptr<Integrator> make(Problem& problem, const IntegratorOptions& options) {
    auto integrator = GetParam().make(problem, options);
    integrator->start(0, problem.calc_initial_state());
    return integrator;
  }
  /// Runs to t; the largest error of any entry on the way there, at the ends of the steps and inside them.
  static double run(Integrator& integrator, const Problem& problem, double t) {
    Eigen::VectorXd y = integrator.y();
    double error = 0;
    while (integrator.t() < t) {
      const StepReport report = integrator.step(t);
      EXPECT_EQ(report.outcome, Outcome::kOk) << report.message;
      if (report.outcome != Outcome::kOk) return 1 / 0.;
      for (const double theta : {0.3, 0.7, 1.0}) {
        const double inside = report.t0 + theta * (report.t1 - report.t0);
        integrator.interpolate(inside, y);
        if (y.size() > 0) error = std::max(error, (y - problem.calc_exact(inside)).cwiseAbs().maxCoeff());
      }
    }
    return error;
  }
};

INSTANTIATE_TEST_SUITE_P(Registry, EveryIntegrator, ::testing::ValuesIn(integrators()), make_test_name);

// discretisation: a global error is the local one, summed up over the steps and carried along; the factor
// covers the multistep methods, which control the local error less tightly, IDA least of all
constexpr double kGlobalFactor = 5000;

TEST_P(EveryIntegrator, FollowsAnOscillatorAndItsWork) {
  problems::Oscillator problem;
  const auto integrator = make(problem, make_options(1e-9, 20));
  EXPECT_LT(run(*integrator, problem, 20), kGlobalFactor * 1e-9);
}

/// Writes down how a method keeps to the protocol of a step.
class Witness : public problems::Kepler {
 public:
  void begin_step(double t0, double h, ConstRef y0) override {
    EXPECT_GT(h, 0);
    EXPECT_EQ(t0, t_end_) << "a step is tried where the last kept one ended";
    EXPECT_EQ(Eigen::VectorXd(y0), y_end_);
    ++begun_;
  }
  void end_step(double t, ConstRef y) override {
    EXPECT_GT(begun_, 0) << "a step is kept that was not tried";
    EXPECT_GT(t, t_end_);
    begun_ = 0;
    t_end_ = t;
    y_end_ = y;
    ++kept_;
  }
  void start() { y_end_ = calc_initial_state(); }
  double t_end_ = 0;
  Eigen::VectorXd y_end_;
  long begun_ = 0, kept_ = 0;
};

// what remembers (a wake) lives by it
TEST_P(EveryIntegrator, SaysWhichStepsItTriesAndKeeps) {
  Witness problem;
  problem.start();
  const auto integrator = make(problem, make_options(1e-6, 3));
  while (integrator->t() < 3) {
    ASSERT_EQ(integrator->step(3).outcome, Outcome::kOk);
    EXPECT_EQ(problem.t_end_, integrator->t());
    EXPECT_EQ(problem.y_end_, integrator->y());
  }
  EXPECT_EQ(problem.kept_, integrator->counters().steps);
}

TEST_P(EveryIntegrator, FollowsAnOrbit) {
  problems::Kepler problem(0.5);
  const auto integrator = make(problem, make_options(1e-9, 6));
  EXPECT_LT(run(*integrator, problem, 6), kGlobalFactor * 1e-9);
}

TEST_P(EveryIntegrator, IsAsAccurateAsItsToleranceAsks) {
  if (GetParam().steps == StepChoice::kFixed)
    return;  // a fixed step has no tolerance; its order is tested in explicit_rk_test.cpp
  problems::Kepler problem(0.5);
  const auto calc_error = [&](double tolerance) {
    return run(*make(problem, {.tolerance = tolerance, .until = 20}), problem, 20);
  };
  const double decades = std::log10(calc_error(1e-5) / calc_error(1e-9));
  // of order p the global error goes with h^p; the local one that is judged with h^(p + 1), or, where a pair
  // of explicit methods goes on with the better solution, with h^p: then the slope is 1. Multistep methods
  // change their order on the way, which plays for one decade and a half
  const int order = GetParam().order;
  const double slope = order < 4 && GetParam().solves_constraints ? order / (order + 1.) : 1;
  EXPECT_GT(decades, order < 4 ? 3.5 * slope : 2.4);
  EXPECT_LT(decades, order < 4 ? 4.5 * slope : 5.2);
}

TEST_P(EveryIntegrator, KeepsQuaternionsUnitAndAccurate) {
  problems::FreeTop problem;
  const auto integrator = make(problem, make_options(1e-9, 10));
  Eigen::VectorXd y = integrator->y();
  while (integrator->t() < 10) {
    const StepReport report = integrator->step(10);
    ASSERT_EQ(report.outcome, Outcome::kOk) << report.message;
    // machine: rounding of a normalisation
    EXPECT_NEAR(integrator->y().head(4).norm(), 1, 4e-16);
    integrator->interpolate((report.t0 + report.t1) / 2, y);
    EXPECT_NEAR(y.head(4).norm(), 1, 4e-16);
    EXPECT_LT((integrator->y() - problem.calc_exact(report.t1)).norm(), kGlobalFactor * 1e-9);
  }
}

TEST_P(EveryIntegrator, HitsTheLimitExactly) {
  problems::Oscillator problem;
  const auto integrator = make(problem, make_options(1e-6, 10));
  for (const double limit : {1. / 3, 0.7, 0.7 + 1e-15, 0.7 + 1e-9, 2.1, 10.}) {
    double before = integrator->t();
    while (integrator->t() < limit) {
      const StepReport report = integrator->step(limit);
      ASSERT_EQ(report.outcome, Outcome::kOk) << report.message;
      EXPECT_EQ(report.t0, before);
      EXPECT_EQ(report.t1, integrator->t());
      EXPECT_GT(report.t1, before);
      before = report.t1;
    }
    EXPECT_EQ(integrator->t(), limit);
    EXPECT_LT((integrator->y() - problem.calc_exact(limit)).norm(), kGlobalFactor * 1e-6);
  }
}

TEST_P(EveryIntegrator, StaysWhereItIsIfTheLimitIsReached) {
  problems::Oscillator problem;
  const auto integrator = make(problem, make_options(1e-6, 1));
  ASSERT_LT(run(*integrator, problem, 1), 1e-3);
  const StepReport report = integrator->step(1);
  EXPECT_EQ(report.outcome, Outcome::kOk);
  EXPECT_EQ(report.t0, 1);
  EXPECT_EQ(report.t1, 1);
}

TEST_P(EveryIntegrator, InterpolatesTheEndsExactly) {
  problems::Kepler problem;
  const auto integrator = make(problem, make_options(1e-6, 3));
  Eigen::VectorXd before = integrator->y(), y = before;
  while (integrator->t() < 3) {
    const StepReport report = integrator->step(3);
    integrator->interpolate(report.t0, y);
    EXPECT_EQ(y, before);
    integrator->interpolate(report.t1, y);
    EXPECT_EQ(y, integrator->y());
    before = integrator->y();
  }
}

TEST_P(EveryIntegrator, DoesNotDependOnTheUnitOfLength) {
  const double unit = std::ldexp(1., 20);
  problems::ElasticPendulum metres(1), scaled(unit);
  const auto a = make(metres, make_options(1e-7, 5)), b = make(scaled, make_options(1e-7, 5));
  const Eigen::Vector4d units(1, unit, 1, unit);
  while (a->t() < 5) {
    ASSERT_EQ(a->step(5).outcome, Outcome::kOk);
    ASSERT_EQ(b->step(5).outcome, Outcome::kOk);
    ASSERT_EQ(a->t(), b->t());
    ASSERT_EQ(a->y().cwiseProduct(units), b->y());  // the same bits: powers of two
  }
  EXPECT_EQ(a->counters().evaluations, b->counters().evaluations);
}

TEST_P(EveryIntegrator, MovesAlikeWithAndWithoutWorkStates) {
  problems::Oscillator with(1), without(0);
  const auto a = make(with, make_options(1e-6, 10)), b = make(without, make_options(1e-6, 10));
  while (a->t() < 10) {
    ASSERT_EQ(a->step(10).outcome, Outcome::kOk);
    ASSERT_EQ(b->step(10).outcome, Outcome::kOk);
    ASSERT_EQ(a->t(), b->t());
    ASSERT_EQ(a->y().head(2), b->y());
  }
}

TEST_P(EveryIntegrator, BeginsAgainAsIfNew) {
  problems::Kepler problem;
  const auto used = make(problem, make_options(1e-8, 5)), fresh = make(problem, make_options(1e-8, 5));
  ASSERT_LT(run(*used, problem, 2), 1e-4);
  used->start(1, problem.calc_exact(1));
  fresh->start(1, problem.calc_exact(1));
  while (fresh->t() < 5) {
    ASSERT_EQ(used->step(5).outcome, Outcome::kOk);
    ASSERT_EQ(fresh->step(5).outcome, Outcome::kOk);
    ASSERT_EQ(used->t(), fresh->t());
    ASSERT_EQ(used->y(), fresh->y());
  }
}

TEST_P(EveryIntegrator, ReportsSingularEquations) {
  problems::Ending problem(Status::kSingular);
  const auto integrator = make(problem, make_options(1e-6, 3));
  StepReport report;
  while (report.outcome == Outcome::kOk && integrator->t() < 3) report = integrator->step(3);
  ASSERT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_THAT(report.message, HasSubstr("are singular at t = 1"));
  EXPECT_THAT(report.message, HasSubstr("the hinge is stretched"));
  // the last good state: an adaptive method comes close to the singular one, a fixed step to the multiple
  // before it
  EXPECT_LE(integrator->t(), 1);
  const double before =
      GetParam().steps == StepChoice::kAdaptive ? 1e-9 : make_options(1e-6, 3).step + 1e-12;  // machine
  EXPECT_GT(integrator->t(), 1 - before);
  EXPECT_NEAR(integrator->y()[0], integrator->t(), 1e-14);  // machine
}

TEST_P(EveryIntegrator, ReportsValuesThatAreNotFinite) {
  problems::Ending problem(Status::kOk);  // says that all is well, and gives NaN
  const auto integrator = make(problem, make_options(1e-6, 3));
  StepReport report;
  while (report.outcome == Outcome::kOk && integrator->t() < 3) report = integrator->step(3);
  ASSERT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_THAT(report.message, HasSubstr("t = "));
  EXPECT_THAT(report.message, HasSubstr("not finite"));
  EXPECT_LE(integrator->t(), 1);
  EXPECT_TRUE(integrator->y().allFinite());
}

TEST_P(EveryIntegrator, ReportsEquationsThatAreSingularAtTheStart) {
  problems::Ending problem(Status::kSingular);
  const auto integrator = GetParam().make(problem, make_options(1e-6, 5));
  integrator->start(2, problem.calc_exact(2));
  const StepReport report = integrator->step(5);
  ASSERT_EQ(report.outcome, Outcome::kFailed);
  EXPECT_THAT(report.message, HasSubstr("t = 2 s: "));
  EXPECT_THAT(report.message, HasSubstr("the hinge is stretched"));
  EXPECT_EQ(integrator->t(), 2);
}

TEST_P(EveryIntegrator, PrintsNothing) {
  problems::Ending problem(Status::kSingular);
  const auto integrator = make(problem, make_options(1e-6, 3));
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  StepReport report;
  while (report.outcome == Outcome::kOk && integrator->t() < 3) report = integrator->step(3);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(EveryIntegrator, IntegratesWorkWhereAllMotionIsPrescribed) {
  problems::Prescribed problem(2);
  const auto integrator = make(problem, make_options(1e-8, 10));
  EXPECT_LT(run(*integrator, problem, 10), kGlobalFactor * 1e-8);
}

TEST_P(EveryIntegrator, RunsWhereNothingIsToBeIntegrated) {
  problems::Prescribed problem(0);
  const auto integrator = make(problem, make_options(1e-8, 10));
  EXPECT_EQ(run(*integrator, problem, 10), 0);
  EXPECT_EQ(integrator->t(), 10);
}

TEST_P(EveryIntegrator, CountsWhatItDoes) {
  problems::Oscillator problem;
  const auto integrator = make(problem, make_options(1e-6, 10));
  long steps = 0;
  for (; integrator->t() < 10; ++steps) ASSERT_EQ(integrator->step(10).outcome, Outcome::kOk);
  EXPECT_EQ(integrator->counters().steps, steps);
  EXPECT_GE(integrator->counters().evaluations, steps);
  EXPECT_GE(integrator->counters().rejected, 0);
}

TEST_P(EveryIntegrator, NamesItsSourceInTheBibliography) {
  std::ifstream file(source_path("docs/references.bib"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("{" + std::string(GetParam().source) + ","));
}

TEST(Registry, FindsMethodsByName) {
  ASSERT_NE(find_integrator("dop853"), nullptr);
  EXPECT_EQ(find_integrator("dop853")->order, 8);
  EXPECT_EQ(find_integrator("ode45"), nullptr);
  EXPECT_EQ(find_integrator(""), nullptr);
}

}  // namespace

}  // namespace haltere
