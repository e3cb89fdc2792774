#include "haltere/math/semidefinite.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "tolerance.h"

namespace haltere {
namespace {

/// Blocks along a chain: each knows its neighbours. A row is repeated, with another length.
Eigen::MatrixXd make_chain(int n) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = 2 + std::sin(i);
    if (i > 0) A(i, i - 1) = std::cos(3 * i);
  }
  A.row(n / 2) = 4 * A.row(n / 2 - 1);
  return A * A.transpose();
}

Eigen::VectorXd solve(const Eigen::MatrixXd& P, const Eigen::SparseMatrix<double>& pattern,
                      const Eigen::VectorXd& r) {
  Eigen::SparseMatrix<double> sparse = pattern;
  for (int j = 0; j < pattern.cols(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(sparse, j); it; ++it) it.valueRef() = P(it.row(), j);
  SemidefiniteSolver solver;
  solver.analyze(pattern);
  solver.factor(sparse, P.diagonal());
  Eigen::VectorXd x = r;
  solver.solve(x);
  return x;
}

Eigen::SparseMatrix<double> make_pattern(const Eigen::MatrixXd& P, bool full) {
  return Eigen::MatrixXd(full ? Eigen::MatrixXd(Eigen::MatrixXd::Ones(P.rows(), P.cols()))
                              : Eigen::MatrixXd((P.array() != 0).cast<double>()))
      .sparseView();
}

// Shortest, in the scales of the rows, of all that come nearest to r.   (source: independent, a complete
// orthogonal decomposition of the scaled matrix)
TEST(SemidefiniteSolver, GivesTheShortestAnswerAlsoWhereRowsContradictEachOther) {
  const int n = 12;
  const Eigen::MatrixXd P = make_chain(n);
  const Eigen::VectorXd d = P.diagonal().cwiseSqrt().cwiseInverse();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> exact;
  exact.setThreshold(1e-8);
  exact.compute(d.asDiagonal() * P * d.asDiagonal());
  ASSERT_EQ(exact.rank(), n - 1);
  Eigen::VectorXd w(n), off(n);
  for (int i = 0; i < n; ++i) {
    w[i] = std::sin(7 * i + 1);
    off[i] = 1e-6 * std::cos(5 * i + 2);  // not in the range of P
  }
  const Eigen::VectorXd r = P * w + off;
  const Eigen::VectorXd x = d.cwiseProduct(exact.solve(d.cwiseProduct(r)));
  for (const bool full : {false, true})
    // rounding: what is off is amplified by 6e6 first, and taken out again by factors with a condition of 1e6
    EXPECT_LT((solve(P, make_pattern(P, full), r) - x).norm(), 1e-8 * tolerance_scale() * x.norm()) << full;
}

TEST(SemidefiniteSolver, NamesOneOfTheRowsThatAreTheSame) {
  const int n = 12;
  const Eigen::MatrixXd P = make_chain(n);
  for (const bool full : {false, true}) {
    Eigen::SparseMatrix<double> sparse = make_pattern(P, full);
    for (int j = 0; j < n; ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator it(sparse, j); it; ++it) it.valueRef() = P(it.row(), j);
    SemidefiniteSolver solver;
    solver.analyze(sparse);
    solver.factor(sparse, P.diagonal());
    const std::vector<int> rows = solver.find_dependent();
    ASSERT_EQ(rows.size(), 1U) << full;
    EXPECT_TRUE(rows[0] == n / 2 || rows[0] == n / 2 - 1) << rows[0];
  }
}

}  // namespace
}  // namespace haltere
