#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "haltere/math/rotation.h"
#include "haltere/math/spatial.h"

namespace haltere {

/// How the pose and the twist of a body stand in the state of `absolute`:
///   lie         q = (p, quaternion), v = (w, velocity of Bo), world axes
///   quaternion  q = (p, quaternion), v = dq/dt: seven numbers and one condition on each
///   euler-IJK   q = (p, three angles of a sequence), v = dq/dt
/// The rates of v are in the table of charts of theory.md, those of quaternions in (E18).
class Chart {
 public:
  enum class Kind { kLie, kQuaternion, kEuler };

  static std::optional<Chart> parse(std::string_view text);
  std::string name() const;
  Kind kind() const { return kind_; }
  int nq() const { return kind_ == Kind::kEuler ? 6 : 7; }
  int nv() const { return kind_ == Kind::kQuaternion ? 7 : 6; }

  void read(const double* q, const double* v, Transform<double>* X_WB, Vector6<double>* V_WB) const;
  void write(const Transform<double>& X_WB, const Vector6<double>& V_WB, double* q, double* v) const;
  /// dq/dt and dv/dt for a body with the acceleration A (alpha; classical acceleration of Bo).
  void calc_rates(const double* q, const double* v, const Vector6<double>& A, double* qdot,
                  double* vdot) const;
  /// Moves the pose by the twist dq over a unit of time, and changes the twist by dv.
  void shift(const Vector6<double>& dq, const Vector6<double>& dv, double* q, double* v) const;
  /// Quaternions to length 1, their rates alike.
  void normalize(double* q, double* v, double* qdot) const;
  /// Near 0: the axes of the sequence lie in a plane; else 1.
  double calc_regularity(const double* q) const;
  double position_scale(int i, double length) const { return i < 3 ? length : 1; }
  double velocity_scale(int i, double length) const { return (kind_ == Kind::kLie) == (i < 3) ? 1 : length; }
  std::string position_name(int i) const;
  std::string velocity_name(int i) const;

  // -- for implicit methods, in any scalar
  /// Pose, twist and acceleration (alpha; a of Bo) of the coordinates and their derivatives.
  template <class T>
  void calc_motion(const T* q, const T* v, const T* vdot, Transform<T>* X_WB, Vector6<T>* V_WB,
                   Vector6<T>* A_WB) const;
  /// Generalised forces of a wrench at Bo, in the order of v.
  template <class T>
  void calc_forces(const T* q, const Vector6<T>& F, T* f) const;

  /// Of |det E|, which is 1 for axes at right angles: rates of angles whose axes are this close to a plane
  /// have lost half of their sixteen digits.
  static constexpr double kFlat = 1e-7;

 private:
  Vector3<double> calc_euler_rates(const Vector3<double>& angles, const Vector3<double>& w) const;

  Kind kind_ = Kind::kLie;
  EulerSequence sequence_;
};

}  // namespace haltere
