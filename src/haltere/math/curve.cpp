#include "haltere/math/curve.h"

#include <cstddef>
#include <utility>

namespace haltere {
namespace {

/// Slopes at all points. Inside the second derivative is continuous; the third one is, too, at the second
/// point and at the last but one.                                            [deboor2001] ch. IV
std::vector<double> calc_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> h(n - 1), secant(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = x[i + 1] - x[i];
    secant[i] = (y[i + 1] - y[i]) / h[i];
  }
  if (n == 2) return {secant[0], secant[0]};
  if (n == 3) {  // both conditions are the same one: a parabola
    const double bend = (secant[1] - secant[0]) / (x[2] - x[0]);
    return {secant[0] - bend * h[0], secant[0] + bend * h[0], secant[1] + bend * h[1]};
  }
  // rows (below, diagonal, above) slopes = right, solved from the top
  std::vector<double> diagonal(n), above(n, 0), slopes(n);
  const double first = x[2] - x[0], last = x[n - 1] - x[n - 3];
  diagonal[0] = h[1];
  above[0] = first;
  slopes[0] = ((h[0] + 2 * first) * h[1] * secant[0] + h[0] * h[0] * secant[1]) / first;
  for (std::size_t i = 1; i < n; ++i) {
    const bool is_last = i + 1 == n;
    const double below = is_last ? last : h[i];
    diagonal[i] = is_last ? h[n - 3] : 2 * (h[i - 1] + h[i]);
    above[i] = is_last ? 0 : h[i - 1];
    slopes[i] =
        is_last
            ? (h[n - 2] * h[n - 2] * secant[n - 3] + (2 * last + h[n - 2]) * h[n - 3] * secant[n - 2]) / last
            : 3 * (h[i] * secant[i - 1] + h[i - 1] * secant[i]);
    const double factor = below / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    slopes[i] -= factor * slopes[i - 1];
  }
  slopes[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) slopes[i] = (slopes[i] - above[i] * slopes[i + 1]) / diagonal[i];
  return slopes;
}

}  // namespace

Curve::Curve(std::vector<double> x, const std::vector<double>& y) : x_(std::move(x)) {
  const std::vector<double> slopes = calc_slopes(x_, y);
  for (std::size_t i = 0; i + 1 < x_.size(); ++i) {
    const double h = x_[i + 1] - x_[i], secant = (y[i + 1] - y[i]) / h;
    pieces_.push_back({y[i], slopes[i], (3 * secant - 2 * slopes[i] - slopes[i + 1]) / h,
                       (slopes[i] + slopes[i + 1] - 2 * secant) / (h * h)});
  }
}

}  // namespace haltere
