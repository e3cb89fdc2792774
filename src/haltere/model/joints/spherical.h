#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// Three rotations; position is the quaternion q_FM, velocity is w_FM in the parent's joint frame F.
template <class T>
struct Spherical {
  static constexpr std::string_view kName = "spherical";
  static constexpr std::string_view kSummary = "three rotations about a point";
  static constexpr int nq = 4, nv = 3;
  static constexpr std::array<Motion, nv> kMotions{Motion::kTurn, Motion::kTurn, Motion::kTurn};
  static constexpr Hold kHold{{true, true, true}, Hold::Turns::kNone};

  static constexpr auto fields() { return std::tuple{}; }

  Transform<T> calc_alignment() const { return {}; }
  static Transform<T> calc_X_FM(const T* q) {
    return {rotation_of<T>(Eigen::Map<const Vector4<T>>(q)), Vector3<T>::Zero()};
  }
  static Matrix6N<T, nv> calc_S_FM(const T*) {
    Matrix6N<T, nv> S = Matrix6N<T, nv>::Zero();
    S(0, 0) = T(1);
    S(1, 1) = T(1);
    S(2, 2) = T(1);
    return S;
  }
  static Vector6<T> calc_bias(const T*, const T*) { return Vector6<T>::Zero(); }
  static void calc_q(const Transform<T>& X_FM, T* q) {
    Eigen::Map<Vector4<T>> orientation(q);
    orientation = quaternion_of<T>(X_FM.R);
  }
  static void calc_qdot(const T* q, const T* v, T* qdot) {
    Eigen::Map<Vector4<T>> rate(qdot);
    rate = quaternion_rate<T>(Eigen::Map<const Vector4<T>>(q), Eigen::Map<const Vector3<T>>(v));
  }
};

}  // namespace haltere
