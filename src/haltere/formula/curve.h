#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "haltere/math/jet.h"

namespace haltere {

/// What a curve is beyond its points.
enum class Outside {
  kError,        // no number: whoever asks is told by find_curve_fault()
  kHold,         // its first and its last value
  kExtrapolate,  // its first and its last piece go on
  kPeriodic,     // its points are one period
};

/// A function given by points: the cubic spline through them, twice differentiable (not-a-knot at both ends;
/// a periodic one is twice differentiable there, too).
class Curve {
 public:
  /// At least two points; x must increase. The first and the last y of a periodic curve are the same value.
  /// `name`: for messages.
  Curve(std::vector<double> x, const std::vector<double>& y, Outside outside = Outside::kExtrapolate,
        std::string name = {});

  /// S: any scalar of Expression.
  template <class S>
  S calc(const S& x) const {
    const double at = value_of(x);
    if (!(at < least_) && !(at > most_)) return calc_piece(x);  // what is no number is passed on
    switch (outside_) {
      case Outside::kHold:
        return S(at < least_ ? y_first_ : y_last_);
      case Outside::kPeriodic:
        return calc_piece<S>(x - S(calc_shift(at)));
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
  const std::string& name() const { return name_; }
  /// The nearest place after x (before it, where not `upwards`) at which the curve is not smooth, or ends;
  /// infinite if there is none.
  double find_kink(double x, bool upwards) const;

 private:
  struct Piece {
    double a, b, c, d;  // powers of the distance from its left end
  };

  template <class S>
  S calc_piece(const S& x) const {
    const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, value_of(x));
    const std::size_t i = static_cast<std::size_t>(after - x_.begin()) - 1;
    const Piece& p = pieces_[i];
    const S d = x - S(x_[i]);
    return S(p.a) + d * (S(p.b) + d * (S(p.c) + d * S(p.d)));
  }
  double calc_shift(double x) const;  // whole periods from the points to x
  void note_fault(double x) const;
  void find_kinks(const std::vector<double>& y);

  std::vector<double> x_;
  std::vector<Piece> pieces_;
  Outside outside_;
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
