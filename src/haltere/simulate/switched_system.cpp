#include "haltere/simulate/switched_system.h"

#include <fmt/format.h>

#include "haltere/integrate/evaluator.h"
#include "haltere/simulate/run_info.h"

namespace haltere {

EquationsOptions make_equations_options(const RunOptions& options) {
  const IntegratorInfo* method = find_integrator(options.integrator);
  const bool implicit = method != nullptr && method->solves_constraints;
  return {.chart = options.chart,
          .stabilization = implicit ? Stabilization{} : *Stabilization::parse(options.stabilization),
          .project_always = method != nullptr && method->has_history && !method->solves_constraints};
}

SwitchedSystem::SwitchedSystem(Equations& equations, const RunOptions& options, Entered entered)
    : model_(equations.model()),
      base_(equations),
      options_(options),
      entered_(std::move(entered)),
      equations_(&equations),
      mode_(model_),
      was_set_(model_.parameters.size(), false) {
  y_.setZero(equations.sizes().ny());
  now_.happened.assign(model_.events.size(), 0);
  now_.masses.resize(model_.bodies.size());
  update_masses();
}

void SwitchedSystem::set_state(double t, const Eigen::VectorXd& y) {
  write_state(t) = y;
}

Eigen::VectorXd& SwitchedSystem::write_state(double t) {
  t_ = t;
  observed_ = false;
  return y_;
}

Eigen::VectorBlock<const Eigen::VectorXd> SwitchedSystem::work() const {
  const Sizes sizes = equations_->sizes();
  return sizes.work(y_);
}

void SwitchedSystem::observe() {
  if (equations_->observe(t_, y_, &now_.snapshot) != Status::kOk)
    throw RunError(
        make_step_message(t_, "the motion cannot be evaluated", equations_->explain_failure(t_, y_), "", ""));
  if (mode_model_) to_base(model_, *mode_model_, &now_.snapshot);
  now_.snapshot.work += mode_work_;
  now_.snapshot.event_work = event_work_;
  observed_ = true;
  if (options_.drift > 0 && now_.snapshot.position_drift > options_.drift)
    throw RunError(make_step_message(
        t_,
        fmt::format("the constraints have drifted apart by {:.3g}, more than the allowed {:g}",
                    now_.snapshot.position_drift, options_.drift),
        find_worst_constraint(), "", "--stabilization projection, or smaller steps"));
}

/// Its name and drift, where it is one of the model's own.
std::string SwitchedSystem::find_worst_constraint() const {
  const std::vector<ConstraintLoad>& loads = now_.snapshot.constraints;
  std::size_t worst = loads.size();
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (worst == loads.size() || loads[i].drift > loads[worst].drift) worst = i;
  if (worst == loads.size() || loads[worst].drift < now_.snapshot.position_drift) return "";
  return fmt::format("'{}'", model_.constraint_name(worst));
}

std::string SwitchedSystem::apply(const EventSpec& event, std::vector<std::string>* notes) {
  Mode mode = mode_;
  mode.apply(model_, event, now_.snapshot.scene.q);
  std::vector<Assignment> values;  // all with the table as it was
  for (const auto& [slot, value] : event.set)
    values.emplace_back(slot,
                        value.calc<double, double>(parameters().data(), now_.snapshot.scene.locals.data()));
  return change(mode, values, notes);
}

std::string SwitchedSystem::assign(const std::vector<Assignment>& values, std::vector<std::string>* notes) {
  return change(mode_, values, notes);
}

std::string SwitchedSystem::change(const Mode& mode, const std::vector<Assignment>& values,
                                   std::vector<std::string>* notes) {
  const bool enters = !(mode == mode_);
  Scene<double> scene = calc_scene();
  const Fit fit = calc_fit(equations_->model(), parameters(), scene);
  std::string what = enters ? describe_change(model_, mode_, mode) : "";
  if (enters) {
    mode_work_ += work().sum();
    mode_work_size_ += work().lpNorm<1>();
    enter(mode);
    scene = calc_scene();
  }
  const std::string set = set_parameters(values);
  what += (what.empty() || set.empty() ? "" : ", ") + set;
  require_inertia(what);
  if (settle_scene(fit, what, enters, &scene, notes) || enters) put(scene);
  observed_ = false;
  return what;
}

void SwitchedSystem::move_to(const Eigen::VectorXd& y, std::vector<std::string>* notes) {
  const Fit fit = calc_fit(equations_->model(), parameters(), calc_scene());
  const Sizes sizes = equations_->sizes();
  const Eigen::VectorXd work_done = work();
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(y.size());
  set_state(t_, y);
  sizes.work(y_) = work_done;
  equations_->normalize(y_, rates);
  observe();
  Scene<double> scene = calc_scene();
  if (settle_scene(fit, "another state", false, &scene, notes)) put(scene);
  observed_ = false;
}

/// True if the scene had to change.
bool SwitchedSystem::settle_scene(const Fit& fit, const std::string& what, bool enters, Scene<double>* scene,
                                  std::vector<std::string>* notes) const {
  Settled settled;
  if (settle(equations_->model(), parameters(), fit, scene, &settled) != Status::kOk)
    throw RunError(make_step_message(t_, what,
                                     settled.moved ? "the machine cannot be put together again"
                                                   : "a body without inertia would have to take the impact",
                                     "",
                                     settled.moved ? "a smaller change, or several in turn"
                                                   : "mass or inertia for the bodies at the joint"));
  if (settled.moved)
    notes->push_back(fmt::format(
        "at t = {:.10g} s bodies were moved by up to {:.3g} (radians, or length scales) to obey joints and "
        "constraints",
        t_, settled.size));
  if (settled.jumped && !enters)
    notes->push_back(fmt::format(
        "at t = {:.10g} s velocities jump by an impact: joints or constraints ask for {:.3g} 1/s more", t_,
        settled.size));
  if (settled.jumped && equations_->is_coupled())
    notes->push_back(fmt::format(
        "at t = {:.10g} s the impact leaves out the mass of the air around free wings, whose part of it "
        "comes as a load within the next of its steps",
        t_));
  return settled.moved || settled.jumped;
}

/// Bodies and joints as in the scene; the work done stays.
void SwitchedSystem::put(const Scene<double>& scene) {
  const Sizes sizes = equations_->sizes();
  const Eigen::VectorXd work_done = work();
  y_ = equations_->calc_state(scene);
  sizes.work(y_) = work_done;
}

double SwitchedSystem::account_for(const Instant& before) {
  const double change = now_.total() - before.total();
  event_work_ += change;
  now_.snapshot.event_work = event_work_;
  return change;
}

/// That of now_, in the numbers of the present mode.
Scene<double> SwitchedSystem::calc_scene() const {
  if (!mode_model_) return now_.snapshot.scene;
  return to_mode(now_.snapshot.scene, model_, *mode_model_, parameters());
}

/// Something without inertia may have come free.
void SwitchedSystem::require_inertia(const std::string& what) const {
  std::vector<Problem> problems;
  check_singularity(equations_->model(), parameters(), &problems);
  if (problems.empty()) return;
  std::string why;
  for (const Problem& problem : problems)
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", problem.thing, problem.message);
  throw RunError(make_step_message(t_, what, why, "", "mass or inertia for these bodies"));
}

/// Equations for the model as the mode leaves it; the state is still to be set.
void SwitchedSystem::enter(const Mode& mode) {
  const std::vector<double> table = parameters();
  std::unique_ptr<ModeModel> mode_model;
  std::unique_ptr<Equations> equations;
  equations_ = &base_;
  if (!(mode == Mode(model_))) {
    mode_model = std::make_unique<ModeModel>(model_, mode);
    EquationsOptions own = make_equations_options(options_);
    own.environments = base_.environments();
    own.past = base_.past();
    equations = make_equations(options_.formulation, mode_model->model, own);
    equations_ = equations.get();
  }
  equations_->set_parameters(table);
  entered_(*equations_);
  mode_equations_ = std::move(equations);
  mode_model_ = std::move(mode_model);  // after the equations that were built on the one before
  mode_ = mode;
  y_.setZero(equations_->sizes().ny());
}

std::vector<double> SwitchedSystem::calc_parameters(const std::vector<Assignment>& values) const {
  std::vector<double> table = parameters();
  std::vector<bool> fixed = was_set_;
  for (const auto& [slot, value] : values) {
    table[slot] = value;
    fixed[slot] = true;
  }
  update_parameters(model_, &table, fixed);
  return table;
}

void SwitchedSystem::prepare(const std::vector<Assignment>& values) {
  const std::vector<double> table = calc_parameters(values);
  for (const auto& [slot, value] : values) was_set_[slot] = true;
  equations_->set_parameters(table);
  update_masses();
}

/// All at once. Returns "kT = 50 N m/rad, c = 0".
std::string SwitchedSystem::set_parameters(const std::vector<Assignment>& values) {
  if (values.empty()) return "";
  std::string what;
  for (const auto& [slot, value] : values) {
    const ParameterSpec& spec = model_.parameters[slot];
    what += fmt::format("{}{} = {:.10g}", what.empty() ? "" : ", ", spec.name, value);
    if (spec.measure.kind == Measure::Kind::kExact && spec.measure.dimension != Dimension{})
      what += ' ' + to_string(spec.measure.dimension);
  }
  std::vector<Problem> problems;
  check_model(model_, calc_parameters(values), &problems);
  for (const Problem& problem : problems)
    if (!problem.is_warning())
      throw RunError(make_step_message(t_, fmt::format("it sets {}", what), problem.text(), "", ""));
  prepare(values);
  return what;
}

void SwitchedSystem::update_masses() {
  const Resolver<double> resolver{parameters().data()};
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    now_.masses[b] = calc_mass_properties<double>(model_.bodies[b], resolver);
}

void SwitchedSystem::visit_state(Archive& archive) {
  Mode mode = mode_;
  mode.visit_state(archive);
  if (!(mode == mode_)) enter(mode);
  std::vector<double> table = parameters();
  archive(table, was_set_, event_work_, mode_work_, mode_work_size_);
  if (!archive.is_loading()) return;
  equations_->set_parameters(table);
  update_masses();
}

}  // namespace haltere
