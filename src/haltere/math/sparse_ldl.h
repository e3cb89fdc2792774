#pragma once

#include <Eigen/SparseCholesky>

namespace haltere {

/// L D L^T of a sparse symmetric matrix, its upper triangle in the order of elimination. factorize() and
/// vectorD() of Eigen take memory from the heap at every call: these do not.
struct SparseLdl
    : Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::NaturalOrdering<int>> {
  void refactor(const Eigen::SparseMatrix<double>& K) { this->template factorize_preordered<true>(K); }
  const Eigen::VectorXd& pivots() const { return this->m_diag; }
};

}  // namespace haltere
