#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "haltere/formula/fit.h"
#include "haltere/math/jet.h"

namespace haltere {

/// What a curve is beyond its points.
enum class Outside {
  kError,        // no number: whoever asks is told by find_curve_fault()
  kHold,         // its first and its last value
  kExtrapolate,  // its first and its last piece go on
  kPeriodic,     // its points are one period
};

/// What a curve is between its points and beyond them.
struct CurveSpec {
  Outside outside = Outside::kError;
  CurveFit fit{};

  friend auto operator<=>(const CurveSpec&, const CurveSpec&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A function given by points: the cubic spline through them, twice differentiable (not-a-knot at both ends;
/// a periodic one is twice differentiable there, too), or a fit, with more derivatives than that.
class Curve {
 public:
  /// At least two points; x must increase. The first and the last y of a periodic curve without a fit are the
  /// same value. `name`: for messages.
  Curve(std::vector<double> x, const std::vector<double>& y, Outside outside = Outside::kExtrapolate,
        std::string name = {});
  /// The same; find_fit_fault() has nothing against the fit.
  Curve(std::vector<double> x, const std::vector<double>& y, const CurveSpec& spec, std::string name = {});

  /// S: any scalar of Expression.
  template <class S>
  S calc(const S& x) const {
    const double at = value_of(x);
    if (!(at < least_) && !(at > most_)) return calc_piece(x);  // what is no number is passed on
    switch (outside_) {
      case Outside::kHold:
        return S(at < least_ ? y_first_ : y_last_);
      case Outside::kPeriodic:
        return calc_piece<S>(x - S(calc_shift(at)));  // of a series, too: large angles cost digits
      case Outside::kExtrapolate:
        return calc_piece(x);
      case Outside::kError:
        break;
    }
    note_fault(at);
    return S(std::numeric_limits<double>::quiet_NaN());
  }

  double first() const { return x_.front(); }
  double last() const { return x_.back(); }
  Outside outside() const { return outside_; }
  const CurveFit& fit() const { return fit_; }
  /// Root of the mean square of what the curve leaves of its points.
  double residual() const { return residual_; }
  const std::string& name() const { return name_; }
  /// The nearest place after x (before it, where not `upwards`) at which the curve is not smooth, or ends;
  /// infinite if there is none.
  double find_kink(double x, bool upwards) const;

 private:
  struct Piece {
    double a, b, c, d;  // powers of the distance from its left end
  };

  /// The same to the fifth power.
  using LongPiece = std::array<double, 6>;

  template <class S>
  S calc_piece(const S& x) const {
    if (fit_.kind != CurveFit::Kind::kNone) return calc_fit(x);
    const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, value_of(x));
    const std::size_t i = static_cast<std::size_t>(after - x_.begin()) - 1;
    const Piece& p = pieces_[i];
    const S d = x - S(x_[i]);
    return S(p.a) + d * (S(p.b) + d * (S(p.c) + d * S(p.d)));
  }
  template <class S>
  S calc_fit(const S& x) const {
    if (fit_.kind == CurveFit::Kind::kHarmonics) return series_.calc(x);
    const auto after = std::upper_bound(x_.begin(), x_.end(), value_of(x));
    const std::size_t i = static_cast<std::size_t>(after - x_.begin());
    const LongPiece& p = long_pieces_[i];
    const S d = x - S(x_[i == 0 ? 0 : i - 1]);
    return S(p[0]) + d * (S(p[1]) + d * (S(p[2]) + d * (S(p[3]) + d * (S(p[4]) + d * S(p[5])))));
  }
  double period() const;
  double calc_shift(double x) const;  // whole periods from the points to x
  void note_fault(double x) const;
  void make_pieces(const std::vector<double>& y);
  void make_long_pieces(const std::vector<CurveNode>& nodes);
  void find_kinks(double size);

  std::vector<double> x_;
  Outside outside_;
  CurveFit fit_;
  std::vector<Piece> pieces_;           // without a fit
  std::vector<LongPiece> long_pieces_;  // smooth: before the first point, from each on
  FourierSeries series_;                // harmonics
  double residual_ = 0;
  std::string name_;
  double y_first_, y_last_;
  double least_, most_;        // x in between needs no thought
  std::vector<double> kinks_;  // increasing
};

/// Where a curve was asked beyond its points, in this thread, last.
struct CurveFault {
  const Curve* curve = nullptr;  // none: nowhere
  double x = 0;
};
CurveFault& last_curve_fault();
std::string describe(const CurveFault& fault);

/// Evaluates something, and says which curve was asked beyond its points; "" if none was.
template <class Evaluate>
std::string find_curve_fault(Evaluate&& evaluate) {
  last_curve_fault() = {};
  std::forward<Evaluate>(evaluate)();
  return describe(last_curve_fault());
}

}  // namespace haltere
