#pragma once

#include <cmath>
#include <string_view>

#include "haltere/math/jet.h"
#include "haltere/model/constraints/rows.h"
#include "haltere/model/kind.h"
#include "haltere/model/kind_channel.h"
#include "haltere/model/values.h"

/// What every constraint kind is made of: the two bodies `from` and `to`, a frame on each (which may move in
/// its body by formulas of time), the names of its rows, and `add_rows` between the two frames. Nothing else
/// in the program knows its members: each formulation maps the rows to its own coordinates.
/// `kHolonomicRows`, if only the first so many rows have a residual of positions; the others are
/// nonholonomic: they hold velocities, and their residual is 0. `find_fault`, if there are positions where it
/// has no rows. `channels`, if it has some besides load, multipliers and drift. Of what touches in a point
/// that wanders: `calc_place`, `kContactAngle`, the name of the angle that counts its turns, and
/// `calc_contact_force`.
namespace haltere {

template <class Kind>
constexpr int n_holonomic_rows() {
  if constexpr (requires { Kind::kHolonomicRows; })
    return Kind::kHolonomicRows;
  else
    return static_cast<int>(Kind::kRows.size());
}

/// Where a constraint touches, if that wanders.
template <class T>
struct ContactPlace {
  Vector3<T> point = Vector3<T>::Zero();  // world axes                            [m]
  T xi{0}, xi_rate{0};                    // the angle that counts turns           [rad, rad/s]
  T eta{0};                               // a second one, that does not           [rad]
};

/// Force of what is touched on what touches it.                                                         [N]
struct ContactForce {
  double normal = 0, longitudinal = 0, lateral = 0;
  /// Of the size of the normal force, also where it pulls: then no friction would do.
  double friction_needed() const {
    return normal == 0 ? 0 : std::hypot(longitudinal, lateral) / std::abs(normal);
  }
};
using ContactReading = ContactForce (*)(const Vector6<double>& lambda);

/// Read from the multipliers of its rows and from where it touches.
using ConstraintChannel = KindChannel<Vector6<double>, ContactPlace<double>>;

/// A point of a body that may move in it, with the axes of the body.
template <class T>
MovingFrame<T> make_point_frame(const VectorFunction<T>& point, const T& t) {
  MovingFrame<T> frame;
  for (int i = 0; i < 3; ++i) {
    const Jet<T> x = point[i].calc_jet(t);
    frame.X.p[i] = x.value;
    frame.V[3 + i] = x.d1;
    frame.A[3 + i] = x.d2;
  }
  return frame;
}

/// The axes of a body turned by three angles of a sequence, given with their derivatives in time.
template <class T>
MovingFrame<T> make_turned_frame(const EulerSequence& sequence, const std::array<Jet<T>, 3>& motion) {
  Vector3<T> angles, rates, accelerations;
  for (int i = 0; i < 3; ++i) {
    angles[i] = motion[i].value;
    rates[i] = motion[i].d1;
    accelerations[i] = motion[i].d2;
  }
  const Matrix3<T> E = sequence.calc_E<T>(angles);
  MovingFrame<T> frame;
  frame.X.R = sequence.calc_R<T>(angles);
  frame.V.template head<3>() = E * rates;
  frame.A.template head<3>() = E * accelerations + sequence.calc_bias<T>(angles, rates);
  return frame;
}

/// The axes of a body turned by three angles of a sequence, which may be formulas of time.
template <class T>
MovingFrame<T> make_turned_frame(const EulerSequence& sequence, const VectorFunction<T>& functions,
                                 const T& t) {
  return make_turned_frame<T>(
      sequence, std::array{functions[0].calc_jet(t), functions[1].calc_jet(t), functions[2].calc_jet(t)});
}

}  // namespace haltere
