#include "haltere/integrate/step_control.h"

#include <cmath>

#include <gtest/gtest.h>

#include "unit/integrate/problems.h"

namespace haltere {

namespace {

TEST(ErrorNorm, MeasuresByValueAndScaleAndLeavesWorkOut) {
  problems::Oscillator problem(2);
  ErrorNorm norm(problem, 0.01);
  // y = (q, v, z, z); scale of q 1, of v max(|v|, sqrt(|vdot| 1), 1 / 10)
  norm.start(Eigen::Vector4d(3, 0.5, 7, 7), Eigen::Vector4d(0.5, -4, 0, 0), 10);
  const Eigen::Vector4d y(3, -0.5, 7, 7), error(0.08, 0.05, 1e9, 1e9);
  // by hand: 0.08 / (0.01 (3 + 1)) = 2, 0.05 / (0.01 (0.5 + 2)) = 2 (source: analytic); machine rounding
  EXPECT_NEAR(norm.calc(error, y, y), 2, 1e-14);
  norm.accept(Eigen::Vector4d(3, -4.5, 7, 7));
  // the scale of v is now 4.5: 0.05 / (0.01 (0.5 + 4.5)) = 1, and sqrt((4 + 1) / 2)
  EXPECT_NEAR(norm.calc(error, y, y), std::sqrt(2.5), 1e-14);
}

TEST(ErrorNorm, GivesAVelocityAtRestTheScaleOfTheWholeRun) {
  problems::Kepler problem(0.5, 4);  // lengths of 4
  ErrorNorm norm(problem, 1);
  norm.start(Eigen::Vector4d::Zero(), Eigen::Vector4d::Zero(), 8);
  EXPECT_DOUBLE_EQ(norm.calc_allowed(0, 0), 4);
  EXPECT_DOUBLE_EQ(norm.calc_allowed(2, 0), 4. / 8);
}

TEST(ErrorNorm, CountsWorkWhereNothingElseIsLeft) {
  problems::Prescribed problem(1);
  ErrorNorm norm(problem, 0.1);
  Eigen::VectorXd z = Eigen::VectorXd::Constant(1, 2), error = Eigen::VectorXd::Constant(1, 0.4);
  norm.start(z, z, 1);
  EXPECT_NEAR(norm.calc(error, z, z), 1, 1e-15);  // 0.4 / (0.1 (2 + 2))
}

TEST(ErrorNorm, MeasuresWorkThatHasYetToBeginByTheOthers) {
  problems::Prescribed problem(2);
  ErrorNorm norm(problem, 0.1);
  const Eigen::Vector2d z(2, 0), error(0, 0.2);
  norm.start(z, z, 1);
  EXPECT_NEAR(norm.calc(error, z, z), std::sqrt(0.5), 1e-15);  // 0.2 / (0.1 (0 + 2)), of two
}

// work begins at 0: nothing to measure it by but what its first power would make of it (a method that measures
// its second step by the work of the first, as CVODE would, finds none short enough)
TEST(ErrorNorm, GivesWorkThatBeginsTheScaleOfTheWholeRun) {
  problems::Prescribed problem(1);
  ErrorNorm norm(problem, 0.1);
  norm.start(Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, -3), 8);
  EXPECT_DOUBLE_EQ(norm.calc_allowed(0, 0), 0.1 * 3 * 8);
}

TEST(Controller, AcceptsWhatIsGoodEnough) {
  EXPECT_TRUE(Controller(5).decide(1, 1).accept);
  EXPECT_TRUE(Controller(5).decide(1, 0).accept);
  EXPECT_FALSE(Controller(5).decide(1, 1.0001).accept);
}

TEST(Controller, AimsAtTheAllowedError) {
  // an error of 2^5 of the allowed one, going with h^5: half the step, and some safety
  const Controller::Decision decision = Controller(5).decide(1, 32);
  EXPECT_FALSE(decision.accept);
  EXPECT_LT(decision.h, 0.55);
  EXPECT_GT(decision.h, 0.4);
}

TEST(Controller, NeverJumps) {
  EXPECT_EQ(Controller(5).decide(1, 0).h, 6);
  EXPECT_EQ(Controller(5).decide(1, 1e300).h, 0.2);
}

TEST(Controller, DoesNotLengthenAStepThatWasJustCut) {
  Controller controller(8);
  EXPECT_FALSE(controller.decide(1, 10).accept);
  EXPECT_LE(controller.decide(0.5, 1e-6).h, 0.5);
  EXPECT_GT(controller.decide(0.5, 1e-6).h, 0.5);
}

TEST(FirstStep, FollowsTheTimeScaleOfTheMotionNotTheUnitOfTime) {
  // q'' = -w^2 q for two frequencies: steps in the ratio of the periods, whatever a second is
  class Fast : public problems::Problem {
   public:
    explicit Fast(double w) : w_(w) {}
    Sizes sizes() const override { return {.nq = 1, .nv = 1}; }
    Eigen::VectorXd calc_scales() const override { return Eigen::VectorXd::Ones(2); }
    Status calc_ydot(double, ConstRef y, Ref ydot) override {
      ydot << y[1], -w_ * w_ * y[0];
      return Status::kOk;
    }
    Eigen::VectorXd calc_exact(double t) const override {
      return Eigen::Vector2d(std::cos(w_ * t), -w_ * std::sin(w_ * t));
    }
    double w_;
  };
  const auto calc = [](double w) {
    Fast problem(w);
    Evaluator evaluator(problem);
    ErrorNorm norm(problem, 1e-8);
    Eigen::VectorXd y(2), ydot(2), y1(2), ydot1(2);
    y << 1, w;
    evaluator.calc_ydot(0, y, ydot);
    norm.start(y, ydot, 1000 / w);
    return w * calc_first_step(evaluator, norm, 5, 0, y, ydot, y1, ydot1);
  };
  EXPECT_NEAR(calc(1e-6) / calc(1e6), 1, 1e-9);  // machine, through a root
  // of the order of the step that 1e-8 asks of a method of order 5: 1e-8^(1/6) = 0.05 radians
  EXPECT_GT(calc(1), 0.005);
  EXPECT_LT(calc(1), 0.5);
}

TEST(FirstStep, IsPartOfTheRunWhereNothingMoves) {
  problems::Prescribed problem(0);
  Evaluator evaluator(problem);
  ErrorNorm norm(problem, 1e-8);
  Eigen::VectorXd none(0), y1(0), ydot1(0);
  norm.start(none, none, 5);
  const double h = calc_first_step(evaluator, norm, 8, 0, none, none, y1, ydot1);
  EXPECT_GT(h, 0);
  EXPECT_LE(h, 5);
}

TEST(SmallestStep, ScalesWithTime) {
  EXPECT_LT(calc_smallest_step(0, 1e-6), 1e-20);
  EXPECT_GT(1e3 + calc_smallest_step(1e3, 1), 1e3);
}

}  // namespace

}  // namespace haltere
