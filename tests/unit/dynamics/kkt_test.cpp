#include "haltere/dynamics/absolute/kkt.h"

#include <memory>
#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "haltere/math/dense.h"

/// All expected values: the same system as one dense matrix, solved by Eigen           (source: independent)
namespace haltere {
namespace {

// rounding of a few dozen unknowns whose condition is some hundreds
constexpr double kRounding = 1e-12;

/// A tree of bodies with random symmetric inertias and random rows, and the same system in one dense matrix.
struct RandomSystem {
  explicit RandomSystem(unsigned seed) : generator(seed) {
    const std::vector<int> parents{0, 0, 1, 1, 3};
    for (int body = 1; body < 5; ++body) {
      BodyRows<double> rows{{parents[body]}, {body}, n_rows, 2 + body, {}, {}, {}, {}, {}, {}};
      rows.G_A = random(6, 6);
      rows.G_B = random(6, 6) + 3 * Eigen::MatrixXd::Identity(6, 6);
      n_rows += rows.n;
      joints.push_back(rows);
      const Eigen::MatrixXd half = random(6, 6);
      masses.emplace_back(half * half.transpose() + Eigen::MatrixXd::Identity(6, 6));
    }
  }
  Eigen::MatrixXd random(int rows, int columns) {
    std::uniform_real_distribution<double> number(-1, 1);
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return number(generator); });
  }
  Eigen::MatrixXd make_dense() const {
    const int nv = 6 * static_cast<int>(masses.size());
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(nv + n_rows, nv + n_rows);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      const auto at = 6 * static_cast<Eigen::Index>(i);
      K.block<6, 6>(at, at) = masses[i];
      const BodyRows<double>& rows = joints[i];
      for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
        if (body.value == 0) continue;
        K.block(nv + rows.start, 6 * (body.value - 1), rows.n, 6) = G->topRows(rows.n);
        K.block(6 * (body.value - 1), nv + rows.start, 6, rows.n) = G->topRows(rows.n).transpose();
      }
    }
    return K;
  }
  /// Sets everything and adds `added` to the last body.
  std::unique_ptr<Kkt> make(const Matrix6<double>& added) {
    auto kkt = std::make_unique<Kkt>(joints, std::vector<bool>(n_rows, true));
    kkt->set_thin(
        std::vector<MassProperties<double>>(5, {1, Vector3<double>::Zero(), Matrix3<double>::Identity()}), 1);
    for (int body = 1; body < 5; ++body) {
      kkt->set_body(body, masses[body - 1]);
      kkt->set_rows(body - 1, joints[body - 1]);
    }
    if (!added.isZero(0)) kkt->add_to_body(4, added);
    masses[3] += added;
    return kkt;
  }
  void expect_solution(Kkt* kkt) {
    Eigen::VectorXd bodies = random(24, 1), rows = random(n_rows, 1), b(24 + n_rows);
    b << bodies, rows;
    const Eigen::VectorXd x = solve_least_vector(make_dense(), b, 1e-14);
    kkt->solve(bodies, rows);
    const double size = x.lpNorm<Eigen::Infinity>();
    EXPECT_LE((bodies - x.head(24)).lpNorm<Eigen::Infinity>(), kRounding * size);
    EXPECT_LE((rows - x.tail(n_rows)).lpNorm<Eigen::Infinity>(), kRounding * size);
  }

  std::mt19937 generator;
  std::vector<BodyRows<double>> joints;
  std::vector<Matrix6<double>> masses;  // of bodies 1 ...
  int n_rows = 0;
};

TEST(Kkt, SolvesTheDenseSystem) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomSystem system(seed);
    const std::unique_ptr<Kkt> kkt = system.make(Matrix6<double>::Zero());
    ASSERT_TRUE(kkt->factor());
    EXPECT_FALSE(kkt->is_general());
    system.expect_solution(kkt.get());
  }
}

TEST(Kkt, SolvesTheDenseSystemWithAnUnsymmetricMatrixOnABody) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomSystem system(seed);
    const Matrix6<double> added = system.random(6, 6);
    const std::unique_ptr<Kkt> kkt = system.make(added);
    ASSERT_TRUE(kkt->factor());
    EXPECT_TRUE(kkt->is_general());
    system.expect_solution(kkt.get());
  }
}

// A body without mass that nothing holds has no accelerations.                             (source: analytic)
TEST(Kkt, RefusesWhatHasNoSolution) {
  RandomSystem system(1);
  system.masses[3].setZero();
  const std::unique_ptr<Kkt> massless = system.make(Matrix6<double>::Zero());
  system.joints[3].G_B.setZero();
  massless->set_rows(3, system.joints[3]);
  EXPECT_FALSE(massless->factor());
}

}  // namespace
}  // namespace haltere
