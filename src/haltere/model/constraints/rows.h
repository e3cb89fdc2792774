#pragma once

#include <array>

#include "haltere/math/spatial.h"
#include "haltere/math/types.h"

namespace haltere {

/// A frame that may move in its body: pose, twist at its origin and the derivative of both, all in body axes.
template <class T>
struct MovingFrame {
  Transform<T> X;
  Vector6<T> V = Vector6<T>::Zero();
  Vector6<T> A = Vector6<T>::Zero();
};

/// The same frame as the world sees it.
template <class T>
struct FrameMotion {
  Transform<T> X;                     // pose
  Vector6<T> V = Vector6<T>::Zero();  // twist at its origin, world axes
};

/// The rows of a constraint between a frame F on the first body and a frame M on the second, against their
/// twists (world axes, at their own origins, angular part first):
///   dg/dt = G_F V_F + G_M V_M + b,      d2g/dt2 = G_F A_F + G_M A_M + bias.
/// Laws (tests/property/constraints_test.cpp): both lines are the derivatives of g along any motion.
template <class T>
class FrameRows {
 public:
  static constexpr int kMost = 6;
  int n = 0;
  Vector6<T> g, b, bias;
  Matrix6<T> G_F, G_M;

  /// u . (p_M - p_F) = value, u fixed in F (given in F).
  void add_translation(const FrameMotion<T>& F, const FrameMotion<T>& M, const Vector3<T>& u_F,
                       const Jet<T>& value) {
    const Vector3<T> u = F.X.R * u_F, d = M.X.p - F.X.p, w = F.V.template head<3>();
    const Vector3<T> ddot = (M.V - F.V).template tail<3>();
    Row row = begin(u.dot(d), value);
    row.on_F << u.cross(d), -u;
    row.on_M << Vector3<T>::Zero(), u;
    end(row, T(2) * w.dot(u.cross(ddot)) + w.dot(w.cross(u).cross(d)));
  }

  /// The same for a direction of the world.
  void add_world_translation(const FrameMotion<T>& F, const FrameMotion<T>& M, int axis) {
    const Vector3<T> u = Vector3<T>::Unit(axis);
    Row row = begin(M.X.p[axis] - F.X.p[axis], Jet<T>(0.0));
    row.on_F << Vector3<T>::Zero(), -u;
    row.on_M << Vector3<T>::Zero(), u;
    end(row, T(0));
  }

  /// |p_M - p_F| = value
  void add_distance(const FrameMotion<T>& F, const FrameMotion<T>& M, const Jet<T>& value) {
    using std::sqrt;
    const Vector3<T> d = M.X.p - F.X.p, ddot = (M.V - F.V).template tail<3>();
    const T length = sqrt(d.squaredNorm());
    const Vector3<T> e = d / length;  // no direction where the points meet: not finite, and the run says so
    const T rate = e.dot(ddot);
    Row row = begin(length, value);
    row.on_F << Vector3<T>::Zero(), -e;
    row.on_M << Vector3<T>::Zero(), e;
    end(row, (ddot.squaredNorm() - rate * rate) / length);
  }

  /// a . b = value, a fixed in F, b in M.
  void add_product(const FrameMotion<T>& F, const FrameMotion<T>& M, const Vector3<T>& a_F,
                   const Vector3<T>& b_M, const T& value) {
    const Vector3<T> a = F.X.R * a_F, c = M.X.R * b_M, axb = a.cross(c);
    const Vector3<T> w_F = F.V.template head<3>(), w_M = M.V.template head<3>();
    Row row = begin(a.dot(c), Jet<T>(value, T(0), T(0)));
    row.on_F << axb, Vector3<T>::Zero();
    row.on_M << -axb, Vector3<T>::Zero();
    end(row, (w_F - w_M).dot(w_F.cross(a).cross(c) + a.cross(w_M.cross(c))));
  }

  /// A direction or a vector, with its rate.
  struct Moving {
    Vector3<T> value, rate;
  };
  /// Velocity along u of the point of M at p_M + d against the point of F that is in the same place; both u
  /// and d may move anyhow. The derivative of `residual`, or the row of a nonholonomic constraint:
  ///   u . (v_M + w_M x d - v_F - w_F x D),   D = p_M + d - p_F.
  void add_contact(const FrameMotion<T>& F, const FrameMotion<T>& M, const T& residual, const Moving& u,
                   const Moving& d) {
    const Vector3<T> w_F = F.V.template head<3>(), w_M = M.V.template head<3>();
    const Vector3<T> v = (M.V - F.V).template tail<3>();
    const Vector3<T> D = M.X.p + d.value - F.X.p, Ddot = v + d.rate;
    Row row = begin(residual, Jet<T>(0.0));
    row.on_F << u.value.cross(D), -u.value;
    row.on_M << d.value.cross(u.value), u.value;
    end(row,
        u.rate.dot(v + w_M.cross(d.value) - w_F.cross(D)) + u.value.dot(w_M.cross(d.rate) - w_F.cross(Ddot)));
  }

  /// The axes of F and M coincide: three rows, twice the vector part of the quaternion q_FM (s, r) with s >=
  /// 0.
  ///   dr/dt = (s w + w x r) / 2,   ds/dt = -w . r / 2,   w = w_FM in F
  void add_orientation(const FrameMotion<T>& F, const FrameMotion<T>& M) {
    const Vector4<T> q = quaternion_of<T>(F.X.R.transpose() * M.X.R);
    const T s = q[0];
    const Vector3<T> r = q.template tail<3>();
    const Vector3<T> w_F_W = F.V.template head<3>(), w_FM_W = M.V.template head<3>() - w_F_W;
    const Vector3<T> w = F.X.R.transpose() * w_FM_W;
    const Vector3<T> gdot = s * w + w.cross(r);
    const Matrix3<T> E = s * Matrix3<T>::Identity() - skew<T>(r);
    const Matrix3<T> E_W = E * F.X.R.transpose();
    const Vector3<T> own = T(-0.5) * w.dot(r) * w + T(0.5) * w.cross(gdot) - E_W * w_F_W.cross(w_FM_W);
    for (int i = 0; i < 3; ++i) {
      Row row = begin(T(2) * r[i], Jet<T>(0.0));
      row.on_F << -E_W.row(i).transpose(), Vector3<T>::Zero();
      row.on_M << E_W.row(i).transpose(), Vector3<T>::Zero();
      end(row, own[i]);
    }
  }

 private:
  struct Row {
    Vector6<T> on_F, on_M;
    Jet<T> value;
  };
  Row begin(const T& quantity, const Jet<T>& value) {
    g[n] = quantity - value.value;
    return {Vector6<T>::Zero(), Vector6<T>::Zero(), value};
  }
  void end(const Row& row, const T& own_bias) {
    G_F.row(n) = row.on_F.transpose();
    G_M.row(n) = row.on_M.transpose();
    b[n] = -row.value.d1;
    bias[n] = own_bias - row.value.d2;
    ++n;
  }
};

}  // namespace haltere
