#pragma once

#include <string>

#include <Eigen/Core>

namespace haltere {

/// The linear feedback u = -K x that makes the integral of x^T Q x + u^T R u least, for dx/dt = A x + B u.
struct LinearRegulator {
  std::string failure;  // why there is none; empty: it was found
  Eigen::MatrixXd K;
  Eigen::MatrixXd P;             // cost from x: x^T P x
  Eigen::VectorXcd eigenvalues;  // of A - B K
  double residual = 0;           // of A^T P + P A - P B R^-1 B^T P + Q, of its largest term
  // -- directions of x that are left alone:
  int n_unseen = 0;     // Q never sees them
  int n_unreached = 0;  // u never reaches them, and they do not grow
};

/// What Q never sees, now or later, costs nothing and is left alone; so is what u never reaches, and its cost
/// is not counted: the feedback keeps all else where that lets it rest. On the rest the stable subspace of
/// the Hamiltonian matrix comes from its sign function [roberts1980].
LinearRegulator calc_regulator(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, const Eigen::MatrixXd& Q,
                               const Eigen::MatrixXd& R);

}  // namespace haltere
