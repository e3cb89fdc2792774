#pragma once

#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "haltere/math/sparse_ldl.h"
#include "haltere/math/types.h"

namespace haltere {

/// Solves P x = r for a symmetric matrix that is not negative but may be singular: dependent constraint rows.
/// The least-squares solution of least norm, by Tikhonov's regularisation and iterative refinement:
/// theory.md (E19), (E20), [riley1955].
/// Rows are scaled to a unit diagonal, a small multiple of 1 is added, the answer is refined against P
/// itself, and what P does not feel is taken out of it: what P determines comes out to rounding, and x is the
/// shortest one, in the scales of the rows, that meets r as well as it can be met. `sizes`: of what was added
/// up in each diagonal entry, so that one which is all rounding is seen as such. P is sparse; where it is
/// full, or where fluids make it unsymmetric or not positive, the same is done with dense factors.
class SemidefiniteSolver {
 public:
  using Matrix = Eigen::SparseMatrix<double>;
  /// A pattern that is symmetric, with its diagonal, and stays.
  void analyze(const Matrix& P);
  void factor(const Matrix& P, const Eigen::VectorXd& sizes);
  void solve(Ref x);  // r in, x out
  /// Rows that depend on others, or almost so; after factor().
  int count_weak() const;
  /// Rows that depend on others, to rounding; after factor(), which must be called again.
  std::vector<int> find_dependent();

 private:
  bool is_full() const { return P_.nonZeros() == P_.rows() * P_.cols(); }
  void calc_scale(const Matrix& P, const Eigen::VectorXd& sizes);
  bool is_unsymmetric() const;
  bool factor_sparse(double added);
  void factor_dense();
  void divide(Eigen::VectorXd* x);  // by P + added
  void multiply_add(double factor, const Eigen::VectorXd& x,
                    Eigen::VectorXd* out) const;  // out += factor P x

  Matrix P_;                                // scaled
  Eigen::VectorXd scale_;                   // of rows
  Eigen::VectorXd strength_;                // diagonal entries of P in units of their sizes
  mutable Eigen::VectorXd pivots_;          // of rows
  std::vector<int> diagonal_, transposed_;  // entries of P_
  enum class Factors { kSparse, kDense, kGeneral };
  Factors factors_ = Factors::kSparse;

  std::vector<int> order_;   // of elimination
  Matrix upper_;             // P_ in this order
  std::vector<int> places_;  // of the entries of upper_ in P_
  std::vector<int> upper_diagonal_;
  SparseLdl sparse_;

  Eigen::MatrixXd dense_;
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::PartialPivLU<Eigen::MatrixXd> general_;
  Eigen::VectorXd r_, x_, dx_, other_;
};

}  // namespace haltere
