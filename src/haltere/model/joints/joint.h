#pragma once

#include <array>
#include <string_view>

#include "haltere/math/spatial.h"
#include "haltere/model/kind.h"
#include "haltere/model/values.h"

/// What every joint kind is made of. A joint moves frame M (on the child) against frame F (on the parent).
///
/// Laws (checked for every kind by tests/property/joints_test.cpp):
///   V_FM = S_FM(q) v is the time derivative of X_FM(q), at Mo, expressed in F, angular part first;
///   dV_FM/dt = S_FM vdot + bias(q, v);   S_FM has full column rank (away from stated singularities);
///   qdot = N(q) v is consistent with both;
///   calc_q(X_FM(q)) = q, angles in (-pi, pi]; the rows of kHold vanish for X_FM(q), their rates for S_FM v,
///   and they are as many as S_FM lacks columns.
/// Formulas are written in the aligned frames F' = F * alignment, M' = M * alignment, where the axis of a
/// kind is z.
namespace haltere {

template <class T, int N>
using Matrix6N = Eigen::Matrix<T, 6, N>;

/// What a velocity coordinate measures; names its channels and unit.
///   kAngle: angle [rad], rate, torque;   kLength: position [m], velocity, force;
///   kTurn: component of an angular velocity (no position of its own: a quaternion stands for three), torque.
/// The position of coordinate K of a joint, where it has one, is its q[nq - nv + K].
enum class Motion { kAngle, kLength, kTurn };
constexpr bool is_rotary(Motion m) {
  return m != Motion::kLength;
}

/// What a joint takes away: translations of Mo along axes of F, and turns of M against F.
struct Hold {
  enum class Turns { kNone, kAllButAboutZ, kAllButCardan, kAll };
  std::array<bool, 3> along{};  // x, y, z of F
  Turns turns = Turns::kNone;   // kAllButCardan: the axes `axis` in F and `second_axis` in M keep their angle
};

template <class T>
Vector3<T> unit(const Vector3<T>& a) {
  using std::sqrt;
  return a / sqrt(a.squaredNorm());
}

/// Angle about the unit vector n by which u must turn to lie in the half plane of n and w.
template <class T>
T angle_about(const Vector3<T>& n, const Vector3<T>& u, const Vector3<T>& w) {
  using std::atan2;
  return atan2(n.dot(u.cross(w)), u.dot(w) - n.dot(u) * n.dot(w));
}
template <class T>
T angle_about_z(const Matrix3<T>& R) {
  using std::atan2;
  return atan2(R(1, 0), R(0, 0));
}

/// Rotation by an angle about any unit axis.
template <class T>
Matrix3<T> rotation_about(const Vector3<T>& axis, const T& angle) {
  using std::cos, std::sin;
  const T s = sin(angle / T(2));
  const Matrix3<T> N = skew<T>(axis);
  return Matrix3<T>::Identity() + sin(angle) * N + T(2) * s * s * (N * N);
}

/// Rotation that carries z to the direction of `axis`: for x, y, z the cyclic permutation (exact), else the
/// smallest rotation from the nearest of them.
template <class T>
Transform<T> align_z(const Vector3<T>& axis) {
  using std::abs, std::sqrt;
  int k = 2;
  for (int i = 0; i < 2; ++i)
    if (abs(axis[i]) > abs(axis[k])) k = i;
  const Vector3<T> a = unit<T>(axis);
  Transform<T> X;
  // columns: the two coordinate axes after k, then k
  X.R.col(0) = Vector3<T>::Unit((k + 1) % 3);
  X.R.col(1) = Vector3<T>::Unit((k + 2) % 3);
  X.R.col(2) = Vector3<T>::Unit(k);
  if (a[k] < T(0)) {  // half a turn about the first column
    X.R.col(1) *= T(-1);
    X.R.col(2) *= T(-1);
  }
  const Vector3<T> e = X.R.col(2);
  // R = 1 + [n] + [n]^2 / (1 + e.a) with n = e x a carries e to a; exactly 1 where they are equal
  const Matrix3<T> N = skew<T>(e.cross(a));
  X.R = ((Matrix3<T>::Identity() + N + N * N / (T(1) + e.dot(a))) * X.R).eval();
  return X;
}

}  // namespace haltere
