#pragma once

#include <cstddef>

#include "haltere/math/types.h"

namespace haltere {

/// Where the i-th twist or wrench begins in a vector of them.
inline Eigen::Index six(std::size_t i) {
  return static_cast<Eigen::Index>(6 * i);
}

/// Turns both parts of a twist or wrench.
inline Matrix6<double> turn_both(const Matrix3<double>& R) {
  Matrix6<double> both = Matrix6<double>::Zero();
  both.topLeftCorner<3, 3>() = R;
  both.bottomRightCorner<3, 3>() = R;
  return both;
}

}  // namespace haltere
