#pragma once

#include <vector>

#include "haltere/math/spatial.h"
#include "haltere/model/values.h"

namespace haltere {

/// Position and velocity level of a machine at one instant, as force laws, signals and channels see it,
/// whatever the formulation. Filled by the Equations; world axes.
template <class T>
struct Scene {
  T t{0};
  Vector3<T> gravity = Vector3<T>::Zero();  //                              [m/s2]
  std::vector<Transform<T>>
      X_WB;                      // pose of each body                       [m]           (bodies, 0 = world)
  std::vector<Vector6<T>> V_WB;  // twist of each body at Bo, in W          [rad/s, m/s]  (bodies)
  VectorX<T> q;                  // joint positions, prescribed ones too                  (Model::nq)
  VectorX<T> v;                  // joint velocities, prescribed ones too                 (Model::nv)
  VectorX<T> xi, xi_rate;        // contact angles, over all turns       [rad, rad/s]   (constraints)
  VectorX<T> states;             // first-order states of the model
  VectorX<T> delayed;            // and what its delays give
  std::vector<T> locals;         // t, probes, signals: what formulas read
  /// t and the states, with their derivatives in time (of filters; the others are 0): what prescribed motions read. Empty
  /// where they read no state.
  std::vector<Jet<T>> jets;
  std::vector<int> q_of;     // q index of coordinate 0 of each joint, where coordinates have positions
  std::vector<int> v_start;  // v index of coordinate 0 of each joint

  T position(CoordinateIndex c) const { return q[q_of[c.joint] + c.coordinate]; }
  T velocity(CoordinateIndex c) const { return v[v_start[c.joint] + c.coordinate]; }
  /// The motion that a formula prescribes at this instant.
  Jet<T> calc_jet(const Function<T>& motion) const {
    return jets.empty() ? motion.calc_jet(t) : motion.calc_jet(jets.data());
  }
};

/// What force elements put on the machine; they add, nothing is overwritten.
template <class T>
struct Loads {
  std::vector<Vector6<T>> F_B_W;  // wrench on each body at Bo, in W           [N m, N]      (bodies)
  VectorX<T> tau;                 // generalised force on each joint velocity  [N m or N]    (Model::nv)
  /// Load = -K A_WB - ... : a general 6x6 matrix against the classical acceleration (alpha; a of Bo) of a
  /// body, world axes: the element contributes F_B_W -= K A_WB, solved for with the accelerations.
  struct Added {
    BodyIndex body;
    Matrix6<T> K;
    /// Its power is work that the element does; false: the element's account knows it as stored energy.
    bool works = true;
    int account = -1;  // of the element that added it; set by who calls the elements
  };
  std::vector<Added> added;
  /// The same against the acceleration of another body: F_B_W[body] -= K A_WB[other].
  struct Coupled {
    BodyIndex body, other;
    Matrix6<T> K;
    int account = -1;
  };
  std::vector<Coupled> coupled;

  void add_force_at(BodyIndex body, const Vector3<T>& p_BoQ_W, const Vector3<T>& f_W) {
    F_B_W[body.value].template head<3>() += p_BoQ_W.cross(f_W);
    F_B_W[body.value].template tail<3>() += f_W;
  }
};

/// Where the energy of a force element goes:
///   power on the machine = -d(potential)/dt - dissipation + input.
template <class T>
struct Account {
  T potential{0};    // [J]
  T dissipation{0};  // [W], not negative
  T input{0};        // [W], brought in from outside: motors, moving anchors
  T power{0};        // [W], delivered to bodies and joints
};

}  // namespace haltere
