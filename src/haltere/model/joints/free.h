#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// Six degrees of freedom. Position: quaternion q_FM, then p_FoMo in F; velocity: w_FM, then v of Mo, both in
/// F.
template <class T>
struct Free {
  static constexpr std::string_view kName = "free";
  static constexpr std::string_view kSummary =
      "no constraint: three rotations (0-2) and three translations (3-5)";
  static constexpr int nq = 7, nv = 6;
  static constexpr std::array<Motion, nv> kMotions{Motion::kTurn,   Motion::kTurn,   Motion::kTurn,
                                                   Motion::kLength, Motion::kLength, Motion::kLength};
  static constexpr Hold kHold{{false, false, false}, Hold::Turns::kNone};

  static constexpr auto fields() { return std::tuple{}; }

  Transform<T> calc_alignment() const { return {}; }
  static Transform<T> calc_X_FM(const T* q) {
    return {rotation_of<T>(Eigen::Map<const Vector4<T>>(q)), Vector3<T>(q[4], q[5], q[6])};
  }
  static Matrix6N<T, nv> calc_S_FM(const T*) { return Matrix6N<T, nv>::Identity(); }
  static Vector6<T> calc_bias(const T*, const T*) { return Vector6<T>::Zero(); }
  static void calc_q(const Transform<T>& X_FM, T* q) {
    Eigen::Map<Vector4<T>> orientation(q);
    orientation = quaternion_of<T>(X_FM.R);
    for (int i = 0; i < 3; ++i) q[4 + i] = X_FM.p[i];
  }
  static void calc_qdot(const T* q, const T* v, T* qdot) {
    Eigen::Map<Vector4<T>> rate(qdot);
    rate = quaternion_rate<T>(Eigen::Map<const Vector4<T>>(q), Eigen::Map<const Vector3<T>>(v));
    for (int i = 0; i < 3; ++i) qdot[4 + i] = v[3 + i];
  }
};

}  // namespace haltere
