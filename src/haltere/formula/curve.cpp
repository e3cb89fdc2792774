#include "haltere/formula/curve.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

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

/// The same for a curve that begins again where it ends: the second derivative is continuous there, too. The
/// matrix is tridiagonal but for its corners: two solutions without them make the one with them.
std::vector<double> calc_periodic_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size() - 1;  // the last point is the first one
  std::vector<double> h(n), secant(n);
  for (std::size_t i = 0; i < n; ++i) {
    h[i] = x[i + 1] - x[i];
    secant[i] = ((i + 1 == n ? y[0] : y[i + 1]) - y[i]) / h[i];
  }
  if (n == 1) return {0, 0};
  // row i: h_i m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_(i-1) m_(i+1) = 3 (h_i s_(i-1) + h_(i-1) s_i)
  const auto before = [&](std::size_t i) { return i == 0 ? n - 1 : i - 1; };
  std::vector<double> slopes(n), corner(n, 0), diagonal(n);
  for (std::size_t i = 0; i < n; ++i) {
    diagonal[i] = 2 * (h[before(i)] + h[i]);
    slopes[i] = 3 * (h[i] * secant[before(i)] + h[before(i)] * secant[i]);
  }
  // Sherman and Morrison: corners (0, n-1) and (n-1, 0) as the product of (g, .., below) and (1, .., above/g)
  const double above = h[0], below = h[n - 2], g = -diagonal[0];
  diagonal[0] -= g;
  diagonal[n - 1] -= below * above / g;
  corner[0] = g;
  corner[n - 1] += below;
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = h[i] / diagonal[i - 1];
    diagonal[i] -= factor * h[before(i - 1)];
    slopes[i] -= factor * slopes[i - 1];
    corner[i] -= factor * corner[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) {
    if (i + 1 < n) {
      slopes[i] -= h[before(i)] * slopes[i + 1];
      corner[i] -= h[before(i)] * corner[i + 1];
    }
    slopes[i] /= diagonal[i];
    corner[i] /= diagonal[i];
  }
  const double part = (slopes[0] + slopes[n - 1] * above / g) / (1 + corner[0] + corner[n - 1] * above / g);
  for (std::size_t i = 0; i < n; ++i) slopes[i] -= part * corner[i];
  slopes.push_back(slopes[0]);
  return slopes;
}

// of the size of y: what rounding does to the cubic part of a piece, third differences of y; a choice, with
// room for slopes that come from a long elimination
constexpr double kSameCubic = 1024 * std::numeric_limits<double>::epsilon();
// of the largest x: what rounding does to a time or an angle that is meant to be the end (some sums and
// products)
constexpr double kSameEnd = 16 * std::numeric_limits<double>::epsilon();
constexpr double kNowhere = std::numeric_limits<double>::infinity();

}  // namespace

Curve::Curve(std::vector<double> x, const std::vector<double>& y, Outside outside, std::string name)
    : Curve(std::move(x), y, CurveSpec{outside, {}}, std::move(name)) {}

Curve::Curve(std::vector<double> x, const std::vector<double>& y, const CurveSpec& spec, std::string name)
    : x_(std::move(x)),
      outside_(spec.outside),
      fit_(spec.fit),
      name_(std::move(name)),
      y_first_(y.front()),
      y_last_(y.back()),
      least_(x_.front()),
      most_(x_.back()) {
  if (fit_.kind == CurveFit::Kind::kHarmonics) {
    series_ = fit_harmonics(fit_, x_, y);
  } else if (fit_.kind == CurveFit::Kind::kSmooth) {
    make_long_pieces(calc_smooth_nodes(fit_.cut_off, x_, y, outside_ == Outside::kPeriodic));
  } else {
    make_pieces(y);
  }
  if (fit_.kind != CurveFit::Kind::kNone) {
    double squares = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double left = y[i] - calc_piece(x_[i] - calc_shift(x_[i]));
      squares += left * left;
    }
    residual_ = std::sqrt(squares / static_cast<double>(x_.size()));
    y_first_ = calc_piece(x_.front());
    y_last_ = calc_piece(x_.back());
  }
  if (outside_ == Outside::kError) {
    const double slack = kSameEnd * std::max(std::abs(x_.front()), std::abs(x_.back()));
    least_ -= slack;
    most_ += slack;
  }
  double size = 0;
  for (const double value : y) size = std::max(size, std::abs(value));
  find_kinks(size);
}

void Curve::make_pieces(const std::vector<double>& y) {
  const bool periodic = outside_ == Outside::kPeriodic;
  const std::vector<double> slopes = periodic ? calc_periodic_slopes(x_, y) : calc_slopes(x_, y);
  for (std::size_t i = 0; i + 1 < x_.size(); ++i) {
    const double y1 = periodic && i + 2 == x_.size() ? y[0] : y[i + 1];
    const double h = x_[i + 1] - x_[i], secant = (y1 - y[i]) / h;
    pieces_.push_back({y[i], slopes[i], (3 * secant - 2 * slopes[i] - slopes[i + 1]) / h,
                       (slopes[i] + slopes[i + 1] - 2 * secant) / (h * h)});
  }
}

/// Hermite's pieces: what they are to be at both ends, they are.
void Curve::make_long_pieces(const std::vector<CurveNode>& nodes) {
  const auto parabola = [](const CurveNode& n) { return LongPiece{n.value, n.slope, n.bend / 2, 0, 0, 0}; };
  long_pieces_.push_back(parabola(nodes.front()));
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const CurveNode &n = nodes[i], &next = nodes[i + 1];
    const double h = x_[i + 1] - x_[i];
    // what a parabola from the left end misses at the right one: value, slope, bend
    const double d0 = next.value - n.value - h * (n.slope + h * n.bend / 2);
    const double d1 = h * (next.slope - n.slope - h * n.bend), d2 = h * h * (next.bend - n.bend) / 2;
    LongPiece piece = parabola(n);
    piece[3] = (10 * d0 - 4 * d1 + d2) / (h * h * h);
    piece[4] = (-15 * d0 + 7 * d1 - 2 * d2) / (h * h * h * h);
    piece[5] = (6 * d0 - 3 * d1 + d2) / (h * h * h * h * h);
    long_pieces_.push_back(piece);
  }
  long_pieces_.push_back(parabola(nodes.back()));
}

/// The points where the highest derivative of the pieces jumps, and ends that are no place to go on smoothly.
void Curve::find_kinks(double size) {
  const bool is_series = fit_.kind == CurveFit::Kind::kHarmonics;
  const std::size_t n = is_series ? 0 : x_.size() - 1;  // pieces
  const auto differ = [&](std::size_t i, std::size_t j) {
    const double h = std::max(x_[i + 1] - x_[i], x_[j + 1] - x_[j]);
    if (fit_.kind == CurveFit::Kind::kNone)
      return std::abs(pieces_[i].d - pieces_[j].d) * h * h * h > kSameCubic * size;
    const double jump = std::abs(long_pieces_[i + 1][5] - long_pieces_[j + 1][5]);
    return jump * h * h * h * h * h > kSameCubic * size;
  };
  const bool has_ends = outside_ == Outside::kError || outside_ == Outside::kHold ||
                        (outside_ == Outside::kPeriodic && n > 0 && differ(0, n - 1));
  const bool has_parabolas = fit_.kind == CurveFit::Kind::kSmooth && outside_ == Outside::kExtrapolate;
  if (has_ends || has_parabolas) kinks_.push_back(x_.front());
  for (std::size_t i = 1; i < n; ++i)
    if (differ(i - 1, i)) kinks_.push_back(x_[i]);
  if ((has_ends && outside_ != Outside::kPeriodic) || has_parabolas) kinks_.push_back(x_.back());
}

double Curve::period() const {
  return fit_.kind == CurveFit::Kind::kHarmonics ? series_.period : last() - first();
}

double Curve::calc_shift(double x) const {
  if (outside_ != Outside::kPeriodic) return 0;
  const double turns = std::floor((x - first()) / period());
  return turns == 0 ? 0 : turns * period();  // a period may be longer than the largest number
}

double Curve::find_kink(double x, bool upwards) const {
  if (kinks_.empty()) return upwards ? kNowhere : -kNowhere;
  const double shift = calc_shift(x), at = x - shift;
  if (upwards) {
    const auto next = std::upper_bound(kinks_.begin(), kinks_.end(), at);
    if (next != kinks_.end()) return shift + *next;
    return outside_ == Outside::kPeriodic ? shift + period() + kinks_.front() : kNowhere;
  }
  const auto next = std::lower_bound(kinks_.begin(), kinks_.end(), at);
  if (next != kinks_.begin()) return shift + *(next - 1);
  return outside_ == Outside::kPeriodic ? shift - period() + kinks_.back() : -kNowhere;
}

void Curve::note_fault(double x) const {
  last_curve_fault() = {this, x};
}

CurveFault& last_curve_fault() {
  thread_local CurveFault fault;
  return fault;
}

std::string describe(const CurveFault& fault) {
  if (fault.curve == nullptr) return "";
  return fmt::format(
      "table {} is asked for {:.10g}, but has points from {:.10g} to {:.10g} only; \"hold\", \"extrapolate\" "
      "or \"periodic\" after its argument says what it is beyond them",
      fault.curve->name(), fault.x, fault.curve->first(), fault.curve->last());
}

}  // namespace haltere
