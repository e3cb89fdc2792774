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

Eigen::MatrixXcd solve_square(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) {
  return Eigen::PartialPivLU<Eigen::MatrixXcd>(A).solve(B);
}

}  // namespace haltere
