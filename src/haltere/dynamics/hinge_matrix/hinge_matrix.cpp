#include "haltere/dynamics/hinge_matrix/hinge_matrix.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/hinge_matrix/misfits.h"
#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/machine/body_inertia.h"
#include "haltere/dynamics/machine/observe.h"

namespace haltere {
namespace {

TurnChart parse_chart(const std::string& text, const SourceMark& mark, const std::string& thing) {
  const std::optional<TurnChart> chart = TurnChart::parse(text);
  if (chart) return *chart;
  throw InputError({Problem{mark, thing, fmt::format("formulation hinge-matrix has no chart '{}'", text),
                            "lie, or euler- and a sequence, as in euler-zyx"}});
}

}  // namespace

HingeMatrixFormulation::HingeMatrixFormulation(const Model& model, const EquationsOptions& options)
    : model_(model),
      A_WB_(model.bodies.size(), Vector6<double>::Zero()),
      w_(model.bodies.size(), Vector3<double>::Zero()) {
  if (std::vector<Problem> problems = find_hinge_matrix_misfits(model); !problems.empty())
    throw InputError(std::move(problems));
  place_bodies(options);
  Sizes& sizes = layout_.sizes;
  sizes.ng = sizes.na = 3 * n_wings();
  layout_.position_rows.resize(sizes.ng);
  std::iota(layout_.position_rows.begin(), layout_.position_rows.end(), 0);
  layout_.loaded_bodies.resize(model.bodies.size());
  std::iota(layout_.loaded_bodies.begin(), layout_.loaded_bodies.end(), 0);
  layout_.names = list_names();
  layout_.row_names = list_row_names();
  g_.setZero(sizes.na);
  gdot_ = g_;
}

void HingeMatrixFormulation::place_bodies(const EquationsOptions& options) {
  Sizes& sizes = layout_.sizes;
  const TurnChart chart = parse_chart(options.chart, {}, "chart");
  places_.resize(model_.bodies.size());
  for (int b = 1; b <= model_.n_tree(); ++b) {
    Place& place = places_[b];
    const BodySpec& body = model_.bodies[b];
    place.chart = options.own_charts && !body.chart.empty()
                      ? parse_chart(body.chart, body.chart_mark, fmt::format("body '{}'", body.name))
                      : chart;
    const bool turns = place.turns = !model_.joints[b - 1].prescribed_sequence;
    place.q = sizes.nq;
    place.v = sizes.nv;
    sizes.nq += 3 + (turns ? place.chart.nq() : 0);
    sizes.nv += turns ? 6 : 3;
  }
  for (int b = 1; b <= model_.n_tree(); ++b) places_[b].v += sizes.nq;
}

void HingeMatrixFormulation::set_machine(const Machine<double>& machine) {
  machine_ = &machine;
  joints_ = std::make_unique<ConstraintSet<double>>(model_, machine.parameters, 0);
  constraints_ = joints_.get();
  const Resolver<double> resolver{machine.parameters.data()};
  const std::vector<MassProperties<double>>& masses = machine.masses;
  block_.wings.resize(n_wings());
  block_.gravity = machine.gravity;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    part(b).mass = masses[b].mass;
    part(b).I = masses[b].I_BBcm;
  }
  for (int k = 0; k < n_wings(); ++k) {
    Place& place = places_[k + 2];
    InsectWing& wing = block_.wings[k];
    const JointSpec& joint = model_.joints[k + 1];
    place.X_PF = joint.parent_frame.calc_X<double>(resolver);
    place.X_BM = joint.child_frame.calc_X<double>(resolver);
    if (joint.prescribed_sequence)
      for (int i = 0; i < 3; ++i) place.angles[i] = {&*joint.prescribed[i], machine.parameters.data()};
    wing.is_prescribed = joint.prescribed_sequence.has_value();
    wing.x_Hb = place.X_PF.p - masses[1].p_BoBcm;
    wing.x_Hw = place.X_BM.p - masses[k + 2].p_BoBcm;
  }
  set_length(calc_model_length(model_, machine.parameters));
}

void HingeMatrixFormulation::set_length(double length) {
  block_.resize(length);
  layout_.row_scales.setConstant(Eigen::Index{3} * n_wings(), length);
  layout_.scales.setOnes(layout_.sizes.nq + layout_.sizes.nv);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    layout_.scales.segment<3>(places_[b].q).setConstant(length);
    layout_.scales.segment<3>(places_[b].linear_v()).setConstant(length);
  }
  layout_.change_scales = layout_.scales.tail(layout_.sizes.nv);
}

// -- coordinates

void HingeMatrixFormulation::write(const Scene<double>& scene, Ref y) const {
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    y.segment<3>(place.q) = scene.X_WB[b].p;
    y.segment<3>(place.linear_v()) = scene.V_WB[b].tail<3>();
    if (!place.turns) continue;
    const bool is_wing = b > 1;
    const Matrix3<double> R_WF =
        is_wing ? Matrix3<double>(scene.X_WB[1].R * place.X_PF.R) : Matrix3<double>::Identity();
    const Matrix3<double> R_WM = is_wing ? Matrix3<double>(scene.X_WB[b].R * place.X_BM.R) : scene.X_WB[b].R;
    Vector3<double> w = scene.V_WB[b].head<3>();
    if (is_wing) w -= scene.V_WB[1].head<3>();
    place.chart.write(R_WF.transpose() * R_WM, y.data() + place.turn_q());
    y.segment<3>(place.v) = R_WM.transpose() * w;
  }
}

void HingeMatrixFormulation::read(double t, ConstRef y, Bodies /*all of them*/, Scene<double>* out) {
  Scene<double>& scene = *out;
  scene.t = t;
  scene.locals[0] = t;
  const Place& body = places_[1];
  block_.body.w = y.segment<3>(body.v);
  block_.body.R = body.chart.calc_R(y.data() + body.turn_q());
  scene.X_WB[1] = {block_.body.R, y.segment<3>(body.q)};
  scene.V_WB[1] << block_.body.R * block_.body.w, y.segment<3>(body.linear_v());
  for (int k = 0; k < n_wings(); ++k) update_wing_motion(k, y, &scene);
  constraints_->update_coordinates(nullptr, &scene);  // none of these joints counts turns
  update_locals<double>(*machine_, &scene);
}

/// Rotation and angular velocity of a wing against the body, from the state or from formulas of time; its
/// pose.
void HingeMatrixFormulation::update_wing_motion(int k, ConstRef y, Scene<double>* scene) {
  const Place& place = wing_place(k);
  InsectWing& wing = block_.wings[k];
  const Matrix3<double> R_WF = block_.body.R * place.X_PF.R;
  Matrix3<double> R_FM;
  Vector3<double> w_FM_F;
  if (wing.is_prescribed) {
    const EulerSequence& sequence = *model_.joints[k + 1].prescribed_sequence;
    const MovingFrame<double> frame = make_turned_frame<double>(
        sequence, {scene->calc_jet(place.angles[0]), scene->calc_jet(place.angles[1]),
                   scene->calc_jet(place.angles[2])});
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
  scene->X_WB[k + 2] = {wing.R, y.segment<3>(place.q)};
  scene->V_WB[k + 2] << wing.R * wing.w, y.segment<3>(place.linear_v());
  wing.wanted.setZero();
}

// -- the solve

void HingeMatrixFormulation::take_loads(Scene<double>* scene, BodyLoads<double>* loads) {
  constraints_->joints[0].add_load(loads->tau.data(), scene, loads);
  for (int b = 1; b <= model_.n_tree(); ++b) take_wrench(b, loads->F_B_W[b]);
  add_matrices(*scene, *loads);
  for (int k = 0; k < n_wings(); ++k) update_gap(k, *scene, *loads);
}

void HingeMatrixFormulation::take_wrench(int b, const Vector6<double>& F_B_W) {
  InsectPart& own = part(b);
  const Vector6<double> F = shift_wrench<double>(F_B_W, own.R * mass(b).p_BoBcm);
  own.tau = F.head<3>();
  own.f = F.tail<3>();
  if (own.has_added) own.K.setZero();
  own.has_added = false;
}

/// Matrices of force elements, moved from Bo to C:  A_Bo = Y A_C - (0; w x (w x p)),  K_C = Y^T K Y.
void HingeMatrixFormulation::add_matrices(const Scene<double>& scene, const BodyLoads<double>& loads) {
  for (const auto& [body, K, works, account] : loads.added) {
    if (body.value == 0) continue;
    InsectPart& loaded = part(body.value);
    const Vector3<double> p = scene.X_WB[body.value].R * machine_->masses[body.value].p_BoBcm;
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
void HingeMatrixFormulation::update_gap(int k, const Scene<double>& scene, const BodyLoads<double>& loads) {
  const Place& place = wing_place(k);
  InsectWing& wing = block_.wings[k];
  wing.c = place.X_PF.R * loads.tau.segment<3>(scene.v_start[k + 1]);
  const Vector3<double> p_b = block_.body.R * place.X_PF.p, p_w = wing.R * place.X_BM.p;
  const auto body = scene.V_WB[1].head<3>(), own = scene.V_WB[k + 2].head<3>();
  g_.segment<3>(Eigen::Index{3} * k) = scene.X_WB[k + 2].p + p_w - scene.X_WB[1].p - p_b;
  gdot_.segment<3>(Eigen::Index{3} * k) =
      scene.V_WB[k + 2].tail<3>() + own.cross(p_w) - scene.V_WB[1].tail<3>() - body.cross(p_b);
}

Status HingeMatrixFormulation::factor(Scene<double>* scene, BodyLoads<double>* loads) {
  take_loads(scene, loads);
  for (int b = 1; b <= model_.n_tree(); ++b) w_[b] = scene->V_WB[b].head<3>();
  return block_.factor() ? Status::kOk : Status::kSingular;
}

void HingeMatrixFormulation::solve(const Eigen::VectorXd& wanted) {
  for (int k = 0; k < n_wings() && wanted.size() > 0; ++k)
    block_.wings[k].wanted = wanted.segment<3>(Eigen::Index{3} * k);
  block_.solve();
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Matrix3<double>& R = part(b).R;
    Vector6<double> A_C;
    if (b == 1)
      A_C << R * block_.angular_acceleration(), block_.acceleration();
    else
      A_C << R * block_.angular_acceleration(b - 2), block_.acceleration(b - 2);
    A_WB_[b] = shift_acceleration<double>(A_C, w_[b], -(R * mass(b).p_BoBcm));
  }
}

Status HingeMatrixFormulation::write_rates(const Scene<double>& /*scene*/, ConstRef y, Ref ydot) {
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (places_[b].turns &&
        places_[b].chart.calc_regularity(y.data() + places_[b].turn_q()) < TurnChart::kFlat)
      return Status::kSingular;
  calc_qdot(y, ydot);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    ydot.segment<3>(place.linear_v()) = A_WB_[b].tail<3>();
    if (!place.turns) continue;
    if (b == 1)
      ydot.segment<3>(place.v) = block_.angular_acceleration();
    else
      ydot.segment<3>(place.v) = place.X_BM.R.transpose() * block_.answer(b - 2);
  }
  return Status::kOk;
}

void HingeMatrixFormulation::calc_qdot(ConstRef y, Ref ydot) {
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    ydot.segment<3>(place.q) = y.segment<3>(place.linear_v());
    if (place.turns)
      place.chart.calc_rates(y.data() + place.turn_q(), y.segment<3>(place.v), ydot.data() + place.turn_q());
  }
}

double HingeMatrixFormulation::calc_prescribed_power(const Scene<double>& /*scene*/, int joint) const {
  if (joint == 0 || joint > n_wings() || !block_.wings[joint - 1].is_prescribed) return 0;
  const InsectWing& wing = block_.wings[joint - 1];
  return (wing.R_bw * block_.answer(joint - 1)).dot(wing.Pi);
}

void HingeMatrixFormulation::normalize(Ref y, Ref ydot) const {
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (places_[b].turns)
      places_[b].chart.normalize(y.data() + places_[b].turn_q(), ydot.data() + places_[b].turn_q());
}

void HingeMatrixFormulation::calc_response(const std::vector<BodyIndex>& /*bodies*/,
                                           Eigen::MatrixXd* /*response*/) {
  throw std::logic_error("hinge-matrix has no response: lattices are misfits");
}

void HingeMatrixFormulation::add_response(const std::vector<BodyIndex>& /*bodies*/,
                                          const Eigen::VectorXd& /*wrenches*/) {
  throw std::logic_error("hinge-matrix has no response: lattices are misfits");
}

/// The block system without loads: what the hinges do alone. Every row is one of positions.
void HingeMatrixFormulation::calc_change(Level /*level*/, ConstRef r, Ref dv) {
  block_.solve_gaps(r);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    const Matrix3<double>& R = part(b).R;
    const Vector3<double> turn = b == 1 ? block_.angular_acceleration() : block_.angular_acceleration(b - 2);
    const Vector3<double> move = b == 1 ? block_.acceleration() : block_.acceleration(b - 2);
    dv.segment<3>(place.linear_v() - layout_.sizes.nq) = move - R * turn.cross(machine_->masses[b].p_BoBcm);
    if (!place.turns) continue;
    if (b == 1)
      dv.segment<3>(place.v - layout_.sizes.nq) = turn;
    else
      dv.segment<3>(place.v - layout_.sizes.nq) = place.X_BM.R.transpose() * block_.answer(b - 2);
  }
}

void HingeMatrixFormulation::shift(ConstRef dq, ConstRef dv, Ref y) const {
  layout_.sizes.v(y) += dv;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Place& place = places_[b];
    y.segment<3>(place.q) += dq.segment<3>(place.linear_v() - layout_.sizes.nq);
    if (place.turns) place.chart.shift(dq.segment<3>(place.v - layout_.sizes.nq), y.data() + place.turn_q());
  }
}

std::vector<std::string> HingeMatrixFormulation::list_row_names() const {
  std::vector<std::string> names;
  for (int k = 0; k < n_wings(); ++k)
    for (const char axis : {'x', 'y', 'z'})
      names.push_back(fmt::format("joint '{}', row position.{}", model_.joints[1 + k].name(), axis));
  return names;
}

// -- what is recorded

void HingeMatrixFormulation::observe(const Scene<double>& scene, const BodyLoads<double>& loads,
                                     Snapshot* out) {
  observe_bodies(scene, out);
  observe_joints(scene, loads, out);
}

void HingeMatrixFormulation::observe_bodies(const Scene<double>& scene, Snapshot* out) const {
  out->scene = scene;
  out->A_WB = A_WB_;
  SystemTotals totals;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const BodyInertia<double> inertia(mass(b), scene.X_WB[b].R);
    totals.add(inertia.mass, inertia.mc, inertia.I, scene.X_WB[b].p, scene.V_WB[b]);
  }
  totals.write(machine_->gravity, out);
}

void HingeMatrixFormulation::observe_joints(const Scene<double>& scene, const BodyLoads<double>& loads,
                                            Snapshot* out) const {
  out->vdot.setZero(model_.nv());
  out->tau.setZero(model_.nv());
  out->F_reaction.assign(model_.joints.size(), Vector6<double>::Zero());
  out->constraints.clear();
  out->lambda.setZero(layout_.sizes.na);
  out->position_drift = g_.size() ? g_.cwiseQuotient(layout_.row_scales).lpNorm<Eigen::Infinity>() : 0;
  out->velocity_drift = g_.size() ? gdot_.cwiseQuotient(layout_.row_scales).lpNorm<Eigen::Infinity>() : 0;
  for (int j = 0; j < model_.n_tree(); ++j) {
    ConstraintLoad load;
    if (j > 0) {
      load.F.tail<3>() = block_.calc_hinge_force(j - 1);
      if (block_.wings[j - 1].is_prescribed) load.F.head<3>() = block_.body.R * block_.answer(j - 1);
      out->lambda.segment<3>(Eigen::Index{3} * (j - 1)) = -load.F.tail<3>();
    }
    observe_held_joint(model_, constraints_->joints[j], load, out->A_WB[model_.joints[j].parent.value],
                       out->A_WB[j + 1], scene, loads, out);
  }
}

std::string HingeMatrixFormulation::find_fault(ConstRef y, const Scene<double>& scene) {
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (places_[b].turns &&
        places_[b].chart.calc_regularity(y.data() + places_[b].turn_q()) < 100 * TurnChart::kFlat)
      return fmt::format(
          "body '{}': the angles of the chart {} do not describe this orientation; use --chart lie, or "
          "another sequence",
          model_.bodies[b].name, places_[b].chart.name());
  if (const std::string fault = constraints().find_fault(scene); !fault.empty()) return fault;
  if (block_.factor()) return "";
  return "the accelerations are not defined: the body or a wing has no inertia (with what a fluid adds to "
         "it) "
         "in a direction in which it is free to move; give it mass and inertia";
}

// -- one evaluation in full

/// The twist of a body at its origin against the velocities of the state.
Eigen::MatrixXd HingeMatrixFormulation::calc_jacobian(int b) const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, layout_.sizes.nv);
  const Place& place = places_[b];
  J.block<3, 3>(0, places_[1].v - layout_.sizes.nq) = block_.body.R;
  J.block<3, 3>(3, place.linear_v() - layout_.sizes.nq).setIdentity();
  if (b > 1 && place.turns)
    J.block<3, 3>(0, place.v - layout_.sizes.nq) = block_.wings[b - 2].R * place.X_BM.R;
  return J;
}

/// Accelerations of a body at its origin while those of the state are zero.
Vector6<double> HingeMatrixFormulation::calc_bias_acceleration(int b) const {
  Vector6<double> A = Vector6<double>::Zero();
  if (b == 1) return A;
  const InsectWing& wing = block_.wings[b - 2];
  A.head<3>() = (block_.body.R * block_.body.w).cross(wing.R * wing.Pi);
  if (wing.is_prescribed) A.head<3>() += wing.R * wing.Pi_rate;
  return A;
}

/// Inertia about the origin, with what force elements add.
Matrix6<double> HingeMatrixFormulation::calc_matrix(int b, const Scene<double>& scene,
                                                    const BodyLoads<double>& loads) const {
  Matrix6<double> M = BodyInertia<double>(mass(b), scene.X_WB[b].R).matrix();
  for (const Loads<double>::Added& added : loads.added)
    if (added.body.value == b) M += added.K;
  return M;
}

void HingeMatrixFormulation::calc_free_motion(const Scene<double>& scene, const BodyLoads<double>& loads,
                                              Eigen::MatrixXd* M, Eigen::VectorXd* f) {
  M->setZero(layout_.sizes.nv, layout_.sizes.nv);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const Eigen::MatrixXd J = calc_jacobian(b);
    *M += J.transpose() * calc_matrix(b, scene, loads) * J;
  }
  std::vector<Vector6<double>> F = loads.F_B_W;
  for (const InsectWing& wing : block_.wings) {
    const std::size_t b = 2 + (&wing - block_.wings.data());
    F[b].head<3>() += block_.body.R * wing.c;
    F[1].head<3>() -= block_.body.R * wing.c;
  }
  f->setZero(layout_.sizes.nv);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const BodyInertia<double> inertia(mass(b), scene.X_WB[b].R);
    *f += calc_jacobian(b).transpose() *
          (F[b] + inertia.calc_weight(machine_->gravity) - inertia.calc_bias(scene.V_WB[b].head<3>()) -
           calc_matrix(b, scene, loads) * calc_bias_acceleration(b));
  }
  for (const Loads<double>::Coupled& coupled : loads.coupled) {
    const Eigen::MatrixXd J = calc_jacobian(coupled.body.value);
    *M += J.transpose() * coupled.K * calc_jacobian(coupled.other.value);
    *f -= J.transpose() * (coupled.K * calc_bias_acceleration(coupled.other.value));
  }
}

void HingeMatrixFormulation::calc_constraint_matrix(ConstRef y, const Scene<double>& /*scene*/,
                                                    Eigen::MatrixXd* A, Eigen::VectorXd* b) {
  A->setZero(layout_.sizes.na, layout_.sizes.nv);
  for (int k = 0; k < n_wings(); ++k) {
    Eigen::Matrix<double, 3, 6> G_b, G_w;  // against the twists of both
    G_b << skew<double>(block_.body.R * wing_place(k).X_PF.p), -Matrix3<double>::Identity();
    G_w << -skew<double>(block_.wings[k].R * wing_place(k).X_BM.p), Matrix3<double>::Identity();
    A->middleRows<3>(Eigen::Index{3} * k) = G_b * calc_jacobian(1) + G_w * calc_jacobian(k + 2);
  }
  *b = gdot_ - *A * layout_.sizes.v(y);
}

std::vector<std::string> HingeMatrixFormulation::list_names() const {
  std::vector<std::string> names;
  const auto turned = [&](int b) {  // what turns against what stands in the state
    return b == 1 ? fmt::format("body.{}", model_.bodies[1].name)
                  : fmt::format("joint.{}", model_.joints[b - 1].name());
  };
  for (int b = 1; b <= model_.n_tree(); ++b) {
    for (const char axis : {'x', 'y', 'z'})
      names.push_back(fmt::format("body.{}.position.{}", model_.bodies[b].name, axis));
    for (int i = 0; places_[b].turns && i < places_[b].chart.nq(); ++i)
      names.push_back(fmt::format("{}.{}", turned(b), places_[b].chart.position_name(i)));
  }
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const char* word = b == 1 ? "angular_velocity" : "body_angular_velocity";
    for (const char axis : {'x', 'y', 'z'})
      if (places_[b].turns) names.push_back(fmt::format("{}.{}.{}", turned(b), word, axis));
    for (const char axis : {'x', 'y', 'z'})
      names.push_back(fmt::format("body.{}.velocity.{}", model_.bodies[b].name, axis));
  }
  return names;
}

std::unique_ptr<ImplicitForm> HingeMatrixFormulation::make_implicit_form() const {
  throw InputError({Problem{{},
                            "formulation",
                            "hinge-matrix has only an explicit form: methods that solve the constraints "
                            "themselves, equilibria and small motions need another one",
                            "use --formulation recursive or absolute, or an explicit integrator"}});
}

}  // namespace haltere
