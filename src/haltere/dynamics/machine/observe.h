#pragma once

#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/dynamics/machine/machine.h"
#include "haltere/dynamics/snapshot.h"

/// What all formulations record alike of constraints and of joints that are held by rows.
namespace haltere {

/// Energy and momentum of all bodies.
class SystemTotals {
 public:
  /// A body about a point P: its mass, mass times p_PBcm, inertia about P, all in world axes, where P is and
  /// how the body moves there.
  void add(double mass, const Vector3<double>& mc, const Matrix3<double>& I_P, const Vector3<double>& p_WP,
           const Vector6<double>& V_WP);
  void write(const Vector3<double>& gravity, Snapshot* out) const;

 private:
  double mass_ = 0, kinetic_ = 0;
  Vector3<double> moment_ = Vector3<double>::Zero();  // mass times position
  Vector3<double> momentum_ = Vector3<double>::Zero();
  Vector3<double> angular_ = Vector3<double>::Zero();  // about the world's origin
};

/// 1 for rows that are angles, the length scale for lengths.
Eigen::VectorXd calc_row_scales(const ConstraintSet<double>& set, double length);

/// Load on the second body at its point, multipliers and drift of one set of rows.
ConstraintLoad calc_constraint_load(const BodyRows<double>& rows, const Eigen::VectorXd& lambda,
                                    const Eigen::VectorXd& scales);

/// Where constraints touch that have a point of contact, into the last of the snapshot's constraints.
void observe_places(const ConstraintSet<double>& set, const Scene<double>& scene, Snapshot* out);

/// What force elements and surfaces do, once the accelerations of the bodies are known.
void observe_elements(const Machine<double>& machine, const BodyLoads<double>& loads, Snapshot* out);

/// Acceleration, force and reaction of a joint that is held by rows, into its places in the snapshot.
void observe_held_joint(const Model& model, const HeldJoint<double>& joint, const ConstraintLoad& load,
                        const Vector6<double>& A_WP, const Vector6<double>& A_WB, const Scene<double>& scene,
                        const BodyLoads<double>& loads, Snapshot* out);

}  // namespace haltere
