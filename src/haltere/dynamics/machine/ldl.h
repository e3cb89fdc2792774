#pragma once

#include <limits>

#include "haltere/math/dual.h"
#include "haltere/math/spatial.h"

namespace haltere {

/// Of the inertias that a pivot was computed from: below it, it is rounding. A recursion step loses a few
/// eps, 64 leaves room for some dozen.
constexpr double kZeroPivot = 64 * std::numeric_limits<double>::epsilon();

/// LDL^T of the leading n x n block in place; the first row whose pivot is not safely positive, or -1.
template <class T>
int factor_ldl(int n, const double* sizes, Matrix6<T>* D) {
  for (int j = 0; j < n; ++j) {
    T d = (*D)(j, j);
    for (int k = 0; k < j; ++k) d -= (*D)(j, k) * (*D)(j, k) * (*D)(k, k);
    if (!(value_of(d) > kZeroPivot * sizes[j])) return j;
    (*D)(j, j) = d;
    for (int i = j + 1; i < n; ++i) {
      T x = (*D)(i, j);
      for (int k = 0; k < j; ++k) x -= (*D)(i, k) * (*D)(j, k) * (*D)(k, k);
      (*D)(i, j) = x / d;
    }
  }
  return -1;
}

template <class T>
void solve_ldl(int n, const Matrix6<T>& L, T* x) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) x[i] -= L(i, k) * x[k];
  for (int i = 0; i < n; ++i) x[i] /= L(i, i);
  for (int i = n - 1; i >= 0; --i)
    for (int k = i + 1; k < n; ++k) x[i] -= L(k, i) * x[k];
}

}  // namespace haltere
