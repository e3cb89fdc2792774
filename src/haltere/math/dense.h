#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

/// Decompositions of dense matrices. Eigen's templates for them take most of the build where every file
/// compiles its own: here they are compiled once.
namespace haltere {

// -- systems that may have no solution, or many. What is below `part` of the largest counts as nothing.

/// The null space of A: orthonormal directions x with A x = 0.
/// Singular values below `part` of the largest count as zero, or of
/// `size`, where that is larger: A may be nothing but rounding.
Eigen::MatrixXd calc_kernel(const Eigen::MatrixXd& A, double part, double size = 0);

/// The least X that comes nearest to A X = B.
Eigen::MatrixXd solve_least(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double part);

/// The same for one right-hand side: quicker, and rounded otherwise.
Eigen::VectorXd solve_least_vector(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double part);

// -- rows

/// The length of a row; 0 where the matrix has no columns, and so no memory that a row could lie in.
inline double calc_row_norm(const Eigen::MatrixXd& A, Eigen::Index row) {
  return A.cols() == 0 ? 0 : A.row(row).norm();
}

// -- singular values

struct SingularValues {
  Eigen::VectorXd values;  // descending
  Eigen::MatrixXd V;       // their directions among the columns of A, one column each
};
SingularValues calc_singular_directions(const Eigen::MatrixXd& A);
Eigen::VectorXd calc_singular_values(const Eigen::MatrixXd& A);

// -- directions that columns span

/// Columns in the order in which each adds most to those before; the first `rank` add more than `part`.
struct ColumnOrder {
  int rank = 0;
  std::vector<int> columns;
};
ColumnOrder order_columns(const Eigen::MatrixXd& A, double part);

/// Orthonormal directions that the columns of A span.
Eigen::MatrixXd calc_range(const Eigen::MatrixXd& A, double part);

/// The square Q of A = Q R: its first columns span those of A, the others are what lies beside them.
Eigen::MatrixXd calc_orthogonal(const Eigen::MatrixXd& A);

/// R of A = Q R: what least squares are told by the rows of A.
Eigen::MatrixXd calc_triangle(const Eigen::MatrixXd& A);

// -- eigenvalues

struct Eigensystem {
  bool exists = false;  // else both are empty: the iteration does not end
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
};
Eigensystem calc_eigensystem(const Eigen::MatrixXd& A);
Eigen::VectorXcd calc_eigenvalues(const Eigen::MatrixXd& A);
Eigen::Vector3d calc_symmetric_eigenvalues(const Eigen::Matrix3d& A);  // ascending

// -- quotients

struct ScaledInverse {
  double log_size = 0;  // log |det A|
  Eigen::MatrixXd matrix;
};
ScaledInverse calc_scaled_inverse(const Eigen::MatrixXd& A);

/// B A^-1
Eigen::MatrixXd divide_right(const Eigen::MatrixXd& B, const Eigen::MatrixXd& A);

// -- systems with one solution

/// Factors of a square matrix that are used more than once.
class DenseLu {
 public:
  DenseLu();
  ~DenseLu();
  DenseLu(const DenseLu& other);
  DenseLu& operator=(const DenseLu& other);
  void factor(const Eigen::MatrixXd& A);
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  void solve(Eigen::Ref<const Eigen::VectorXd> b, Eigen::Ref<Eigen::VectorXd> x) const;  // asks for no memory

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// -- functions

/// exp(A)
Eigen::MatrixXd calc_exponential(const Eigen::MatrixXd& A);

}  // namespace haltere
