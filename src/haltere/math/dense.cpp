#include "haltere/math/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <unsupported/Eigen/MatrixFunctions>

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Eigen::ColPivHouseholderQR<Matrix> factor_pivoted(const Matrix& A, double part) {
  Eigen::ColPivHouseholderQR<Matrix> qr(A);
  qr.setThreshold(part);
  return qr;
}

template <class Right>
Right solve_orthogonal(const Matrix& A, const Right& B, double part) {
  if (A.size() == 0) return Right::Zero(A.cols(), B.cols());
  Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
  solver.setThreshold(part);
  solver.compute(A);
  return solver.solve(B);
}

}  // namespace

Matrix calc_kernel(const Matrix& A, double part, double size) {
  const Eigen::Index n = A.cols();
  if (A.rows() == 0 || n == 0) return Matrix::Identity(n, n);
  const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeFullV);
  const Vector& s = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > part * std::max(s[0], size)) ++rank;
  return svd.matrixV().rightCols(n - rank);
}

Matrix solve_least(const Matrix& A, const Matrix& B, double part) {
  return solve_orthogonal(A, B, part);
}

Vector solve_least_vector(const Matrix& A, const Vector& b, double part) {
  return solve_orthogonal(A, b, part);
}

SingularValues calc_singular_directions(const Matrix& A) {
  const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeThinV);
  return {svd.singularValues(), svd.matrixV()};
}

Vector calc_singular_values(const Matrix& A) {
  return Eigen::JacobiSVD<Matrix>(A).singularValues();
}

ColumnOrder order_columns(const Matrix& A, double part) {
  const auto qr = factor_pivoted(A, part);
  const auto& columns = qr.colsPermutation().indices();
  return {static_cast<int>(qr.rank()), {columns.begin(), columns.end()}};
}

Matrix calc_range(const Matrix& A, double part) {
  const auto qr = factor_pivoted(A, part);
  return Matrix(qr.householderQ()).leftCols(qr.rank());
}

Matrix calc_orthogonal(const Matrix& A) {
  return Eigen::HouseholderQR<Matrix>(A).householderQ();
}

Matrix calc_triangle(const Matrix& A) {
  const Eigen::HouseholderQR<Matrix> qr(A);
  return qr.matrixQR().topRows(std::min(A.rows(), A.cols())).triangularView<Eigen::Upper>();
}

Eigensystem calc_eigensystem(const Matrix& A) {
  const Eigen::EigenSolver<Matrix> solver(A);
  if (solver.info() != Eigen::Success) return {};
  return {true, solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd calc_eigenvalues(const Matrix& A) {
  return A.eigenvalues();
}

Eigen::Vector3d calc_symmetric_eigenvalues(const Eigen::Matrix3d& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(A).eigenvalues();
}

ScaledInverse calc_scaled_inverse(const Matrix& A) {
  const Eigen::PartialPivLU<Matrix> lu(A);
  double log_size = 0;
  for (Eigen::Index k = 0; k < A.rows(); ++k) log_size += std::log(std::abs(lu.matrixLU()(k, k)));
  return {log_size, lu.inverse()};
}

Matrix divide_right(const Matrix& B, const Matrix& A) {
  const double part = std::numeric_limits<double>::epsilon() * static_cast<double>(A.rows());
  return solve_least(A.transpose(), B.transpose(), part).transpose();
}

Matrix calc_exponential(const Matrix& A) {
  return A.exp();
}

struct DenseLu::Factors {
  Eigen::PartialPivLU<Matrix> lu;
};

DenseLu::DenseLu() : factors_(std::make_unique<Factors>()) {}
DenseLu::~DenseLu() = default;
DenseLu::DenseLu(const DenseLu& other) : factors_(std::make_unique<Factors>(*other.factors_)) {}
DenseLu& DenseLu::operator=(const DenseLu& other) {
  *factors_ = *other.factors_;
  return *this;
}

void DenseLu::factor(const Matrix& A) {
  factors_->lu.compute(A);
}

Eigen::VectorXd DenseLu::solve(const Eigen::VectorXd& b) const {
  return factors_->lu.solve(b);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void DenseLu::solve(Eigen::Ref<const Eigen::VectorXd> b, Eigen::Ref<Eigen::VectorXd> x) const {
  x.noalias() = factors_->lu.permutationP() * b;
  factors_->lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
  factors_->lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
}

}  // namespace haltere
