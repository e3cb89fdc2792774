#include "haltere/analysis/riccati.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Cholesky>

#include "haltere/math/complex_dense.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;

// Against loops without end: the iteration for the sign doubles its digits once it is near, balancing ends
// when nothing changes, Newton's steps when the residual does not fall.
constexpr int kMostIterations = 100;
constexpr int kMostSweeps = 30;
constexpr int kMostRefinements = 5;
// of the norm of the matrix: a change that is rounding
constexpr double kConverged = 1e-14;
// of the largest singular value: what counts as nothing; a choice far above rounding
constexpr double kUnseen = 1e-10;
// part of the size of A that counts as growth: double eigenvalues of zero come out as the root of rounding,
// 1e-8 (with room)
constexpr double kGrows = 1e-6;
// largest relative residual of an answer: half of the digits; a choice
constexpr double kSolved = 1e-8;

/// Orthonormal directions that rows see, now or later: those of (rows A^k).
Matrix find_seen(const Matrix& A, Matrix rows) {
  const Eigen::Index n = A.rows();
  const double size = std::max(A.norm(), 1e-100);
  rows /= std::max(rows.norm(), 1e-100);
  Matrix seen(0, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    Matrix all(seen.rows() + rows.rows(), n);
    all << seen, rows;
    const Matrix unseen = calc_kernel(all, kUnseen);
    const Matrix next = calc_kernel(unseen.transpose(), kUnseen).transpose();
    if (next.rows() == seen.rows()) break;
    seen = next;
    rows = seen * A / size;
  }
  return seen.transpose();
}

/// sign(H) by Newton's iteration with the scaling of the determinant; empty where H has an eigenvalue on the
/// imaginary axis.
Matrix calc_sign(Matrix H) {
  const auto n = static_cast<double>(H.rows());
  for (int i = 0; i < kMostIterations; ++i) {
    const ScaledInverse inverse = calc_scaled_inverse(H);
    const double scale = std::exp(-inverse.log_size / n);
    if (!std::isfinite(scale) || !(scale > 0)) return {};
    const Matrix next = (scale * H + inverse.matrix / scale) / 2;
    const double change = (next - H).norm();
    if (!next.allFinite()) return {};
    H = next;
    if (change <= kConverged * H.norm()) return H;
  }
  const double left = (H * H - Matrix::Identity(H.rows(), H.cols())).norm();
  return left < 1e-6 * H.norm() ? H : Matrix();
}

/// Units of x (powers of two) in which rows and columns of A are of one size. [osborne1960]
Eigen::VectorXd find_units(Matrix A) {
  Eigen::VectorXd units = Eigen::VectorXd::Ones(A.rows());
  A.diagonal().setZero();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool changed = false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double row = A.row(i).norm(), column = A.col(i).norm();
      if (!(row > 0 && column > 0)) continue;
      const double unit = std::exp2(std::round(std::log2(row / column) / 2));
      changed |= unit != 1;
      A.col(i) *= unit;
      A.row(i) /= unit;
      units[i] *= unit;
    }
    if (!changed) break;
  }
  return units;
}

/// The Riccati equation A^T P + P A - P G P + Q = 0 and an answer to it.
struct Riccati {
  Matrix A, G, Q;
  Matrix P{};

  Matrix calc_residual() const { return A.transpose() * P + P * A - P * G * P + Q; }
  double measure() const {
    const Matrix linear = A.transpose() * P + P * A;
    return calc_residual().norm() / std::max({linear.norm(), (P * G * P).norm(), Q.norm()});
  }
  void refine();
};

/// Newton's step, A'^T dP + dP A' = -residual for the closed loop A', in the eigenvectors of A'.
///                                                                                             [kleinman1968]
void Riccati::refine() {
  for (int i = 0; i < kMostRefinements; ++i) {
    const Eigensystem closed = calc_eigensystem(Matrix(A - G * P));
    if (!closed.exists) return;
    const Eigen::MatrixXcd& V = closed.vectors;
    Eigen::MatrixXcd X = V.transpose() * calc_residual() * V;
    for (Eigen::Index k = 0; k < X.cols(); ++k)
      for (Eigen::Index j = 0; j < X.rows(); ++j) X(j, k) /= -(closed.values[j] + closed.values[k]);
    const Matrix change = divide_both_sides(X, V).real();
    const double before = measure();
    const Matrix kept = P;
    P += (change + change.transpose()) / 2;
    if (!(measure() < before)) {
      P = kept;
      return;
    }
  }
}

/// x = to z, and z = from x where z has the directions that count.
struct Part {
  Matrix to, from;
  Eigen::Index n() const { return to.cols(); }
};

/// Of a part, what u reaches; the rest, b, goes its own way and does not grow. There z = R (a + Y b) + N b,
/// with Y such that a does not notice b:  A11 Y - Y A22 + A12 = 0.
std::string take_reached(const Matrix& A, const Matrix& B, Part* part) {
  const Matrix As = part->from * A * part->to;
  const Matrix R = find_seen(As.transpose(), (part->from * B).transpose());
  if (R.cols() == part->n()) return "";
  const Matrix N = calc_kernel(R.transpose(), kUnseen);
  const Matrix A22 = N.transpose() * As * N;
  if (calc_eigenvalues(A22).real().maxCoeff() > kGrows * As.norm())
    return "no feedback makes this stable: something grows by itself and is not reached by the inputs";
  const Matrix A11 = R.transpose() * As * R, A12 = R.transpose() * As * N;
  const Eigen::Index r = R.cols(), k = N.cols();
  Matrix S = Matrix::Zero(r * k, r * k);
  for (Eigen::Index i = 0; i < k; ++i) {
    S.block(i * r, i * r, r, r) += A11;
    for (Eigen::Index j = 0; j < k; ++j) S.block(i * r, j * r, r, r).diagonal().array() -= A22(j, i);
  }
  const Eigen::VectorXd y = solve_least(S, -A12.reshaped(), kUnseen);
  if ((S * y + A12.reshaped()).norm() > kSolved * std::max(A12.norm(), As.norm()))
    return "no feedback makes this stable: something is driven without end by what the inputs do not reach";
  part->from = ((R.transpose() - y.reshaped(r, k) * N.transpose()) * part->from).eval();
  part->to = (part->to * R).eval();
  return "";
}

}  // namespace

LinearRegulator calc_regulator(const Matrix& A_given, const Matrix& B, const Matrix& Q, const Matrix& R) {
  LinearRegulator out;
  // entries that are rounding would have units of their own
  const double rounding = 1e-15 * (A_given.size() == 0 ? 0 : A_given.cwiseAbs().maxCoeff());
  const Matrix A = (A_given.array().abs() <= rounding).select(0, A_given);
  const Matrix seen = find_seen(A, Q);
  const Eigen::VectorXd units = find_units(seen.transpose() * A * seen);
  Part part{seen * units.asDiagonal(), units.cwiseInverse().asDiagonal() * seen.transpose()};
  out.n_unseen = static_cast<int>(A.rows() - part.n());
  out.failure = take_reached(A, B, &part);
  if (!out.failure.empty()) return out;
  const Eigen::Index n = part.n();
  out.n_unreached = static_cast<int>(A.rows() - n) - out.n_unseen;
  out.K = Matrix::Zero(B.cols(), A.rows());
  out.P = Matrix::Zero(A.rows(), A.rows());
  if (n > 0) {
    const Matrix Bs = part.from * B;
    Riccati riccati{part.from * A * part.to, Bs * R.llt().solve(Bs.transpose()),
                    part.to.transpose() * Q * part.to};
    // of one size, as A is by the units
    const double cost = std::sqrt(riccati.Q.norm() / riccati.G.norm());
    riccati.G *= cost;
    riccati.Q /= cost;
    Matrix H(2 * n, 2 * n);
    H << riccati.A, -riccati.G, -riccati.Q, -riccati.A.transpose();
    const Matrix sign = calc_sign(H);
    if (sign.size() > 0) {
      // (sign + 1) (1; P) = 0
      Matrix left(2 * n, n), right(2 * n, n);
      left << sign.topRightCorner(n, n), sign.bottomRightCorner(n, n) + Matrix::Identity(n, n);
      right << sign.topLeftCorner(n, n) + Matrix::Identity(n, n), sign.bottomLeftCorner(n, n);
      const Matrix P = solve_least(left, -right, 1e-15);
      riccati.P = (P + P.transpose()) / 2;
      riccati.refine();
      out.residual = riccati.measure();
    }
    if (sign.size() == 0 || !(out.residual < kSolved)) {
      out.failure = "no feedback makes this stable: something that Q sees is hardly reached by the inputs";
      return out;
    }
    out.P = cost * part.from.transpose() * riccati.P * part.from;
    out.K = R.llt().solve(B.transpose() * out.P);
  }
  out.eigenvalues = calc_eigenvalues(A - B * out.K);
  return out;
}

}  // namespace haltere
