#include "haltere/dynamics/recursive/recursive.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/machine/memory.h"
#include "haltere/dynamics/machine/names.h"
#include "haltere/dynamics/machine/observe.h"
#include "haltere/dynamics/recursive/recursive_form.h"
#include "haltere/model/quantity.h"

namespace haltere {
namespace {

void add_position_names(const JointSpec& joint, std::vector<std::string>* names) {
  const bool turns = joint.nq() > joint.nv() && !joint.prescribed_sequence;
  if (turns)
    for (const char* c : {"w", "x", "y", "z"})
      names->push_back(fmt::format("joint.{}.orientation.{}", joint.name(), c));
  for (int i = turns ? 3 : 0; i < joint.nv(); ++i)
    if (joint.mode(i) != CoordinateMode::kPrescribed)
      names->push_back(name_coordinate(joint, Quantity::kJointPosition, i));
}

void add_velocity_names(const JointSpec& joint, std::vector<std::string>* names) {
  for (int i = 0; i < joint.nv(); ++i)
    if (joint.mode(i) != CoordinateMode::kPrescribed)
      names->push_back(name_coordinate(joint, Quantity::kJointVelocity, i));
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
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();  // of four squares and their sum
  if (std::abs(q.squaredNorm() - 1) > kRounding) q.normalize();
  return q[0] < 0 ? Vector4<double>(-q) : q;
}

/// Poses and twists of the joint coordinates that the model gives.
Scene<double> calc_initial_scene(const Model& model, const std::vector<double>& parameters) {
  const Machine<double> machine(model, parameters);
  const RecursiveSystem<double> system(machine);
  RecursiveWorkspace<double> work(system);
  const Resolver<double> resolver{machine.parameters.data()};
  Eigen::VectorXd q = Eigen::VectorXd::Zero(system.nq), v = Eigen::VectorXd::Zero(system.nv);
  for (std::size_t k = 1; k < system.nodes.size(); ++k) {
    const Node<double>& node = system.nodes[k];
    const JointSpec& joint = model.joints[k - 1];
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
  const Eigen::VectorXd free_q = q(system.free_q), free_v = v(system.free_v),
                        turns = Eigen::VectorXd::Zero(system.constraints.n_turns);
  Scene<double> scene = make_scene<double>(model);
  scene.gravity = machine.gravity;
  set_initial_states<double>(machine, &scene);
  if (machine.moves_by_states) update_jets<double>(machine, 0, &scene);
  update_kinematics<double>(system, 0, free_q.data(), free_v.data(), &scene, &work);
  std::vector<int> bodies(model.n_tree());
  std::iota(bodies.begin(), bodies.end(), 1);
  write_bodies<double>(system, work, bodies, &scene);
  update_scene<double>(system, work, turns.data(), &scene);
  return scene;
}

void RecursiveFormulation::set_machine(const Machine<double>& machine) {
  const bool is_first = system_ == nullptr;
  loops_.reset();
  work_.reset();
  system_ = std::make_unique<RecursiveSystem<double>>(machine);
  work_ = std::make_unique<RecursiveWorkspace<double>>(*system_);
  response_ = std::make_unique<Response>(*system_);
  if (!system_->constraints.empty()) loops_ = std::make_unique<Loops>(*system_);
  constraints_ = &system_->constraints;
  loop_rows_ = loops_ ? &loops_->rows() : nullptr;
  const double length = calc_model_length(machine.model, machine.parameters);
  layout_.row_scales = calc_row_scales(system_->constraints, length);
  if (is_first) make_layout();
  layout_.scales = calc_scales();
  layout_.change_scales = layout_.scales.tail(layout_.sizes.nv);
}

void RecursiveFormulation::make_layout() {
  const ConstraintSet<double>& rows = system_->constraints;
  Sizes& sizes = layout_.sizes;
  sizes.nq = static_cast<int>(system_->free_q.size());
  sizes.nv = static_cast<int>(system_->free_v.size());
  sizes.nt = rows.n_turns;
  sizes.ng = static_cast<int>(rows.position_rows.size());
  sizes.na = rows.n_rows;
  for (int j = 0; j < model().n_tree(); ++j) add_position_names(model().joints[j], &layout_.names);
  for (int j = 0; j < model().n_tree(); ++j) add_velocity_names(model().joints[j], &layout_.names);
  layout_.position_rows = rows.position_rows;
  layout_.loaded_bodies = machine().read_bodies;
  layout_.has_loops = loops_ != nullptr;
  layout_.has_moving_constraints =
      sizes.nv < system_->nv ||
      std::find(rows.rheonomic.begin(), rows.rheonomic.end(), true) != rows.rheonomic.end();
  g_.setZero(sizes.na);
  gdot_ = none_ = g_;
  scratch_ = make_scene<double>(model());
  all_bodies_.resize(model().n_tree());
  std::iota(all_bodies_.begin(), all_bodies_.end(), 1);
  const std::vector<int>& free_q = system_->free_q;  // ascending
  for (const Node<double>& node : system_->nodes) {
    if (node.nq == node.nv) continue;
    const auto i = std::lower_bound(free_q.begin(), free_q.end(), node.q_start);
    if (i != free_q.end() && *i == node.q_start) quaternions_.push_back(static_cast<int>(i - free_q.begin()));
  }
}

// -- coordinates

void RecursiveFormulation::read(double t, ConstRef y, Bodies bodies, Scene<double>* scene) {
  update_kinematics<double>(*system_, t, y.data(), y.data() + layout_.sizes.nq, scene, work_.get());
  update_scene<double>(*system_, *work_, y.data() + y.size() - layout_.sizes.nt, scene);
  if (bodies == Bodies::kAll) write_bodies<double>(*system_, *work_, all_bodies_, scene);
}

void RecursiveFormulation::write(const Scene<double>& scene, Ref y) const {
  for (int i = 0; i < layout_.sizes.nq; ++i) y[i] = scene.q[system_->free_q[i]];
  for (int i = 0; i < layout_.sizes.nv; ++i) y[layout_.sizes.nq + i] = scene.v[system_->free_v[i]];
}

void RecursiveFormulation::calc_qdot(ConstRef y, Ref ydot) {
  for (int i = 0; i < layout_.sizes.nq; ++i) scratch_.q[system_->free_q[i]] = y[i];
  for (int i = 0; i < layout_.sizes.nv; ++i) scratch_.v[system_->free_v[i]] = y[layout_.sizes.nq + i];
  haltere::calc_qdot<double>(*system_, scratch_, ydot.data());
}

void RecursiveFormulation::shift(ConstRef dq, ConstRef dv, Ref y) const {
  move(dq, layout_.sizes.q(y));
  layout_.sizes.v(y) += dv;
}

void RecursiveFormulation::read_velocities(ConstRef y, Ref dq) const {
  dq = layout_.sizes.v(y);
}

// -- the solve

Status RecursiveFormulation::factor(Scene<double>* scene, BodyLoads<double>* loads) {
  take_loads<double>(*system_, scene, loads, work_.get());
  const Status status = calc_hybrid_dynamics<double>(*system_, work_.get());
  if (status != Status::kOk || !loops_) return status;
  loops_->factor(*system_, *scene, work_.get());
  loops_->calc_drift(*scene, *work_, g_, gdot_);
  return Status::kOk;
}

void RecursiveFormulation::solve(const Eigen::VectorXd& wanted) {
  if (loops_) loops_->solve(*system_, wanted.size() > 0 ? wanted : none_, work_.get());
}

void RecursiveFormulation::calc_change(Level level, ConstRef r, Ref change) {
  const Eigen::VectorXd& all = level == Level::kPosition ? loops_->calc_position_change(*system_, *work_, r)
                                                         : loops_->calc_change(*system_, *work_, r);
  for (int i = 0; i < layout_.sizes.nv; ++i) change[i] = all[system_->free_v[i]];
}

/// On the node, at its joint point.
void RecursiveFormulation::put_load(BodyIndex body, const Vector6<double>& F) {
  const Vector3<double> p_JB_W = work_->nodes[body.value].R_WJ.eigen() * system_->nodes[body.value].p_JB;
  Spatial<double>& own = response_->F[body.value];
  own = own + Spatial<double>::of(shift_wrench<double>(F, -p_JB_W));
}

void RecursiveFormulation::calc_response(const std::vector<BodyIndex>& bodies, Eigen::MatrixXd* response) {
  const auto n = static_cast<Eigen::Index>(6 * bodies.size());
  response->resize(n, n);
  for (Eigen::Index column = 0; column < n; ++column) {
    put_load(bodies[column / 6], Vector6<double>::Unit(column % 6));
    loops_ ? loops_->respond(*system_, *work_, response_.get()) : response_->calc(*system_, *work_);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const int k = bodies[i].value;
      const Vector3<double> p_JB_W = work_->nodes[k].R_WJ.eigen() * system_->nodes[k].p_JB;
      response->block<6, 1>(static_cast<Eigen::Index>(6 * i), column) =
          shift_twist<double>(response_->A[k].eigen(), p_JB_W);
    }
  }
}

void RecursiveFormulation::add_response(const std::vector<BodyIndex>& bodies,
                                        const Eigen::VectorXd& wrenches) {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    put_load(bodies[i], wrenches.segment<6>(static_cast<Eigen::Index>(6 * i)));
  if (loops_) {
    loops_->add_response(*system_, response_.get(), work_.get());
    return;
  }
  for (std::size_t k = 1; k < response_->F.size(); ++k) work_->F_J_W[k] = work_->F_J_W[k] + response_->F[k];
  response_->calc(*system_, *work_);
  take_response(*system_, *response_, work_.get());
}

Status RecursiveFormulation::write_rates(const Scene<double>& scene, ConstRef /*y*/, Ref ydot) {
  haltere::calc_qdot<double>(*system_, scene, ydot.data());
  double* vdot = ydot.data() + layout_.sizes.nq;
  for (int i = 0; i < layout_.sizes.nv; ++i) vdot[i] = work_->vdot[system_->free_v[i]];
  return Status::kOk;
}

Vector6<double> RecursiveFormulation::calc_A_WB(BodyIndex body) const {
  const NodeState<double>& s = work_->nodes[body.value];
  const Vector3<double> p_JB_W = s.R_WJ.eigen() * system_->nodes[body.value].p_JB;
  return shift_acceleration<double>(s.A.eigen(), s.w.eigen(), p_JB_W);
}

/// Of what moves the rows of a set by formulas of time: lambda . b, since G V + b = 0.
double RecursiveFormulation::calc_row_power(int set) const {
  if (!system_->constraints.rheonomic[set]) return 0;
  const BodyRows<double>& rows = work_->rows[set];
  return loops_->lambda().segment(rows.start, rows.n).dot(rows.b.head(rows.n));
}

/// Of the forces that prescribed motions take: S^T (IA A + pA), the wrench through the joint, less the loads
/// on its coordinates.
double RecursiveFormulation::calc_prescribed_power(const Scene<double>& scene, int joint) const {
  if (joint >= model().n_tree()) return calc_row_power(joint - model().n_tree());  // joints of loops first
  const Node<double>& node = system_->nodes[joint + 1];
  const Spatial<double>& A = work_->nodes[joint + 1].A;
  double power = 0;
  for (int i = 0; i < node.nv; ++i) {
    const int c = node.v_start + i;
    if (model().joints[joint].mode(i) == CoordinateMode::kPrescribed)
      power += (dot(work_->U[c], A) - work_->u[c]) * scene.v[c];
  }
  return power;
}

void RecursiveFormulation::normalize(Ref y, Ref ydot) const {
  for (const int i : quaternions_) {
    const double scale = 1 / y.segment<4>(i).norm();
    y.segment<4>(i) *= scale;
    ydot.segment<4>(i) *= scale;
  }
}

void RecursiveFormulation::move(ConstRef dq, Ref q) const {
  int iq = 0, iv = 0;
  for (std::size_t k = 1; k < system_->nodes.size(); ++k) {
    const Node<double>& node = system_->nodes[k];
    int i = 0;
    if (iq < layout_.sizes.nq && node.nq > node.nv && system_->free_q[iq] == node.q_start) {
      const Vector4<double> turn = quaternion_exp<double>(dq.segment<3>(iv));
      q.segment<4>(iq) = multiply<double>(turn, q.segment<4>(iq)).eval();
      iq += 4;
      iv += 3;
      i = 3;
    }
    for (; i < node.n_free; ++i, ++iq, ++iv) q[iq] += dq[iv];
  }
}

Eigen::VectorXd RecursiveFormulation::calc_scales() const {
  const double length = calc_model_length(model(), machine().parameters);
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(layout_.sizes.nq + layout_.sizes.nv);
  layout_.sizes.q(scales).setOnes();
  int iq = 0, iv = 0;
  for (std::size_t k = 1; k < system_->nodes.size(); ++k) {
    const Node<double>& node = system_->nodes[k];
    if (iq < layout_.sizes.nq && node.nq > node.nv && system_->free_q[iq] == node.q_start) ++iq;
    for (int i = 0; i < node.n_free; ++i, ++iq, ++iv) {
      const double scale = is_rotary(model().joints[k - 1].motion(node.free[i])) ? 1 : length;
      scales[iq] = scale;
      scales[layout_.sizes.nq + iv] = scale;
    }
  }
  return scales;
}

// -- what is recorded

void RecursiveFormulation::observe(const Scene<double>& scene, const BodyLoads<double>& loads,
                                   Snapshot* out) {
  observe_joints(loads, out);
  observe_constraints(scene, loads, out);
  observe_bodies(scene, out);
}

void RecursiveFormulation::observe_joints(const BodyLoads<double>& loads, Snapshot* out) {
  Eigen::VectorXd total;
  std::vector<Vector6<double>> F_joint;
  const Eigen::VectorXd vdot = work_->vdot;
  calc_inverse_dynamics<double>(*system_, vdot, work_.get(), &total, &F_joint);
  out->vdot.setZero(model().nv());
  out->vdot.head(system_->nv) = vdot;
  out->tau.setZero(model().nv());
  out->F_reaction.assign(F_joint.begin() + 1, F_joint.end());
  for (int j = 0; j < model().n_tree(); ++j)
    for (int i = 0; i < model().joints[j].nv(); ++i) {
      const int c = system_->nodes[j + 1].v_start + i;
      switch (model().joints[j].mode(i)) {
        case CoordinateMode::kPassive:
          out->tau[c] = loads.tau[c];
          break;
        case CoordinateMode::kDriven:
          out->tau[c] = loads.drive[c];
          break;
        case CoordinateMode::kPrescribed:
          out->tau[c] = total[c] - loads.tau[c];
          break;
      }
    }
}

/// Loads and drifts of the rows; accelerations, forces and reactions of the joints among them.
void RecursiveFormulation::observe_constraints(const Scene<double>& scene, const BodyLoads<double>& loads,
                                               Snapshot* out) {
  const ConstraintSet<double>& set = system_->constraints;
  if (set.starts.empty()) return;
  if (!loops_) set.update_rows(scene, &work_->rows);  // all broken or removed: no row is left
  out->constraints.assign(work_->rows.size(), {});
  if (loops_) {
    out->lambda = loops_->lambda();
    out->position_drift = g_.cwiseQuotient(layout_.row_scales).lpNorm<Eigen::Infinity>();
    out->velocity_drift = gdot_.cwiseQuotient(layout_.row_scales).lpNorm<Eigen::Infinity>();
    for (std::size_t i = 0; i < work_->rows.size(); ++i)
      out->constraints[i] = calc_constraint_load(work_->rows[i], loops_->lambda(), layout_.row_scales);
  }
  observe_places(set, scene, out);
  for (std::size_t i = 0; i < set.joints.size(); ++i)
    observe_held_joint(model(), set.joints[i], out->constraints[i], calc_A_WB(work_->rows[i].first),
                       calc_A_WB(work_->rows[i].second), scene, loads, out);
}

void RecursiveFormulation::observe_bodies(const Scene<double>& scene, Snapshot* out) const {
  const std::size_t n = system_->nodes.size();
  out->scene = scene;
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
  totals.write(machine().gravity, out);
}

// -- one evaluation in full

void RecursiveFormulation::calc_free_motion(const Scene<double>& /*scene*/, const BodyLoads<double>& loads,
                                            Eigen::MatrixXd* M, Eigen::VectorXd* f) {
  Eigen::MatrixXd all;
  calc_mass_matrix<double>(*system_, *work_, &all);
  Eigen::VectorXd vdot = work_->vdot, tau;
  for (const int i : system_->free_v) vdot[i] = 0;
  std::vector<Vector6<double>> F_joint;
  calc_inverse_dynamics<double>(*system_, vdot, work_.get(), &tau, &F_joint);
  Eigen::VectorXd load = loads.tau.head(system_->nv) - tau;
  Eigen::MatrixXd J, J_other;
  for (const Loads<double>::Coupled& coupled : loads.coupled) {
    calc_body_jacobian<double>(*system_, *work_, coupled.body, &J);
    calc_body_jacobian<double>(*system_, *work_, coupled.other, &J_other);
    all += J.transpose() * coupled.K * J_other;
    load -= J.transpose() * (coupled.K * calc_A_WB(coupled.other));  // with what the free coordinates leave
  }
  *M = all(system_->free_v, system_->free_v);
  *f = load(system_->free_v);
}

/// Rows against twists times the Jacobians of the bodies.
void RecursiveFormulation::calc_constraint_matrix(ConstRef /*y*/, const Scene<double>& scene,
                                                  Eigen::MatrixXd* A, Eigen::VectorXd* b) {
  system_->constraints.update_rows(scene, &work_->rows);
  Eigen::MatrixXd J, all = Eigen::MatrixXd::Zero(layout_.sizes.na, system_->nv);
  b->resize(layout_.sizes.na);
  for (const BodyRows<double>& rows : work_->rows) {
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
      if (body.value == 0) continue;
      calc_body_jacobian<double>(*system_, *work_, body, &J);
      all.middleRows(rows.start, rows.n) += G->topRows(rows.n) * J;
    }
    b->segment(rows.start, rows.n) = rows.b.head(rows.n);
  }
  Eigen::VectorXd v = scene.v.head(system_->nv);
  for (const int i : system_->free_v) v[i] = 0;
  *b += all * v;
  *A = all(Eigen::all, system_->free_v);
}

std::unique_ptr<ImplicitForm> RecursiveFormulation::make_implicit_form() const {
  return std::make_unique<RecursiveForm>(*this);
}

std::string RecursiveFormulation::find_fault(ConstRef /*y*/, const Scene<double>& scene) {
  for (int j = 0; j < model().n_tree(); ++j)
    for (int i = 0; i < model().joints[j].nv(); ++i)
      if (model().joints[j].mode(i) == CoordinateMode::kPrescribed &&
          !std::isfinite(work_->vdot[system_->nodes[j + 1].v_start + i]))
        return fmt::format("joint '{}': the acceleration of its prescribed motion is not finite",
                           model().joints[j].name());
  if (const std::string fault = constraints().find_fault(scene); !fault.empty()) return fault;
  if (calc_hybrid_dynamics<double>(*system_, work_.get()) != Status::kSingular) return "";
  return fmt::format(
      "joint '{}': what it carries has no inertia in its direction of motion here, so its acceleration is "
      "not "
      "defined; give body '{}' (or a body beyond it) mass or inertia, or prescribe the joint",
      model().joints[work_->singular_joint].name(), model().bodies[work_->singular_joint + 1].name);
}

}  // namespace haltere
