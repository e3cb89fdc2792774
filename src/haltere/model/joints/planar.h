#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// Two translations (0, 1) in the plane normal to an axis and a rotation about it (2). For the axes z, x, y
/// the in-plane directions are (x, y), (y, z), (z, x) of the parent's joint frame.
template <class T>
struct Planar {
  static constexpr std::string_view kName = "planar";
  static constexpr std::string_view kSummary =
      "two translations (0, 1) in a plane and a rotation about its normal (2); the directions for the "
      "normals "
      "z, x, y are (x, y), (y, z), (z, x)";
  static constexpr int nq = 3, nv = 3;
  static constexpr std::array<Motion, nv> kMotions{Motion::kLength, Motion::kLength, Motion::kAngle};
  static constexpr Hold kHold{{false, false, true}, Hold::Turns::kAllButAboutZ};

  Vector3<T> axis = Vector3<T>::UnitZ();

  static constexpr auto fields() {
    return std::tuple{
        axial(field("axis", &Planar::axis, "", "normal of the plane in the parent's joint frame"))};
  }

  Transform<T> calc_alignment() const { return align_z<T>(axis); }
  static Transform<T> calc_X_FM(const T* q) {
    return {rotation_about<T>(2, q[2]), Vector3<T>(q[0], q[1], T(0))};
  }
  static Matrix6N<T, nv> calc_S_FM(const T*) {
    Matrix6N<T, nv> S = Matrix6N<T, nv>::Zero();
    S(3, 0) = T(1);
    S(4, 1) = T(1);
    S(2, 2) = T(1);
    return S;
  }
  static Vector6<T> calc_bias(const T*, const T*) { return Vector6<T>::Zero(); }
  static void calc_q(const Transform<T>& X_FM, T* q) {
    q[0] = X_FM.p[0];
    q[1] = X_FM.p[1];
    q[2] = angle_about_z<T>(X_FM.R);
  }
  static void calc_qdot(const T*, const T* v, T* qdot) {
    for (int i = 0; i < nv; ++i) qdot[i] = v[i];
  }
};

}  // namespace haltere
