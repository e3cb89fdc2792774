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

struct ComplexInverse {
  bool exists = false;  // else `matrix` is the inverse on what A reaches
  Eigen::MatrixXcd matrix;
};
ComplexInverse calc_inverse(const Eigen::MatrixXcd& A);

/// A^-1 B
Eigen::MatrixXcd solve_square(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B);

/// V^-T X V^-1
Eigen::MatrixXcd divide_both_sides(const Eigen::MatrixXcd& X, const Eigen::MatrixXcd& V);

}  // namespace haltere
