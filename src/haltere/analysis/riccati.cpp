#include "haltere/analysis/riccati.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "haltere/analysis/least.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr int kMostIterations = 100;
constexpr double kConverged = 1e-14;
// part of the largest that counts as nothing
constexpr double kUnseen = 1e-10;
// largest relative residual of an answer
constexpr double kSolved = 1e-8;

/// Orthonormal directions that Q sees, now or later: the rows of Q A^k.
Matrix find_seen(const Matrix& A, const Matrix& Q) {
  const Eigen::Index n = A.rows();
  const double size = std::max(A.norm(), 1e-100);
  Matrix seen(0, n), rows = Q / std::max(Q.norm(), 1e-100);
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
    const Eigen::PartialPivLU<Matrix> lu(H);
    double log_size = 0;
    for (Eigen::Index k = 0; k < H.rows(); ++k) log_size += std::log(std::abs(lu.matrixLU()(k, k)));
    const double scale = std::exp(-log_size / n);
    if (!std::isfinite(scale) || !(scale > 0)) return {};
    const Matrix next = (scale * H + lu.inverse() / scale) / 2;
    const double change = (next - H).norm();
    if (!next.allFinite()) return {};
    H = next;
    if (change <= kConverged * H.norm()) return H;
  }
  const double left = (H * H - Matrix::Identity(H.rows(), H.cols())).norm();
  return left < 1e-6 * H.norm() ? H : Matrix();
}

}  // namespace

LinearRegulator calc_regulator(const Matrix& A, const Matrix& B, const Matrix& Q, const Matrix& R) {
  LinearRegulator out;
  const Eigen::Index all = A.rows();
  const Matrix seen = find_seen(A, Q);
  const Eigen::Index n = seen.cols();
  out.n_unseen = static_cast<int>(all - n);
  out.K = Matrix::Zero(B.cols(), all);
  out.P = Matrix::Zero(all, all);
  const Matrix As = seen.transpose() * A * seen, Bs = seen.transpose() * B, Qs = seen.transpose() * Q * seen;
  const Matrix G = Bs * R.llt().solve(Bs.transpose());
  if (n > 0) {
    Matrix H(2 * n, 2 * n);
    H << As, -G, -Qs, -As.transpose();
    const Matrix sign = calc_sign(H);
    if (sign.size() == 0) {
      out.failure = "no feedback makes this stable: something that Q sees is not reached by the inputs";
      return out;
    }
    // (sign + 1) (1; P) = 0
    Matrix left(2 * n, n), right(2 * n, n);
    left << sign.topRightCorner(n, n), sign.bottomRightCorner(n, n) + Matrix::Identity(n, n);
    right << sign.topLeftCorner(n, n) + Matrix::Identity(n, n), sign.bottomLeftCorner(n, n);
    Matrix P = solve_least(left, -right, 1e-15);
    P = ((P + P.transpose()) / 2).eval();
    const Matrix terms = As.transpose() * P + P * As, quadratic = P * G * P;
    out.residual = (terms - quadratic + Qs).norm() / std::max({terms.norm(), quadratic.norm(), Qs.norm()});
    if (!(out.residual < kSolved)) {
      out.failure = "no feedback makes this stable: something that Q sees is hardly reached by the inputs";
      return out;
    }
    out.P = seen * P * seen.transpose();
    out.K = R.llt().solve(Bs.transpose() * P) * seen.transpose();
  }
  out.eigenvalues = (A - B * out.K).eigenvalues();
  return out;
}

}  // namespace haltere
