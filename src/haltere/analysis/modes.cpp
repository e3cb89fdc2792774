#include "haltere/analysis/modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "haltere/math/complex_dense.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// roundings of an eigenvalue, in units of its condition; how many of them is a choice
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kRoundings = 16;
// of a state of the model, against the motion that goes with it, in scales: less is none; a choice
constexpr double kStill = 1e-12;

/// A power of two near the fastest rate, by which velocities are divided: F becomes a matrix of rates.
double calc_rate_unit(const Matrix& F, Eigen::Index nx, Eigen::Index nv) {
  if (nx == 0 || nv == 0) return 1;
  const double rate = std::max({std::sqrt(F.block(nx, 0, nv, nx).norm()), F.block(nx, nx, nv, nv).norm(),
                                F.topLeftCorner(nx, nx).norm(), 1e-100});
  return std::exp2(std::round(std::log2(rate)));
}

/// A power of two for a state of the model: it then weighs as much on the others as they do on it.
double calc_state_unit(const Matrix& F, Eigen::Index i) {
  Vector by_others = F.row(i), on_others = F.col(i);
  by_others[i] = on_others[i] = 0;
  const double by = by_others.norm(), on = on_others.norm();
  if (!(by > 0)) return on > 0 ? std::exp2(std::round(-std::log2(on))) : 1;
  return std::exp2(std::round(on > 0 ? std::log2(by / on) / 2 : std::log2(by)));
}

/// Orthonormal directions beside those of Q1.
Matrix calc_complement(const Matrix& Q1) {
  const Eigen::Index n = Q1.rows(), k = Q1.cols();
  if (k == 0) return Matrix::Identity(n, n);
  return calc_orthogonal(Q1).rightCols(n - k);
}

}  // namespace

void set_shape(const Linearization& l, const Eigen::VectorXcd& z, Eigenmode* mode) {
  mode->dq = l.X * z;
  mode->dv = l.V * z;
  const double moves = std::max(mode->dq.norm(), mode->dv.norm());
  const Eigen::VectorXcd states = z.tail(l.n_states);
  if (states.size() > 0 && moves <= kStill * states.norm()) {  // a state by itself
    Eigen::Index first = 0;
    states.cwiseAbs().maxCoeff(&first);
    mode->dx = states / states[first];
    mode->dq.setZero();
    mode->dv.setZero();
    return;
  }
  const auto& leader =
      mode->dq.size() > 0 && mode->dq.norm() > 1e-6 * mode->dv.norm() / (1 + std::abs(mode->eigenvalue))
          ? mode->dq
          : mode->dv;
  Eigen::Index largest = 0;
  if (leader.size() == 0 || !(leader.cwiseAbs().maxCoeff(&largest) > 0)) return;
  const std::complex<double> unit = leader[largest];
  mode->dq /= unit;
  mode->dv /= unit;
}

double Eigenmode::frequency() const {
  return std::abs(eigenvalue.imag()) / (2 * std::numbers::pi);
}

double Eigenmode::damping() const {
  const double size = std::abs(eigenvalue);
  return size > 0 ? -eigenvalue.real() / size : 0;
}

double Eigenmode::time() const {
  if (!grows() && !decays()) return std::numeric_limits<double>::infinity();
  return std::numbers::ln2 / std::abs(eigenvalue.real());
}

int ModeSet::count_growing() const {
  int count = 0;
  for (const Eigenmode& mode : modes)
    if (mode.grows()) count += mode.is_oscillation() ? 2 : 1;
  return count;
}

bool ModeSet::is_stable() const {
  return std::all_of(modes.begin(), modes.end(),
                     [](const Eigenmode& mode) { return mode.is_neutral || mode.decays(); });
}

/// Eigenvalues of F without the directions that are neutral by symmetry, which would be multiple zeros.
ModeSet calc_modes(const Linearization& l) {
  ModeSet set;
  const Eigen::Index size = l.F.rows(), nx = l.n_positions, nv = size - nx - l.n_states;
  const double unit = calc_rate_unit(l.F, nx, nv);
  Vector units = Vector::Ones(size);
  units.segment(nx, nv).setConstant(unit);
  for (Eigen::Index i = nx + nv; i < size; ++i)
    units[i] = calc_state_unit(units.cwiseInverse().asDiagonal() * l.F * units.asDiagonal(), i);
  const Matrix F = units.cwiseInverse().asDiagonal() * l.F * units.asDiagonal();
  Matrix neutral = units.cwiseInverse().asDiagonal() * l.neutral;
  if (neutral.cols() > 0) neutral = calc_orthogonal(neutral).leftCols(neutral.cols()).eval();
  const Matrix Q = calc_complement(neutral);
  set.n_symmetric = static_cast<int>(neutral.cols());
  if (Q.cols() == 0) return set;
  const Matrix reduced = Q.transpose() * F * Q;
  const Eigensystem system = calc_eigensystem(reduced);
  if (!system.exists)
    throw RunError(
        "the matrix of the small motions has no eigenvalues that doubles can hold\n  try: units in which the "
        "numbers of the model are nearer to 1");
  const Eigen::MatrixXcd& vectors = system.vectors;
  const Eigen::MatrixXcd left = calc_inverse(vectors).matrix;
  const auto n_near_zero =
      (system.values.cwiseAbs().array() <= kRoundings * std::cbrt(kEpsilon) * reduced.norm()).count();
  for (Eigen::Index i = 0; i < reduced.cols(); ++i) {
    Eigenmode mode;
    mode.eigenvalue = system.values[i];
    const double rounding = kRoundings * kEpsilon * left.row(i).norm() * vectors.col(i).norm();
    // of a double zero rounding makes its root, of a triple one its third root
    const double most = kRoundings * (n_near_zero > 2 ? std::cbrt(kEpsilon) : std::sqrt(kEpsilon));
    const bool is_lost = !(rounding < kRoundings * std::sqrt(kEpsilon));
    mode.accuracy = reduced.norm() * (is_lost ? most : rounding);
    mode.is_neutral = std::abs(mode.eigenvalue) <= mode.accuracy;
    if (mode.is_neutral) mode.eigenvalue = 0;
    if (mode.eigenvalue.imag() < 0) continue;
    set_shape(l, units.asDiagonal() * (Q * vectors.col(i)), &mode);
    set.modes.push_back(std::move(mode));
  }
  sort_modes(&set.modes);
  return set;
}

void sort_modes(std::vector<Eigenmode>* modes) {
  std::stable_sort(modes->begin(), modes->end(), [](const Eigenmode& a, const Eigenmode& b) {
    if (a.is_neutral != b.is_neutral) return b.is_neutral;
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
}

std::vector<ShapePart> describe_shape(const Linearization& l, const Eigenmode& mode, double least_share) {
  const bool moves = mode.dq.size() > 0 && mode.dq.cwiseAbs().maxCoeff() > 0.5;
  const bool remembers = mode.dx.size() > 0;
  const Eigen::VectorXcd& shape = remembers ? mode.dx : moves ? mode.dq : mode.dv;
  const std::vector<std::string>& names = remembers ? l.model_states : moves ? l.positions : l.velocities;
  const double sum = shape.squaredNorm();
  std::vector<ShapePart> parts;
  for (Eigen::Index i = 0; i < shape.size(); ++i) {
    const double share = std::norm(shape[i]) / sum;
    if (share >= least_share) parts.push_back({names[i], share, std::arg(shape[i])});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ShapePart& a, const ShapePart& b) { return a.share > b.share; });
  return parts;
}

}  // namespace haltere
