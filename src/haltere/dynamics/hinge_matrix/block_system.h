#pragma once

#include <vector>

#include <Eigen/LU>

#include "haltere/math/types.h"

namespace haltere {

/// A body about its centre of mass C, as the block system sees it.
struct InsectPart {
  double mass = 0;                                  // [kg]
  Matrix3<double> I = Matrix3<double>::Zero();      // about C, own axes                        [kg m2]
  Matrix3<double> R = Matrix3<double>::Identity();  // own axes in the world
  Vector3<double> w = Vector3<double>::Zero();      // angular velocity, own axes               [rad/s]
  /// Loads of force elements at C, world axes: force f - K_f (alpha; a), torque tau - K_t (alpha; a).
  Vector3<double> f = Vector3<double>::Zero();    // [N]
  Vector3<double> tau = Vector3<double>::Zero();  // [N m]
  Matrix6<double> K = Matrix6<double>::Zero();    // its first rows are K_t
  bool has_added = false;                         // K is not zero
};

struct InsectWing : InsectPart {
  Vector3<double> x_Hb = Vector3<double>::Zero();  // from the body's C to the hinge, body axes     [m]
  Vector3<double> x_Hw = Vector3<double>::Zero();  // from the wing's C to the hinge, wing axes     [m]
  bool is_prescribed = false;                      // case 1: its motion against the body, else 2: its torque
  Matrix3<double> R_bw = Matrix3<double>::Identity();  // body components to wing components
  Vector3<double> Pi = Vector3<double>::Zero();        // angular velocity against the body, wing axes [rad/s]
  Vector3<double> Pi_rate = Vector3<double>::Zero();   // case 1: its derivative                     [rad/s2]
  Vector3<double> c = Vector3<double>::Zero();         // known torque of the body on it, body axes    [N m]
  Vector3<double> wanted = Vector3<double>::Zero();    // second derivative of the gap at the hinge    [m/s2]
};

/// One free body with hinged wings as one dense system:                          [xu2010] eqs. (18), (21)
///   unknowns  x_B'', Omega_B';  per wing  x_W'', Omega_W', f_W, a_W
///   rows      Newton of all (world), Euler of the body (own axes);  per wing Euler (own axes), the hinge
///             (world), Omega_W' against Omega_B' (own axes), f_W (world)
/// f_W is the force of all force elements, buoyancy included; a_W is the torque of the body on the wing (body
/// axes) where its motion is prescribed, else the derivative of Pi (wing axes).
class BlockSystem {
 public:
  InsectPart body;
  std::vector<InsectWing> wings;
  Vector3<double> gravity = Vector3<double>::Zero();  // [m/s2]

  /// Sizes of everything, and units of the unknowns in which pivots are compared: after masses, inertias,
  /// hinges and cases are known.
  void resize(double length);
  /// Fills and factors the matrix. False where the accelerations are not defined.
  bool factor();
  /// Accelerations and loads; after factor().
  void solve();
  /// The least change of velocities, in the sense of kinetic energy, that changes the rates of the gaps by r
  /// (three a wing).
  void solve_gaps(ConstRef r);

  // -- of the last solve
  /// In the order of the paper.
  const Eigen::VectorXd& solution() const { return x_; }
  auto acceleration() const { return x_.segment<3>(0); }          // of the body's C, world axes
  auto angular_acceleration() const { return x_.segment<3>(3); }  // own axes
  auto acceleration(int wing) const { return x_.segment<3>(start(wing)); }
  auto angular_acceleration(int wing) const { return x_.segment<3>(start(wing) + 3); }
  auto force(int wing) const { return x_.segment<3>(start(wing) + 6); }   // f_W
  auto answer(int wing) const { return x_.segment<3>(start(wing) + 9); }  // a_W
  /// Of the body on the wing at the hinge, world axes.                           [xu2010] eq. (48)
  Vector3<double> calc_hinge_force(int wing) const;

 private:
  static constexpr int start(int wing) { return 6 + 12 * wing; }
  void fill_body();
  void fill_wing(int wing);
  void scale_rows();
  void solve_scaled();

  Eigen::MatrixXd C_;
  Eigen::VectorXd d_, x_;
  Eigen::VectorXd row_scale_, unit_;  // powers of two: nothing is rounded
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace haltere
