#include "haltere/math/complex_dense.h"

#include <complex>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace haltere {

ComplexEigensystem calc_eigensystem(const Eigen::MatrixXcd& A) {
  if (!A.allFinite()) return {};
  const Eigen::ComplexEigenSolver<Eigen::MatrixXcd> solver(A);
  if (solver.info() != Eigen::Success) return {};
  return {true, solver.eigenvalues(), solver.eigenvectors()};
}

std::complex<double> calc_determinant(const Eigen::MatrixXcd& A) {
  return Eigen::PartialPivLU<Eigen::MatrixXcd>(A).determinant();
}

ComplexInverse calc_inverse(const Eigen::MatrixXcd& A) {
  const Eigen::FullPivLU<Eigen::MatrixXcd> lu(A);
  return {lu.isInvertible(), lu.inverse()};
}

Eigen::MatrixXcd solve_square(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) {
  return Eigen::PartialPivLU<Eigen::MatrixXcd>(A).solve(B);
}

Eigen::MatrixXcd divide_both_sides(const Eigen::MatrixXcd& X, const Eigen::MatrixXcd& V) {
  const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(Eigen::MatrixXcd(V.transpose()));
  const Eigen::MatrixXcd left = lu.solve(Eigen::MatrixXcd(X.transpose()));
  return lu.solve(Eigen::MatrixXcd(left.transpose()));
}

}  // namespace haltere
