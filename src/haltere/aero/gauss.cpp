#include "haltere/aero/gauss.h"

#include <cmath>
#include <numbers>

namespace haltere {

/// The points are the zeros of Legendre's polynomial, by Newton's method from Chebyshev's points, which lie
/// close enough for any n.
GaussRule make_gauss_rule(int n) {
  constexpr int kMostIterations = 100;  // against a loop without end; Newton's method takes few
  GaussRule rule{std::vector<double>(n), std::vector<double>(n)};
  for (int i = 0; i < (n + 1) / 2; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      double p = 1, before = 0;  // P_k and P_(k-1) at x
      for (int k = 0; k < n; ++k) {
        const double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;  // x is of order 1, convergence quadratic
    }
    if (2 * i + 1 == n) x = 0;
    const double weight = 1 / ((1 - x * x) * slope * slope);
    rule.points[i] = (1 - x) / 2;
    rule.points[n - 1 - i] = (1 + x) / 2;
    rule.weights[i] = rule.weights[n - 1 - i] = weight;
  }
  return rule;
}

}  // namespace haltere
