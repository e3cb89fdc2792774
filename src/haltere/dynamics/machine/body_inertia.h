#pragma once

#include "haltere/math/spatial.h"
#include "haltere/model/model.h"

namespace haltere {

/// Inertia of a body about Bo in world axes, and what it does without acceleration:
///   F = M A + (w x I w; w x (w x mc)),    M = [I mc~; -mc~ m].                          theory.md (E5)
template <class T>
struct BodyInertia {
  Matrix3<T> I;
  Vector3<T> mc;
  T mass;

  BodyInertia(const MassProperties<T>& m, const Matrix3<T>& R) : mass(m.mass) {
    const Vector3<T> c = R * m.p_BoBcm;
    mc = mass * c;
    I = R * m.I_BBcm * R.transpose() + mass * (c.squaredNorm() * Matrix3<T>::Identity() - c * c.transpose());
  }
  Matrix6<T> matrix() const {
    Matrix6<T> M;
    const Matrix3<T> H = skew<T>(mc);
    M << I, H, -H, mass * Matrix3<T>::Identity();
    return M;
  }
  Vector6<T> calc_load(const Vector6<T>& A) const {
    const Vector3<T> alpha = A.template head<3>(), a = A.template tail<3>();
    Vector6<T> F;
    F << I * alpha + mc.cross(a), mass * a - mc.cross(alpha);
    return F;
  }
  Vector6<T> calc_bias(const Vector3<T>& w) const {
    Vector6<T> F;
    F << w.cross(I * w), w.cross(w.cross(mc));
    return F;
  }
  Vector6<T> calc_weight(const Vector3<T>& gravity) const {
    Vector6<T> F;
    F << mc.cross(gravity), mass * gravity;
    return F;
  }
};

}  // namespace haltere
