#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// A rotation about an axis (coordinate 0) and a translation along it (1).
template <class T>
struct Cylindrical {
  static constexpr std::string_view kName = "cylindrical";
  static constexpr std::string_view kSummary = "rotation about an axis (0) and translation along it (1)";
  static constexpr int nq = 2, nv = 2;
  static constexpr std::array<Motion, nv> kMotions{Motion::kAngle, Motion::kLength};
  static constexpr Hold kHold{{true, true, false}, Hold::Turns::kAllButAboutZ};

  Vector3<T> axis = Vector3<T>::UnitZ();

  static constexpr auto fields() {
    return std::tuple{axial(field("axis", &Cylindrical::axis, "",
                                  "axis of rotation and translation in the parent's joint frame"))};
  }

  Transform<T> calc_alignment() const { return align_z<T>(axis); }
  static Transform<T> calc_X_FM(const T* q) {
    return {rotation_about<T>(2, q[0]), Vector3<T>(T(0), T(0), q[1])};
  }
  static Matrix6N<T, nv> calc_S_FM(const T*) {
    Matrix6N<T, nv> S = Matrix6N<T, nv>::Zero();
    S(2, 0) = T(1);
    S(5, 1) = T(1);
    return S;
  }
  static Vector6<T> calc_bias(const T*, const T*) { return Vector6<T>::Zero(); }
  static void calc_q(const Transform<T>& X_FM, T* q) {
    q[0] = angle_about_z<T>(X_FM.R);
    q[1] = X_FM.p[2];
  }
  static void calc_qdot(const T*, const T* v, T* qdot) {
    qdot[0] = v[0];
    qdot[1] = v[1];
  }
};

}  // namespace haltere
