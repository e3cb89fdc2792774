#pragma once

#include <complex>

#include <Eigen/Core>

namespace haltere {

/// Eigenvalues of a complex matrix, with vectors of length one.
struct ComplexEigensystem {
  bool exists = false;  // else both are empty: the iteration does not end
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
ComplexEigensystem calc_eigensystem(const Eigen::MatrixXcd& A);

std::complex<double> calc_determinant(const Eigen::MatrixXcd& A);

/// A^-1 B
Eigen::MatrixXcd solve_square(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B);

}  // namespace haltere
