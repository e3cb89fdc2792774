#pragma once

#include <Eigen/Core>

/// Linear systems that may have no solution, or many.
namespace haltere {

/// Orthonormal directions x with A x = 0. What is below `part` of the largest singular value counts as zero,
/// or of `size`, where that is larger: A may be nothing but rounding.
Eigen::MatrixXd calc_kernel(const Eigen::MatrixXd& A, double part, double size = 0);

/// The least X that comes nearest to A X = B.
Eigen::MatrixXd solve_least(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double part);

}  // namespace haltere
