#include "haltere/dynamics/recursive/recursive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "haltere/dynamics/observe.h"
#include "haltere/dynamics/recursive/names.h"
#include "haltere/dynamics/recursive/recursive_form.h"

namespace haltere {
namespace {

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

/// With w >= 0. One that is given as a quaternion of length one stays as it is, so that a state which was
/// written to a file comes back with the same bits.
Vector4<double> calc_initial_quaternion(const RotationSpec& rotation, const Resolver<double>& resolver) {
  if (rotation.form != RotationSpec::Form::kQuaternion)
    return quaternion_of<double>(rotation.calc_R<double>(resolver));
  Vector4<double> q;
  for (int i = 0; i < 4; ++i) q[i] = resolver.calc(rotation.values[i]);
  return settle_quaternion(q);
}

}  // namespace

Vector4<double> settle_quaternion(Vector4<double> q) {
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
  if (std::abs(q.squaredNorm() - 1) > kRounding) q.normalize();
  return q[0] < 0 ? Vector4<double>(-q) : q;
}

Scene<double> calc_initial_scene(const Model& model, const std::vector<double>& parameters) {
  RecursiveEquations tree(model, {});
  tree.set_parameters(parameters);
  const Eigen::VectorXd y = tree.calc_initial_state();
  Scene<double> scene;
  tree.calc_scene(0, y, &scene);
  return scene;
}

RecursiveEquations::RecursiveEquations(const Model& model, const EquationsOptions& options)
    : model_(model),
      stabilization_(options.stabilization),
      stabilizer_(options.stabilization),
      project_always_(options.project_always) {
  set_parameters(model.calc_parameters());
  sizes_.nq = static_cast<int>(system_->free_q.size());
  sizes_.nv = static_cast<int>(system_->free_v.size());
  sizes_.nz = count_work_states(model_, *system_);
  sizes_.nt = system_->constraints.n_turns;
  sizes_.ng = static_cast<int>(system_->constraints.position_rows.size());
  sizes_.na = system_->constraints.n_rows;
  g_.setZero(sizes_.na);
  gdot_.setZero(sizes_.na);
  wanted_.setZero(sizes_.na);
  change_scales_ = calc_scales().segment(sizes_.nq, sizes_.nv);
  const std::vector<int>& free_q = system_->free_q;  // ascending
  for (const Node<double>& node : system_->nodes) {
    if (node.nq == node.nv) continue;
    const auto i = std::lower_bound(free_q.begin(), free_q.end(), node.q_start);
    if (i != free_q.end() && *i == node.q_start) quaternions_.push_back(static_cast<int>(i - free_q.begin()));
  }
}

void RecursiveEquations::set_parameters(const std::vector<double>& parameters) {
  system_ = std::make_unique<RecursiveSystem<double>>(model_, parameters);
  work_ = std::make_unique<RecursiveWorkspace<double>>(*system_);
  if (system_->constraints.empty()) return;
  loops_ = std::make_unique<Loops>(*system_);
  row_scales_ = calc_row_scales(system_->constraints, calc_model_length(model_, system_->parameters));
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
    q.segment<4>(node.q_start) = calc_initial_quaternion(joint.initial_orientation, resolver);
    if (joint.initial_turn_in_child) v.segment<3>(node.v_start) = (R_FM * v.segment<3>(node.v_start)).eval();
  }
  Eigen::VectorXd y = Eigen::VectorXd::Zero(sizes_.ny());
  for (int i = 0; i < sizes_.nq; ++i) y[i] = q[system_->free_q[i]];
  for (int i = 0; i < sizes_.nv; ++i) y[sizes_.nq + i] = v[system_->free_v[i]];
  return y;
}

void RecursiveEquations::update(double t, ConstRef y) {
  work_->turns = y.tail(sizes_.nt);
  update_kinematics<double>(*system_, t, y.data(), y.data() + sizes_.nq, work_.get());
  update_loads<double>(*system_, work_.get());
}

Status RecursiveEquations::calc_ydot(double t, ConstRef y, Ref ydot) {
  if (!loops_ || !stabilizer_.is_projection()) return calc_met_ydot(t, y, ydot);
  y_met_ = y;
  return stabilizer_.calc_ydot(t, y_met_, ydot, this);
}

Status RecursiveEquations::calc_met_ydot(double t, ConstRef y, Ref ydot) {
  update(t, y);
  const Status status = update_accelerations();
  if (status != Status::kOk) return status;
  haltere::calc_qdot<double>(*system_, work_.get(), ydot.data());
  double* vdot = ydot.data() + sizes_.nq;
  for (int i = 0; i < sizes_.nv; ++i) vdot[i] = work_->vdot[system_->free_v[i]];
  calc_work_rates(vdot + sizes_.nv);
  system_->constraints.write_turn_rates(work_->scene, vdot + sizes_.nv + sizes_.nz);
  return Status::kOk;
}

void RecursiveEquations::calc_qdot(double /*t*/, ConstRef y, Ref ydot) {
  Scene<double>& scene = work_->scene;
  for (int i = 0; i < sizes_.nq; ++i) scene.q[system_->free_q[i]] = y[i];
  for (int i = 0; i < sizes_.nv; ++i) scene.v[system_->free_v[i]] = y[sizes_.nq + i];
  haltere::calc_qdot<double>(*system_, work_.get(), ydot.data());
}

Status RecursiveEquations::update_accelerations() {
  const Status status = calc_hybrid_dynamics<double>(*system_, work_.get());
  if (status != Status::kOk || !loops_) return status;
  loops_->factor(*system_, work_.get());
  loops_->calc_drift(*work_, g_, gdot_);
  update_wanted();
  loops_->solve(*system_, wanted_, work_.get());
  return Status::kOk;
}

void RecursiveEquations::update_wanted() {
  if (stabilization_.kind != Stabilization::Kind::kBaumgarte) return;
  wanted_ = -2 * stabilization_.alpha * gdot_ - stabilization_.beta * stabilization_.beta * g_;
}

Status RecursiveEquations::accept(double t, Ref y, Ref ydot) {
  normalize(y, ydot);
  bool moved = false;
  const Status status = stabilizer_.apply(t, y, this, &moved);
  if (!moved || status != Status::kOk) return status;
  return calc_ydot(t, y, ydot);
}

Status RecursiveEquations::calc_drift(double t, ConstRef y, Ref g, Ref gdot) {
  if (!loops_) return Status::kOk;
  update(t, y);
  const Status status = calc_hybrid_dynamics<double>(*system_, work_.get());
  if (status != Status::kOk) return status;
  loops_->factor(*system_, work_.get());
  loops_->calc_drift(*work_, g_, gdot_);
  gather(g_, position_rows(), g);
  gdot = gdot_;
  return Status::kOk;
}

void RecursiveEquations::calc_change(ConstRef r, Ref dv) {
  const Eigen::VectorXd& all = loops_->calc_change(*system_, *work_, r);
  for (int i = 0; i < sizes_.nv; ++i) dv[i] = all[system_->free_v[i]];
}

void RecursiveEquations::calc_position_change(ConstRef r, Ref dq) {
  const Eigen::VectorXd& all = loops_->calc_position_change(*system_, *work_, r);
  for (int i = 0; i < sizes_.nv; ++i) dq[i] = all[system_->free_v[i]];
}

void RecursiveEquations::shift(ConstRef dq, ConstRef dv, Ref y) const {
  move(dq, y.head(sizes_.nq));
  y.segment(sizes_.nq, sizes_.nv) += dv;
}

bool RecursiveEquations::has_moving_constraints() const {
  const std::vector<bool>& rheonomic = system_->constraints.rheonomic;
  return sizes_.nv < system_->nv || std::find(rheonomic.begin(), rheonomic.end(), true) != rheonomic.end();
}

std::vector<int> RecursiveEquations::find_dependent_rows() {
  return loops_ ? loops_->find_dependent() : std::vector<int>();
}

/// Power of each source of energy: what force elements bring in less what they dissipate, then drives and
/// motions.
void RecursiveEquations::calc_work_rates(double* zdot) const {
  double* const of_elements = zdot;
  for (const Account<double>& a : work_->accounts) *zdot++ = a.input - a.dissipation;
  add_added_work(
      *work_, [this](BodyIndex body) { return calc_A_WB(body); }, of_elements);
  for (const int j : system_->work_joint) {
    if (j >= model_.n_tree()) {
      *zdot++ = calc_loop_power(j);
      continue;
    }
    const Node<double>& node = system_->nodes[j + 1];
    double power = node.n_free < node.nv ? calc_prescribed_power(j + 1) : 0;
    for (int i = 0; i < node.n_free; ++i) {
      const int c = node.v_start + node.free[i];
      if (model_.joints[j].mode(node.free[i]) == CoordinateMode::kDriven)
        power += work_->drive[c] * work_->scene.v[c];
    }
    *zdot++ = power;
  }
  for (std::size_t i = 0; i < model_.constraints.size(); ++i)
    *zdot++ = calc_row_power(system_->constraints.joints.size() + i);
}

Vector6<double> RecursiveEquations::calc_A_WB(BodyIndex body) const {
  const NodeState<double>& s = work_->nodes[body.value];
  const Vector3<double> p_JB_W = s.R_WJ.eigen() * system_->nodes[body.value].p_JB;
  return shift_acceleration<double>(s.A.eigen(), s.w.eigen(), p_JB_W);
}

/// Of what moves the rows of a set by formulas of time: lambda . b, since G V + b = 0.
double RecursiveEquations::calc_row_power(std::size_t set) const {
  if (!system_->constraints.rheonomic[set]) return 0;
  const BodyRows<double>& rows = work_->rows[set];
  return loops_->lambda().segment(rows.start, rows.n).dot(rows.b.head(rows.n));
}

/// Of the drives and prescribed motions of a joint that closes a loop.
double RecursiveEquations::calc_loop_power(int j) const {
  double power = calc_row_power(j - model_.n_tree());
  for (int i = 0; i < model_.joints[j].nv(); ++i) {
    const int c = work_->scene.v_start[j] + i;
    if (model_.joints[j].mode(i) == CoordinateMode::kDriven) power += work_->drive[c] * work_->scene.v[c];
  }
  return power;
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

void RecursiveEquations::move(ConstRef dq, Ref q) const {
  int iq = 0, iv = 0;
  for (std::size_t k = 1; k < system_->nodes.size(); ++k) {
    const Node<double>& node = system_->nodes[k];
    int i = 0;
    if (iq < sizes_.nq && node.nq > node.nv && system_->free_q[iq] == node.q_start) {
      const Vector4<double> turn = quaternion_exp<double>(dq.segment<3>(iv));
      q.segment<4>(iq) = multiply<double>(turn, q.segment<4>(iq)).eval();
      iq += 4;
      iv += 3;
      i = 3;
    }
    for (; i < node.n_free; ++i, ++iq, ++iv) q[iq] += dq[iv];
  }
}

Eigen::VectorXd RecursiveEquations::calc_scales() const {
  const double length = calc_model_length(model_, system_->parameters);
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

/// update() at the nearest state that obeys the constraints, or at y itself.
Status RecursiveEquations::update_met(double t, ConstRef y, bool projected) {
  if (!projected) {
    update(t, y);
    return Status::kOk;
  }
  y_met_ = y;
  const Status status = stabilizer_.project(t, y_met_, this);
  if (status == Status::kOk) update(t, y_met_);
  return status;
}

Status RecursiveEquations::observe(double t, ConstRef y, Snapshot* out) {
  Status status = update_met(t, y, loops_ && project_always_ && stabilizer_.is_projection());
  if (status != Status::kOk) return status;
  status = update_accelerations();
  if (status != Status::kOk) return status;
  observe_joints(out);
  observe_constraints(out);
  observe_bodies(out);
  observe_elements(*system_, *work_, out);
  out->potential = out->gravity_potential;
  for (const Account<double>& account : work_->accounts) out->potential += account.potential;
  out->work = y.segment(sizes_.nq + sizes_.nv, sizes_.nz).sum();
  return Status::kOk;
}

void RecursiveEquations::observe_joints(Snapshot* out) {
  Eigen::VectorXd total;
  std::vector<Vector6<double>> F_joint;
  const Eigen::VectorXd vdot = work_->vdot;
  calc_inverse_dynamics<double>(*system_, vdot, work_.get(), &total, &F_joint);
  out->vdot.setZero(model_.nv());
  out->vdot.head(system_->nv) = vdot;
  out->tau.setZero(model_.nv());
  out->F_reaction.assign(F_joint.begin() + 1, F_joint.end());
  for (int j = 0; j < model_.n_tree(); ++j)
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

/// Loads and drifts of the rows; accelerations, forces and reactions of the joints among them.
void RecursiveEquations::observe_constraints(Snapshot* out) const {
  const ConstraintSet<double>& set = system_->constraints;
  if (set.starts.empty()) return;
  if (!loops_) set.update_rows(work_->scene, &work_->rows);  // all broken or removed: no row is left
  out->constraints.assign(work_->rows.size(), {});
  if (loops_) {
    out->lambda = loops_->lambda();
    out->position_drift = g_.cwiseQuotient(row_scales_).lpNorm<Eigen::Infinity>();
    out->velocity_drift = gdot_.cwiseQuotient(row_scales_).lpNorm<Eigen::Infinity>();
    for (std::size_t i = 0; i < work_->rows.size(); ++i)
      out->constraints[i] = calc_constraint_load(work_->rows[i], loops_->lambda(), row_scales_);
  }
  observe_places(set, work_->scene, out);
  for (std::size_t i = 0; i < set.joints.size(); ++i)
    observe_held_joint(model_, set.joints[i], out->constraints[i], calc_A_WB(work_->rows[i].first),
                       calc_A_WB(work_->rows[i].second), *work_, out);
}

void RecursiveEquations::observe_bodies(Snapshot* out) const {
  const std::size_t n = system_->nodes.size();
  out->scene = work_->scene;
  out->A_WB.assign(n, Vector6<double>::Zero());
  SystemTotals totals;
  for (std::size_t k = 1; k < n; ++k) {
    const Node<double>& node = system_->nodes[k];
    const NodeState<double>& s = work_->nodes[k];
    const Matrix3<double> R_WJ = s.R_WJ.eigen();
    const Vector3<double> p_JB_W = R_WJ * node.p_JB, p_WJ = s.p_WJ.eigen();
    const Vector6<double> V_WJ = Spatial<double>{s.w, s.v}.eigen();
    out->scene.X_WB[k] = {R_WJ * node.R_JB, p_WJ + p_JB_W};
    out->scene.V_WB[k] = shift_twist<double>(V_WJ, p_JB_W);
    out->A_WB[k] = calc_A_WB({static_cast<int>(k)});
    totals.add(node.mass, R_WJ * node.mc.eigen(), R_WJ * node.I_J.eigen() * R_WJ.transpose(), p_WJ, V_WJ);
  }
  totals.write(system_->gravity, out);
}

void RecursiveEquations::calc_scene(double t, ConstRef y, Scene<double>* scene) {
  update(t, y);
  *scene = work_->scene;
  for (std::size_t k = 1; k < system_->nodes.size(); ++k) {
    const NodeState<double>& s = work_->nodes[k];
    const Matrix3<double> R_WJ = s.R_WJ.eigen();
    const Vector3<double> p_JB_W = R_WJ * system_->nodes[k].p_JB;
    scene->X_WB[k] = {R_WJ * system_->nodes[k].R_JB, s.p_WJ.eigen() + p_JB_W};
    scene->V_WB[k] = shift_twist<double>(Spatial<double>{s.w, s.v}.eigen(), p_JB_W);
  }
}

Eigen::VectorXd RecursiveEquations::calc_state(const Scene<double>& scene) const {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(sizes_.ny());
  for (int i = 0; i < sizes_.nq; ++i) y[i] = scene.q[system_->free_q[i]];
  for (int i = 0; i < sizes_.nv; ++i) y[sizes_.nq + i] = scene.v[system_->free_v[i]];
  system_->constraints.write_turns(scene, y.data() + y.size() - sizes_.nt);
  return y;
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
  const std::string outside = find_curve_fault([&] { update(t, y); });
  if (!outside.empty()) return outside;
  const std::string fault = find_load_fault(model_, *work_);
  if (!fault.empty()) return fault;
  const std::string lost = system_->constraints.find_fault(work_->scene);
  if (!lost.empty()) return lost;
  Eigen::VectorXd g(sizes_.ng), gdot(sizes_.na);
  if (loops_ && calc_drift(t, y, g, gdot) == Status::kOk) {
    const std::string apart = describe_drift(system_->constraints, g_, row_scales_);
    if (!apart.empty()) return apart;
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
  *f = (work_->loads.tau.head(system_->nv) - tau)(system_->free_v);
  return f->allFinite() ? Status::kOk : Status::kNotFinite;
}

std::unique_ptr<ImplicitForm> RecursiveEquations::make_implicit_form() const {
  return std::make_unique<RecursiveForm>(*this, row_scales_);
}

Eigen::VectorXd RecursiveEquations::multipliers() const {
  return loops_ ? loops_->lambda() : Eigen::VectorXd();
}

/// Rows against twists times the Jacobians of the bodies.
Status RecursiveEquations::calc_constraint_matrix(double t, ConstRef y, Eigen::MatrixXd* A,
                                                  Eigen::VectorXd* b) {
  update(t, y);
  system_->constraints.update_rows(work_->scene, &work_->rows);
  Eigen::MatrixXd J, all = Eigen::MatrixXd::Zero(sizes_.na, system_->nv);
  b->resize(sizes_.na);
  for (const BodyRows<double>& rows : work_->rows) {
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
      if (body.value == 0) continue;
      calc_body_jacobian<double>(*system_, *work_, body, &J);
      all.middleRows(rows.start, rows.n) += G->topRows(rows.n) * J;
    }
    b->segment(rows.start, rows.n) = rows.b.head(rows.n);
  }
  Eigen::VectorXd v = work_->scene.v.head(system_->nv);
  for (const int i : system_->free_v) v[i] = 0;
  *b += all * v;
  *A = all(Eigen::all, system_->free_v);
  return all.allFinite() && b->allFinite() ? Status::kOk : Status::kNotFinite;
}

std::vector<std::string> RecursiveEquations::coordinate_names() const {
  std::vector<std::string> names;
  for (int j = 0; j < model_.n_tree(); ++j) add_position_names(model_.joints[j], &names);
  for (int j = 0; j < model_.n_tree(); ++j) add_velocity_names(model_.joints[j], &names);
  add_first_order_names(model_, *system_, system_->constraints, &names);
  return names;
}

}  // namespace haltere
