#include "haltere/simulate/simulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "haltere/dynamics/misfits.h"
#include "haltere/integrate/evaluator.h"
#include "haltere/simulate/effort.h"
#include "haltere/simulate/notes.h"
#include "haltere/simulate/prescribed_motion.h"
#include "haltere/simulate/run_info.h"
#include "haltere/simulate/start.h"

namespace haltere {
namespace {

// how often in a run a method whose history cannot be saved starts anew; a choice (decision 0009)
constexpr int kRestarts = 10;
// steps that the audit has not seen after which it looks at what energy is in play, and after 16, 32, ...:
// rows may all lie where it is little; a choice
constexpr long kUnseenSteps = 8;
// steps after which the pace of a run shows how many it will take; a choice
constexpr long kPaceSteps = 1000;

// a run that chatters ends where it would take more steps than this to its end; else it has a note. A choice
// (decision 0019).
constexpr double kMostChatter = 1e5;

constexpr double kNever = std::numeric_limits<double>::infinity();

// of polynomials for what delays remember: that of the best dense output
constexpr int kMostDegree = 8;

/// Fixed steps are not longer than a delay.
void require_short_step(const RunOptions& options, const Equations& equations) {
  const double shortest = equations.past()->shortest();
  if (find_integrator(options.integrator)->chooses_steps(options.step) || options.step <= shortest) return;
  throw InputError({Problem{
      {},
      "step",
      fmt::format("steps of {:g} s are longer than the shortest delay, {:g} s", options.step, shortest),
      "a shorter --step, or a method that chooses its steps (--integrator dop853)"}});
}

std::unique_ptr<Equations> make_equations_of(const Model& model, const RunOptions& options) {
  require_formulation(model, options);
  return make_equations(options.formulation, model, make_equations_options(options));
}

/// A body's own chart is stronger than one that was asked for of all.
std::string say_own_charts(const Model& model, const RunOptions& options) {
  if (!has_charts(options.formulation) || options.chart == RunOptions().chart) return "";
  std::vector<std::string> own;
  for (const BodySpec& body : model.bodies)
    if (!body.chart.empty() && body.chart != options.chart)
      own.push_back(fmt::format("body '{}' ({})", body.name, body.chart));
  return own.empty() ? ""
                     : say_of_all(own, fmt::format("keeps its own chart, not {}", options.chart),
                                  fmt::format("keep their own charts, not {}", options.chart));
}

}  // namespace

// -- making one

Simulation::Simulation(const Model& model, const RunOptions& options)
    : Simulation(make_equations_of(model, options), options) {}

Simulation::Simulation(std::unique_ptr<Equations> own, const RunOptions& options)
    : Simulation(*own, options) {
  own_ = std::move(own);
}

Simulation::Simulation(Equations& equations, const RunOptions& options)
    : options_(complete(options)),
      method_(*find_integrator(options_.integrator)),
      system_(equations, options_, [this](Equations& entered) { follow(entered); }),
      watch_(equations),
      tables_(equations.model()),
      chatter_(equations, options_.tolerance, method_.chooses_steps(options_.step)),
      auditor_(make_auditor()),
      integrator_(make_method(equations)),
      paced_(equations.model().events.size(), 0) {
  equations.past()->set_degree(std::min(method_.order, kMostDegree));
  require_short_step(options_, equations);
}

std::unique_ptr<Integrator> Simulation::make_method(Equations& equations) const {
  return make_integrator(options_.integrator, equations,
                         {.step = options_.step, .tolerance = options_.tolerance, .until = options_.until});
}

std::unique_ptr<Auditor> Simulation::make_auditor() const {
  return std::make_unique<Auditor>(system_.model(), system_.parameters(),
                                   calc_model_length(system_.model(), system_.parameters()));
}

/// Goes on with the equations of another mode.
void Simulation::follow(Equations& equations) {
  counted_ = counters();
  integrator_ = make_method(equations);
  if (trial_) trial_ = make_method(equations);
  watch_.set_equations(equations);
  chatter_.set_equations(equations);
}

// -- the beginning

void Simulation::start() {
  if (started_) return;
  attempt([&] {
    begin();
    apply_events();
    end_step();
    audit();
  });
}

void Simulation::begin() {
  started_ = true;
  system_.set_state(0, equations().calc_initial_state());
  assemble();
  note_method();
  equations().start_past(0, system_.y());
  equations().start_environments(0, system_.y());
  system_.observe();
  system_.set_total_at_start();
  auditor_->add(system_.instant(), 0);
  happening_ = {0, watch_.take_due(0)};
  broken_ = true;
}

void Simulation::assemble() {
  const Model& model = system_.model();
  std::vector<std::string> closing;
  for (std::size_t j = model.n_tree(); j < model.joints.size(); ++j)
    closing.push_back(fmt::format("joint '{}'", model.joints[j].name()));
  if (!closing.empty()) summary_.notes.push_back(say_of_all(closing, kClosesLoop, kCloseLoops));
  if (model.constraints.empty() && static_cast<int>(model.joints.size()) == model.n_tree()) return;
  const Start start = calc_start(model, system_.parameters());
  summary_.start_changes = start.changes;
  summary_.notes.insert(summary_.notes.end(), start.notes.begin(), start.notes.end());
  if (!start.redundant.empty())
    summary_.notes.push_back(say_of_all(start.redundant, kIsRedundant, kAreRedundant));
  redundant_.insert(start.redundant.begin(), start.redundant.end());
  system_.set_state(0, equations().calc_state(start.scene));
}

/// What a user should know of the run before it begins.
void Simulation::note_method() {
  for (const Problem& problem : tables_.find_short_tables(options_.until, system_.parameters()))
    summary_.notes.push_back(fmt::format("{}: {}; {}", problem.thing, problem.message, problem.hint));
  if (const std::string note = say_own_charts(system_.model(), options_); !note.empty())
    summary_.notes.push_back(note);
  if (!method_.solves_constraints || equations().sizes().na == 0) return;
  if (options_.stabilization != "projection")
    summary_.notes.push_back(
        fmt::format("{} meets the constraints itself: --stabilization is not used", method_.name));
  if (method_.name == "newmark" && parse_parameter(options_.integrator, method_) == 0)
    summary_.notes.emplace_back(
        "newmark with alpha = 0 does not damp the ringing of constraints and may diverge; newmark:0.015 and "
        "generalized-alpha do");
}

// -- steps

/// A failure is the end, and is remembered.
void Simulation::attempt(const std::function<void()>& action) {
  try {
    action();
  } catch (const RunError& error) {
    summary_.message = error.what();
    finish(Outcome::kFailed);
    throw;
  }
}

void Simulation::step() {
  start();
  if (!done_) attempt([&] { take_step(kNever); });
}

void Simulation::step_until(double t) {
  if (!(t >= t_ && t <= options_.until))
    throw InputError({Problem{{},
                              "time",
                              fmt::format("{:g} s is not between now, {:g} s, and the end", t, t_),
                              fmt::format("the end is {:g} s", options_.until)}});
  start();
  attempt([&] {
    while (!done_ && t_ < t) take_step(t);
  });
}

void Simulation::take_step(double limit) {
  advance(limit);
  if (broken_) apply_events();
  end_step();
  audit();
}

void Simulation::advance(double limit) {
  equations().past()->begin_step(integrator_->t());  // a method may begin with an evaluation there
  const StepReport step = integrator_->step(
      std::min({limit, options_.until, watch_.next_time(), restart_time(), kink_time(*integrator_),
                equations().next_environment_time(), past_time()}));
  t_ = integrator_->t();
  if (step.outcome == StepReport::Outcome::kFailed) {
    system_.set_state(t_, integrator_->y());
    const std::string blocked =
        find_blocked_motion(t_, integrator_->y(), options_.every, &system_.equations());
    if (!blocked.empty()) throw StepError(blocked);
    throw StepError(step.message + chatter_.explain_failure(t_, integrator_->y()));
  }
  if (!(step.t1 > step.t0)) {
    system_.set_state(t_, integrator_->y());
    throw RunError(make_step_message(step.t0, "the steps have become too short to change the time", "", "",
                                     "another --integrator, or a look at the motion just before"));
  }
  watch_steps(step);
  if (++steps_taken_ == kPaceSteps) require_headway(step.t1);
  happening_ = watch_.find(*integrator_, step.t0, step.t1);
  t_ = happening_.t;
  broken_ = !happening_.events.empty() || t_ >= options_.until;
  equations().record_past(step.t0, t_,
                          [this](double t, Eigen::VectorXd& y) { integrator_->interpolate(t, y); });
}

/// No step is longer than the shortest delay, nor goes on where a delay brings back what was not smooth.
double Simulation::past_time() const {
  const Past& past = *system_.equations().past();
  return std::min(integrator_->t() + past.shortest(), past.next_break());
}

const Instant& Simulation::look(double t) {
  integrator_->interpolate(t, system_.write_state(t));
  system_.observe();
  return system_.instant();
}

bool Simulation::end_step() {
  const bool broken = std::exchange(broken_, false);
  if (!broken) {
    system_.set_state(t_, integrator_->y());
    see_energy();
    const bool breaks = equations().past()->pass_break(t_);
    if (advance_environments() || breaks) begin_again();
    if (t_ < restart_time()) return false;
    integrator_->start(t_, system_.y());
    ++next_restart_;
    return true;
  }
  while (restart_time() <= t_) ++next_restart_;
  const std::vector<EventSpec>& events = system_.model().events;
  if (std::any_of(happening_.events.begin(), happening_.events.end(), [&](int e) { return events[e].stop; }))
    finish(Outcome::kStopped);
  else if (t_ >= options_.until)
    finish(Outcome::kFinished);
  else {
    equations().past()->pass_break(t_);
    if (!happening_.events.empty()) equations().past()->break_at(t_);
    advance_environments();
    begin_again();
  }
  return false;
}

/// Rows, samples and events of the step have been looked at by now.
bool Simulation::advance_environments() {
  if (t_ < equations().next_environment_time()) return false;
  equations().advance_environments(t_, system_.y());
  return true;
}

void Simulation::begin_again() {
  couple();
  integrator_->start(t_, system_.y());
  watch_.start(t_, system_.y());
  chatter_.start(t_, system_.y(), options_.until - t_);
}

/// Coupled environments and the motion agree on the end of their step, before anything of it is kept.
void Simulation::couple() {
  if (!equations().is_coupled()) return;
  if (!trial_) trial_ = make_method(equations());
  const double end = equations().next_environment_time();
  const long before = trial_->counters().evaluations;
  equations().guess_environments(t_, system_.y());
  do try_motion(end);
  while (!equations().environments_agree(end, trial_->y()));
  counted_.evaluations += trial_->counters().evaluations - before;
}

/// In the steps that the run will take.
void Simulation::try_motion(double end) {
  Past& past = *equations().past();
  const Past kept = past;  // what delays remember of a trial is forgotten again
  trial_->start(t_, system_.y());
  while (trial_->t() < end) {
    const double restart = restart_time() > trial_->t() ? restart_time() : kNever;
    past.begin_step(trial_->t());
    const StepReport step = trial_->step(
        std::min({end, kink_time(*trial_), restart, trial_->t() + past.shortest(), past.next_break()}));
    if (step.outcome == StepReport::Outcome::kFailed) throw RunError(step.message);
    if (!(step.t1 > step.t0))
      throw RunError(make_step_message(step.t0, "the steps have become too short to change the time", "", "",
                                       "another --integrator, or a shorter step of the air"));
    equations().record_past(step.t0, step.t1,
                            [this](double t, Eigen::VectorXd& y) { trial_->interpolate(t, y); });
    if (past.pass_break(step.t1)) trial_->start(step.t1, trial_->y());
  }
  past = kept;
}

/// A step ends where a table bends, where the method chooses its steps.
double Simulation::kink_time(const Integrator& integrator) {
  return method_.chooses_steps(options_.step) ? tables_.find_kink(integrator.t(), system_.parameters())
                                              : kNever;
}

double Simulation::restart_time() const {
  return method_.has_history ? options_.until * static_cast<double>(next_restart_) / kRestarts : kNever;
}

/// What the lengths of the steps say about the machine.
void Simulation::watch_steps(const StepReport& step) {
  stiffness_.add(step);
  const std::optional<Chatter> found = chatter_.add(step, integrator_->y());
  if (!found) return;
  const double left = (options_.until - step.t1) / found->step;
  const std::string what =
      fmt::format("a formula chatters: the steps have become as short as {:.2g} s", found->step);
  if (left > kMostChatter && !options_.insist) {
    system_.set_state(t_, integrator_->y());
    throw StepError(make_step_message(found->t, fmt::format("{}, {:.1g} of them to the end", what, left),
                                      found->formulas, "",
                                      std::string(Chatter::kAdvice) + "; --yes insists"));
  }
  if (chattered_) return;
  chattered_ = true;
  summary_.notes.push_back(
      fmt::format("from t = {:.6g} s on {}; {}; accelerations and loads jump with it; try {}", found->t, what,
                  found->formulas, Chatter::kAdvice));
}

/// A run that would take an age says so while nobody has waited for it.
void Simulation::require_headway(double t) {
  const double pieces = (options_.until - t) / (t - piece_start_);
  if (options_.insist || !(pieces * kPaceSteps > kManySteps)) return;
  system_.set_state(t_, integrator_->y());
  throw RunError(make_step_message(
      t,
      fmt::format("at the pace of the first {} steps the run takes {:.2g} of them", kPaceSteps,
                  pieces * kPaceSteps),
      fmt::format("{:.2g} times the time that it took so far", pieces), "",
      "an earlier --until, a larger --tolerance, a method for stiff equations, or --yes to insist"));
}

// -- what is kept and told

Checkpoint Simulation::save() {
  start();
  if (done_) throw RunError(fmt::format("the simulation is done: it ended at t = {:.10g} s", t_));
  if (!can_save()) integrator_->start(t_, system_.y());
  Archive archive;
  long no_row = 0;
  visit_state(archive, &no_row);
  return {t_, 0, static_cast<long>(summary_.events.size()), archive.state()};
}

void Simulation::load(const Checkpoint& checkpoint) {
  Archive archive(checkpoint.state);
  long no_row = 0;
  try {
    visit_state(archive, &no_row);
    archive.require_end();
  } catch (const ArchiveMismatch& mismatch) {
    throw InputError(
        {Problem{{}, "checkpoint", fmt::format("does not fit this run: {}", mismatch.what()), ""}});
  }
}

void Simulation::visit_state(Archive& archive, long* row) {
  const std::string machine = fmt::format("machine, {} {}", options_.formulation, options_.chart),
                    method = "method, " + options_.integrator;
  std::vector<std::string> around;
  for (const std::shared_ptr<Environment>& environment : equations().environments())
    around.push_back("environment, " + environment->name());
  archive.require(machine);
  archive.require(method);
  for (const std::string& name : around) archive.require(name);
  if (!equations().past()->is_empty()) archive.require("delays");
  archive.block(machine);
  system_.visit_state(archive);
  system_.visit_instant(archive);
  archive.block("run");
  archive(*row, next_restart_);
  archive(paced_, unseen_steps_, counted_.steps, counted_.rejected, counted_.evaluations, counted_.iterations,
          counted_.factors, counted_.passages);
  for (std::size_t i = 0; i < around.size(); ++i) {
    archive.block(around[i]);
    equations().environments()[i]->visit_state(archive);
  }
  if (!equations().past()->is_empty()) {
    archive.block("delays");
    equations().past()->visit_state(archive);
  }
  archive.block(method);
  integrator_->visit_state(archive);
  archive.block("events");
  watch_.visit_state(archive);
  archive.block("chatter");
  chatter_.visit_state(archive);
  archive.block("stiffness");
  stiffness_.visit_state(archive);
  archive.block("audit");
  auditor_->visit_state(archive);
  if (!archive.is_loading()) return;
  if (next_restart_ < 0 || *row < 0) throw ArchiveMismatch("it counts below zero");
  started_ = true;
  done_ = broken_ = false;
  summary_ = {};
  steps_taken_ = 0;
  t_ = piece_start_ = integrator_->t();
  system_.set_state(t_, integrator_->y());
  while (restart_time() <= t_) ++next_restart_;  // of a run with another end
}

void Simulation::audit() {
  if (!system_.is_observed()) system_.observe();
  unseen_steps_ = 0;
  auditor_->add(system_.instant(), system_.calc_work_size());
}

void Simulation::see_energy() {
  const long n = ++unseen_steps_;
  if (n < kUnseenSteps || (n & (n - 1)) != 0) return;
  system_.observe();
  auditor_->see(system_.instant().snapshot, system_.calc_work_size());
}

IntegratorCounters Simulation::counters() const {
  IntegratorCounters sum = integrator_->counters();
  sum.steps += counted_.steps;
  sum.rejected += counted_.rejected;
  sum.evaluations += counted_.evaluations;
  sum.iterations += counted_.iterations;
  sum.factors += counted_.factors;
  sum.passages += counted_.passages;
  return sum;
}

void Simulation::finish(Outcome outcome) {
  done_ = true;
  summary_.outcome = outcome;
}

RunSummary Simulation::summary() const {
  RunSummary summary = summary_;
  summary.t = t_;
  if (!done_) summary.outcome = Outcome::kInterrupted;
  if (stiffness_.is_stiff())
    summary.notes.push_back(
        stiffness_.text(options_.integrator, advise_stiff(options_, equations().sizes().na > 0)));
  const IntegratorCounters counted = counters();
  if (started_)
    for (const std::shared_ptr<Environment>& environment : equations().environments())
      for (std::string& note : environment->list_notes()) summary.notes.push_back(std::move(note));
  if (counted.passages > 0) summary.notes.push_back(say_passages(options_.integrator, counted.passages));
  summary.notes.insert(summary.notes.end(), system_.model().notes.begin(), system_.model().notes.end());
  summary.steps = counted.steps;
  summary.rejected = counted.rejected;
  summary.evaluations = counted.evaluations;
  summary.iterations = counted.iterations;
  summary.factors = counted.factors;
  summary.audit = auditor_->audit();
  judge_balance(&summary);
  return summary;
}

/// A motion that makes or loses energy is none, whatever else went well.
void Simulation::judge_balance(RunSummary* summary) const {
  const bool came_to_its_end =
      summary->outcome == Outcome::kFinished || summary->outcome == Outcome::kStopped;
  // where nothing moves by itself no motion can be wrong, and nothing kept the steps short over which the
  // work of what is prescribed was added up
  const Sizes sizes = equations().sizes();
  const bool rests = sizes.nv > 0 && system_.y().segment(sizes.nq, sizes.nv).isZero(0);
  const double bound = options_.balance > 0 ? options_.balance : calc_default_balance(options_);
  const Audit& audit = summary->audit;
  if (!came_to_its_end || rests || audit.closes_to(bound)) return;
  summary->outcome = Outcome::kFailed;
  summary->message =
      make_step_message(summary->t,
                        fmt::format("the energy balance is off by {:.3g} J, {:.3g} of the {:.3g} J in play",
                                    audit.energy_balance, audit.relative_balance(), audit.energy_scale),
                        fmt::format("more than {:g} is a failed run", bound), "",
                        "a smaller --step or --tolerance, another --integrator, a look for a prescribed "
                        "motion or a force that jumps; "
                        "--balance allows more");
}

}  // namespace haltere
