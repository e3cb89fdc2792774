#pragma once

#include "haltere/math/rotation.h"
#include "haltere/math/types.h"

/// Spatial algebra in world axes, angular part first. A twist is (w; v of a point), a wrench (moment about a
/// point; force); moving the point is a shift, no rotation is involved.
namespace haltere {

/// Pose of frame B in frame A: p_AQ = R p_BQ + p.
template <class T>
struct Transform {
  Matrix3<T> R = Matrix3<T>::Identity();
  Vector3<T> p = Vector3<T>::Zero();

  friend Transform operator*(const Transform& X_AB, const Transform& X_BC) {
    return {X_AB.R * X_BC.R, X_AB.R * X_BC.p + X_AB.p};
  }
  friend Vector3<T> operator*(const Transform& X_AB, const Vector3<T>& p_BQ) {
    return X_AB.R * p_BQ + X_AB.p;
  }
  Transform inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// Twist of the same body at point Q, from the one at P: v_Q = v_P + w x p_PQ.
template <class T>
Vector6<T> shift_twist(const Vector6<T>& V_P, const Vector3<T>& p_PQ) {
  Vector6<T> V_Q = V_P;
  V_Q.template tail<3>() += V_P.template head<3>().cross(p_PQ);
  return V_Q;
}

/// Wrench about Q, from the one about P: m_Q = m_P - p_PQ x f.
template <class T>
Vector6<T> shift_wrench(const Vector6<T>& F_P, const Vector3<T>& p_PQ) {
  Vector6<T> F_Q = F_P;
  F_Q.template head<3>() -= p_PQ.cross(F_P.template tail<3>());
  return F_Q;
}

/// Classical acceleration (alpha; a of a point) at Q, from the one at P: a_Q = a_P + alpha x p + w x (w x p).
template <class T>
Vector6<T> shift_acceleration(const Vector6<T>& A_P, const Vector3<T>& w, const Vector3<T>& p_PQ) {
  Vector6<T> A_Q = A_P;
  A_Q.template tail<3>() += A_P.template head<3>().cross(p_PQ) + w.cross(w.cross(p_PQ));
  return A_Q;
}

}  // namespace haltere
