#include "haltere/dynamics/machine/observe.h"

#include "haltere/aero/surfaces.h"

namespace haltere {
void SystemTotals::add(double mass, const Vector3<double>& mc, const Matrix3<double>& I_P,
                       const Vector3<double>& p_WP, const Vector6<double>& V_WP) {
  const Vector3<double> w = V_WP.head<3>(), v = V_WP.tail<3>();
  const Vector3<double> P = mass * v + w.cross(mc);
  const Vector3<double> L_P = I_P * w + mc.cross(v);
  kinetic_ += 0.5 * (w.dot(L_P) + v.dot(P));
  momentum_ += P;
  angular_ += L_P + p_WP.cross(P);
  moment_ += mass * p_WP + mc;
  mass_ += mass;
}

void SystemTotals::write(const Vector3<double>& gravity, Snapshot* out) const {
  out->kinetic = kinetic_;
  out->momentum = momentum_;
  out->com = mass_ > 0 ? Vector3<double>(moment_ / mass_) : moment_;
  out->angular_momentum = angular_ - out->com.cross(momentum_);
  out->gravity_potential = -gravity.dot(moment_);
  out->gravity_power = gravity.dot(momentum_);
}

Eigen::VectorXd calc_row_scales(const ConstraintSet<double>& set, double length) {
  Eigen::VectorXd scales(set.n_rows);
  int row = 0;
  for (const bool is_length : set.is_length) scales[row++] = is_length ? length : 1;
  return scales;
}

ConstraintLoad calc_constraint_load(const BodyRows<double>& rows, const Eigen::VectorXd& lambda,
                                    const Eigen::VectorXd& scales) {
  ConstraintLoad load;
  load.lambda.head(rows.n) = lambda.segment(rows.start, rows.n);
  const Vector6<double> F_Bo = -rows.G_B.topRows(rows.n).transpose() * lambda.segment(rows.start, rows.n);
  load.F = shift_wrench<double>(F_Bo, rows.p_BoMo_W);
  if (rows.n > 0)
    load.drift =
        rows.g.head(rows.n).cwiseQuotient(scales.segment(rows.start, rows.n)).lpNorm<Eigen::Infinity>();
  return load;
}

void observe_places(const ConstraintSet<double>& set, const Scene<double>& scene, Snapshot* out) {
  const std::size_t first = out->constraints.size() - set.kinds.size();
  for (std::size_t i = 0; i < set.kinds.size(); ++i) {
    if (!set.is_contact(i)) continue;
    ContactPlace<double>& place = out->constraints[first + i].place;
    if (set.active[i]) place = set.calc_place(i, scene);
    place.xi = scene.xi[static_cast<Eigen::Index>(i)];
  }
}

void observe_elements(const Machine<double>& machine, const BodyLoads<double>& loads, Snapshot* out) {
  out->forces = loads.accounts;
  for (const Loads<double>::Added& added : loads.added) {
    const int b = added.body.value;
    out->forces[added.account].power -= out->scene.V_WB[b].dot(added.K * out->A_WB[b]);
  }
  const AllSurfaces<double>& surfaces = *machine.surfaces;
  out->surfaces.resize(surfaces.size());
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    std::visit([&](const auto& surface) { surface.observe(out->scene, out->A_WB, &out->surfaces[i]); },
               surfaces[i]);
  for (const std::shared_ptr<Environment>& environment : machine.environments)
    environment->observe(out->scene, out);
}

void observe_held_joint(const Model& model, const HeldJoint<double>& joint, const ConstraintLoad& load,
                        const Vector6<double>& A_WP, const Vector6<double>& A_WB, const Scene<double>& scene,
                        const BodyLoads<double>& loads, Snapshot* out) {
  const Eigen::VectorXd& tau = loads.tau;
  const int j = joint.joint(), start = scene.v_start[j];
  const JointSpec& spec = model.joints[j];
  out->F_reaction.resize(model.joints.size());
  out->F_reaction[j] = load.F;
  if (spec.nv() == 0) return;
  joint.calc_vdot(scene, A_WP, A_WB, out->vdot.data() + start);
  out->F_reaction[j] += joint.calc_wrench(scene, tau.data() + start);
  Vector6<double> held;
  joint.calc_forces(scene, load.F, held.data());
  for (int i = 0; i < spec.nv(); ++i) switch (spec.mode(i)) {
      case CoordinateMode::kPassive:
        out->tau[start + i] = tau[start + i];
        break;
      case CoordinateMode::kDriven:
        out->tau[start + i] = loads.drive[start + i];
        break;
      case CoordinateMode::kPrescribed:
        out->tau[start + i] = held[i];
        break;
    }
}

}  // namespace haltere
