#pragma once

#include "haltere/model/joints/joint.h"

namespace haltere {

/// A rotation about an axis fixed in the parent (0), then one about an axis fixed in the child (1).
/// Singular only if the two axes are parallel.
template <class T>
struct Universal {
  static constexpr std::string_view kName = "universal";
  static constexpr std::string_view kSummary =
      "rotation about an axis of the parent (0), then about one of the child (1)";
  static constexpr int nq = 2, nv = 2;
  static constexpr std::array<Motion, nv> kMotions{Motion::kAngle, Motion::kAngle};
  static constexpr Hold kHold{{true, true, true}, Hold::Turns::kAllButCardan};

  Vector3<T> axis = Vector3<T>::UnitX();
  Vector3<T> second_axis = Vector3<T>::UnitY();

  static constexpr auto fields() {
    return std::tuple{
        axial(field("axis", &Universal::axis, "", "first axis, in the parent's joint frame")),
        axial(field("second_axis", &Universal::second_axis, "",
                    "second axis, turned by the first; given in the parent's joint frame at zero angles"))};
  }

  Transform<T> calc_alignment() const { return {}; }
  Transform<T> calc_X_FM(const T* q) const {
    return {rotation_about<T>(unit(axis), q[0]) * rotation_about<T>(unit(second_axis), q[1]),
            Vector3<T>::Zero()};
  }
  Matrix6N<T, nv> calc_S_FM(const T* q) const {
    Matrix6N<T, nv> S = Matrix6N<T, nv>::Zero();
    S.template block<3, 1>(0, 0) = unit(axis);
    S.template block<3, 1>(0, 1) = rotation_about<T>(unit(axis), q[0]) * unit(second_axis);
    return S;
  }
  Vector6<T> calc_bias(const T* q, const T* v) const {
    Vector6<T> bias = Vector6<T>::Zero();
    const Vector3<T> second = rotation_about<T>(unit(axis), q[0]) * unit(second_axis);
    bias.template head<3>() = unit(axis).cross(second) * (v[0] * v[1]);
    return bias;
  }
  void calc_q(const Transform<T>& X_FM, T* q) const {
    const Vector3<T> a = unit(axis), b = unit(second_axis);
    q[0] = angle_about<T>(a, b, X_FM.R * b);
    q[1] = -angle_about<T>(b, a, X_FM.R.transpose() * a);
  }
  static void calc_qdot(const T*, const T* v, T* qdot) {
    qdot[0] = v[0];
    qdot[1] = v[1];
  }
};

}  // namespace haltere
