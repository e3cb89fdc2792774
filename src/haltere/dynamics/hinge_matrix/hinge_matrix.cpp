#include "haltere/dynamics/hinge_matrix/hinge_matrix.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "haltere/dynamics/absolute/body_inertia.h"
#include "haltere/dynamics/absolute/chart.h"
#include "haltere/dynamics/hinge_matrix/misfits.h"
#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/observe.h"
#include "haltere/dynamics/recursive/names.h"
#include "haltere/dynamics/recursive/recursive.h"

namespace haltere {
namespace {

TurnChart parse_chart(const std::string& text, const SourceMark& mark, const std::string& thing) {
  const std::optional<TurnChart> chart = TurnChart::parse(text);
  if (chart) return *chart;
  throw InputError({Problem{mark, thing, fmt::format("formulation hinge-matrix has no chart '{}'", text),
                            "lie, or euler- and a sequence, as in euler-zyx"}});
}

}  // namespace

HingeMatrixEquations::HingeMatrixEquations(const Model& model, const EquationsOptions& options)
    : model_(model),
      stabilization_(options.stabilization),
      stabilizer_(options.stabilization),
      project_always_(options.project_always) {
  if (std::vector<Problem> problems = find_hinge_matrix_misfits(model); !problems.empty())
    throw InputError(std::move(problems));
  make_layout(options);
  set_parameters(model.calc_parameters());
  sizes_.nz = static_cast<int>(work_->accounts.size() + system_->work_joint.size());
  sizes_.ng = sizes_.na = 3 * n_wings();
  position_rows_.resize(sizes_.ng);
  std::iota(position_rows_.begin(), position_rows_.end(), 0);
  g_.setZero(sizes_.na);
  gdot_ = g_;
  A_WB_.assign(model.bodies.size(), Vector6<double>::Zero());
}

void HingeMatrixEquations::make_layout(const EquationsOptions& options) {
  const TurnChart chart = parse_chart(options.chart, {}, "chart");
  places_.resize(model_.bodies.size());
  for (int b = 1; b <= model_.n_tree(); ++b) {
    Place& place = places_[b];
    const BodySpec& body = model_.bodies[b];
    place.chart = options.own_charts && !body.chart.empty()
                      ? parse_chart(body.chart, body.chart_mark, fmt::format("body '{}'", body.name))
                      : chart;
    const bool turns = !model_.joints[b - 1].prescribed_sequence;
    place.q = sizes_.nq;
    place.v = sizes_.nv;
    sizes_.nq += 3 + (turns ? place.chart.nq() : 0);
    sizes_.nv += turns ? 6 : 3;
  }
  for (int b = 1; b <= model_.n_tree(); ++b) places_[b].v += sizes_.nq;
}

void HingeMatrixEquations::set_parameters(const std::vector<double>& parameters) {
  system_ = std::make_unique<RecursiveSystem<double>>(model_, parameters);
  work_ = std::make_unique<RecursiveWorkspace<double>>(*system_);
  constraints_ = std::make_unique<ConstraintSet<double>>(model_, system_->parameters, 0);
  const Resolver<double> resolver{system_->parameters.data()};
  masses_.clear();
  for (const BodySpec& body : model_.bodies) masses_.push_back(calc_mass_properties<double>(body, resolver));
  block_.wings.resize(n_wings());
  block_.gravity = system_->gravity;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    part(b).mass = masses_[b].mass;
    part(b).I = masses_[b].I_BBcm;
  }
  for (int k = 0; k < n_wings(); ++k) {
    Place& place = places_[k + 2];
    InsectWing& wing = block_.wings[k];
    const JointSpec& joint = model_.joints[k + 1];
    place.X_PF = joint.parent_frame.calc_X<double>(resolver);
    place.X_BM = joint.child_frame.calc_X<double>(resolver);
    place.prescribed = nullptr;
    for (const PrescribedRotation<double>& rotation : system_->prescribed_rotations)
      if (rotation.v_start == work_->scene.v_start[k + 1]) place.prescribed = &rotation;
    wing.is_prescribed = place.prescribed != nullptr;
    wing.x_Hb = place.X_PF.p - masses_[1].p_BoBcm;
    wing.x_Hw = place.X_BM.p - masses_[k + 2].p_BoBcm;
  }
  const double length = calc_model_length(model_, system_->parameters);
  row_scales_.setConstant(Eigen::Index{3} * n_wings(), length);
  block_.resize(length);
}

Eigen::VectorXd HingeMatrixEquations::calc_initial_state() {
  return calc_state(calc_initial_scene(model_, system_->parameters));
}

Eigen::VectorXd HingeMatrixEquations::calc_state(const Scene<double>& scene) const {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(sizes_.ny());
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    y.segment<3>(place.q) = scene.X_WB[b].p;
    y.segment<3>(place.linear_v()) = scene.V_WB[b].tail<3>();
    if (!place.turns()) continue;
    const bool is_wing = b > 1;
    const Matrix3<double> R_WF =
        is_wing ? Matrix3<double>(scene.X_WB[1].R * place.X_PF.R) : Matrix3<double>::Identity();
    const Matrix3<double> R_WM = is_wing ? Matrix3<double>(scene.X_WB[b].R * place.X_BM.R) : scene.X_WB[b].R;
    Vector3<double> w = scene.V_WB[b].head<3>();
    if (is_wing) w -= scene.V_WB[1].head<3>();
    place.chart.write(R_WF.transpose() * R_WM, y.data() + place.turn_q());
    y.segment<3>(place.v) = R_WM.transpose() * w;
  }
  return y;
}

// -- one instant

void HingeMatrixEquations::update(double t, ConstRef y) {
  Scene<double>& scene = work_->scene;
  Loads<double>& loads = work_->loads;
  scene.t = t;
  scene.locals[0] = t;
  const Place& body = places_[1];
  block_.body.w = y.segment<3>(body.v);
  block_.body.R = body.chart.calc_R(y.data() + body.turn_q());
  scene.X_WB[1] = {block_.body.R, y.segment<3>(body.q)};
  scene.V_WB[1] << block_.body.R * block_.body.w, y.segment<3>(body.linear_v());
  for (int k = 0; k < n_wings(); ++k) update_wing_motion(k, t, y);
  constraints_->update_coordinates(nullptr, &scene);  // none of these joints counts turns
  update_locals<double>(*system_, &scene);
  for (Vector6<double>& F : loads.F_B_W) F.setZero();
  add_loads<double>(*system_, work_.get());
  constraints_->joints[0].add_load(loads.tau.data(), &scene, &loads);
  for (int b = 1; b <= model_.n_tree(); ++b) update_part(b);
  add_matrices();
  for (int k = 0; k < n_wings(); ++k) update_gap(k);
}

/// Rotation and angular velocity of a wing against the body, from the state or from formulas of time; its
/// pose.
void HingeMatrixEquations::update_wing_motion(int k, double t, ConstRef y) {
  const Place& place = wing_place(k);
  InsectWing& wing = block_.wings[k];
  Scene<double>& scene = work_->scene;
  const Matrix3<double> R_WF = block_.body.R * place.X_PF.R;
  Matrix3<double> R_FM;
  Vector3<double> w_FM_F;
  if (place.prescribed) {
    const auto& [q_start, v_start, sequence, angles] = *place.prescribed;
    const MovingFrame<double> frame = make_turned_frame<double>(sequence, angles, t);
    R_FM = frame.X.R;
    w_FM_F = frame.V.head<3>();
    wing.Pi_rate = place.X_BM.R * (R_FM.transpose() * frame.A.head<3>());
  } else {
    R_FM = place.chart.calc_R(y.data() + place.turn_q());
    w_FM_F = R_FM * y.segment<3>(place.v);
  }
  wing.R_bw = place.X_BM.R * (place.X_PF.R * R_FM).transpose();
  wing.R = R_WF * R_FM * place.X_BM.R.transpose();
  wing.Pi = place.X_BM.R * (R_FM.transpose() * w_FM_F);
  wing.w = wing.R_bw * block_.body.w + wing.Pi;  //                               [xu2010] eq. (8)
  scene.X_WB[k + 2] = {wing.R, y.segment<3>(place.q)};
  scene.V_WB[k + 2] << wing.R * wing.w, y.segment<3>(place.linear_v());
  wing.wanted.setZero();
}

void HingeMatrixEquations::update_part(int b) {
  InsectPart& own = part(b);
  const Vector6<double> F = shift_wrench<double>(work_->loads.F_B_W[b], own.R * masses_[b].p_BoBcm);
  own.tau = F.head<3>();
  own.f = F.tail<3>();
  if (own.has_added) own.K.setZero();
  own.has_added = false;
}

/// Matrices of force elements, moved from Bo to C:  A_Bo = Y A_C - (0; w x (w x p)),  K_C = Y^T K Y.
void HingeMatrixEquations::add_matrices() {
  const Scene<double>& scene = work_->scene;
  for (const auto& [body, K, works, account] : work_->loads.added) {
    if (body.value == 0) continue;
    InsectPart& loaded = part(body.value);
    const Vector3<double> p = scene.X_WB[body.value].R * masses_[body.value].p_BoBcm;
    const Vector3<double> w = scene.V_WB[body.value].head<3>();
    Matrix6<double> Y = Matrix6<double>::Identity();
    Y.block<3, 3>(3, 0) = skew<double>(p);
    const Vector6<double> known = Y.transpose() * (K.rightCols<3>() * w.cross(w.cross(p)));
    loaded.K += Y.transpose() * K * Y;
    loaded.tau += known.head<3>();
    loaded.f += known.tail<3>();
    loaded.has_added = true;
  }
}

/// What springs and drives do at the hinge, and how far it has come apart.          [xu2010] eqs. (32), (33)
void HingeMatrixEquations::update_gap(int k) {
  const Place& place = wing_place(k);
  InsectWing& wing = block_.wings[k];
  const Scene<double>& scene = work_->scene;
  wing.c = place.X_PF.R * work_->loads.tau.segment<3>(scene.v_start[k + 1]);
  const Vector3<double> p_b = block_.body.R * place.X_PF.p, p_w = wing.R * place.X_BM.p;
  const auto body = scene.V_WB[1].head<3>(), own = scene.V_WB[k + 2].head<3>();
  g_.segment<3>(Eigen::Index{3} * k) = scene.X_WB[k + 2].p + p_w - scene.X_WB[1].p - p_b;
  gdot_.segment<3>(Eigen::Index{3} * k) =
      scene.V_WB[k + 2].tail<3>() + own.cross(p_w) - scene.V_WB[1].tail<3>() - body.cross(p_b);
}

Status HingeMatrixEquations::update_accelerations() {
  if (!block_.factor()) return Status::kSingular;
  if (stabilization_.kind == Stabilization::Kind::kBaumgarte)
    for (int k = 0; k < n_wings(); ++k)
      block_.wings[k].wanted = -2 * stabilization_.alpha * gdot_.segment<3>(Eigen::Index{3} * k) -
                               stabilization_.beta * stabilization_.beta * g_.segment<3>(Eigen::Index{3} * k);
  block_.solve();
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Matrix3<double>& R = part(b).R;
    Vector6<double> A_C;
    if (b == 1)
      A_C << R * block_.angular_acceleration(), block_.acceleration();
    else
      A_C << R * block_.angular_acceleration(b - 2), block_.acceleration(b - 2);
    A_WB_[b] = shift_acceleration<double>(A_C, work_->scene.V_WB[b].head<3>(), -(R * masses_[b].p_BoBcm));
  }
  return Status::kOk;
}

Status HingeMatrixEquations::update_met(double t, ConstRef y, bool projected) {
  y_met_ = y;
  if (projected && stabilizer_.is_projection()) {
    const Status status = stabilizer_.project(t, y_met_, this);
    if (status != Status::kOk) return status;
  }
  update(t, y_met_);
  return Status::kOk;
}

Status HingeMatrixEquations::calc_ydot(double t, ConstRef y, Ref ydot) {
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (places_[b].turns() && places_[b].chart.calc_regularity(y.data() + places_[b].turn_q()) < Chart::kFlat)
      return Status::kSingular;
  Status status = update_met(t, y, project_always_);
  if (status != Status::kOk) return status;
  status = update_accelerations();
  if (status != Status::kOk) return status;
  calc_qdot(t, y_met_, ydot);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    ydot.segment<3>(place.linear_v()) = A_WB_[b].tail<3>();
    if (!place.turns()) continue;
    if (b == 1)
      ydot.segment<3>(place.v) = block_.angular_acceleration();
    else
      ydot.segment<3>(place.v) = place.X_BM.R.transpose() * block_.answer(b - 2);
  }
  calc_work_rates(ydot.data() + sizes_.nq + sizes_.nv);
  return Status::kOk;
}

void HingeMatrixEquations::calc_qdot(double /*t*/, ConstRef y, Ref ydot) {
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    ydot.segment<3>(place.q) = y.segment<3>(place.linear_v());
    if (place.turns())
      place.chart.calc_rates(y.data() + place.turn_q(), y.segment<3>(place.v), ydot.data() + place.turn_q());
  }
}

void HingeMatrixEquations::calc_work_rates(double* zdot) const {
  double* const of_elements = zdot;
  for (const Account<double>& a : work_->accounts) *zdot++ = a.input - a.dissipation;
  add_added_work(
      *work_, [this](BodyIndex body) { return calc_A_WB(body); }, of_elements);
  for (const int j : system_->work_joint) {
    double power = 0;
    if (j > 0 && block_.wings[j - 1].is_prescribed)
      power = (block_.wings[j - 1].R_bw * block_.answer(j - 1)).dot(block_.wings[j - 1].Pi);
    for (int i = 0; i < model_.joints[j].nv(); ++i) {
      const int c = work_->scene.v_start[j] + i;
      if (model_.joints[j].mode(i) == CoordinateMode::kDriven) power += work_->drive[c] * work_->scene.v[c];
    }
    *zdot++ = power;
  }
}

// -- the state and its constraints

void HingeMatrixEquations::normalize(Ref y, Ref ydot) const {
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (places_[b].turns())
      places_[b].chart.normalize(y.data() + places_[b].turn_q(), ydot.data() + places_[b].turn_q());
}

Status HingeMatrixEquations::accept(double t, Ref y, Ref ydot) {
  normalize(y, ydot);
  bool moved = false;
  const Status status = stabilizer_.apply(t, y, this, &moved);
  if (!moved || status != Status::kOk) return status;
  return calc_ydot(t, y, ydot);
}

Eigen::VectorXd HingeMatrixEquations::calc_scales() const {
  const double length = calc_model_length(model_, system_->parameters);
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(sizes_.ny());
  scales.head(sizes_.nq + sizes_.nv).setOnes();
  for (int b = 1; b <= model_.n_tree(); ++b) {
    scales.segment<3>(places_[b].q).setConstant(length);
    scales.segment<3>(places_[b].linear_v()).setConstant(length);
  }
  return scales;
}

Status HingeMatrixEquations::calc_drift(double t, ConstRef y, Ref g, Ref gdot) {
  update(t, y);
  if (!block_.factor()) return Status::kSingular;
  g = g_;
  gdot = gdot_;
  return Status::kOk;
}

/// The block system without loads: what the hinges do alone.
void HingeMatrixEquations::calc_change(ConstRef r, Ref dv) {
  block_.solve_gaps(r);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    const Matrix3<double>& R = part(b).R;
    const Vector3<double> turn = b == 1 ? block_.angular_acceleration() : block_.angular_acceleration(b - 2);
    const Vector3<double> move = b == 1 ? block_.acceleration() : block_.acceleration(b - 2);
    dv.segment<3>(place.linear_v() - sizes_.nq) = move - R * turn.cross(masses_[b].p_BoBcm);
    if (!place.turns()) continue;
    if (b == 1)
      dv.segment<3>(place.v - sizes_.nq) = turn;
    else
      dv.segment<3>(place.v - sizes_.nq) = place.X_BM.R.transpose() * block_.answer(b - 2);
  }
}

void HingeMatrixEquations::shift(ConstRef dq, ConstRef dv, Ref y) const {
  y.segment(sizes_.nq, sizes_.nv) += dv;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    y.segment<3>(place.q) += dq.segment<3>(place.linear_v() - sizes_.nq);
    if (place.turns()) place.chart.shift(dq.segment<3>(place.v - sizes_.nq), y.data() + place.turn_q());
  }
}

std::string HingeMatrixEquations::row_name(int row) const {
  return fmt::format("joint '{}', row position.{}", model_.joints[1 + row / 3].name(), "xyz"[row % 3]);
}

// -- what is recorded

Status HingeMatrixEquations::observe(double t, ConstRef y, Snapshot* out) {
  Status status = update_met(t, y, project_always_);
  if (status != Status::kOk) return status;
  status = update_accelerations();
  if (status != Status::kOk) return status;
  observe_bodies(out);
  observe_joints(out);
  observe_elements(*system_, *work_, out);
  out->potential = out->gravity_potential;
  for (const Account<double>& account : work_->accounts) out->potential += account.potential;
  out->work = y.segment(sizes_.nq + sizes_.nv, sizes_.nz).sum();
  return Status::kOk;
}

void HingeMatrixEquations::observe_bodies(Snapshot* out) const {
  out->scene = work_->scene;
  out->A_WB = A_WB_;
  SystemTotals totals;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const BodyInertia<double> inertia(masses_[b], work_->scene.X_WB[b].R);
    totals.add(inertia.mass, inertia.mc, inertia.I, work_->scene.X_WB[b].p, work_->scene.V_WB[b]);
  }
  totals.write(system_->gravity, out);
}

void HingeMatrixEquations::observe_joints(Snapshot* out) const {
  out->vdot.setZero(model_.nv());
  out->tau.setZero(model_.nv());
  out->F_reaction.assign(model_.joints.size(), Vector6<double>::Zero());
  out->constraints.clear();
  out->lambda.setZero(sizes_.na);
  out->position_drift = g_.size() ? g_.cwiseQuotient(row_scales_).lpNorm<Eigen::Infinity>() : 0;
  out->velocity_drift = g_.size() ? gdot_.cwiseQuotient(row_scales_).lpNorm<Eigen::Infinity>() : 0;
  for (int j = 0; j < model_.n_tree(); ++j) {
    ConstraintLoad load;
    if (j > 0) {
      load.F.tail<3>() = block_.calc_hinge_force(j - 1);
      if (block_.wings[j - 1].is_prescribed) load.F.head<3>() = block_.body.R * block_.answer(j - 1);
      out->lambda.segment<3>(Eigen::Index{3} * (j - 1)) = -load.F.tail<3>();
    }
    observe_held_joint(model_, constraints_->joints[j], load, out->A_WB[model_.joints[j].parent.value],
                       out->A_WB[j + 1], *work_, out);
  }
}

void HingeMatrixEquations::calc_locals(double t, ConstRef y, std::vector<double>* locals) {
  update(t, y);
  *locals = work_->scene.locals;
}

std::string HingeMatrixEquations::explain_failure(double t, ConstRef y) {
  const std::vector<std::string> names = coordinate_names();
  for (int i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      return fmt::format("state '{}' is not finite; try a smaller step or tolerance", names[i]);
  const std::string outside = find_curve_fault([&] { update(t, y); });
  if (!outside.empty()) return outside;
  const std::string fault = find_load_fault(model_, *work_);
  if (!fault.empty()) return fault;
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (places_[b].turns() &&
        places_[b].chart.calc_regularity(y.data() + places_[b].turn_q()) < 100 * Chart::kFlat)
      return fmt::format(
          "body '{}': the angles of the chart {} do not describe this orientation; use --chart lie, or "
          "another "
          "sequence",
          model_.bodies[b].name, places_[b].chart.name());
  if (!block_.factor())
    return "the accelerations are not defined: the body or a wing has no inertia (with what a fluid adds to "
           "it) "
           "in a direction in which it is free to move; give it mass and inertia";
  return "an acceleration is not finite; try a smaller step or tolerance, or check the initial state";
}

// -- one evaluation in full

/// The twist of a body at its origin against the velocities of the state.
Eigen::MatrixXd HingeMatrixEquations::calc_jacobian(int b) const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, sizes_.nv);
  const Place& place = places_[b];
  J.block<3, 3>(0, places_[1].v - sizes_.nq) = block_.body.R;
  J.block<3, 3>(3, place.linear_v() - sizes_.nq).setIdentity();
  if (b > 1 && place.turns()) J.block<3, 3>(0, place.v - sizes_.nq) = block_.wings[b - 2].R * place.X_BM.R;
  return J;
}

/// Accelerations of a body at its origin while those of the state are zero.
Vector6<double> HingeMatrixEquations::calc_bias_acceleration(int b) const {
  Vector6<double> A = Vector6<double>::Zero();
  if (b == 1) return A;
  const InsectWing& wing = block_.wings[b - 2];
  A.head<3>() = (block_.body.R * block_.body.w).cross(wing.R * wing.Pi);
  if (wing.is_prescribed) A.head<3>() += wing.R * wing.Pi_rate;
  return A;
}

/// Inertia about the origin, with what force elements add.
Matrix6<double> HingeMatrixEquations::calc_matrix(int b) const {
  Matrix6<double> M = BodyInertia<double>(masses_[b], work_->scene.X_WB[b].R).matrix();
  for (const Loads<double>::Added& added : work_->loads.added)
    if (added.body.value == b) M += added.K;
  return M;
}

Status HingeMatrixEquations::calc_mass_matrix(double t, ConstRef y, Eigen::MatrixXd* M) {
  update(t, y);
  M->setZero(sizes_.nv, sizes_.nv);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Eigen::MatrixXd J = calc_jacobian(b);
    *M += J.transpose() * calc_matrix(b) * J;
  }
  return M->allFinite() ? Status::kOk : Status::kNotFinite;
}

Status HingeMatrixEquations::calc_generalized_force(double t, ConstRef y, Eigen::VectorXd* f) {
  update(t, y);
  const Scene<double>& scene = work_->scene;
  std::vector<Vector6<double>> F = work_->loads.F_B_W;
  for (const InsectWing& wing : block_.wings) {
    const std::size_t b = 2 + (&wing - block_.wings.data());
    F[b].head<3>() += block_.body.R * wing.c;
    F[1].head<3>() -= block_.body.R * wing.c;
  }
  f->setZero(sizes_.nv);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const BodyInertia<double> inertia(masses_[b], scene.X_WB[b].R);
    *f += calc_jacobian(b).transpose() *
          (F[b] + inertia.calc_weight(system_->gravity) - inertia.calc_bias(scene.V_WB[b].head<3>()) -
           calc_matrix(b) * calc_bias_acceleration(b));
  }
  return f->allFinite() ? Status::kOk : Status::kNotFinite;
}

Status HingeMatrixEquations::calc_constraint_matrix(double t, ConstRef y, Eigen::MatrixXd* A,
                                                    Eigen::VectorXd* b) {
  update(t, y);
  A->setZero(sizes_.na, sizes_.nv);
  for (int k = 0; k < n_wings(); ++k) {
    Eigen::Matrix<double, 3, 6> G_b, G_w;  // against the twists of both
    G_b << skew<double>(block_.body.R * wing_place(k).X_PF.p), -Matrix3<double>::Identity();
    G_w << -skew<double>(block_.wings[k].R * wing_place(k).X_BM.p), Matrix3<double>::Identity();
    A->middleRows<3>(Eigen::Index{3} * k) = G_b * calc_jacobian(1) + G_w * calc_jacobian(k + 2);
  }
  *b = gdot_ - *A * y.segment(sizes_.nq, sizes_.nv);
  return A->allFinite() && b->allFinite() ? Status::kOk : Status::kNotFinite;
}

std::vector<std::string> HingeMatrixEquations::coordinate_names() const {
  std::vector<std::string> names;
  const auto turned = [&](int b) {  // what turns against what stands in the state
    return b == 1 ? fmt::format("body.{}", model_.bodies[1].name)
                  : fmt::format("joint.{}", model_.joints[b - 1].name());
  };
  for (int b = 1; b <= model_.n_tree(); ++b) {
    for (const char axis : {'x', 'y', 'z'})
      names.push_back(fmt::format("body.{}.position.{}", model_.bodies[b].name, axis));
    for (int i = 0; places_[b].turns() && i < places_[b].chart.nq(); ++i)
      names.push_back(fmt::format("{}.{}", turned(b), places_[b].chart.position_name(i)));
  }
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const char* word = b == 1 ? "angular_velocity" : "body_angular_velocity";
    for (const char axis : {'x', 'y', 'z'})
      if (places_[b].turns()) names.push_back(fmt::format("{}.{}.{}", turned(b), word, axis));
    for (const char axis : {'x', 'y', 'z'})
      names.push_back(fmt::format("body.{}.velocity.{}", model_.bodies[b].name, axis));
  }
  add_first_order_names(model_, *system_, *constraints_, &names);
  return names;
}

std::unique_ptr<ImplicitForm> HingeMatrixEquations::make_implicit_form() const {
  throw InputError({Problem{{},
                            "formulation",
                            "hinge-matrix has only an explicit form: methods that solve the constraints "
                            "themselves, equilibria and small motions need another one",
                            "use --formulation recursive or absolute, or an explicit integrator"}});
}

}  // namespace haltere
