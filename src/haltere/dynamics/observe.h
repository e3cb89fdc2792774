#pragma once

#include "haltere/dynamics/constraint_set.h"
#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/recursive/workspace.h"

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

/// Power of the matrices that force elements add, -V . K A, once accelerations are known: of those that do
/// work, into the work rates of their elements. `acceleration(body)` is A_WB.
template <class Acceleration>
void add_added_work(const RecursiveWorkspace<double>& work, const Acceleration& acceleration, double* zdot) {
  for (const Loads<double>::Added& added : work.loads.added)
    if (added.works && added.account >= 0)
      zdot[added.account] -= work.scene.V_WB[added.body.value].dot(added.K * acceleration(added.body));
}

/// 1 for rows that are angles, the length scale for lengths.
Eigen::VectorXd calc_row_scales(const ConstraintSet<double>& set, double length);

/// The row that is most off, where that explains a failure; or "".
std::string describe_drift(const ConstraintSet<double>& set, const Eigen::VectorXd& g,
                           const Eigen::VectorXd& scales);

/// Load on the second body at its point, multipliers and drift of one set of rows.
ConstraintLoad calc_constraint_load(const BodyRows<double>& rows, const Eigen::VectorXd& lambda,
                                    const Eigen::VectorXd& scales);

/// Where constraints touch that have a point of contact, into the last of the snapshot's constraints.
void observe_places(const ConstraintSet<double>& set, const Scene<double>& scene, Snapshot* out);

/// What force elements and surfaces do, once the accelerations of the bodies are known.
void observe_elements(const RecursiveSystem<double>& system, const RecursiveWorkspace<double>& work,
                      Snapshot* out);

/// Acceleration, force and reaction of a joint that is held by rows, into its places in the snapshot.
void observe_held_joint(const Model& model, const HeldJoint<double>& joint, const ConstraintLoad& load,
                        const Vector6<double>& A_WP, const Vector6<double>& A_WB,
                        const RecursiveWorkspace<double>& work, Snapshot* out);

}  // namespace haltere
