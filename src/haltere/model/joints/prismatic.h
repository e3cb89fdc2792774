#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// One translation along an axis.
template <class T>
struct Prismatic {
  static constexpr std::string_view kName = "prismatic";
  static constexpr std::string_view kSummary = "one translation along an axis";
  static constexpr int nq = 1, nv = 1;
  static constexpr std::array<Motion, nv> kMotions{Motion::kLength};
  static constexpr Hold kHold{{true, true, false}, Hold::Turns::kAll};

  Vector3<T> axis = Vector3<T>::UnitZ();

  static constexpr auto fields() {
    return std::tuple{field("axis", &Prismatic::axis, "", "direction of motion in the parent's joint frame")};
  }

  Transform<T> calc_alignment() const { return align_z<T>(axis); }
  static Transform<T> calc_X_FM(const T* q) { return {Matrix3<T>::Identity(), Vector3<T>(T(0), T(0), q[0])}; }
  static Matrix6N<T, nv> calc_S_FM(const T*) {
    Matrix6N<T, nv> S = Matrix6N<T, nv>::Zero();
    S(5, 0) = T(1);
    return S;
  }
  static Vector6<T> calc_bias(const T*, const T*) { return Vector6<T>::Zero(); }
  static void calc_q(const Transform<T>& X_FM, T* q) { q[0] = X_FM.p[2]; }
  static void calc_qdot(const T*, const T* v, T* qdot) { qdot[0] = v[0]; }
};

}  // namespace haltere
