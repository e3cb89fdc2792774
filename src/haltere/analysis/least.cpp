#include "haltere/analysis/least.h"

#include <algorithm>

#include <Eigen/QR>
#include <Eigen/SVD>

namespace haltere {

Eigen::MatrixXd calc_kernel(const Eigen::MatrixXd& A, double part, double size) {
  const Eigen::Index n = A.cols();
  if (A.rows() == 0 || n == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > part * std::max(s[0], size)) ++rank;
  return svd.matrixV().rightCols(n - rank);
}

Eigen::MatrixXd solve_least(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double part) {
  if (A.size() == 0) return Eigen::MatrixXd::Zero(A.cols(), B.cols());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(part);
  solver.compute(A);
  return solver.solve(B);
}

}  // namespace haltere
