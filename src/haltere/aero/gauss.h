#pragma once

#include <vector>

namespace haltere {

/// Points and weights of Gauss and Legendre on [0, 1]: n of them integrate polynomials of degree 2 n - 1.
struct GaussRule {
  std::vector<double> points;   // increasing
  std::vector<double> weights;  // their sum is 1
};
GaussRule make_gauss_rule(int n);

}  // namespace haltere
