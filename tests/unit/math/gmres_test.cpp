#include "haltere/math/gmres.h"

#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace haltere {
namespace {

constexpr int kSize = 40;
constexpr double kSolved = 1e-15;
constexpr double kRounding = 1e-13;  // machine: a system of condition 10 and size 40

struct SystemOfTwoParts {
  SystemOfTwoParts() {
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> number(-1, 1);
    matrix = Eigen::MatrixXd::NullaryExpr(kSize, kSize, [&] { return number(generator) / kSize; });
    matrix.diagonal().array() += 2;
    b = Eigen::VectorXd::NullaryExpr(kSize, [&] { return number(generator); });
    for (int k = 0; k < 2; ++k)
      inverses[k] = matrix.block(k * kSize / 2, k * kSize / 2, kSize / 2, kSize / 2).inverse();
  }
  Gmres::Operator multiply() const {
    return [this](const Gmres::ConstVector& from, Gmres::Vector to) { to = matrix * from; };
  }
  /// Solves each half by itself.
  Gmres::Operator divide() const {
    return [this](const Gmres::ConstVector& from, Gmres::Vector to) {
      to.head(kSize / 2) = inverses[0] * from.head(kSize / 2);
      to.tail(kSize / 2) = inverses[1] * from.tail(kSize / 2);
    };
  }

  Eigen::MatrixXd matrix, inverses[2];
  Eigen::VectorXd b;
};

TEST(Gmres, SolvesAsFactorsDo) {
  const SystemOfTwoParts system;
  const Eigen::VectorXd exact = system.matrix.partialPivLu().solve(system.b);  // independent: another method
  Gmres gmres;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(kSize);
  ASSERT_TRUE(gmres.solve(system.multiply(), system.divide(), system.b, kSolved, kSize, &x));
  EXPECT_LT((x - exact).norm(), kRounding * exact.norm());
  EXPECT_LT(gmres.steps(), kSize / 2);  // the halves all but solve it
}

TEST(Gmres, TakesOneStepWithTheInverseAndNoneFromTheSolution) {
  const SystemOfTwoParts system;
  const Gmres::Operator twice = [](const Gmres::ConstVector& from, Gmres::Vector to) { to = 2 * from; };
  const Gmres::Operator half = [](const Gmres::ConstVector& from, Gmres::Vector to) { to = from / 2; };
  Gmres gmres;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(kSize);
  ASSERT_TRUE(gmres.solve(twice, half, system.b, kSolved, kSize, &x));
  EXPECT_EQ(gmres.steps(), 1);
  x = system.b / 2;
  ASSERT_TRUE(gmres.solve(twice, half, system.b, kSolved, kSize, &x));
  EXPECT_EQ(gmres.steps(), 0);
  EXPECT_EQ(x, system.b / 2);
}

TEST(Gmres, SaysWhereItIsNotThereInSoManySteps) {
  const SystemOfTwoParts system;
  Gmres gmres;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(kSize);
  EXPECT_FALSE(gmres.solve(system.multiply(), system.divide(), system.b, kSolved, 2, &x));
}

TEST(Gmres, HasTheSameBitsWhateverItSolvedBefore) {
  const SystemOfTwoParts system;
  Gmres used, fresh;
  Eigen::VectorXd x = Eigen::VectorXd::Ones(kSize), y = x;
  ASSERT_TRUE(used.solve(system.multiply(), system.divide(), system.b.reverse(), kSolved, kSize, &x));
  x = y;
  ASSERT_TRUE(used.solve(system.multiply(), system.divide(), system.b, kSolved, kSize, &x));
  ASSERT_TRUE(fresh.solve(system.multiply(), system.divide(), system.b, kSolved, kSize, &y));
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace haltere
