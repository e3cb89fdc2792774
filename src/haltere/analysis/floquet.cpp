#include "haltere/analysis/floquet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "haltere/math/complex_dense.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
constexpr double kNoBound = std::numeric_limits<double>::infinity();

// errors of differences, of the size of the map (see Shooting::differentiate): ten times what they are good
// to
constexpr double kDifference = 1e-10;

/// Orthonormal directions that are none of those taken out, which come first.
Matrix calc_rest(const OrbitMap& map) {
  const Eigen::Index n = map.F.rows(), k = static_cast<Eigen::Index>(map.neutral.size());
  if (k == 0) return Matrix::Identity(n, n);
  Matrix taken(n, k);
  for (Eigen::Index i = 0; i < k; ++i) taken.col(i) = map.neutral[i].z;
  return calc_orthogonal(taken).rightCols(n - k);
}

struct Eigenvalue {
  Complex value;
  double error = 0;  // by what differences may have moved it
  Eigen::VectorXcd z;
};

/// Powers of two d with which D^-1 F D has rows and columns of the same size: turns and shifts, positions and
/// velocities are measured in units of their own otherwise, and errors of the large ones are laid on the
/// small.
Vector calc_balance(Matrix F) {
  constexpr int kSweeps = 20;  // a choice
  Vector d = Vector::Ones(F.rows());
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (Eigen::Index i = 0; i < F.rows(); ++i) {
      const double column = F.col(i).norm(), row = F.row(i).norm();
      if (!(column > 0) || !(row > 0)) continue;
      const double factor = std::exp2(std::round(std::log2(std::sqrt(row / column))));
      F.col(i) *= factor;
      F.row(i) /= factor;
      d[i] *= factor;
    }
  return d;
}

/// Of the map with what is neutral taken out, as a quotient: it maps its own directions among themselves.
/// `other`: the same map as found with other steps, or nothing.
std::vector<Eigenvalue> calc_eigenvalues(const OrbitMap& map, const OrbitMap& other) {
  std::vector<Eigenvalue> list;
  const Matrix Q = calc_rest(map);
  if (Q.cols() == 0) return list;
  const Vector d = calc_balance(Q.transpose() * map.F * Q);
  const auto reduce = [&](const Matrix& F) {
    return Matrix(d.cwiseInverse().asDiagonal() * (Q.transpose() * F * Q) * d.asDiagonal());
  };
  const Matrix reduced = reduce(map.F);
  // what differences leave, and what the steps of the method do
  double error = kDifference * reduced.norm();
  if (other.F.size() == map.F.size()) error += (reduce(other.F) - reduced).norm();
  const Eigensystem system = calc_eigensystem(reduced);
  if (!system.exists)
    throw RunError(
        "the matrix of the small motions has no eigenvalues that doubles can hold\n  try: units in which the "
        "numbers of the model are nearer to 1");
  const Eigen::MatrixXcd& vectors = system.vectors;
  const ComplexInverse left = calc_inverse(vectors);
  for (Eigen::Index i = 0; i < reduced.cols(); ++i) {
    // a double eigenvalue is known to the root of what its matrix is
    const double most = std::sqrt(error * reduced.norm());
    double condition = kNoBound;
    if (left.exists) condition = std::max(1., left.matrix.row(i).norm() * vectors.col(i).norm());
    list.push_back(
        {system.values[i], std::min(error * condition, most), Q * (d.asDiagonal() * vectors.col(i))});
  }
  return list;
}

FloquetMode make_mode(const PeriodicOrbit& orbit, const Eigenvalue& eigen) {
  FloquetMode mode;
  mode.is_pair = eigen.value.imag() > 0;
  if (orbit.period > 0) {
    // of half a period and a mirror, twice
    mode.multiplier = orbit.is_mirrored ? eigen.value * eigen.value : eigen.value;
    mode.accuracy = (orbit.is_mirrored ? 2 * std::abs(eigen.value) : 1) * eigen.error;
    mode.exponent = std::log(mode.multiplier) / orbit.period;
    // of a modulus that is known to `accuracy`, the exponent is known on its larger side
    const double size = std::abs(mode.multiplier);
    mode.rate_accuracy = size > 0 ? std::log1p(mode.accuracy / size) / orbit.period : kNoBound;
    if (mode.multiplier.imag() < 0) mode.multiplier = std::conj(mode.multiplier);
  } else {
    mode.exponent = eigen.value;
    mode.accuracy = mode.rate_accuracy = eigen.error;
  }
  if (mode.exponent.imag() < 0) mode.exponent = std::conj(mode.exponent);
  mode.dq = orbit.map.X * eigen.z;
  mode.dv = orbit.map.V * eigen.z;
  return mode;
}

/// Half the steps move each multiplier to the nearest one that they give.
void compare(const PeriodicOrbit& orbit, std::vector<FloquetMode>* modes) {
  if (orbit.refined.F.size() == 0) return;
  std::vector<Complex> refined;
  for (const Eigenvalue& eigen : calc_eigenvalues(orbit.refined, {}))
    refined.push_back(orbit.is_mirrored ? eigen.value * eigen.value : eigen.value);
  for (FloquetMode& mode : *modes)
    for (const Complex& value : refined) {
      const double distance = std::abs(value - mode.multiplier);
      if (mode.change < 0 || distance < mode.change) mode.change = distance;
    }
}

}  // namespace

double FloquetMode::frequency() const {
  return exponent.imag() / (2 * std::numbers::pi);
}

double FloquetMode::time() const {
  return grows() || decays() ? std::numbers::ln2 / std::abs(exponent.real()) : kNoBound;
}

int FloquetSet::count_growing() const {
  int n = 0;
  for (const FloquetMode& mode : modes) n += mode.grows() ? mode.count() : 0;
  return n;
}

int FloquetSet::count() const {
  int n = 0;
  for (const FloquetMode& mode : modes) n += mode.count();
  return n;
}

bool FloquetSet::is_stable() const {
  return std::all_of(modes.begin(), modes.end(), [](const FloquetMode& mode) { return mode.decays(); });
}

double FloquetSet::time_to_double() const {
  double time = kNoBound;
  for (const FloquetMode& mode : modes)
    if (mode.grows()) time = std::min(time, mode.time());
  return time;
}

std::string FloquetSet::verdict() const {
  const std::string but = neutral.empty() ? "" : ", but for what is neutral";
  if (is_unstable())
    return fmt::format("unstable: {} of {} {} grow{}, the fastest to double in {:.4g} s", count_growing(),
                       count(), period > 0 ? "multipliers" : "eigenvalues", count_growing() == 1 ? "s" : "",
                       time_to_double());
  if (modes.empty()) return "neutral: there is nothing that could grow or decay";
  if (is_stable()) return "stable" + but;
  return "neutral: nothing grows to first order, and not everything decays";
}

FloquetSet calc_floquet(const PeriodicOrbit& orbit) {
  FloquetSet set;
  set.period = orbit.period;
  for (const OrbitMap::Neutral& neutral : orbit.map.neutral) set.neutral.push_back(neutral.name);
  for (const Eigenvalue& eigen : calc_eigenvalues(orbit.map, orbit.refined))
    if (eigen.value.imag() >= 0) set.modes.push_back(make_mode(orbit, eigen));
  compare(orbit, &set.modes);
  std::stable_sort(set.modes.begin(), set.modes.end(), [](const FloquetMode& a, const FloquetMode& b) {
    return a.exponent.real() > b.exponent.real();
  });
  return set;
}

std::vector<ShapePart> describe_shape(const OrbitMap& map, const FloquetMode& mode, double least_share) {
  const double q = mode.dq.size() > 0 ? mode.dq.cwiseAbs().maxCoeff() : 0;
  const double v = mode.dv.size() > 0 ? mode.dv.cwiseAbs().maxCoeff() : 0;
  const bool moves = q > 1e-6 * v;
  const Eigen::VectorXcd& shape = moves ? mode.dq : mode.dv;
  const std::vector<std::string>& names = moves ? map.positions : map.velocities;
  const double sum = shape.squaredNorm();
  Eigen::Index largest = 0;
  if (shape.size() > 0) shape.cwiseAbs().maxCoeff(&largest);
  std::vector<ShapePart> parts;
  for (Eigen::Index i = 0; i < shape.size(); ++i) {
    const double share = std::norm(shape[i]) / sum;
    if (share >= least_share) parts.push_back({names[i], share, std::arg(shape[i] / shape[largest])});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ShapePart& a, const ShapePart& b) { return a.share > b.share; });
  return parts;
}

}  // namespace haltere
