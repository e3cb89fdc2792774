#include "haltere/dynamics/equations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "haltere/dynamics/formulation.h"
#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/machine/memory.h"
#include "haltere/dynamics/machine/names.h"
#include "haltere/dynamics/machine/observe.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

// residual of a constraint, in radians or length scales, that explains a failure: what stabilization.cpp
// takes for a machine that comes apart (kSmall)
constexpr double kApart = 1e-9;

/// The row that is most off, where that explains a failure; or "".
std::string describe_drift(const Formulation& formulation) {
  if (formulation.g().size() == 0) return "";
  int row = 0;
  const double most =
      formulation.g().cwiseQuotient(formulation.layout().row_scales).cwiseAbs().maxCoeff(&row);
  if (!(most >= kApart)) return "";
  return fmt::format("{} is off by {:.3g}, and no correction brings it back", formulation.row_name(row),
                     most);
}

/// One that does not go on would hold the run for ever.
void require_future(const Environment& environment, double t) {
  if (!(environment.next_time() > t))
    throw RunError(fmt::format("t = {:.10g} s: environment '{}': its step that begins here ends at {:.10g} s",
                               t, environment.name(), environment.next_time()));
}

}  // namespace

Equations::Equations(std::string_view formulation, const Model& model, const EquationsOptions& options)
    : Equations(make_formulation(formulation, model, options), model, options) {}

Equations::Equations(std::unique_ptr<Formulation> formulation, const Model& model,
                     const EquationsOptions& options)
    : model_(model),
      environments_(options.environments ? *options.environments : make_environments(model)),
      past_(options.past ? options.past : std::make_shared<Past>(model)),
      formulation_(std::move(formulation)),
      scene_(make_scene<double>(model)),
      stabilization_(options.stabilization),
      stabilizer_(options.stabilization),
      observer_(options.stabilization),
      project_always_(options.project_always) {
  set_parameters(model.calc_parameters());
  loads_ = std::make_unique<BodyLoads<double>>(*machine_);
  sizes_ = formulation_->layout().sizes;
  sizes_.nx = count_first_order_states(model);
  sizes_.nz = count_work_states(*machine_);
}

Equations::~Equations() = default;

std::unique_ptr<Equations> make_equations(std::string_view formulation, const Model& model,
                                          const EquationsOptions& options) {
  return std::make_unique<Equations>(formulation, model, options);
}

const std::vector<double>& Equations::parameters() const {
  return machine_->parameters;
}

void Equations::set_parameters(const std::vector<double>& parameters) {
  auto machine = std::make_unique<Machine<double>>(model_, parameters, environments_);
  past_->set_machine(*machine);
  formulation_->set_machine(*machine);
  for (const std::shared_ptr<Environment>& environment : environments_) environment->set_machine(*machine);
  machine_ = std::move(machine);  // after the formulation has let go of the one before
  dual_machine_.reset();
  scene_.gravity = machine_->gravity;
  length_ = calc_model_length(model_, parameters);
  stabilizer_ = observer_ =
      Stabilizer(stabilization_);  // which rows depend on others at all times may have changed
}

// -- the state

Eigen::VectorXd Equations::calc_initial_state() const {
  Eigen::VectorXd y = calc_state(calc_initial_scene(model_, parameters()));
  // a wheel that lies flat has no contact angle; its constraint says so when it is evaluated
  for (double& turn : sizes_.turns(y))
    if (!std::isfinite(turn)) turn = 0;
  return y;
}

Eigen::VectorXd Equations::calc_state(const Scene<double>& scene) const {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(sizes_.ny());
  formulation_->write(scene, y);
  sizes_.x(y) = scene.states;
  formulation_->constraints().write_turns(scene, y.data() + y.size() - sizes_.nt);
  return y;
}

void Equations::calc_scene(double t, ConstRef y, Scene<double>* scene) {
  read(t, y, true);
  *scene = scene_;
}

std::vector<std::string> Equations::coordinate_names() const {
  std::vector<std::string> names = formulation_->layout().names;
  add_first_order_names(*machine_, formulation_->constraints(), &names);
  return names;
}

Eigen::VectorXd Equations::calc_scales() const {
  Eigen::VectorXd scales = Eigen::VectorXd::Zero(sizes_.ny());
  sizes_.qv(scales) = formulation_->layout().scales;
  if (sizes_.nx == 0) return scales;
  const std::vector<double> x =
      calc_state_scales(model_, parameters(), calc_model_length(model_, parameters()));
  sizes_.x(scales) = Eigen::Map<const Eigen::VectorXd>(x.data(), sizes_.nx);
  return scales;
}

void Equations::normalize(Ref y, Ref ydot) const {
  formulation_->normalize(y, ydot);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Equations::shift(ConstRef dq, ConstRef dv, Ref y) const {
  formulation_->shift(dq, dv, y);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Equations::read_velocities(ConstRef y, Ref dq) const {
  formulation_->read_velocities(y, dq);
}

const Eigen::VectorXd& Equations::change_scales() const {
  return formulation_->layout().change_scales;
}

// -- what remembers

double Equations::next_environment_time() const {
  double first = std::numeric_limits<double>::infinity();
  for (const std::shared_ptr<Environment>& environment : environments_)
    first = std::min(first, environment->next_time());
  return first;
}

void Equations::start_environments(double t, ConstRef y) {
  if (environments_.empty()) return;
  Scene<double> motion;
  calc_scene(t, y, &motion);
  for (const std::shared_ptr<Environment>& environment : environments_) {
    environment->start(motion);
    require_future(*environment, t);
  }
  if (is_coupled()) guess_environments(t, y);  // whoever looks at once sees its masses
}

void Equations::restart_environment(std::string_view name, double t, ConstRef y) {
  Scene<double> motion;
  calc_scene(t, y, &motion);
  for (const std::shared_ptr<Environment>& environment : environments_) {
    if (environment->name() != name) continue;
    environment->start(motion);
    require_future(*environment, t);
  }
  if (is_coupled()) guess_environments(t, y);
}

void Equations::advance_environments(double t, ConstRef y) {
  calc_scene(t, y, &kept_motion_);
  for (const std::shared_ptr<Environment>& environment : environments_) {
    if (environment->next_time() > t) continue;
    environment->advance(kept_motion_);
    require_future(*environment, t);
  }
}

bool Equations::is_coupled() const {
  return std::any_of(environments_.begin(), environments_.end(),
                     [](const auto& environment) { return !environment->coupled_bodies().empty(); });
}

void Equations::guess_environments(double t, ConstRef y) {
  calc_scene(t, y, &kept_motion_);
  for (const std::shared_ptr<Environment>& environment : environments_) {
    const std::vector<BodyIndex> bodies = environment->coupled_bodies();
    if (bodies.empty()) continue;
    environment->guess(kept_motion_);
    if (update_accelerations(t, y) != Status::kOk) continue;
    formulation_->calc_response(bodies, &coupled_.response);
    environment->weigh(kept_motion_, coupled_.response);
  }
}

bool Equations::environments_agree(double t, ConstRef y) {
  calc_scene(t, y, &kept_motion_);
  bool all = true;
  for (const std::shared_ptr<Environment>& environment : environments_)
    if (!environment->coupled_bodies().empty() && environment->next_time() <= t)
      all = environment->agree(kept_motion_) && all;
  return all;
}

// -- what delays remember

/// Inputs may read what other delays give: as often as there are delays, and those that read each other are settled.
void Equations::start_past(double t, ConstRef y) {
  if (past_->is_empty()) return;
  std::vector<double> inputs(static_cast<std::size_t>(scene_.delayed.size()), 0);
  past_->start(t, inputs);
  for (Eigen::Index pass = 0; pass <= scene_.delayed.size(); ++pass) {
    update_motion(t, y);
    calc_delay_inputs(*machine_, scene_, inputs.data());
    past_->start(t, inputs);
  }
  past_->break_at(t);
}

void Equations::record_past(double t0, double t1, const Interpolate& interpolate) {
  if (past_->is_empty()) return;
  const std::size_t n = static_cast<std::size_t>(scene_.delayed.size());
  const std::vector<double> times = past_->list_times(t0, t1);
  std::vector<double> inputs(n * times.size());
  Eigen::VectorXd y(sizes_.ny());
  for (std::size_t i = 0; i < times.size(); ++i) {
    interpolate(times[i], y);
    update_motion(times[i], y);
    calc_delay_inputs(*machine_, scene_, inputs.data() + i * n);
  }
  past_->add(t0, t1, std::move(inputs));
}

void Equations::calc_memory(double t, ConstRef y, Eigen::VectorXd* memory) const {
  const Eigen::Index n = scene_.delayed.size();
  memory->resize(sizes_.nx + n);
  memory->head(sizes_.nx) = sizes_.x(y);
  for (Eigen::Index k = 0; k < n; ++k) (*memory)[sizes_.nx + k] = past_->calc(static_cast<int>(k), t);
}

void Equations::calc_state_rates(double t, ConstRef y, Eigen::VectorXd* xdot) {
  update_motion(t, y);
  xdot->resize(sizes_.nx);
  haltere::calc_state_rates<double>(*machine_, scene_, xdot->data());
}

/// By dual numbers in the states alone, four at once; the motion of the scene stays.
Status Equations::calc_state_tangent(double t, ConstRef y, Eigen::MatrixXd* tangent) {
  const int n = sizes_.nx;
  tangent->resize(n, n);
  if (n == 0) return Status::kOk;
  update_motion(t, y);
  if (!dual_machine_)
    dual_machine_ = std::make_unique<Machine<Dual>>(
        model_, std::vector<Dual>(parameters().begin(), parameters().end()), environments_);
  Scene<Dual> scene = make_scene<Dual>(model_);
  scene.t = t;
  scene.gravity = scene_.gravity.cast<Dual>();
  for (std::size_t b = 0; b < scene.X_WB.size(); ++b) {
    scene.X_WB[b] = {scene_.X_WB[b].R.cast<Dual>(), scene_.X_WB[b].p.cast<Dual>()};
    scene.V_WB[b] = scene_.V_WB[b].cast<Dual>();
  }
  scene.q = scene_.q.cast<Dual>();
  scene.v = scene_.v.cast<Dual>();
  scene.delayed = scene_.delayed.cast<Dual>();
  scene.locals[0] = t;
  VectorX<Dual> rates(n);
  for (int first = 0; first < n; first += Dual::kDirections) {
    const int count = std::min(Dual::kDirections, n - first);
    scene.states = scene_.states.cast<Dual>();
    for (int d = 0; d < count; ++d) scene.states[first + d].d[d] = 1;
    update_locals<Dual>(*dual_machine_, &scene);
    haltere::calc_state_rates<Dual>(*dual_machine_, scene, rates.data());
    for (int d = 0; d < count; ++d)
      for (int i = 0; i < n; ++i) (*tangent)(i, first + d) = rates[i].d[d];
  }
  return tangent->allFinite() ? Status::kOk : Status::kNotFinite;
}

// -- one evaluation: motion, loads, solve

/// Motions that are prescribed by filters are read twice: what the filters follow must be known before their accelerations.
void Equations::read(double t, ConstRef y, bool all_bodies) {
  const auto bodies = all_bodies ? Formulation::Bodies::kAll : Formulation::Bodies::kOfLaws;
  if (sizes_.nx > 0) scene_.states = sizes_.x(y);
  for (int k = 0; k < scene_.delayed.size(); ++k) scene_.delayed[k] = past_->calc(k, t);
  if (machine_->moves_by_states) update_jets<double>(*machine_, t, &scene_);
  formulation_->read(t, y, bodies, &scene_);
  if (!machine_->moves_by_states) return;
  update_filter_accelerations<double>(*machine_, &scene_);
  formulation_->read(t, y, bodies, &scene_);
}

void Equations::update_motion(double t, ConstRef y) {
  read(t, y, false);
}

void Equations::update_loads() {
  for (const int body : formulation_->layout().loaded_bodies) loads_->F_B_W[body].setZero();
  add_loads<double>(*machine_, scene_, loads_.get());
}

Status Equations::update(double t, ConstRef y) {
  update_motion(t, y);
  update_loads();
  return formulation_->factor(&scene_, loads_.get());
}

Status Equations::update_accelerations(double t, ConstRef y) {
  const Status status = update(t, y);
  if (status != Status::kOk) return status;
  if (stabilization_.kind == Stabilization::Kind::kBaumgarte)  // theory.md (E23)
    wanted_ = -2 * stabilization_.alpha * formulation_->gdot() -
              stabilization_.beta * stabilization_.beta * formulation_->g();
  formulation_->solve(wanted_);
  if (!loads_->coupled.empty()) solve_coupled();
  return Status::kOk;
}

/// Loads -K A of bodies against the accelerations of others: with the answer R of the machine to wrenches on them
///   A = A_0 - R K A,     (1 + R K) A = A_0                                               theory.md (E46)
void Equations::solve_coupled() {
  CoupledWorkspace& w = coupled_;
  w.bodies.clear();
  const auto find = [&](BodyIndex body) {
    const auto place = std::find_if(w.bodies.begin(), w.bodies.end(),
                                    [&](BodyIndex known) { return known.value == body.value; });
    return Eigen::Index{6} * (place - w.bodies.begin());
  };
  for (const Loads<double>::Coupled& coupled : loads_->coupled)
    for (const BodyIndex body : {coupled.body, coupled.other})
      if (find(body) == static_cast<Eigen::Index>(6 * w.bodies.size())) w.bodies.push_back(body);
  const auto n = static_cast<Eigen::Index>(6 * w.bodies.size());
  w.K.setZero(n, n);
  for (const Loads<double>::Coupled& coupled : loads_->coupled)
    w.K.block<6, 6>(find(coupled.body), find(coupled.other)) += coupled.K;
  w.A.resize(n);
  w.units.resize(n);
  for (std::size_t i = 0; i < w.bodies.size(); ++i) {
    const auto first = static_cast<Eigen::Index>(6 * i);
    w.A.segment<6>(first) = formulation_->calc_A_WB(w.bodies[i]);
    w.units.segment<3>(first).setConstant(length_);  // pivots are then chosen alike in all units
    w.units.segment<3>(first + 3).setOnes();
  }
  formulation_->calc_response(w.bodies, &w.response);
  w.matrix.noalias() = w.response * w.K;
  w.matrix.array().colwise() *= w.units.array();
  w.matrix.array().rowwise() /= w.units.transpose().array();
  w.matrix.diagonal().array() += 1;
  w.factors.factor(w.matrix);
  w.A.array() *= w.units.array();
  w.wrenches = w.A;
  w.factors.solve(w.wrenches, w.A);
  w.A.array() /= w.units.array();
  w.wrenches.noalias() = w.K * w.A;
  w.wrenches *= -1;
  formulation_->add_response(w.bodies, w.wrenches);
}

/// Loops need the nearest state that obeys at every evaluation: near a singular position the accelerations of
/// one that is off by x are wrong by x over the square of its distance.
Status Equations::calc_ydot(double t, ConstRef y, Ref ydot) {
  const bool projects = sizes_.na > 0 && (has_loops() || project_always_);
  if (!projects || !stabilizer_.is_projection()) return calc_met_ydot(t, y, ydot);
  y_met_ = y;
  return stabilizer_.calc_ydot(t, y_met_, ydot, this);
}

Status Equations::calc_met_ydot(double t, ConstRef y, Ref ydot) {
  Status status = update_accelerations(t, y);
  if (status != Status::kOk) return status;
  status = formulation_->write_rates(scene_, y, ydot);
  if (status != Status::kOk) return status;
  if (sizes_.nx > 0) haltere::calc_state_rates<double>(*machine_, scene_, sizes_.x(ydot).data());
  double* const zdot = ydot.data() + sizes_.nq + sizes_.nv + sizes_.nx;
  calc_work_rates(zdot);
  formulation_->constraints().write_turn_rates(scene_, zdot + sizes_.nz);
  return Status::kOk;
}

void Equations::calc_qdot(double /*t*/, ConstRef y, Ref ydot) {
  formulation_->calc_qdot(y, ydot);
}

/// Power of each source of energy: what force elements bring in less what they dissipate, then drives and
/// motions, then constraints that move.
void Equations::calc_work_rates(double* zdot) const {
  for (const Account<double>& a : loads_->accounts) *zdot++ = a.input - a.dissipation;
  double* const of_elements = zdot - loads_->accounts.size();
  for (const Loads<double>::Added& added : loads_->added)
    if (added.works && added.account >= 0)
      of_elements[added.account] -=
          scene_.V_WB[added.body.value].dot(added.K * formulation_->calc_A_WB(added.body));
  for (const Loads<double>::Coupled& coupled : loads_->coupled)
    if (coupled.account >= 0)
      of_elements[coupled.account] -=
          scene_.V_WB[coupled.body.value].dot(coupled.K * formulation_->calc_A_WB(coupled.other));
  for (const int j : machine_->work_joints) {
    double power = formulation_->calc_prescribed_power(scene_, j);
    for (int i = 0; i < model_.joints[j].nv(); ++i) {
      const int c = scene_.v_start[j] + i;
      if (model_.joints[j].mode(i) == CoordinateMode::kDriven) power += loads_->drive[c] * scene_.v[c];
    }
    *zdot++ = power;
  }
  const int first = static_cast<int>(model_.joints.size());
  for (int i = 0; i < static_cast<int>(model_.constraints.size()); ++i)
    *zdot++ = formulation_->calc_prescribed_power(scene_, first + i);
}

// -- constraints

Status Equations::stabilize(double t, Ref y, Ref ydot) {
  normalize(y, ydot);
  bool moved = false;
  const Status status = stabilizer_.apply(t, y, this, &moved);
  if (status != Status::kOk) return status;
  return moved || formulation_->layout().rates_follow_normalization ? calc_ydot(t, y, ydot) : Status::kOk;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Equations::calc_drift(double t, ConstRef y, Ref g, Ref gdot) {
  if (sizes_.na == 0) return Status::kOk;
  const Status status = update(t, y);
  if (status != Status::kOk) return status;
  gather(formulation_->g(), position_rows(), g);
  gdot = formulation_->gdot();
  return Status::kOk;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Equations::calc_change(ConstRef r, Ref dv) {
  formulation_->calc_change(Formulation::Level::kVelocity, r, dv);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void Equations::calc_position_change(ConstRef r, Ref dq) {
  formulation_->calc_change(Formulation::Level::kPosition, r, dq);
}

bool Equations::has_loops() const {
  return formulation_->layout().has_loops;
}

bool Equations::has_moving_constraints() const {
  return formulation_->layout().has_moving_constraints;
}

bool Equations::is_near_singular(double t, ConstRef y, double ahead) {
  return has_loops() && stabilizer_.is_near_singular(t, y, ahead, this);
}

std::string Equations::row_name(int row) const {
  return formulation_->row_name(row);
}

const Eigen::VectorXd& Equations::row_scales() const {
  return formulation_->layout().row_scales;
}

const std::vector<int>& Equations::position_rows() const {
  return formulation_->layout().position_rows;
}

int Equations::count_weak_rows() const {
  const RowSystem* rows = formulation_->loop_rows();
  return rows == nullptr ? 0 : rows->count_weak();
}

std::vector<int> Equations::find_dependent_rows() {
  RowSystem* rows = formulation_->loop_rows();
  if (rows == nullptr) return {};
  std::vector<int> dependent = rows->find_dependent();
  for (int& row : dependent) row += sizes_.na - rows->n_rows();
  return dependent;
}

std::unique_ptr<ImplicitForm> Equations::make_implicit_form() const {
  return formulation_->make_implicit_form();
}

// -- what is recorded

Status Equations::observe(double t, ConstRef y, Snapshot* out) {
  const bool projects = sizes_.na > 0 && observer_.is_projection();
  y_met_ = y;
  Status status = projects && project_always_ ? observer_.project(t, y_met_, this) : Status::kOk;
  if (status == Status::kOk) status = observe_met(t, y_met_, out);
  if (status != Status::kOk || !projects || !has_loops()) return status;
  if (!observer_.observe_passage(t, y_met_, this, out)) return status;
  update_motion(t, y_met_);
  update_loads();
  observe_elements(*machine_, *loads_, out);
  return status;
}

Status Equations::observe_met(double t, ConstRef y, Snapshot* out) {
  const Status status = update_accelerations(t, y);
  if (status != Status::kOk) return status;
  formulation_->observe(scene_, *loads_, out);
  observe_elements(*machine_, *loads_, out);
  out->potential = out->gravity_potential;
  for (const Account<double>& account : loads_->accounts) out->potential += account.potential;
  out->work = sizes_.work(y).sum();
  return Status::kOk;
}

void Equations::calc_locals(double t, ConstRef y, std::vector<double>* locals) {
  update_motion(t, y);
  *locals = scene_.locals;
}

std::string Equations::explain_failure(double t, ConstRef y) {
  for (int i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      return fmt::format("state '{}' is not finite; try a smaller step or tolerance", coordinate_name(i));
  Status status = Status::kOk;
  std::string fault = find_curve_fault([&] { status = update(t, y); });
  if (fault.empty()) fault = find_load_fault(*machine_, scene_, *loads_);
  if (fault.empty()) fault = formulation_->find_fault(y, scene_);
  if (fault.empty() && status == Status::kOk) fault = describe_drift(*formulation_);
  if (!fault.empty()) return fault;
  return "an acceleration is not finite; try a smaller step or tolerance, or check the initial state";
}

// -- one evaluation in full

Status Equations::calc_free_motion(double t, ConstRef y, Eigen::MatrixXd* M, Eigen::VectorXd* f) {
  update(t, y);
  formulation_->calc_free_motion(scene_, *loads_, M, f);
  return M->allFinite() && f->allFinite() ? Status::kOk : Status::kNotFinite;
}

Status Equations::calc_constraint_matrix(double t, ConstRef y, Eigen::MatrixXd* A, Eigen::VectorXd* b) {
  update(t, y);
  formulation_->calc_constraint_matrix(y, scene_, A, b);
  return A->allFinite() && b->allFinite() ? Status::kOk : Status::kNotFinite;
}

}  // namespace haltere
