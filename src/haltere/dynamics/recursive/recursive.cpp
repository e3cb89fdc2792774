#include "haltere/dynamics/recursive/recursive.h"

#include <fmt/format.h>

namespace haltere {
namespace {

std::string name_coordinate(const JointSpec& joint, const char* word, int coordinate) {
  const std::string suffix = joint.nv() > 1 ? fmt::format(".{}", coordinate) : "";
  return fmt::format("joint.{}.{}{}", joint.name(), word, suffix);
}

void add_position_names(const JointSpec& joint, std::vector<std::string>* names) {
  const bool turns = joint.nq() > joint.nv() && !joint.prescribed_sequence;
  if (turns)
    for (const char* c : {"w", "x", "y", "z"})
      names->push_back(fmt::format("joint.{}.orientation.{}", joint.name(), c));
  for (int i = turns ? 3 : 0; i < joint.nv(); ++i)
    if (joint.mode(i) != CoordinateMode::kPrescribed)
      names->push_back(name_coordinate(joint, joint.motion(i) == Motion::kLength ? "position" : "angle", i));
}

void add_velocity_names(const JointSpec& joint, std::vector<std::string>* names) {
  for (int i = 0; i < joint.nv(); ++i)
    if (joint.mode(i) != CoordinateMode::kPrescribed)
      names->push_back(name_coordinate(joint, joint.motion(i) == Motion::kAngle ? "rate" : "velocity", i));
}

}  // namespace

RecursiveEquations::RecursiveEquations(const Model& model) : model_(model) {
  set_parameters(model.calc_parameters());
  sizes_.nq = static_cast<int>(system_->free_q.size());
  sizes_.nv = static_cast<int>(system_->free_v.size());
  sizes_.nz = static_cast<int>(model_.forces.size() + system_->work_joint.size());
  for (int i = 0; i < sizes_.nq; ++i)
    for (const Node<double>& node : system_->nodes)
      if (node.nq > node.nv && system_->free_q[i] == node.q_start) quaternions_.push_back(i);
}

void RecursiveEquations::set_parameters(const std::vector<double>& parameters) {
  system_ = std::make_unique<RecursiveSystem<double>>(model_, parameters);
  work_ = std::make_unique<RecursiveWorkspace<double>>(*system_);
}

Eigen::VectorXd RecursiveEquations::calc_initial_state() {
  const Resolver<double> resolver{system_->parameters.data()};
  Eigen::VectorXd q = Eigen::VectorXd::Zero(system_->nq), v = Eigen::VectorXd::Zero(system_->nv);
  for (std::size_t k = 1; k < system_->nodes.size(); ++k) {
    const Node<double>& node = system_->nodes[k];
    const JointSpec& joint = model_.joints[k - 1];
    for (int i = 0; i < node.nv; ++i) {
      if (joint.initial_position[i])
        q[node.q_start + node.nq - node.nv + i] = resolver.calc(*joint.initial_position[i]);
      if (joint.initial_velocity[i]) v[node.v_start + i] = resolver.calc(*joint.initial_velocity[i]);
    }
    if (node.nq == node.nv) continue;
    const Matrix3<double> R_FM = joint.initial_orientation.calc_R<double>(resolver);
    q.segment<4>(node.q_start) = quaternion_of<double>(R_FM);
    if (joint.initial_turn_in_child) v.segment<3>(node.v_start) = (R_FM * v.segment<3>(node.v_start)).eval();
  }
  Eigen::VectorXd y = Eigen::VectorXd::Zero(sizes_.ny());
  for (int i = 0; i < sizes_.nq; ++i) y[i] = q[system_->free_q[i]];
  for (int i = 0; i < sizes_.nv; ++i) y[sizes_.nq + i] = v[system_->free_v[i]];
  return y;
}

void RecursiveEquations::update(double t, ConstRef y) {
  update_kinematics<double>(*system_, t, y.data(), y.data() + sizes_.nq, work_.get());
  update_loads<double>(*system_, work_.get());
}

Status RecursiveEquations::calc_ydot(double t, ConstRef y, Ref ydot) {
  update(t, y);
  const Status status = calc_hybrid_dynamics<double>(*system_, work_.get());
  if (status != Status::kOk) return status;
  calc_qdot<double>(*system_, work_.get(), ydot.data());
  double* vdot = ydot.data() + sizes_.nq;
  for (int i = 0; i < sizes_.nv; ++i) vdot[i] = work_->vdot[system_->free_v[i]];
  calc_work_rates(vdot + sizes_.nv);
  return Status::kOk;
}

/// Power of each source of energy: what force elements bring in less what they dissipate, then drives and
/// motions.
void RecursiveEquations::calc_work_rates(double* zdot) const {
  for (const Account<double>& a : work_->accounts) *zdot++ = a.input - a.dissipation;
  for (const int j : system_->work_joint) {
    const Node<double>& node = system_->nodes[j + 1];
    double power = node.n_free < node.nv ? calc_prescribed_power(j + 1) : 0;
    for (int i = 0; i < node.n_free; ++i) {
      const int c = node.v_start + node.free[i];
      if (model_.joints[j].mode(node.free[i]) == CoordinateMode::kDriven)
        power += work_->drive[c] * work_->scene.v[c];
    }
    *zdot++ = power;
  }
}

/// Of the forces that prescribed motions take: S^T (IA A + pA), the wrench through the joint, less the loads
/// on its coordinates.
double RecursiveEquations::calc_prescribed_power(int k) const {
  const Node<double>& node = system_->nodes[k];
  const Spatial<double>& A = work_->nodes[k].A;
  double power = 0;
  for (int i = 0; i < node.nv; ++i) {
    const int c = node.v_start + i;
    if (model_.joints[k - 1].mode(i) == CoordinateMode::kPrescribed)
      power += (dot(work_->U[c], A) - work_->u[c]) * work_->scene.v[c];
  }
  return power;
}

void RecursiveEquations::normalize(Ref y, Ref ydot) const {
  for (const int i : quaternions_) {
    const double scale = 1 / y.segment<4>(i).norm();
    y.segment<4>(i) *= scale;
    ydot.segment<4>(i) *= scale;
  }
}

void RecursiveEquations::move(ConstRef q, ConstRef dq, Ref out) const {
  int iq = 0, iv = 0;
  for (std::size_t k = 1; k < system_->nodes.size(); ++k) {
    const Node<double>& node = system_->nodes[k];
    int i = 0;
    if (iq < sizes_.nq && node.nq > node.nv && system_->free_q[iq] == node.q_start) {
      const Vector4<double> turn = quaternion_exp<double>(dq.segment<3>(iv));
      out.segment<4>(iq) = multiply<double>(turn, q.segment<4>(iq));
      iq += 4;
      iv += 3;
      i = 3;
    }
    for (; i < node.n_free; ++i, ++iq, ++iv) out[iq] = q[iq] + dq[iv];
  }
}

/// The model's length scale; of a machine without extent how far it goes in one second, since time has a unit
/// that nobody changes.
double RecursiveEquations::calc_length() const {
  double length = calc_length_scale(model_, system_->parameters);
  if (length > 0) return length;
  const Resolver<double> resolver{system_->parameters.data()};
  length = system_->gravity.norm();
  for (const JointSpec& joint : model_.joints)
    for (int i = 0; i < joint.nv(); ++i) {
      if (joint.motion(i) != Motion::kLength) continue;
      for (const auto* value : {&joint.initial_position[i], &joint.initial_velocity[i]})
        if (*value) length = std::max(length, std::abs(resolver.calc(**value)));
    }
  return length > 0 ? length : 1;
}

Eigen::VectorXd RecursiveEquations::calc_scales() const {
  const double length = calc_length();
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(sizes_.ny());
  scales.head(sizes_.nq).setOnes();
  int iq = 0, iv = 0;
  for (std::size_t k = 1; k < system_->nodes.size(); ++k) {
    const Node<double>& node = system_->nodes[k];
    if (iq < sizes_.nq && node.nq > node.nv && system_->free_q[iq] == node.q_start) ++iq;
    for (int i = 0; i < node.n_free; ++i, ++iq, ++iv) {
      const double scale = is_rotary(model_.joints[k - 1].motion(node.free[i])) ? 1 : length;
      scales[iq] = scale;
      scales[sizes_.nq + iv] = scale;
    }
  }
  return scales;
}

Status RecursiveEquations::observe(double t, ConstRef y, Snapshot* out) {
  update(t, y);
  const Status status = calc_hybrid_dynamics<double>(*system_, work_.get());
  if (status != Status::kOk) return status;
  observe_joints(out);
  observe_bodies(out);
  out->forces = work_->accounts;
  out->potential = out->gravity_potential;
  for (const Account<double>& account : work_->accounts) out->potential += account.potential;
  out->work = y.tail(sizes_.nz).sum();
  return Status::kOk;
}

void RecursiveEquations::observe_joints(Snapshot* out) {
  Eigen::VectorXd total;
  std::vector<Vector6<double>> F_joint;
  const Eigen::VectorXd vdot = work_->vdot;
  calc_inverse_dynamics<double>(*system_, vdot, work_.get(), &total, &F_joint);
  out->vdot = vdot;
  out->tau.resize(system_->nv);
  out->F_reaction.assign(F_joint.begin() + 1, F_joint.end());
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (int i = 0; i < model_.joints[j].nv(); ++i) {
      const int c = system_->nodes[j + 1].v_start + i;
      switch (model_.joints[j].mode(i)) {
        case CoordinateMode::kPassive:
          out->tau[c] = work_->loads.tau[c];
          break;
        case CoordinateMode::kDriven:
          out->tau[c] = work_->drive[c];
          break;
        case CoordinateMode::kPrescribed:
          out->tau[c] = total[c] - work_->loads.tau[c];
          break;
      }
    }
}

void RecursiveEquations::observe_bodies(Snapshot* out) const {
  const std::size_t n = system_->nodes.size();
  out->scene = work_->scene;
  out->A_WB.assign(n, Vector6<double>::Zero());
  out->kinetic = out->gravity_potential = out->gravity_power = 0;
  out->momentum.setZero();
  out->angular_momentum.setZero();
  Vector3<double> moment = Vector3<double>::Zero();  // mass times position, summed
  double mass = 0;
  for (std::size_t k = 1; k < n; ++k) {
    const Node<double>& node = system_->nodes[k];
    const NodeState<double>& s = work_->nodes[k];
    const Matrix3<double> R_WJ = s.R_WJ.eigen();
    const Vector3<double> p_JB_W = R_WJ * node.p_JB, p_WJ = s.p_WJ.eigen(), w = s.w.eigen(), v = s.v.eigen();
    out->scene.X_WB[k] = {R_WJ * node.R_JB, p_WJ + p_JB_W};
    out->scene.V_WB[k] = shift_twist<double>(Spatial<double>{s.w, s.v}.eigen(), p_JB_W);
    out->A_WB[k] = shift_acceleration<double>(s.A.eigen(), w, p_JB_W);

    const Vector3<double> mc = R_WJ * node.mc.eigen();
    const Vector3<double> P = node.mass * v + w.cross(mc);
    const Vector3<double> L_J = R_WJ * (node.I_J.eigen() * (R_WJ.transpose() * w)) + mc.cross(v);
    out->kinetic += 0.5 * (w.dot(L_J) + v.dot(P));
    out->momentum += P;
    out->angular_momentum += L_J + p_WJ.cross(P);  // about the world's origin, for now
    moment += node.mass * p_WJ + mc;
    mass += node.mass;
  }
  out->com = mass > 0 ? Vector3<double>(moment / mass) : moment;
  out->angular_momentum -= out->com.cross(out->momentum);
  out->gravity_potential = -system_->gravity.dot(moment);
  out->gravity_power = system_->gravity.dot(out->momentum);
}

void RecursiveEquations::calc_locals(double t, ConstRef y, std::vector<double>* locals) {
  update(t, y);
  *locals = work_->scene.locals;
}

std::string RecursiveEquations::explain_failure(double t, ConstRef y) {
  const std::vector<std::string> names = coordinate_names();
  for (int i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      return fmt::format("state '{}' is not finite; try a smaller step or tolerance", names[i]);
  update(t, y);
  for (std::size_t i = 0; i < model_.signals.size(); ++i)
    if (!std::isfinite(work_->scene.locals[1 + model_.probes.size() + i]))
      return fmt::format("signal '{}' is not finite; check its formula at this time", model_.signals[i].name);
  for (std::size_t i = 0; i < model_.forces.size(); ++i) {
    const Account<double>& a = work_->accounts[i];
    if (!std::isfinite(a.power) || !std::isfinite(a.potential) || !std::isfinite(a.input))
      return fmt::format("force '{}' is not finite; check its formulas, or a spring whose two points meet",
                         model_.forces[i].name);
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (int i = 0; i < model_.joints[j].nv(); ++i) {
      const int c = work_->scene.v_start[j] + i;
      if (!std::isfinite(work_->scene.v[c]) || !std::isfinite(work_->vdot[c]) ||
          !std::isfinite(work_->loads.tau[c]))
        return fmt::format("joint '{}': its prescribed motion or drive is not finite",
                           model_.joints[j].name());
    }
  if (calc_hybrid_dynamics<double>(*system_, work_.get()) == Status::kSingular)
    return fmt::format(
        "joint '{}': what it carries has no inertia in its direction of motion here, so its acceleration is "
        "not "
        "defined; give body '{}' (or a body beyond it) mass or inertia, or prescribe the joint",
        model_.joints[work_->singular_joint].name(), model_.bodies[work_->singular_joint + 1].name);
  return "an acceleration is not finite; try a smaller step or tolerance, or check the initial state";
}

Status RecursiveEquations::calc_mass_matrix(double t, ConstRef y, Eigen::MatrixXd* M) {
  update(t, y);
  Eigen::MatrixXd all;
  haltere::calc_mass_matrix<double>(*system_, *work_, &all);
  *M = all(system_->free_v, system_->free_v);
  return all.allFinite() ? Status::kOk : Status::kNotFinite;
}

Status RecursiveEquations::calc_generalized_force(double t, ConstRef y, Eigen::VectorXd* f) {
  update(t, y);
  Eigen::VectorXd vdot = work_->vdot, tau;
  for (const int i : system_->free_v) vdot[i] = 0;
  std::vector<Vector6<double>> F_joint;
  calc_inverse_dynamics<double>(*system_, vdot, work_.get(), &tau, &F_joint);
  *f = (work_->loads.tau - tau)(system_->free_v);
  return f->allFinite() ? Status::kOk : Status::kNotFinite;
}

std::vector<std::string> RecursiveEquations::coordinate_names() const {
  std::vector<std::string> names;
  for (const JointSpec& joint : model_.joints) add_position_names(joint, &names);
  for (const JointSpec& joint : model_.joints) add_velocity_names(joint, &names);
  for (const Entry& force : model_.forces) names.push_back(fmt::format("work.force.{}", force.name));
  for (const int j : system_->work_joint)
    names.push_back(fmt::format("work.joint.{}", model_.joints[j].name()));
  return names;
}

}  // namespace haltere
