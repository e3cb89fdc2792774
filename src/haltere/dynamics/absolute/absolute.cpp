#include "haltere/dynamics/absolute/absolute.h"

#include <algorithm>

#include <fmt/format.h>

#include "haltere/dynamics/absolute/absolute_form.h"
#include "haltere/dynamics/absolute/body_inertia.h"
#include "haltere/dynamics/observe.h"
#include "haltere/dynamics/recursive/names.h"
#include "haltere/dynamics/recursive/recursive.h"

namespace haltere {
namespace {

/// Where a body stands in vectors of six numbers a body.
constexpr Eigen::Index at(int body) {
  return Eigen::Index{6} * (body - 1);
}

}  // namespace

AbsoluteEquations::AbsoluteEquations(const Model& model, const EquationsOptions& options)
    : model_(model),
      stabilization_(options.stabilization),
      stabilizer_(options.stabilization),
      project_always_(options.project_always) {
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
  for (int b = 1; b <= model.n_tree(); ++b) {
    q_start_[b] = sizes_.nq;
    v_start_[b] = sizes_.nv;
    sizes_.nq += charts_[b].nq();
    sizes_.nv += charts_[b].nv();
    has_quaternion_rates_ |= charts_[b].kind() == Chart::Kind::kQuaternion;
  }
  set_parameters(model.calc_parameters());
  sizes_.nz = count_work_states(model, *system_);
  sizes_.nt = constraints_->n_turns;
  sizes_.ng = static_cast<int>(constraints_->position_rows.size());
  sizes_.na = constraints_->n_rows;
  f_.setZero(n_change());
  lambda_.setZero(sizes_.na);
  g_ = gdot_ = lambda_;
  change_ = response_ = f_;
  change_scales_.setOnes(n_change());
  for (int b = 1; b <= model.n_tree(); ++b)
    change_scales_.segment<3>(at(b) + 3).setConstant(calc_model_length(model, system_->parameters));
  std::vector<int> position_rows;  // of the loops; those of a tree are all holonomic
  for (const int row : constraints_->position_rows)
    if (row >= sizes_.na - n_loop_rows()) position_rows.push_back(row - (sizes_.na - n_loop_rows()));
  if (n_loop_rows() > 0) {
    paths_ = std::make_unique<RowPaths>(reduction_->parents(), reduction_->n_free(),
                                        list_row_sets(model, *constraints_, model.n_tree()));
    loops_.resize(paths_->sets(), paths_->coupled(), std::move(position_rows));
  }
  unit_.setZero(n_loop_rows());
  wanted_ = column_ = unit_;
  tree_lambda_.setZero(sizes_.na - n_loop_rows());
  for (int b = 1; b <= model.n_tree(); ++b) v_start_[b] += sizes_.nq;
}

void AbsoluteEquations::set_parameters(const std::vector<double>& parameters) {
  system_ = std::make_unique<RecursiveSystem<double>>(model_, parameters);
  work_ = std::make_unique<RecursiveWorkspace<double>>(*system_);
  constraints_ = std::make_unique<ConstraintSet<double>>(model_, system_->parameters, 0);
  row_scales_ = calc_row_scales(*constraints_, calc_model_length(model_, system_->parameters));
  const Resolver<double> resolver{system_->parameters.data()};
  masses_.clear();
  for (const BodySpec& body : model_.bodies) masses_.push_back(calc_mass_properties<double>(body, resolver));
  if (!kkt_) {
    constraints_->update_rows(work_->scene, &rows_);  // which bodies, how many rows
    const std::vector<BodyRows<double>> joints(rows_.begin(), rows_.begin() + model_.n_tree());
    kkt_ = std::make_unique<Kkt>(joints, constraints_->is_length);
    if (n_loop_rows() > 0) reduction_ = std::make_unique<TreeReduction>(joints);
  }
  const double length = calc_model_length(model_, system_->parameters);
  kkt_->set_thin(masses_, length);
  double mass = 0;
  for (const MassProperties<double>& m : masses_) mass += m.mass;
  if (reduction_) reduction_->set_units(mass, length);
}

Eigen::VectorXd AbsoluteEquations::calc_initial_state() {
  return calc_state(calc_initial_scene(model_, system_->parameters));
}

Eigen::VectorXd AbsoluteEquations::calc_state(const Scene<double>& scene) const {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(sizes_.ny());
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].write(scene.X_WB[b], scene.V_WB[b], y.data() + q_start_[b], y.data() + v_start_[b]);
  constraints_->write_turns(scene, y.data() + y.size() - sizes_.nt);
  return y;
}

void AbsoluteEquations::update(double t, ConstRef y) {
  Scene<double>& scene = work_->scene;
  Loads<double>& loads = work_->loads;
  scene.t = t;
  scene.locals[0] = t;
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].read(y.data() + q_start_[b], y.data() + v_start_[b], &scene.X_WB[b], &scene.V_WB[b]);
  constraints_->update_coordinates(y.data() + y.size() - sizes_.nt, &scene);
  update_locals<double>(*system_, &scene);
  for (Vector6<double>& F : loads.F_B_W) F.setZero();
  add_loads<double>(*system_, work_.get());
  for (const HeldJoint<double>& joint : constraints_->joints)
    joint.add_load(loads.tau.data() + scene.v_start[joint.joint()], &scene, &loads);
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const BodyInertia<double> inertia(masses_[b], scene.X_WB[b].R);
    kkt_->set_body(b, inertia.matrix());
    if (reduction_) reduction_->set_body(b, inertia.matrix());
    f_.segment<6>(at(b)) =
        loads.F_B_W[b] + inertia.calc_weight(system_->gravity) - inertia.calc_bias(scene.V_WB[b].head<3>());
  }
  for (const Loads<double>::Added& added : loads.added) {
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

/// The tree alone, then what the loops add: Phi lambda = A (accelerations of the tree) + bias.
Status AbsoluteEquations::update_accelerations() {
  if (!factor()) return Status::kSingular;
  for (const BodyRows<double>& rows : rows_) lambda_.segment(rows.start, rows.n) = -rows.bias.head(rows.n);
  if (stabilization_.kind == Stabilization::Kind::kBaumgarte)
    lambda_ -= 2 * stabilization_.alpha * gdot_ + stabilization_.beta * stabilization_.beta * g_;
  solve(Level::kAcceleration, &f_);
  return Status::kOk;
}

bool AbsoluteEquations::factor() {
  if (!kkt_->factor()) return false;
  if (n_loop_rows() == 0) return true;
  kkt_->is_general() ? update_loop_columns() : update_loop_blocks();
  constraints_->calc_row_sizes(rows_, model_.n_tree(), &loops_.sizes);
  loops_.factor();
  return true;
}

/// Phi where M is symmetric.
void AbsoluteEquations::update_loop_blocks() {
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

/// Phi where it is not: the answer of the whole tree to each row.
void AbsoluteEquations::update_loop_columns() {
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
void AbsoluteEquations::solve(Level level, Eigen::VectorXd* bodies) {
  const int n_tree_rows = sizes_.na - n_loop_rows();
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
void AbsoluteEquations::add_loop_loads(const Eigen::VectorXd& lambda, double sign,
                                       Eigen::VectorXd* bodies) const {
  const int first = sizes_.na - n_loop_rows();
  for (std::size_t s = model_.n_tree(); s < rows_.size(); ++s) {
    const BodyRows<double>& rows = rows_[s];
    const double* own = lambda.data() + rows.start - first;
    if (rows.first.value != 0)
      bodies->segment<6>(at(rows.first.value)) += sign * calc_row_load(rows.G_A, rows.n, own);
    if (rows.second.value != 0)
      bodies->segment<6>(at(rows.second.value)) += sign * calc_row_load(rows.G_B, rows.n, own);
  }
}

void AbsoluteEquations::calc_loop_rows(const Eigen::VectorXd& bodies, Eigen::Ref<Eigen::VectorXd> out) const {
  const int first = sizes_.na - n_loop_rows();
  for (std::size_t s = model_.n_tree(); s < rows_.size(); ++s) {
    const BodyRows<double>& rows = rows_[s];
    auto own = out.segment(rows.start - first, rows.n);
    own.setZero();
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}})
      if (body.value != 0) add_row_motion<double>(*G, rows.n, bodies.segment<6>(at(body.value)), own.data());
  }
}

Status AbsoluteEquations::calc_ydot(double t, ConstRef y, Ref ydot) {
  if (!stabilizer_.is_projection() || (n_loop_rows() == 0 && !project_always_))
    return calc_met_ydot(t, y, ydot);
  y_met_ = y;
  return stabilizer_.calc_ydot(t, y_met_, ydot, this);
}

Status AbsoluteEquations::calc_met_ydot(double t, ConstRef y, Ref ydot) {
  update(t, y);
  const Status status = update_accelerations();
  if (status != Status::kOk) return status;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    const double* q = y.data() + q_start_[b];
    if (charts_[b].calc_regularity(q) < Chart::kFlat) return Status::kSingular;
    charts_[b].calc_rates(q, y.data() + v_start_[b], f_.segment<6>(at(b)), ydot.data() + q_start_[b],
                          ydot.data() + v_start_[b]);
  }
  calc_work_rates(ydot.data() + sizes_.nq + sizes_.nv);
  constraints_->write_turn_rates(work_->scene, ydot.data() + ydot.size() - sizes_.nt);
  return Status::kOk;
}

void AbsoluteEquations::calc_qdot(double /*t*/, ConstRef y, Ref ydot) {
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].calc_rates(y.data() + q_start_[b], y.data() + v_start_[b], Vector6<double>::Zero(),
                          ydot.data() + q_start_[b], ydot.data() + v_start_[b]);
}

void AbsoluteEquations::calc_work_rates(double* zdot) const {
  double* const of_elements = zdot;
  for (const Account<double>& a : work_->accounts) *zdot++ = a.input - a.dissipation;
  add_added_work(
      *work_, [this](BodyIndex body) { return calc_A_WB(body); }, of_elements);
  for (const int j : system_->work_joint) {
    double power = calc_row_power(j);
    for (int i = 0; i < model_.joints[j].nv(); ++i) {
      const int c = work_->scene.v_start[j] + i;
      if (model_.joints[j].mode(i) == CoordinateMode::kDriven) power += work_->drive[c] * work_->scene.v[c];
    }
    *zdot++ = power;
  }
  for (std::size_t i = 0; i < model_.constraints.size(); ++i)
    *zdot++ = calc_row_power(model_.joints.size() + i);
}

Vector6<double> AbsoluteEquations::calc_A_WB(BodyIndex body) const {
  return body.value == 0 ? Vector6<double>::Zero() : Vector6<double>(f_.segment<6>(at(body.value)));
}

double AbsoluteEquations::calc_row_power(std::size_t set) const {
  if (!constraints_->rheonomic[set]) return 0;
  const BodyRows<double>& rows = rows_[set];
  return lambda_.segment(rows.start, rows.n).dot(rows.b.head(rows.n));
}

void AbsoluteEquations::normalize(Ref y, Ref ydot) const {
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].normalize(y.data() + q_start_[b], y.data() + v_start_[b], ydot.data() + q_start_[b]);
}

Status AbsoluteEquations::accept(double t, Ref y, Ref ydot) {
  normalize(y, ydot);
  bool moved = false;
  const Status status = stabilizer_.apply(t, y, this, &moved);
  if (status != Status::kOk) return status;
  return moved || has_quaternion_rates_ ? calc_ydot(t, y, ydot) : Status::kOk;
}

Eigen::VectorXd AbsoluteEquations::calc_scales() const {
  const double length = calc_model_length(model_, system_->parameters);
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(sizes_.ny());
  for (int b = 1; b <= model_.n_tree(); ++b) {
    for (int i = 0; i < charts_[b].nq(); ++i) scales[q_start_[b] + i] = charts_[b].position_scale(i, length);
    for (int i = 0; i < charts_[b].nv(); ++i) scales[v_start_[b] + i] = charts_[b].velocity_scale(i, length);
  }
  return scales;
}

Status AbsoluteEquations::calc_drift(double t, ConstRef y, Ref g, Ref gdot) {
  update(t, y);
  if (!factor()) return Status::kSingular;
  gather(g_, position_rows(), g);
  gdot = gdot_;
  return Status::kOk;
}

void AbsoluteEquations::calc_change(ConstRef r, Ref dv) {
  change_.setZero();
  lambda_ = r;
  solve(Level::kAcceleration, &change_);
  dv = change_;
}

void AbsoluteEquations::calc_position_change(ConstRef r, Ref dq) {
  change_.setZero();
  scatter(r, position_rows(), lambda_);
  solve(Level::kPosition, &change_);
  dq = change_;
}

void AbsoluteEquations::shift(ConstRef dq, ConstRef dv, Ref y) const {
  for (int b = 1; b <= model_.n_tree(); ++b)
    charts_[b].shift(dq.segment<6>(at(b)), dv.segment<6>(at(b)), y.data() + q_start_[b],
                     y.data() + v_start_[b]);
}

void AbsoluteEquations::read_velocities(ConstRef y, Ref dq) const {
  Transform<double> X_WB;
  Vector6<double> V_WB;
  for (int b = 1; b <= model_.n_tree(); ++b) {
    charts_[b].read(y.data() + q_start_[b], y.data() + v_start_[b], &X_WB, &V_WB);
    dq.segment<6>(at(b)) = V_WB;
  }
}

bool AbsoluteEquations::has_moving_constraints() const {
  const std::vector<bool>& rheonomic = constraints_->rheonomic;
  return std::find(rheonomic.begin(), rheonomic.end(), true) != rheonomic.end();
}

/// The rows of a tree are independent.
std::vector<int> AbsoluteEquations::find_dependent_rows() {
  std::vector<int> rows = loops_.find_dependent();
  for (int& row : rows) row += sizes_.na - n_loop_rows();
  return rows;
}

/// update() at y_met_: the nearest state that obeys the constraints, or y itself.
Status AbsoluteEquations::update_met(double t, ConstRef y, bool projected) {
  y_met_ = y;
  if (projected && stabilizer_.is_projection()) {
    const Status status = stabilizer_.project(t, y_met_, this);
    if (status != Status::kOk) return status;
  }
  update(t, y_met_);
  return Status::kOk;
}

Status AbsoluteEquations::observe(double t, ConstRef y, Snapshot* out) {
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

void AbsoluteEquations::observe_bodies(Snapshot* out) const {
  const int n = model_.n_tree() + 1;
  out->scene = work_->scene;
  out->A_WB.assign(n, Vector6<double>::Zero());
  SystemTotals totals;
  for (int b = 1; b < n; ++b) {
    out->A_WB[b] = f_.segment<6>(at(b));
    const BodyInertia<double> inertia(masses_[b], work_->scene.X_WB[b].R);
    totals.add(inertia.mass, inertia.mc, inertia.I, work_->scene.X_WB[b].p, work_->scene.V_WB[b]);
  }
  totals.write(system_->gravity, out);
}

void AbsoluteEquations::observe_joints(Snapshot* out) const {
  out->vdot.setZero(model_.nv());
  out->tau.setZero(model_.nv());
  out->F_reaction.assign(model_.joints.size(), Vector6<double>::Zero());
  out->position_drift = g_.size() ? g_.cwiseQuotient(row_scales_).lpNorm<Eigen::Infinity>() : 0;
  out->velocity_drift = g_.size() ? gdot_.cwiseQuotient(row_scales_).lpNorm<Eigen::Infinity>() : 0;
  out->constraints.clear();
  out->lambda = lambda_;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const ConstraintLoad load = calc_constraint_load(rows_[s], lambda_, row_scales_);
    if (s < constraints_->joints.size())
      observe_held_joint(model_, constraints_->joints[s], load, out->A_WB[rows_[s].first.value],
                         out->A_WB[rows_[s].second.value], *work_, out);
    if (static_cast<int>(s) >= model_.n_tree()) out->constraints.push_back(load);
  }
  observe_places(*constraints_, work_->scene, out);
}

void AbsoluteEquations::calc_locals(double t, ConstRef y, std::vector<double>* locals) {
  update(t, y);
  *locals = work_->scene.locals;
}

std::string AbsoluteEquations::explain_failure(double t, ConstRef y) {
  const std::vector<std::string> names = coordinate_names();
  for (int i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      return fmt::format("state '{}' is not finite; try a smaller step or tolerance", names[i]);
  const std::string outside = find_curve_fault([&] { update(t, y); });
  if (!outside.empty()) return outside;
  const std::string fault = find_load_fault(model_, *work_);
  if (!fault.empty()) return fault;
  for (int b = 1; b <= model_.n_tree(); ++b)
    if (charts_[b].calc_regularity(y.data() + q_start_[b]) < 100 * Chart::kFlat)
      return fmt::format(
          "body '{}': the angles of the chart {} do not describe this orientation; use --chart lie, or "
          "another sequence",
          model_.bodies[b].name, charts_[b].name());
  const std::string lost = constraints_->find_fault(work_->scene);
  if (!lost.empty()) return lost;
  const std::string apart = describe_drift(*constraints_, g_, row_scales_);
  if (!apart.empty()) return apart;
  if (!kkt_->factor())
    return "the accelerations are not defined: a body without inertia (with what a fluid adds to it) is free "
           "to move; give it mass, or weld it";
  return "an acceleration is not finite; try a smaller step or tolerance, or check the initial state";
}

Status AbsoluteEquations::calc_mass_matrix(double t, ConstRef y, Eigen::MatrixXd* M) {
  update(t, y);
  M->setZero(n_change(), n_change());
  for (int b = 1; b <= model_.n_tree(); ++b)
    M->block<6, 6>(at(b), at(b)) = BodyInertia<double>(masses_[b], work_->scene.X_WB[b].R).matrix();
  for (const Loads<double>::Added& added : work_->loads.added)
    if (added.body.value != 0) M->block<6, 6>(at(added.body.value), at(added.body.value)) += added.K;
  return M->allFinite() ? Status::kOk : Status::kNotFinite;
}

Status AbsoluteEquations::calc_generalized_force(double t, ConstRef y, Eigen::VectorXd* f) {
  update(t, y);
  *f = f_;
  return f->allFinite() ? Status::kOk : Status::kNotFinite;
}

std::unique_ptr<ImplicitForm> AbsoluteEquations::make_implicit_form() const {
  return std::make_unique<AbsoluteForm>(*this, charts_);
}

Status AbsoluteEquations::calc_constraint_matrix(double t, ConstRef y, Eigen::MatrixXd* A,
                                                 Eigen::VectorXd* b) {
  update(t, y);
  A->setZero(sizes_.na, n_change());
  b->resize(sizes_.na);
  for (const BodyRows<double>& rows : rows_) {
    for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}})
      if (body.value != 0) A->block(rows.start, at(body.value), rows.n, 6) += G->topRows(rows.n);
    b->segment(rows.start, rows.n) = rows.b.head(rows.n);
  }
  return A->allFinite() && b->allFinite() ? Status::kOk : Status::kNotFinite;
}

std::vector<std::string> AbsoluteEquations::coordinate_names() const {
  std::vector<std::string> names;
  for (int b = 1; b <= model_.n_tree(); ++b)
    for (int i = 0; i < charts_[b].nq(); ++i)
      names.push_back(fmt::format("body.{}.{}", model_.bodies[b].name, charts_[b].position_name(i)));
  for (int b = 1; b <= model_.n_tree(); ++b)
    for (int i = 0; i < charts_[b].nv(); ++i)
      names.push_back(fmt::format("body.{}.{}", model_.bodies[b].name, charts_[b].velocity_name(i)));
  add_first_order_names(model_, *system_, *constraints_, &names);
  return names;
}

}  // namespace haltere
