#pragma once

#include <cmath>

#include "haltere/math/types.h"

/// Vectors and 3x3 matrices of the recursion, four lanes wide for double: a column is one AVX register (or
/// two SSE2 ones, with the same bits: every lane is rounded by itself and nothing is fused). Eigen's
/// 3-vectors are not padded and so not vectorised; the difference is measured in bench/rhs. Everywhere else
/// we use Eigen: see eigen().
namespace haltere {

// small enough to vanish, and compiled for the instruction set of the caller
#define HALTERE_INLINE [[gnu::always_inline]] inline

template <class T>
struct Vec3 {
  T x[3];

  static Vec3 make(const T& a, const T& b, const T& c) { return {{a, b, c}}; }

  static Vec3 zero() { return {{T(0), T(0), T(0)}}; }
  static Vec3 of(const Vector3<T>& a) { return {{a[0], a[1], a[2]}}; }
  Vector3<T> eigen() const { return {x[0], x[1], x[2]}; }
  const T& operator[](int i) const { return x[i]; }

  friend Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}};
  }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
  }
  friend Vec3 operator*(const T& s, const Vec3& a) { return {{s * a.x[0], s * a.x[1], s * a.x[2]}}; }
  friend Vec3 cross(const Vec3& a, const Vec3& b) {
    return {{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
             a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
  }
  friend T dot(const Vec3& a, const Vec3& b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
};

template <>
struct alignas(32) Vec3<double> {  // without AVX, GCC would give its vectors only 16
  using Lanes [[gnu::vector_size(32)]] = double;
  Lanes x;  // the fourth lane stays 0

  HALTERE_INLINE static Vec3 make(double a, double b, double c) { return {Lanes{a, b, c, 0}}; }
  HALTERE_INLINE static Vec3 zero() { return {Lanes{0, 0, 0, 0}}; }
  HALTERE_INLINE static Vec3 of(const Vector3<double>& a) { return {Lanes{a[0], a[1], a[2], 0}}; }
  HALTERE_INLINE Vector3<double> eigen() const { return {x[0], x[1], x[2]}; }
  HALTERE_INLINE double operator[](int i) const { return x[i]; }

  HALTERE_INLINE friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x}; }
  HALTERE_INLINE friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x}; }
  HALTERE_INLINE friend Vec3 operator*(double s, const Vec3& a) { return {s * a.x}; }
  HALTERE_INLINE friend Vec3 cross(const Vec3& a, const Vec3& b) {
    const Lanes a1 = __builtin_shufflevector(a.x, a.x, 1, 2, 0, 3),
                b1 = __builtin_shufflevector(b.x, b.x, 1, 2, 0, 3);
    const Lanes c = a.x * b1 - a1 * b.x;
    return {__builtin_shufflevector(c, c, 1, 2, 0, 3)};
  }
  HALTERE_INLINE friend double dot(const Vec3& a, const Vec3& b) {
    const Lanes p = a.x * b.x;
    return p[0] + p[1] + p[2];
  }
};

/// Three columns.
template <class T>
struct Mat3 {
  Vec3<T> c[3];

  HALTERE_INLINE static Mat3 zero() { return {{Vec3<T>::zero(), Vec3<T>::zero(), Vec3<T>::zero()}}; }
  HALTERE_INLINE static Mat3 of(const Matrix3<T>& m) {
    return {{Vec3<T>::of(m.col(0)), Vec3<T>::of(m.col(1)), Vec3<T>::of(m.col(2))}};
  }
  HALTERE_INLINE Matrix3<T> eigen() const {
    Matrix3<T> m;
    for (int i = 0; i < 3; ++i) m.col(i) = c[i].eigen();
    return m;
  }

  HALTERE_INLINE friend Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]}};
  }
  HALTERE_INLINE friend Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
  }
  HALTERE_INLINE friend Vec3<T> operator*(const Mat3& a, const Vec3<T>& b) {
    return b[0] * a.c[0] + b[1] * a.c[1] + b[2] * a.c[2];
  }
  HALTERE_INLINE friend Mat3 operator*(const Mat3& a, const Mat3& b) {
    return {{a * b.c[0], a * b.c[1], a * b.c[2]}};
  }
};

template <class T>
Mat3<T> transpose(const Mat3<T>& a) {
  Mat3<T> t;
  for (int i = 0; i < 3; ++i) t.c[i] = Vec3<T>::make(a.c[0][i], a.c[1][i], a.c[2][i]);
  return t;
}
template <>
HALTERE_INLINE Mat3<double> transpose(const Mat3<double>& a) {
  const auto low =
      __builtin_shufflevector(a.c[0].x, a.c[1].x, 0, 4, 2, 6);  // rows 0 and 2, first two columns
  const auto high = __builtin_shufflevector(a.c[0].x, a.c[1].x, 1, 5, 3, 7);  // row 1
  return {{{__builtin_shufflevector(low, a.c[2].x, 0, 1, 4, 7)},
           {__builtin_shufflevector(high, a.c[2].x, 0, 1, 5, 7)},
           {__builtin_shufflevector(low, a.c[2].x, 2, 3, 6, 7)}}};
}

template <class T>
HALTERE_INLINE Mat3<T> skew(const Vec3<T>& a) {
  return {
      {Vec3<T>::make(T(0), a[2], -a[1]), Vec3<T>::make(-a[2], T(0), a[0]), Vec3<T>::make(a[1], -a[0], T(0))}};
}

/// a b^T
template <class T>
HALTERE_INLINE Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return {{b[0] * a, b[1] * a, b[2] * a}};
}
/// skew(p) m
template <class T>
HALTERE_INLINE Mat3<T> cross(const Vec3<T>& p, const Mat3<T>& m) {
  return {{cross(p, m.c[0]), cross(p, m.c[1]), cross(p, m.c[2])}};
}
/// -m skew(p)
template <class T>
HALTERE_INLINE Mat3<T> cross(const Mat3<T>& m, const Vec3<T>& p) {
  return {{p[1] * m.c[2] - p[2] * m.c[1], p[2] * m.c[0] - p[0] * m.c[2], p[0] * m.c[1] - p[1] * m.c[0]}};
}

/// A twist, acceleration or wrench: angular part and linear part.
template <class T>
struct Spatial {
  Vec3<T> a;  // angular velocity, angular acceleration, moment
  Vec3<T> l;  // linear velocity, acceleration, force

  HALTERE_INLINE static Spatial zero() { return {Vec3<T>::zero(), Vec3<T>::zero()}; }
  HALTERE_INLINE static Spatial of(const Vector6<T>& x) {
    return {Vec3<T>::of(x.template head<3>()), Vec3<T>::of(x.template tail<3>())};
  }
  HALTERE_INLINE Vector6<T> eigen() const {
    Vector6<T> x;
    x << a.eigen(), l.eigen();
    return x;
  }
  HALTERE_INLINE friend Spatial operator+(const Spatial& x, const Spatial& y) {
    return {x.a + y.a, x.l + y.l};
  }
  HALTERE_INLINE friend Spatial operator-(const Spatial& x, const Spatial& y) {
    return {x.a - y.a, x.l - y.l};
  }
  HALTERE_INLINE friend Spatial operator*(const T& s, const Spatial& x) { return {s * x.a, s * x.l}; }
  HALTERE_INLINE friend T dot(const Spatial& x, const Spatial& y) { return dot(x.a, y.a) + dot(x.l, y.l); }
};

}  // namespace haltere
