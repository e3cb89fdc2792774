#include "haltere/dynamics/absolute/absolute.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "haltere/dynamics/absolute/absolute_form.h"
#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/machine/body_inertia.h"
#include "haltere/dynamics/machine/observe.h"

namespace haltere {
namespace {

/// Where a body stands in vectors of six numbers a body.
constexpr Eigen::Index at(int body) {
  return Eigen::Index{6} * (body - 1);
}

}  // namespace

AbsoluteFormulation::AbsoluteFormulation(const Model& model, const EquationsOptions& options)
    : model_(model) {
  const std::optional<Chart> chart = Chart::parse(options.chart);
  if (!chart)
    throw InputError({Problem{{},
                              "chart",
                              fmt::format("there is no '{}'", options.chart),
                              "lie, quaternion, or euler- and a sequence, as in euler-zyx"}});
  charts_.assign(model.bodies.size(), *chart);
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    if (options.own_charts && !model.bodies[b].chart.empty())
      charts_[b] = Chart::parse(model.bodies[b].chart).value_or(*chart);  // the reader knows them all
  q_start_.assign(model.bodies.size(), 0);
  v_start_ = q_start_;
  Sizes& sizes = layout_.sizes;
  for (int b = 1; b <= model.n_tree(); ++b) {
    q_start_[b] = sizes.nq;
    v_start_[b] = sizes.nv;
    sizes.nq += charts_[b].nq();
    sizes.nv += charts_[b].nv();
    layout_.rates_follow_normalization |= charts_[b].kind() == Chart::Kind::kQuaternion;
  }
  for (int b = 1; b <= model.n_tree(); ++b) v_start_[b] += sizes.nq;
}

void AbsoluteFormulation::set_machine(const Machine<double>& machine) {
  const bool is_first = machine_ == nullptr;
  machine_ = &machine;
  own_constraints_ = std::make_unique<ConstraintSet<double>>(model_, machine.parameters, 0);
  constraints_ = own_constraints_.get();
  if (is_first) make_layout();
  loop_rows_ = layout_.has_loops ? &loops_ : nullptr;
  const double length = calc_model_length(model_, machine.parameters);
  layout_.row_scales = calc_row_scales(*constraints_, length);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    for (int i = 0; i < charts_[b].nq(); ++i)
      layout_.scales[q_start_[b] + i] = charts_[b].position_scale(i, length);
    for (int i = 0; i < charts_[b].nv(); ++i)
      layout_.scales[v_start_[b] + i] = charts_[b].velocity_scale(i, length);
    layout_.change_scales.segment<3>(at(b) + 3).setConstant(length);
  }
  kkt_->set_thin(machine.masses, length);
  double mass = 0;
  for (const MassProperties<double>& m : machine.masses) mass += m.mass;
  if (reduction_) reduction_->set_units(mass, length);
}

/// All that does not change with the parameters.
void AbsoluteFormulation::make_layout() {
  Sizes& sizes = layout_.sizes;
  sizes.nt = constraints_->n_turns;
  sizes.ng = static_cast<int>(constraints_->position_rows.size());
  sizes.na = constraints_->n_rows;
  layout_.position_rows = constraints_->position_rows;
  layout_.scales.setZero(sizes.nq + sizes.nv);
  layout_.change_scales.setOnes(Eigen::Index{6} * model_.n_tree());
  layout_.loaded_bodies.resize(model_.bodies.size());
  std::iota(layout_.loaded_bodies.begin(), layout_.loaded_bodies.end(), 0);
  layout_.has_loops = n_loop_rows() > 0;
  const std::vector<bool>& rheonomic = constraints_->rheonomic;
  layout_.has_moving_constraints = std::find(rheonomic.begin(), rheonomic.end(), true) != rheonomic.end();
  for (int b = 1; b <= model_.n_tree(); ++b)
    for (int i = 0; i < charts_[b].nq(); ++i)
      layout_.names.push_back(fmt::format("body.{}.{}", model_.bodies[b].name, charts_[b].position_name(i)));
  for (int b = 1; b <= model_.n_tree(); ++b)
    for (int i = 0; i < charts_[b].nv(); ++i)
      layout_.names.push_back(fmt::format("body.{}.{}", model_.bodies[b].name, charts_[b].velocity_name(i)));
  constraints_->update_rows(make_scene<double>(model_), &rows_);  // which bodies, how many rows
  const std::vector<BodyRows<double>> joints(rows_.begin(), rows_.begin() + model_.n_tree());
  kkt_ = std::make_unique<Kkt>(joints, constraints_->is_length);
  if (layout_.has_loops) make_loops(joints);
  f_.setZero(layout_.n_change());
  lambda_.setZero(sizes.na);
  g_ = gdot_ = lambda_;
  change_ = response_ = f_;
  unit_.setZero(n_loop_rows());
  wanted_ = column_ = unit_;
  tree_lambda_.setZero(sizes.na - n_loop_rows());
}

void AbsoluteFormulation::make_loops(const std::vector<BodyRows<double>>& joints) {
  reduction_ = std::make_unique<TreeReduction>(joints);
  std::vector<int> position_rows;  // of the loops; those of a tree are all holonomic
  const int first = layout_.sizes.na - n_loop_rows();
  for (const int row : constraints_->position_rows)
    if (row >= first) position_rows.push_back(row - first);
  paths_ = std::make_unique<RowPaths>(reduction_->parents(), reduction_->n_free(),
                                      list_row_sets(model_, *constraints_, model_.n_tree()));
  loops_.resize(paths_->sets(), paths_->coupled(), std::move(position_rows));
}

// -- coordinates

void AbsoluteFormulation::read(double t, ConstRef y, Bodies /*all of them*/, Scene<double>* scene) {
  scene->t = t;
  scene->locals[0] = t;
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].read(y.data() + q_start_[b], y.data() + v_start_[b], &scene->X_WB[b], &scene->V_WB[b]);
  constraints_->update_coordinates(y.data() + y.size() - layout_.sizes.nt, scene);
  update_locals<double>(*machine_, scene);
}

void AbsoluteFormulation::write(const Scene<double>& scene, Ref y) const {
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].write(scene.X_WB[b], scene.V_WB[b], y.data() + q_start_[b], y.data() + v_start_[b]);
}

void AbsoluteFormulation::calc_qdot(ConstRef y, Ref ydot) {
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].calc_rates(y.data() + q_start_[b], y.data() + v_start_[b], Vector6<double>::Zero(),
                          ydot.data() + q_start_[b], ydot.data() + v_start_[b]);
}

void AbsoluteFormulation::normalize(Ref y, Ref ydot) const {
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].normalize(y.data() + q_start_[b], y.data() + v_start_[b], ydot.data() + q_start_[b]);
}

void AbsoluteFormulation::shift(ConstRef dq, ConstRef dv, Ref y) const {
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].shift(dq.segment<6>(at(b)), dv.segment<6>(at(b)), y.data() + q_start_[b],
                     y.data() + v_start_[b]);
}

void AbsoluteFormulation::read_velocities(ConstRef y, Ref dq) const {
  Transform<double> X_WB;
  Vector6<double> V_WB;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    charts_[b].read(y.data() + q_start_[b], y.data() + v_start_[b], &X_WB, &V_WB);
    dq.segment<6>(at(b)) = V_WB;
  }
}

// -- the solve

void AbsoluteFormulation::take_loads(Scene<double>* motion, BodyLoads<double>* loads) {
  const Scene<double>& scene = *motion;
  for (const HeldJoint<double>& joint : constraints_->joints)
    joint.add_load(loads->tau.data() + scene.v_start[joint.joint()], motion, loads);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const BodyInertia<double> inertia(machine_->masses[b], scene.X_WB[b].R);
    kkt_->set_body(b, inertia.matrix());
    if (reduction_) reduction_->set_body(b, inertia.matrix());
    // the right-hand side of theory.md (E16), beta as in (E5)
    f_.segment<6>(at(b)) =
        loads->F_B_W[b] + inertia.calc_weight(machine_->gravity) - inertia.calc_bias(scene.V_WB[b].head<3>());
  }
  for (const Loads<double>::Added& added : loads->added) {
    if (added.body.value == 0) continue;
    kkt_->add_to_body(added.body.value, added.K);
    if (reduction_) reduction_->add_to_body(added.body.value, added.K);
  }
  constraints_->update_rows(scene, &rows_);
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const BodyRows<double>& rows = rows_[s];
    if (static_cast<int>(s) < model_.n_tree()) kkt_->set_rows(static_cast<int>(s), rows);
    g_.segment(rows.start, rows.n) = rows.g.head(rows.n);
    calc_row_rates(rows, scene, gdot_.data() + rows.start);
  }
}

/// The tree alone, then what the loops add: Phi lambda = A (accelerations of the tree) + bias - wanted,
/// theory.md (E13), (E14).
void AbsoluteFormulation::solve(const Eigen::VectorXd& wanted) {
  for (const BodyRows<double>& rows : rows_) lambda_.segment(rows.start, rows.n) = -rows.bias.head(rows.n);
  if (wanted.size() > 0) lambda_ += wanted;
  solve(Level::kVelocity, &f_);
}

Status AbsoluteFormulation::factor(Scene<double>* scene, BodyLoads<double>* loads) {
  take_loads(scene, loads);
  if (!kkt_->factor()) return Status::kSingular;
  if (n_loop_rows() == 0) return Status::kOk;
  kkt_->is_general() ? update_loop_columns() : update_loop_blocks();
  constraints_->calc_row_sizes(rows_, model_.n_tree(), &loops_.sizes);
  loops_.factor();
  return Status::kOk;
}

/// Phi where M is symmetric: theory.md (E15).
void AbsoluteFormulation::update_loop_blocks() {
  reduction_->reduce(rows_);
  const auto start = [&](int set, bool second, RowPaths::Loads* loads) {
    const BodyRows<double>& rows = rows_[model_.n_tree() + set];
    loads->setZero(6, rows.n);
    if ((second ? rows.second : rows.first).value == 0) return;
    const Matrix6<double>& G = second ? rows.G_B : rows.G_A;
    for (int i = 0; i < rows.n; ++i) loads->col(i) = reduction_->to_units(G.row(i).transpose());
  };
  paths_->update(start, [&](int body, RowPaths::Loads* loads, SmallMatrix* e, SmallMatrix* h) {
    reduction_->pass(body, loads, e, h);
  });
  for (std::size_t k = 0; k < paths_->coupled().size(); ++k) {
    paths_->calc_block(paths_->coupled()[k].first, paths_->coupled()[k].second, &block_);
    loops_.set_block(k, block_);
  }
}

/// Phi where it is not: the answer of the whole tree to each row, the columns of theory.md (E13).
void AbsoluteFormulation::update_loop_columns() {
  for (int i = 0; i < n_loop_rows(); ++i) {
    unit_.setZero();
    unit_[i] = 1;
    response_.setZero();
    add_loop_loads(unit_, 1, &response_);
    tree_lambda_.setZero();
    kkt_->solve(response_, tree_lambda_);
    calc_loop_rows(response_, column_);
    loops_.set_column(i, column_);
  }
}

/// In: loads on all bodies, and in lambda_ the second derivatives that the rows must have; out:
/// accelerations, and the multipliers in lambda_. Changes of positions are solved for alike, but
/// nonholonomic rows let them pass.
void AbsoluteFormulation::solve(Level level, Eigen::VectorXd* bodies) {
  const int n_tree_rows = layout_.sizes.na - n_loop_rows();
  wanted_ = lambda_.tail(n_loop_rows());
  tree_lambda_ = lambda_.head(n_tree_rows);
  if (n_loop_rows() > 0) {
    response_ = *bodies;
    kkt_->solve(response_, tree_lambda_);
    calc_loop_rows(response_, unit_);
    unit_ -= wanted_;
    level == Level::kPosition ? loops_.solve_positions(unit_) : loops_.solve(unit_);
    add_loop_loads(unit_, -1, bodies);
    tree_lambda_ = lambda_.head(n_tree_rows);
    lambda_.tail(n_loop_rows()) = unit_;
  }
  kkt_->solve(*bodies, tree_lambda_);
  lambda_.head(n_tree_rows) = tree_lambda_;
}

/// bodies += sign G^T lambda for the rows of loops and constraints.
void AbsoluteFormulation::add_loop_loads(const Eigen::VectorXd& lambda, double sign,
                                         Eigen::VectorXd* bodies) const {
  const int first = layout_.sizes.na - n_loop_rows();
  for (std::size_t s = model_.n_tree(); s < rows_.size(); ++s) {
    const BodyRows<double>& rows = rows_[s];
    const double* own = lambda.data() + rows.start - first;
    if (rows.first.value != 0)
      bodies->segment<6>(at(rows.first.value)) += sign * calc_row_load(rows.G_A, rows.n, own);
    if (rows.second.value != 0)
      bodies->segment<6>(at(rows.second.value)) += sign * calc_row_load(rows.G_B, rows.n, own);
  }
}

void AbsoluteFormulation::calc_loop_rows(const Eigen::VectorXd& bodies,
                                         Eigen::Ref<Eigen::VectorXd> out) const {
  const int first = layout_.sizes.na - n_loop_rows();
  for (std::size_t s = model_.n_tree(); s < rows_.size(); ++s) {
    const BodyRows<double>& rows = rows_[s];
    auto own = out.segment(rows.start - first, rows.n);
    own.setZero();
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}})
      if (body.value != 0) add_row_motion<double>(*G, rows.n, bodies.segment<6>(at(body.value)), own.data());
  }
}

Status AbsoluteFormulation::write_rates(const Scene<double>& /*scene*/, ConstRef y, Ref ydot) {
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const double* q = y.data() + q_start_[b];
    if (charts_[b].calc_regularity(q) < Chart::kFlat) return Status::kSingular;
    charts_[b].calc_rates(q, y.data() + v_start_[b], f_.segment<6>(at(b)), ydot.data() + q_start_[b],
                          ydot.data() + v_start_[b]);
  }
  return Status::kOk;
}

Vector6<double> AbsoluteFormulation::calc_A_WB(BodyIndex body) const {
  return body.value == 0 ? Vector6<double>::Zero() : Vector6<double>(f_.segment<6>(at(body.value)));
}

/// lambda . b, since G V + b = 0: every joint is a set of rows here.
double AbsoluteFormulation::calc_prescribed_power(const Scene<double>& /*scene*/, int set) const {
  if (!constraints_->rheonomic[set]) return 0;
  const BodyRows<double>& rows = rows_[set];
  return lambda_.segment(rows.start, rows.n).dot(rows.b.head(rows.n));
}

/// dv = F r, theory.md (E22): the system without loads, with r in the rows.
void AbsoluteFormulation::calc_change(Level level, ConstRef r, Ref change) {
  change_.setZero();
  if (level == Level::kPosition)
    scatter(r, layout_.position_rows, lambda_);
  else
    lambda_ = r;
  solve(level, &change_);
  change = change_;
}

/// The system without loads and with nothing asked of the rows: solve() with wrenches alone.
void AbsoluteFormulation::calc_response(const std::vector<BodyIndex>& bodies, Eigen::MatrixXd* response) {
  found_lambda_ = lambda_;
  const auto n = static_cast<Eigen::Index>(6 * bodies.size());
  response->resize(n, n);
  for (Eigen::Index column = 0; column < n; ++column) {
    change_.setZero();
    change_[at(bodies[column / 6].value) + column % 6] = 1;
    lambda_.setZero();
    solve(Level::kVelocity, &change_);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      response->block<6, 1>(static_cast<Eigen::Index>(6 * i), column) =
          change_.segment<6>(at(bodies[i].value));
  }
  lambda_ = found_lambda_;
}

void AbsoluteFormulation::add_response(const std::vector<BodyIndex>& bodies,
                                       const Eigen::VectorXd& wrenches) {
  found_lambda_ = lambda_;
  change_.setZero();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    change_.segment<6>(at(bodies[i].value)) += wrenches.segment<6>(static_cast<Eigen::Index>(6 * i));
  lambda_.setZero();
  solve(Level::kVelocity, &change_);
  f_ += change_;
  lambda_ += found_lambda_;
}

// -- what is recorded

void AbsoluteFormulation::observe(const Scene<double>& scene, const BodyLoads<double>& loads, Snapshot* out) {
  observe_bodies(scene, out);
  observe_joints(scene, loads, out);
}

void AbsoluteFormulation::observe_bodies(const Scene<double>& scene, Snapshot* out) const {
  const int n = model_.n_tree() + 1;
  out->scene = scene;
  out->A_WB.assign(n, Vector6<double>::Zero());
  SystemTotals totals;
  for (int b = 1; b < n; ++b) {
    out->A_WB[b] = f_.segment<6>(at(b));
    const BodyInertia<double> inertia(machine_->masses[b], scene.X_WB[b].R);
    totals.add(inertia.mass, inertia.mc, inertia.I, scene.X_WB[b].p, scene.V_WB[b]);
  }
  totals.write(machine_->gravity, out);
}

void AbsoluteFormulation::observe_joints(const Scene<double>& scene, const BodyLoads<double>& loads,
                                         Snapshot* out) const {
  out->vdot.setZero(model_.nv());
  out->tau.setZero(model_.nv());
  out->F_reaction.assign(model_.joints.size(), Vector6<double>::Zero());
  out->position_drift = g_.size() ? g_.cwiseQuotient(layout_.row_scales).lpNorm<Eigen::Infinity>() : 0;
  out->velocity_drift = g_.size() ? gdot_.cwiseQuotient(layout_.row_scales).lpNorm<Eigen::Infinity>() : 0;
  out->constraints.clear();
  out->lambda = lambda_;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const ConstraintLoad load = calc_constraint_load(rows_[s], lambda_, layout_.row_scales);
    if (s < constraints_->joints.size())
      observe_held_joint(model_, constraints_->joints[s], load, out->A_WB[rows_[s].first.value],
                         out->A_WB[rows_[s].second.value], scene, loads, out);
    if (static_cast<int>(s) >= model_.n_tree()) out->constraints.push_back(load);
  }
  observe_places(*constraints_, scene, out);
}

// -- one evaluation in full

void AbsoluteFormulation::calc_free_motion(const Scene<double>& scene, const BodyLoads<double>& loads,
                                           Eigen::MatrixXd* M, Eigen::VectorXd* f) {
  M->setZero(layout_.n_change(), layout_.n_change());
  for (int b = 1; b <= model_.n_tree(); ++b)
    M->block<6, 6>(at(b), at(b)) = BodyInertia<double>(machine_->masses[b], scene.X_WB[b].R).matrix();
  for (const Loads<double>::Added& added : loads.added)
    if (added.body.value != 0) M->block<6, 6>(at(added.body.value), at(added.body.value)) += added.K;
  for (const Loads<double>::Coupled& coupled : loads.coupled)
    if (coupled.body.value != 0 && coupled.other.value != 0)
      M->block<6, 6>(at(coupled.body.value), at(coupled.other.value)) += coupled.K;
  *f = f_;
}

void AbsoluteFormulation::calc_constraint_matrix(ConstRef /*y*/, const Scene<double>& /*scene*/,
                                                 Eigen::MatrixXd* A, Eigen::VectorXd* b) {
  A->setZero(layout_.sizes.na, layout_.n_change());
  b->resize(layout_.sizes.na);
  for (const BodyRows<double>& rows : rows_) {
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}})
      if (body.value != 0) A->block(rows.start, at(body.value), rows.n, 6) += G->topRows(rows.n);
    b->segment(rows.start, rows.n) = rows.b.head(rows.n);
  }
}

std::unique_ptr<ImplicitForm> AbsoluteFormulation::make_implicit_form() const {
  return std::make_unique<AbsoluteForm>(*this, charts_);
}

std::string AbsoluteFormulation::find_fault(ConstRef y, const Scene<double>& scene) {
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (charts_[b].calc_regularity(y.data() + q_start_[b]) < 100 * Chart::kFlat)
      return fmt::format(
          "body '{}': the angles of the chart {} do not describe this orientation; use --chart lie, or "
          "another sequence",
          model_.bodies[b].name, charts_[b].name());
  if (const std::string fault = constraints().find_fault(scene); !fault.empty()) return fault;
  if (kkt_->factor()) return "";
  return "the accelerations are not defined: a body without inertia (with what a fluid adds to it) is free "
         "to move; give it mass, or weld it";
}

}  // namespace haltere
