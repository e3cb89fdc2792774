#include "haltere/analysis/root_locus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace haltere {
namespace {

using Complex = std::complex<double>;

const Complex kNoEigenvalue(std::numeric_limits<double>::quiet_NaN(), 0);

std::vector<Complex> list_eigenvalues(const ModeSet& set) {
  std::vector<Complex> list;
  for (const Eigenmode& mode : set.modes) {
    list.push_back(mode.eigenvalue);
    if (mode.is_oscillation()) list.push_back(std::conj(mode.eigenvalue));
  }
  return list;
}

/// Where a track goes next, from its last two points.
Complex predict(const std::vector<Complex>& track) {
  const std::size_t n = track.size();
  if (n == 0 || std::isnan(track[n - 1].real())) return kNoEigenvalue;
  const bool has_two = n >= 2 && !std::isnan(track[n - 2].real());
  return has_two ? 2. * track[n - 1] - track[n - 2] : track[n - 1];
}

/// The nearest pairs first. What no track comes near to begins a new one.
void extend(const std::vector<Complex>& eigenvalues, std::size_t k, RootLocus* locus) {
  std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < locus->tracks.size(); ++i)
    for (std::size_t j = 0; j < eigenvalues.size(); ++j) {
      const Complex expected = predict(locus->tracks[i]);
      if (std::isnan(expected.real())) continue;
      // where two real ones meet and part, the prediction is off, but the last point is near
      const double distance =
          std::min(std::abs(expected - eigenvalues[j]), std::abs(locus->tracks[i].back() - eigenvalues[j]));
      pairs.emplace_back(distance, i, j);
    }
  std::sort(pairs.begin(), pairs.end());
  std::vector<bool> has_next(locus->tracks.size(), false), is_taken(eigenvalues.size(), false);
  for (const auto& [distance, i, j] : pairs) {
    if (has_next[i] || is_taken[j]) continue;
    locus->tracks[i].push_back(eigenvalues[j]);
    has_next[i] = is_taken[j] = true;
  }
  for (std::size_t i = 0; i < has_next.size(); ++i)
    if (!has_next[i]) locus->tracks[i].push_back(kNoEigenvalue);
  for (std::size_t j = 0; j < eigenvalues.size(); ++j)
    if (!is_taken[j]) {
      locus->tracks.emplace_back(k, kNoEigenvalue);
      locus->tracks.back().push_back(eigenvalues[j]);
    }
}

// part of its size within which eigenvalues are linear in a parameter, to its square: 1e-14, which is
// rounding
constexpr double kStraight = 1e-7;

/// Of those that grow, the slowest: it has just begun to.
const Eigenmode* find_growing(const ModeSet& set) {
  const Eigenmode* slowest = nullptr;
  for (const Eigenmode& mode : set.modes)
    if (mode.grows() && (slowest == nullptr || mode.eigenvalue.real() < slowest->eigenvalue.real()))
      slowest = &mode;
  return slowest;
}

/// Not neutral.
const Eigenmode* find_nearest(const ModeSet& set, Complex eigenvalue) {
  const Eigenmode* nearest = nullptr;
  for (const Eigenmode& mode : set.modes) {
    if (mode.is_neutral) continue;
    const double distance = std::abs(mode.eigenvalue - eigenvalue);
    if (nearest == nullptr || distance < std::abs(nearest->eigenvalue - eigenvalue)) nearest = &mode;
  }
  return nearest;
}

/// Between two values so near that the real part is a straight line (or, where nothing damps, the square of
/// the eigenvalue), and so far apart that it is no rounding.
StabilityLimit make_limit(double low, int below, double high, int above, const LocusFunction& calc) {
  StabilityLimit limit{low + (high - low) / 2, 0, false, false, 0, below, above, ""};
  const LocusPoint left = calc(low), right = calc(high);
  const LocusPoint& unstable = above > below ? right : left;
  const LocusPoint& other = above > below ? left : right;
  const Eigenmode* growing = find_growing(unstable.set);
  if (growing == nullptr) return limit;
  limit.shape = unstable.describe(*growing);
  limit.is_oscillation = growing->is_oscillation();
  limit.eigenvalue = Complex(0, growing->eigenvalue.imag());
  const Eigenmode* before = find_nearest(other.set, growing->eigenvalue);
  if (before == nullptr) return limit;
  const auto measure = [&](const Eigenmode& mode) {
    const bool is_square = !before->decays() && !growing->is_oscillation();
    return is_square ? (mode.eigenvalue * mode.eigenvalue).real() : mode.eigenvalue.real();
  };
  const double a = measure(*before), b = measure(*growing);
  const double part = a / (a - b);  // from the stable side
  if (!(a <= 0 && b > 0)) return limit;
  limit.value = above > below ? low + part * (high - low) : high - part * (high - low);
  limit.is_sharp = true;
  if (limit.is_oscillation)
    limit.eigenvalue += Complex(0, (1 - part) * (before->eigenvalue.imag() - growing->eigenvalue.imag()));
  return limit;
}

void find_limits(double low, int below, double high, int above, const LocusFunction& calc, RootLocus* locus) {
  if (below == above) return;
  if (!(high - low > kStraight * std::max(std::abs(low), std::abs(high)))) {
    locus->limits.push_back(make_limit(low, below, high, above, calc));
    return;
  }
  const double middle = low + (high - low) / 2;
  const LocusPoint point = calc(middle);
  if (!point.failure.empty()) {
    locus->limits.push_back({middle, 0, false, false, (high - low) / 2, below, above, ""});
    return;
  }
  const int count = point.set.count_growing();
  find_limits(low, below, middle, count, calc, locus);
  find_limits(middle, count, high, above, calc, locus);
}

}  // namespace

std::size_t RootLocus::count_failures() const {
  return failures.size() - static_cast<std::size_t>(std::count(failures.begin(), failures.end(), ""));
}

RootLocus calc_root_locus(const std::vector<double>& values, const LocusFunction& calc) {
  RootLocus locus;
  locus.values = values;
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < values.size(); ++k) {
    LocusPoint point = calc(values[k]);
    locus.failures.push_back(std::move(point.failure));
    locus.sets.push_back(std::move(point.set));
    if (!locus.has(k)) continue;
    extend(list_eigenvalues(locus.sets[k]), found.size(), &locus);
    found.push_back(k);
  }
  for (std::vector<Complex>& track : locus.tracks)
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!locus.has(k)) track.insert(track.begin() + static_cast<std::ptrdiff_t>(k), kNoEigenvalue);
  for (std::size_t i = 0; i + 1 < found.size(); ++i) {
    const std::size_t low = found[i], high = found[i + 1];
    find_limits(values[low], locus.sets[low].count_growing(), values[high], locus.sets[high].count_growing(),
                calc, &locus);
  }
  return locus;
}

}  // namespace haltere
