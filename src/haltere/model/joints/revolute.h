#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// One rotation about an axis fixed in both bodies.
template <class T>
struct Revolute {
  static constexpr std::string_view kName = "revolute";
  static constexpr std::string_view kSummary = "one rotation about an axis";
  static constexpr int nq = 1, nv = 1;
  static constexpr std::array<Motion, nv> kMotions{Motion::kAngle};
  static constexpr Hold kHold{{true, true, true}, Hold::Turns::kAllButAboutZ};

  Vector3<T> axis = Vector3<T>::UnitZ();

  static constexpr auto fields() {
    return std::tuple{
        axial(field("axis", &Revolute::axis, "", "axis of rotation in the parent's joint frame"))};
  }

  Transform<T> calc_alignment() const { return align_z<T>(axis); }
  static Transform<T> calc_X_FM(const T* q) { return {rotation_about<T>(2, q[0]), Vector3<T>::Zero()}; }
  static Matrix6N<T, nv> calc_S_FM(const T*) {
    Matrix6N<T, nv> S = Matrix6N<T, nv>::Zero();
    S(2, 0) = T(1);
    return S;
  }
  static Vector6<T> calc_bias(const T*, const T*) { return Vector6<T>::Zero(); }
  static void calc_q(const Transform<T>& X_FM, T* q) { q[0] = angle_about_z<T>(X_FM.R); }
  static void calc_qdot(const T*, const T* v, T* qdot) { qdot[0] = v[0]; }
};

}  // namespace haltere
