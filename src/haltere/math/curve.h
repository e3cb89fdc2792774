#pragma once

#include <algorithm>
#include <vector>

#include "haltere/math/jet.h"

namespace haltere {

/// A function given by points: the cubic spline through them, twice differentiable (not-a-knot at both ends).
/// Outside of them its first and last pieces go on.
class Curve {
 public:
  /// At least two points; x must increase.
  Curve(std::vector<double> x, const std::vector<double>& y);

  /// S: any scalar of Expression.
  template <class S>
  S calc(const S& x) const {
    const double at = value_of(x);
    const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, at);
    const std::size_t i = static_cast<std::size_t>(after - x_.begin()) - 1;
    const Piece& p = pieces_[i];
    const S d = x - S(x_[i]);
    return S(p.a) + d * (S(p.b) + d * (S(p.c) + d * S(p.d)));
  }
  double first() const { return x_.front(); }
  double last() const { return x_.back(); }

 private:
  struct Piece {
    double a, b, c, d;  // powers of the distance from its left end
  };
  std::vector<double> x_;
  std::vector<Piece> pieces_;
};

}  // namespace haltere
