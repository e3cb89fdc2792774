#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "haltere/math/types.h"

/// Rotations: matrices R_AB (v_A = R_AB v_B), quaternions (w, x, y, z), Euler sequences.
namespace haltere {

template <class T>
Matrix3<T> skew(const Vector3<T>& a) {
  Matrix3<T> m;
  m << T(0), -a.z(), a.y(), a.z(), T(0), -a.x(), -a.y(), a.x(), T(0);
  return m;
}

/// Rotation by `angle` about coordinate axis 0, 1 or 2.
template <class T>
Matrix3<T> rotation_about(int axis, const T& angle) {
  using std::cos, std::sin;
  const T c = cos(angle), s = sin(angle);
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  Matrix3<T> R = Matrix3<T>::Identity();
  R(i, i) = c;
  R(i, j) = -s;
  R(j, i) = s;
  R(j, j) = c;
  return R;
}

/// R of a quaternion of any length: scaling q changes nothing, so rounding in |q| is no rotation error.
template <class T>
Matrix3<T> rotation_of(const Vector4<T>& q) {
  const T s = T(2) / q.squaredNorm();
  const T w = q[0], x = q[1], y = q[2], z = q[3];
  Matrix3<T> R;
  R << T(1) - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),  //
      s * (x * y + w * z), T(1) - s * (x * x + z * z), s * (y * z - w * x),   //
      s * (x * z - w * y), s * (y * z + w * x), T(1) - s * (x * x + y * y);
  return R;
}

/// Hamilton product: rotation_of(a b) = rotation_of(a) rotation_of(b).
template <class T>
Vector4<T> multiply(const Vector4<T>& a, const Vector4<T>& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

/// Unit quaternion of a rotation matrix, w >= 0 (Shepperd: divides by the largest component).
template <class T>
Vector4<T> quaternion_of(const Matrix3<T>& R) {
  using std::sqrt;
  const T trace = R.trace();
  int k = -1;
  T largest = trace;
  for (int i = 0; i < 3; ++i)
    if (R(i, i) > largest) {
      largest = R(i, i);
      k = i;
    }
  Vector4<T> q;
  if (k < 0) {
    q << T(1) + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1);
  } else {
    const int i = k, j = (k + 1) % 3, l = (k + 2) % 3;
    q[0] = R(l, j) - R(j, l);
    q[1 + i] = T(1) + T(2) * R(i, i) - trace;
    q[1 + j] = R(j, i) + R(i, j);
    q[1 + l] = R(l, i) + R(i, l);
  }
  const T norm = sqrt(q.squaredNorm());
  return q[0] < T(0) ? Vector4<T>(-q / norm) : Vector4<T>(q / norm);
}

/// dq/dt of q_AB turning with w_AB expressed in A:  qdot = 1/2 (0, w) q.
template <class T>
Vector4<T> quaternion_rate(const Vector4<T>& q, const Vector3<T>& w_AB_A) {
  const Vector4<T> w(T(0), w_AB_A[0], w_AB_A[1], w_AB_A[2]);
  return multiply<T>(w, q) * T(0.5);
}

/// Unit quaternion of the rotation vector r; smooth at r = 0, also in its derivatives.
template <class T>
Vector4<T> quaternion_exp(const Vector3<T>& r) {
  using std::cos, std::sin, std::sqrt;
  const T a2 = r.squaredNorm();
  T c, s;  // cos(|r|/2), sin(|r|/2)/|r|
  if (a2 < T(1e-4)) {
    // the first term left out is below 1e-18 of the value
    c = T(1) - a2 / T(8) * (T(1) - a2 / T(48) * (T(1) - a2 / T(120)));
    s = T(0.5) * (T(1) - a2 / T(24) * (T(1) - a2 / T(80) * (T(1) - a2 / T(168))));
  } else {
    const T a = sqrt(a2);
    c = cos(a / T(2));
    s = sin(a / T(2)) / a;
  }
  return {c, s * r[0], s * r[1], s * r[2]};
}

/// Rotation vector r of a quaternion of any length, |r| <= pi: quaternion_exp(r) is q or -q, normalised.
/// Smooth at r = 0, also in its derivatives.
template <class T>
Vector3<T> quaternion_log(const Vector4<T>& q) {
  using std::atan2, std::sqrt;
  const T w = q[0] < T(0) ? T(-q[0]) : q[0];
  const Vector3<T> v = q[0] < T(0) ? Vector3<T>(-q.template tail<3>()) : Vector3<T>(q.template tail<3>());
  const T v2 = v.squaredNorm(), x = v2 / (w * w);  // tan^2(|r|/2)
  if (x < T(1e-4)) {
    // r = 2 v/w (1 - x/3 + x^2/5 - ...); the first term left out is below 1e-17 of the value
    const T s = T(1) - x * (T(1. / 3) - x * (T(1. / 5) - x * (T(1. / 7) - x / T(9))));
    return v * (T(2) * s / w);
  }
  const T n = sqrt(v2);
  return v * (T(2) * atan2(n, w) / n);
}

/// Three axes of rotation, each about the frame already turned: R = R_i(a0) R_j(a1) R_k(a2). `zyx`, `xzx`,
/// ...
struct EulerSequence {
  std::array<int, 3> axes{2, 1, 0};

  /// `ZYX`, `zyx` or `321`; nothing where two neighbouring axes are equal or a letter is wrong.
  static std::optional<EulerSequence> parse(std::string_view text);
  std::string name() const;  // lower-case letters

  template <class T>
  Matrix3<T> calc_R(const Vector3<T>& angles) const {
    return rotation_about<T>(axes[0], angles[0]) * rotation_about<T>(axes[1], angles[1]) *
           rotation_about<T>(axes[2], angles[2]);
  }
  /// w_AB expressed in A = E(angles) dangles/dt; the columns are the three axes in A.
  template <class T>
  Matrix3<T> calc_E(const Vector3<T>& angles) const {
    const Matrix3<T> R1 = rotation_about<T>(axes[0], angles[0]);
    const Matrix3<T> R2 = R1 * rotation_about<T>(axes[1], angles[1]);
    Matrix3<T> E;
    E.col(0) = Vector3<T>::Unit(axes[0]);
    E.col(1) = R1.col(axes[1]);
    E.col(2) = R2.col(axes[2]);
    return E;
  }
  /// dE/dt times dangles/dt: the part of the angular acceleration without second derivatives.
  template <class T>
  Vector3<T> calc_bias(const Vector3<T>& angles, const Vector3<T>& rates) const {
    const Matrix3<T> E = calc_E<T>(angles);
    const Vector3<T> w1 = E.col(0) * rates[0];
    const Vector3<T> w2 = w1 + E.col(1) * rates[1];
    return w1.cross(E.col(1)) * rates[1] + w2.cross(E.col(2)) * rates[2];
  }
  /// Angles of R; the middle one in [-pi/2, pi/2] for three different axes, in [0, pi] for i-j-i sequences.
  /// Where the outer axes coincide only their sum is determined: the first angle is then 0. calc_R gives R
  /// back everywhere.
  Vector3<double> calc_angles(const Matrix3<double>& R) const;
};

}  // namespace haltere
