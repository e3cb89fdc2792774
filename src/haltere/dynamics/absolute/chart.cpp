#include "haltere/dynamics/absolute/chart.h"

#include <array>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>

#include "haltere/math/dense.h"
#include "haltere/math/dual.h"

namespace haltere {
namespace {

// part of the longest: what is left of an axis beside the others, where nothing is but rounding
constexpr double kOneAxis = 3 * std::numeric_limits<double>::epsilon();

using Map3 = Eigen::Map<Vector3<double>>;
using Map4 = Eigen::Map<Vector4<double>>;
using ConstMap3 = Eigen::Map<const Vector3<double>>;
using ConstMap4 = Eigen::Map<const Vector4<double>>;

/// w of a quaternion of any length and its rate: w = 2 vec(qdot q*) / |q|^2.           theory.md (E18)
Vector3<double> calc_w(const Vector4<double>& q, const Vector4<double>& qdot) {
  const Vector4<double> conjugate(q[0], -q[1], -q[2], -q[3]);
  return 2 / q.squaredNorm() * multiply<double>(qdot, conjugate).tail<3>();
}

}  // namespace

std::optional<Chart> Chart::parse(std::string_view text) {
  Chart chart;
  if (text == "lie") return chart;
  if (text == "quaternion") {
    chart.kind_ = Kind::kQuaternion;
    return chart;
  }
  constexpr std::string_view kPrefix = "euler-";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  const auto sequence = EulerSequence::parse(text.substr(kPrefix.size()));
  if (!sequence) return std::nullopt;
  chart.kind_ = Kind::kEuler;
  chart.sequence_ = *sequence;
  return chart;
}

std::string Chart::name() const {
  switch (kind_) {
    case Kind::kLie:
      return "lie";
    case Kind::kQuaternion:
      return "quaternion";
    case Kind::kEuler:
      return "euler-" + sequence_.name();
  }
  return "";
}

/// Rates of the angles for an angular velocity; where their axes lie in a plane, as near as they come.
Vector3<double> Chart::calc_euler_rates(const Vector3<double>& angles, const Vector3<double>& w) const {
  const Matrix3<double> E = sequence_.calc_E<double>(angles);
  if (std::abs(E.determinant()) > kFlat) return E.inverse() * w;
  return solve_least_vector(E, w, kOneAxis);
}

void Chart::read(const double* q, const double* v, Transform<double>* X_WB, Vector6<double>* V_WB) const {
  X_WB->p = ConstMap3(q);
  switch (kind_) {
    case Kind::kLie:
      X_WB->R = rotation_of<double>(ConstMap4(q + 3));
      *V_WB << ConstMap3(v), ConstMap3(v + 3);
      break;
    case Kind::kQuaternion:
      X_WB->R = rotation_of<double>(ConstMap4(q + 3));
      *V_WB << calc_w(ConstMap4(q + 3), ConstMap4(v + 3)), ConstMap3(v);
      break;
    case Kind::kEuler:
      X_WB->R = sequence_.calc_R<double>(ConstMap3(q + 3));
      *V_WB << sequence_.calc_E<double>(ConstMap3(q + 3)) * ConstMap3(v + 3), ConstMap3(v);
      break;
  }
}

void Chart::write(const Transform<double>& X_WB, const Vector6<double>& V_WB, double* q, double* v) const {
  Map3(q, 3) = X_WB.p;
  const Vector3<double> w = V_WB.head<3>(), velocity = V_WB.tail<3>();
  if (kind_ == Kind::kEuler) {
    Map3(q + 3, 3) = sequence_.calc_angles(X_WB.R);
    Map3(v, 3) = velocity;
    Map3(v + 3, 3) = calc_euler_rates(ConstMap3(q + 3), w);
    return;
  }
  const Vector4<double> orientation = quaternion_of<double>(X_WB.R);
  Map4(q + 3, 4) = orientation;
  if (kind_ == Kind::kLie) {
    Map3(v, 3) = w;
    Map3(v + 3, 3) = velocity;
  } else {
    Map3(v, 3) = velocity;
    Map4(v + 3, 4) = quaternion_rate<double>(orientation, w);
  }
}

void Chart::calc_rates(const double* q, const double* v, const Vector6<double>& A, double* qdot,
                       double* vdot) const {
  const Vector3<double> alpha = A.head<3>(), a = A.tail<3>();
  switch (kind_) {
    case Kind::kLie:
      Map3(qdot, 3) = ConstMap3(v + 3);
      Map4(qdot + 3, 4) = quaternion_rate<double>(ConstMap4(q + 3), ConstMap3(v));
      Map3(vdot, 3) = alpha;
      Map3(vdot + 3, 3) = a;
      break;
    case Kind::kQuaternion: {
      const Vector4<double> orientation = ConstMap4(q + 3), rate = ConstMap4(v + 3);
      for (int i = 0; i < 7; ++i) qdot[i] = v[i];
      Map3(vdot, 3) = a;
      // the derivative of qdot = (0, w) q / 2, theory.md (E18)
      Map4(vdot + 3, 4) = quaternion_rate<double>(orientation, alpha) +
                          quaternion_rate<double>(rate, calc_w(orientation, rate));
      break;
    }
    case Kind::kEuler: {
      const Vector3<double> angles = ConstMap3(q + 3), rates = ConstMap3(v + 3);
      for (int i = 0; i < 6; ++i) qdot[i] = v[i];
      Map3(vdot, 3) = a;
      Map3(vdot + 3, 3) = calc_euler_rates(angles, alpha - sequence_.calc_bias<double>(angles, rates));
      break;
    }
  }
}

void Chart::shift(const Vector6<double>& dq, const Vector6<double>& dv, double* q, double* v) const {
  Transform<double> X;
  Vector6<double> V;
  read(q, v, &X, &V);
  V += dv;
  Map3 p(q);
  p += dq.tail<3>();
  const Vector3<double> turn = dq.head<3>();
  if (kind_ == Kind::kEuler) {
    Map3 angles(q + 3);
    angles += calc_euler_rates(angles, turn);
    Map3(v, 3) = V.tail<3>();
    Map3(v + 3, 3) = calc_euler_rates(angles, V.head<3>());
    return;
  }
  Map4 orientation(q + 3);
  // q <- exp(dq) q, theory.md (E18)
  orientation = multiply<double>(quaternion_exp<double>(turn), orientation).eval();
  if (kind_ == Kind::kLie) {
    Map3(v, 3) = V.head<3>();
    Map3(v + 3, 3) = V.tail<3>();
  } else {
    Map3(v, 3) = V.tail<3>();
    Map4(v + 3, 4) = quaternion_rate<double>(orientation, V.head<3>());
  }
}

void Chart::normalize(double* q, double* v, double* qdot) const {
  if (kind_ == Kind::kEuler) return;
  Map4 orientation(q + 3), rate(qdot + 3);
  const double scale = 1 / orientation.norm();
  orientation *= scale;
  rate *= scale;
  if (kind_ != Kind::kQuaternion) return;
  Map4 velocity(v + 3);
  velocity *= scale;
  velocity -= (orientation.dot(velocity) * orientation).eval();
}

template <class T>
void Chart::calc_motion(const T* q, const T* v, const T* vdot, Transform<T>* X_WB, Vector6<T>* V_WB,
                        Vector6<T>* A_WB) const {
  X_WB->p = Vector3<T>(q[0], q[1], q[2]);
  switch (kind_) {
    case Kind::kLie:
      X_WB->R = rotation_of<T>(Vector4<T>(q[3], q[4], q[5], q[6]));
      for (int i = 0; i < 6; ++i) {
        (*V_WB)[i] = v[i];
        (*A_WB)[i] = vdot[i];
      }
      break;
    case Kind::kQuaternion: {
      // w = 2 vec(qdot q*), theory.md (E18) for a unit quaternion: its length is a constraint
      const Vector4<T> conjugate(q[3], -q[4], -q[5], -q[6]);
      X_WB->R = rotation_of<T>(Vector4<T>(q[3], q[4], q[5], q[6]));
      *V_WB << T(2) * multiply<T>(Vector4<T>(v[3], v[4], v[5], v[6]), conjugate).template tail<3>(), v[0],
          v[1], v[2];
      *A_WB << T(2) *
                   multiply<T>(Vector4<T>(vdot[3], vdot[4], vdot[5], vdot[6]), conjugate).template tail<3>(),
          vdot[0], vdot[1], vdot[2];
      break;
    }
    case Kind::kEuler: {
      const Vector3<T> angles(q[3], q[4], q[5]), rates(v[3], v[4], v[5]), second(vdot[3], vdot[4], vdot[5]);
      const Matrix3<T> E = sequence_.calc_E<T>(angles);
      X_WB->R = sequence_.calc_R<T>(angles);
      *V_WB << E * rates, v[0], v[1], v[2];
      *A_WB << E * second + sequence_.calc_bias<T>(angles, rates), vdot[0], vdot[1], vdot[2];
      break;
    }
  }
}

template <class T>
void Chart::calc_forces(const T* q, const Vector6<T>& F, T* f) const {
  const Vector3<T> torque = F.template head<3>();
  if (kind_ == Kind::kLie) {
    for (int i = 0; i < 6; ++i) f[i] = F[i];
    return;
  }
  for (int i = 0; i < 3; ++i) f[i] = F[3 + i];
  if (kind_ == Kind::kQuaternion) {
    const Vector4<T> turn(T(0), torque[0], torque[1], torque[2]);
    const Vector4<T> forces = T(2) * multiply<T>(turn, Vector4<T>(q[3], q[4], q[5], q[6]));
    for (int i = 0; i < 4; ++i) f[3 + i] = forces[i];
  } else {
    const Vector3<T> forces = sequence_.calc_E<T>(Vector3<T>(q[3], q[4], q[5])).transpose() * torque;
    for (int i = 0; i < 3; ++i) f[3 + i] = forces[i];
  }
}

template void Chart::calc_motion<double>(const double*, const double*, const double*, Transform<double>*,
                                         Vector6<double>*, Vector6<double>*) const;
template void Chart::calc_motion<Dual>(const Dual*, const Dual*, const Dual*, Transform<Dual>*,
                                       Vector6<Dual>*, Vector6<Dual>*) const;
template void Chart::calc_forces<double>(const double*, const Vector6<double>&, double*) const;
template void Chart::calc_forces<Dual>(const Dual*, const Vector6<Dual>&, Dual*) const;

double Chart::calc_regularity(const double* q) const {
  return kind_ == Kind::kEuler ? std::abs(sequence_.calc_E<double>(ConstMap3(q + 3)).determinant()) : 1;
}

std::string Chart::position_name(int i) const {
  if (i < 3) return fmt::format("position.{}", "xyz"[i]);
  return kind_ == Kind::kEuler ? fmt::format("euler.{}", i - 3)
                               : fmt::format("orientation.{}", "wxyz"[i - 3]);
}

std::string Chart::velocity_name(int i) const {
  if (kind_ == Kind::kLie)
    return i < 3 ? fmt::format("angular_velocity.{}", "xyz"[i]) : fmt::format("velocity.{}", "xyz"[i - 3]);
  if (i < 3) return fmt::format("velocity.{}", "xyz"[i]);
  return kind_ == Kind::kEuler ? fmt::format("euler_rate.{}", i - 3)
                               : fmt::format("orientation_rate.{}", "wxyz"[i - 3]);
}

}  // namespace haltere
