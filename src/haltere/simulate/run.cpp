#include "haltere/simulate/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "haltere/dynamics/mode_change.h"
#include "haltere/integrate/evaluator.h"
#include "haltere/simulate/audit.h"
#include "haltere/simulate/chatter_watch.h"
#include "haltere/simulate/effort.h"
#include "haltere/simulate/event_watch.h"
#include "haltere/simulate/notes.h"
#include "haltere/simulate/prescribed_motion.h"
#include "haltere/simulate/run_info.h"
#include "haltere/simulate/start.h"
#include "haltere/simulate/stiffness_watch.h"
#include "haltere/simulate/table_watch.h"

namespace haltere {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double kProgressInterval = 0.1;  // [s]
constexpr double kLookInterval = 1e-3;     // at the clock, at least [s]
constexpr int kMostPatience = 1024;        // steps
// how often in a run a method whose history cannot be saved starts anew
constexpr int kRestarts = 10;
constexpr long kReplayedValues = 1 << 20;  // read at once from a past run
// a multiple of `every` this near (in units of `every`) to an event or to the end is the same row
constexpr double kSameRow = 1e-9;
// an event that happens more often has an accumulation point, or is a formula that flutters about zero; its
// pace is that of so many happenings
constexpr long kMostHappenings = 100'000, kPaceHappenings = 1000;
// steps without a row after which the audit looks at what energy is in play: rows may all lie where it is
// little
constexpr long kUnseenSteps = 8;
// steps after which the pace of a run shows how many it will take
constexpr long kPaceSteps = 1000;

// a run that chatters ends where it would take more steps than this to its end; else it has a note
constexpr double kMostChatter = 1e5;

/// One run, from the start to the end. A failure travels as RunError to execute() and no further.
class Run {
 public:
  Run(Equations& equations, RunOptions options, const std::vector<Sink*>& sinks);
  RunSummary execute();

 private:
  using Outcome = RunSummary::Outcome;

  void begin();
  void assemble();
  void note_method();
  void resume(const PastRun& past);
  void replay(const PastRun& past);
  void visit_state(Archive& archive);
  void advance();
  void watch_steps(const StepReport& step);
  void restart(double t);
  void flush();
  void write_rows(double t_end, bool included);
  void take_samples(double t_end);
  void add_sample();
  void see_energy(double t);
  void require_headway(double t);
  void require_rest(int event, double t);
  void handle(const Happening& happening);
  void apply(int event, double t);
  void apply_or_explain(int event, double t);
  std::string set_parameters_of(const EventSpec& event);
  std::string change(const EventSpec& event, double t);
  Scene<double> calc_scene() const;
  void require_inertia(double t, const std::string& what) const;
  void enter(const Mode& mode);
  void note_redundant_rows(double t);
  IntegratorCounters count() const;
  void observe(double t);
  [[noreturn]] void refuse_row(const std::string& channel);
  void write_row();
  void write_last_row();
  void finish(Outcome outcome);
  void judge_balance();
  void end_sinks();
  bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }
  void look_at_clock();
  void update_masses();
  std::string find_worst_constraint() const;
  auto work_of(const Eigen::VectorXd& y) const {
    return y.segment(equations_->sizes().nq + equations_->sizes().nv, equations_->sizes().nz);
  }
  /// A step ends where a table bends, where the method chooses its steps.
  double kink_time() {
    return method_.chooses_steps(options_.step)
               ? tables_.find_kink(integrator_->t(), equations_->parameters())
               : std::numeric_limits<double>::infinity();
  }
  std::unique_ptr<Integrator> make_method(Equations& equations) const {
    return make_integrator(
        options_.integrator, equations,
        {.step = options_.step, .tolerance = options_.tolerance, .until = options_.until});
  }
  double row_time(long k) const { return static_cast<double>(k) * options_.every; }
  double restart_time() const {
    return method_.has_history ? options_.until * static_cast<double>(next_restart_) / kRestarts
                               : std::numeric_limits<double>::infinity();
  }

  Equations* equations_;  // of the present mode
  const Model& model_;
  const RunOptions options_;
  const IntegratorInfo& method_;
  RunInfo info_;
  const std::vector<Sink*>& sinks_;
  const std::vector<Channel> channels_;
  EventWatch watch_;
  TableWatch tables_;
  ChatterWatch chatter_;
  StiffnessWatch stiffness_;
  Auditor auditor_;
  MeasureWatch measures_;
  std::unique_ptr<ModeModel> mode_model_;      // none before the first change
  std::unique_ptr<Equations> mode_equations_;  // of it
  std::unique_ptr<Integrator> integrator_;
  Instant now_;
  Eigen::VectorXd y_;  // state of now_
  std::vector<double> row_;
  std::vector<bool> set_by_event_;  // parameters that no longer follow their formula
  Mode mode_;
  IntegratorCounters counted_;  // before the present mode
  double mode_work_ = 0;        // done before the present mode                                  [J]
  double mode_work_size_ = 0;   // the same without signs
  double event_work_ = 0;       // [J]
  long next_row_ = 1;           // the next multiple of `every`
  long next_restart_ = 1;       // the next part of the run, for methods with a history
  std::vector<double> paced_;   // time of each event's last happening whose number is a multiple of its pace
  long unseen_steps_ = 0;       // since the last row
  long steps_taken_ = 0;        // of this piece of the run ...
  double piece_start_ = 0;      // ... since this time                                            [s]
  bool done_ = false;
  bool chattered_ = false;  // and that was said
  RunSummary summary_;
  std::set<std::string> redundant_;  // rows that were named
  const Clock::time_point clock_start_ = Clock::now();
  double last_progress_ = 0, last_flush_ = 0, last_look_ = 0;  // [s] since clock_start_
  int steps_unseen_ = 0, patience_ = 1;                        // steps since then, and before the next look
};

EquationsOptions make_equations_options(const RunOptions& options) {
  const IntegratorInfo* method = find_integrator(options.integrator);
  const bool implicit = method != nullptr && method->solves_constraints;
  return {.chart = options.chart,
          .stabilization = implicit ? Stabilization{} : *Stabilization::parse(options.stabilization),
          .project_always = method != nullptr && method->has_history && !method->solves_constraints};
}

Run::Run(Equations& equations, RunOptions options, const std::vector<Sink*>& sinks)
    : equations_(&equations),
      model_(equations.model()),
      options_(complete(std::move(options))),
      method_(*find_integrator(options_.integrator)),
      info_(make_run_info(model_, options_)),
      sinks_(sinks),
      channels_(select_channels(make_channels(model_),
                                options_.channels.empty() ? model_.outputs : options_.channels)),
      watch_(equations),
      tables_(model_),
      chatter_(equations, options_.tolerance, method_.chooses_steps(options_.step)),
      auditor_(model_, equations.parameters(), calc_model_length(model_, equations.parameters())),
      measures_(model_, equations.parameters(), options_.until),
      row_(channels_.size()),
      set_by_event_(model_.parameters.size(), false),
      mode_(model_) {
  y_.setZero(equations.sizes().ny());
  now_.happened.assign(model_.events.size(), 0);
  paced_.assign(model_.events.size(), 0);
  now_.masses.resize(model_.bodies.size());
  update_masses();
  integrator_ = make_method(*equations_);
  info_.measures = measures_.results();
  for (std::size_t i = 0; i < info_.parameters.size();
       ++i)  // equations may come with others than the model's
    info_.parameters[i].second = equations.parameters()[i];
  require_affordable(model_, options_, channels_.size());
  if (options_.past != nullptr) resume(*options_.past);
}

RunSummary Run::execute() {
  try {
    for (Sink* sink : sinks_) sink->begin(channels_, info_);
    begin();
    while (!done_) advance();
  } catch (const ReaderGone& gone) {
    finish(Outcome::kInterrupted);
    summary_.message = gone.what();
    summary_.is_abandoned = true;
  } catch (const RunError& error) {
    summary_.message = error.what();
    finish(Outcome::kFailed);
  }
  end_sinks();
  return summary_;
}

void Run::begin() {
  if (options_.past != nullptr) {
    replay(*options_.past);
  } else {
    y_ = equations_->calc_initial_state();
    assemble();
    note_method();
    observe(0);
    now_.total_at_start = now_.total();
    auditor_.add(now_, 0);
    handle({0, watch_.take_due(0)});
    if (!model_.measures.empty()) add_sample();
  }
  flush();
}

/// What a user should know of the run before it begins.
void Run::note_method() {
  for (const Problem& problem : tables_.find_short_tables(options_.until, equations_->parameters()))
    summary_.notes.push_back(fmt::format("{}: {}; {}", problem.thing, problem.message, problem.hint));
  if (!method_.solves_constraints || equations_->sizes().na == 0) return;
  if (options_.stabilization != "projection")
    summary_.notes.push_back(
        fmt::format("{} meets the constraints itself: --stabilization is not used", method_.name));
  if (method_.name == "newmark" && parse_parameter(options_.integrator, method_) == 0)
    summary_.notes.emplace_back(
        "newmark with alpha = 0 does not damp the ringing of constraints and may diverge; newmark:0.015 and "
        "generalized-alpha do");
}

void Run::assemble() {
  std::vector<std::string> closing;
  for (std::size_t j = model_.n_tree(); j < model_.joints.size(); ++j)
    closing.push_back(fmt::format("joint '{}'", model_.joints[j].name()));
  if (!closing.empty()) summary_.notes.push_back(say_of_all(closing, kClosesLoop, kCloseLoops));
  if (model_.constraints.empty() && static_cast<int>(model_.joints.size()) == model_.n_tree()) return;
  const Start start = calc_start(model_, equations_->parameters());
  summary_.start_changes = start.changes;
  summary_.notes.insert(summary_.notes.end(), start.notes.begin(), start.notes.end());
  if (!start.redundant.empty())
    summary_.notes.push_back(say_of_all(start.redundant, kIsRedundant, kAreRedundant));
  redundant_.insert(start.redundant.begin(), start.redundant.end());
  y_ = equations_->calc_state(start.scene);
}

/// Takes up the state of the checkpoint.
void Run::resume(const PastRun& past) {
  if (past.checkpoint.t >= options_.until)
    throw InputError({Problem{
        {},
        "--until",
        fmt::format("{:g} s lies before the checkpoint at {:g} s", options_.until, past.checkpoint.t),
        ""}});
  Archive archive(past.checkpoint.state);
  try {
    visit_state(archive);
    archive.require_end();
  } catch (const ArchiveMismatch& mismatch) {
    throw InputError(
        {Problem{{}, "checkpoint", fmt::format("does not fit this run: {}", mismatch.what()), ""}});
  }
  while (restart_time() <= past.checkpoint.t) ++next_restart_;  // of a run with another end
  summary_.t = piece_start_ = past.checkpoint.t;
  summary_.rows = past.checkpoint.rows;
  for (long i = 0; i < past.checkpoint.events; ++i) {
    RunEvent& event = summary_.events.emplace_back(past.events.at(i));
    for (const EventSpec& spec : model_.events)
      if (spec.name == event.name) event.ended = find_ended(model_, channels_, spec);
  }
}

/// The sinks see the rows and events of the past.
void Run::replay(const PastRun& past) {
  for (const RunEvent& event : summary_.events)
    for (Sink* sink : sinks_) sink->event(event);
  const long width = static_cast<long>(channels_.size()), block = std::max(1L, kReplayedValues / width);
  for (long first = 0; first < past.checkpoint.rows; first += block) {
    const long count = std::min(block, past.checkpoint.rows - first);
    const std::vector<double> values = past.read_rows(first, count);
    for (long i = 0; i < count; ++i)
      for (Sink* sink : sinks_) sink->row(std::span(values).subspan(i * width, width));
  }
}

/// All that a run knows between two steps, but for what it has given to its sinks.
void Run::visit_state(Archive& archive) {
  Mode mode = mode_;
  mode.visit_state(archive);
  if (!(mode == mode_)) enter(mode);
  std::vector<double> parameters = equations_->parameters();
  archive(parameters, set_by_event_, event_work_, mode_work_, mode_work_size_, next_row_, next_restart_,
          now_.total_at_start, now_.happened, paced_, unseen_steps_, counted_.steps, counted_.rejected,
          counted_.evaluations, counted_.iterations, counted_.factors, counted_.passages);
  if (archive.is_loading()) {
    equations_->set_parameters(parameters);
    update_masses();
  }
  integrator_->visit_state(archive);
  watch_.visit_state(archive);
  chatter_.visit_state(archive);
  stiffness_.visit_state(archive);
  auditor_.visit_state(archive);
  measures_.visit_state(archive);
}

/// One step of the integrator, and all that falls into it.
void Run::advance() {
  if (interrupted()) {
    flush();
    return finish(Outcome::kInterrupted);
  }
  const double limit = std::min({options_.until, watch_.next_time(), restart_time(), kink_time()});
  const StepReport step = integrator_->step(limit);
  if (step.outcome == StepReport::Outcome::kFailed) {
    write_last_row();
    const std::string blocked =
        find_blocked_motion(integrator_->t(), integrator_->y(), options_.every, equations_);
    if (!blocked.empty()) throw RunError(blocked);
    throw RunError(step.message + chatter_.explain_failure(integrator_->t(), integrator_->y()));
  }
  if (!(step.t1 > step.t0))
    throw RunError(make_step_message(step.t0, "the steps have become too short to change the time", "", "",
                                     "another --integrator, or a look at the motion just before"));
  watch_steps(step);

  if (++steps_taken_ == kPaceSteps) require_headway(step.t1);

  const Happening happening = watch_.find(*integrator_, step.t0, step.t1);
  take_samples(happening.events.empty() ? step.t1 : happening.t);
  if (!happening.events.empty()) {
    write_rows(happening.t, false);
    if (!done_) handle(happening);
  } else if (step.t1 >= options_.until) {
    write_rows(options_.until, false);
    if (done_) return;
    integrator_->interpolate(step.t1, y_);
    observe(options_.until);
    write_row();
    finish(Outcome::kFinished);
  } else {
    write_rows(step.t1, true);
    if (!done_) see_energy(step.t1);
    if (!done_ && step.t1 >= restart_time()) restart(step.t1);
  }
  if (!done_) look_at_clock();
}

/// What the lengths of the steps say about the machine.
void Run::watch_steps(const StepReport& step) {
  stiffness_.add(step);
  const std::optional<Chatter> found = chatter_.add(step, integrator_->y());
  if (!found) return;
  const double left = (options_.until - step.t1) / found->step;
  const std::string what =
      fmt::format("a formula chatters: the steps have become as short as {:.2g} s", found->step);
  if (left > kMostChatter && !options_.insist) {
    write_last_row();
    throw RunError(make_step_message(found->t, fmt::format("{}, {:.1g} of them to the end", what, left),
                                     found->formulas, "", std::string(Chatter::kAdvice) + "; --yes insists"));
  }
  if (chattered_) return;
  chattered_ = true;
  summary_.notes.push_back(
      fmt::format("from t = {:.6g} s on {}; {}; accelerations and loads jump with it; try {}", found->t, what,
                  found->formulas, Chatter::kAdvice));
}

void Run::see_energy(double t) {
  const long n = ++unseen_steps_;
  if (n < kUnseenSteps || (n & (n - 1)) != 0) return;
  y_ = integrator_->y();
  observe(t);
  auditor_.see(now_.snapshot, mode_work_size_ + work_of(y_).lpNorm<1>());
}

/// A run that would take an age says so while nobody has waited for it.
void Run::require_headway(double t) {
  const double pieces = (options_.until - t) / (t - piece_start_);
  if (options_.insist || !(pieces * kPaceSteps > kManySteps)) return;
  throw RunError(make_step_message(
      t,
      fmt::format("at the pace of the first {} steps the run takes {:.2g} of them", kPaceSteps,
                  pieces * kPaceSteps),
      fmt::format("{:.2g} times the time that it took so far", pieces), "",
      "an earlier --until, a larger --tolerance, a method for stiff equations, or --yes to insist"));
}

/// An event that happens ever faster, or flutters, would never let the run end.
void Run::require_rest(int event, double t) {
  const long count = now_.happened[event];
  if (count % kPaceHappenings != 0) return;
  const double span = t - std::exchange(paced_[event], t);
  if (options_.insist && span > 0) return;
  const double more =
      span > 0 ? kPaceHappenings * (options_.until - t) / span : std::numeric_limits<double>::infinity();
  if (static_cast<double>(count) + more <= kMostHappenings) return;
  throw RunError(make_step_message(
      t,
      fmt::format("it has happened {} times, the last {} of them in {:.2g} s", count, kPaceHappenings, span),
      "it flutters, or comes ever faster", "",
      "a direction, a second event at another value to switch back (hysteresis), a formula that moves away "
      "from "
      "zero after the event, or --yes to insist"));
}

/// A history that cannot be saved begins anew, so that a continued run can do the same.
void Run::restart(double t) {
  y_ = integrator_->y();
  integrator_->start(t, y_);
  ++next_restart_;
  flush();
}

/// What the sinks have seen is safe; then, where the method allows it, so is the state that belongs to it.
void Run::flush() {
  for (Sink* sink : sinks_) sink->flush();
  if (!options_.save || done_ || !integrator_->can_save()) return;
  Archive archive;
  visit_state(archive);
  options_.save(
      {integrator_->t(), summary_.rows, static_cast<long>(summary_.events.size()), archive.numbers()});
}

/// Rows at the multiples of `every` up to t_end, which is a row of its own where not `included`.
void Run::write_rows(double t_end, bool included) {
  const double same = included ? 0 : kSameRow * options_.every;
  for (; row_time(next_row_) < t_end - same || (included && row_time(next_row_) == t_end); ++next_row_) {
    if (interrupted()) return finish(Outcome::kInterrupted);
    integrator_->interpolate(row_time(next_row_), y_);
    observe(row_time(next_row_));
    write_row();
    summary_.t = row_time(next_row_);
  }
}

/// Samples of the measures up to t_end, at their own times.
void Run::take_samples(double t_end) {
  // the end of the run may miss that of a period by rounding
  const double last = t_end + (t_end >= options_.until ? measures_.slack() : 0);
  for (double t = measures_.next_time(); t <= last && !interrupted(); t = measures_.next_time()) {
    t = std::min(t, t_end);
    integrator_->interpolate(t, y_);
    observe(t);
    add_sample();
  }
}

void Run::add_sample() {
  const std::string fault = measures_.add(now_, equations_->parameters());
  if (!fault.empty())
    throw RunError(
        make_step_message(now_.snapshot.scene.t, fault, "", "", "another formula, or another start"));
}

/// Events at one time: their changes in file order, one row after them, and a fresh start of the method.
void Run::handle(const Happening& happening) {
  const double t = happening.t;
  if (t > 0) integrator_->interpolate(t, y_);
  observe(t);
  bool stop = false;
  for (const int e : happening.events) {
    apply_or_explain(e, t);
    stop |= model_.events[e].stop;
  }
  write_row();
  while (row_time(next_row_) <= t + kSameRow * options_.every) ++next_row_;
  while (restart_time() <= t) ++next_restart_;
  if (stop) return finish(Outcome::kStopped);
  if (t >= options_.until) return finish(Outcome::kFinished);
  integrator_->start(t, y_);
  watch_.start(t, y_);
  chatter_.start(t, y_, options_.until - t);
}

/// A run that an event breaks ends with the moment before, and says which event it was.
void Run::apply_or_explain(int event, double t) {
  const Instant before = now_;
  try {
    apply(event, t);
  } catch (const RunError& error) {
    now_ = before;
    write_row();
    throw RunError(fmt::format("event '{}': {}", model_.events[event].name, error.what()));
  }
}

void Run::apply(int event, double t) {
  const EventSpec& spec = model_.events[event];
  ++now_.happened[event];
  require_rest(event, t);
  const Instant before = now_;
  RunEvent record{.name = spec.name, .t = t, .stop = spec.stop, .what = {}};
  record.ended = find_ended(model_, channels_, spec);
  if (spec.changes_mode() || !spec.set.empty()) record.what = change(spec, t);
  observe(t);
  if (spec.changes_mode()) note_redundant_rows(t);
  record.energy_change = now_.total() - before.total();
  event_work_ += record.energy_change;
  now_.snapshot.event_work = event_work_;
  auditor_.add_event(before, now_, equations_->parameters());
  if (spec.stop) record.what += record.what.empty() ? "stop" : ", stop";
  for (Sink* sink : sinks_) sink->event(record);
  summary_.events.push_back(std::move(record));
}

/// Joints and constraints, then parameters, then a state that obeys them. Returns "joint 'a' locks, k = 2
/// N/m".
std::string Run::change(const EventSpec& event, double t) {
  Mode mode = mode_;
  mode.apply(model_, event, now_.snapshot.scene.q);
  const bool enters = !(mode == mode_);
  Scene<double> scene = calc_scene();
  const Fit fit = calc_fit(equations_->model(), equations_->parameters(), scene);
  std::string what = enters ? describe_change(model_, mode_, mode) : "";
  if (enters) {
    mode_work_ += work_of(y_).sum();
    mode_work_size_ += work_of(y_).lpNorm<1>();
    enter(mode);
    scene = calc_scene();
  }
  const std::string set = set_parameters_of(event);
  what += (what.empty() || set.empty() ? "" : ", ") + set;
  require_inertia(t, what);
  Settled settled;
  if (settle(equations_->model(), equations_->parameters(), fit, &scene, &settled) != Status::kOk)
    throw RunError(make_step_message(t, what,
                                     settled.moved ? "the machine cannot be put together again"
                                                   : "a body without inertia would have to take the impact",
                                     "",
                                     settled.moved ? "a smaller change, or several in turn"
                                                   : "mass or inertia for the bodies at the joint"));
  if (settled.moved)
    summary_.notes.push_back(fmt::format(
        "at t = {:.10g} s bodies were moved by up to {:.3g} (radians, or length scales) to obey joints and "
        "constraints",
        t, settled.size));
  if (settled.jumped && !enters)
    summary_.notes.push_back(fmt::format(
        "at t = {:.10g} s velocities jump by an impact: joints or constraints ask for {:.3g} 1/s more", t,
        settled.size));
  if (enters || settled.moved || settled.jumped) {
    const Eigen::VectorXd work = work_of(y_);
    y_ = equations_->calc_state(scene);
    y_.segment(equations_->sizes().nq + equations_->sizes().nv, equations_->sizes().nz) = work;
  }
  return what;
}

/// That of now_, in the numbers of the present mode.
Scene<double> Run::calc_scene() const {
  if (!mode_model_) return now_.snapshot.scene;
  return to_mode(now_.snapshot.scene, model_, *mode_model_, equations_->parameters());
}

/// Something without inertia may have come free.
void Run::require_inertia(double t, const std::string& what) const {
  std::vector<Problem> problems;
  check_singularity(equations_->model(), equations_->parameters(), &problems);
  if (problems.empty()) return;
  std::string why;
  for (const Problem& problem : problems)
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", problem.thing, problem.message);
  throw RunError(make_step_message(t, what, why, "", "mass or inertia for these bodies"));
}

/// Equations, method and watch for the model as the mode leaves it; the state is still to be set.
void Run::enter(const Mode& mode) {
  counted_ = count();
  const std::vector<double> parameters = equations_->parameters();
  auto mode_model = std::make_unique<ModeModel>(model_, mode);
  auto equations = make_equations(options_.formulation, mode_model->model, make_equations_options(options_));
  equations->set_parameters(parameters);
  integrator_ = make_method(*equations);
  watch_.set_equations(*equations);
  chatter_.set_equations(*equations);
  equations_ = equations.get();
  mode_equations_ = std::move(equations);
  mode_model_ = std::move(mode_model);  // after the equations that were built on the one before
  mode_ = mode;
  y_.setZero(equations_->sizes().ny());
}

/// What an event has made redundant is said once.
void Run::note_redundant_rows(double t) {
  const Sizes sizes = equations_->sizes();
  Eigen::VectorXd g(sizes.ng), gdot(sizes.na);
  if (sizes.na == 0 || equations_->calc_drift(t, y_, g, gdot) != Status::kOk) return;
  std::vector<std::string> rows;
  for (const int row : equations_->find_dependent_rows())
    if (redundant_.insert(equations_->row_name(row)).second) rows.push_back(equations_->row_name(row));
  if (!rows.empty())
    summary_.notes.push_back(
        fmt::format("from t = {:.10g} s on {}", t, say_of_all(rows, kIsRedundant, kAreRedundant)));
}

IntegratorCounters Run::count() const {
  IntegratorCounters sum = integrator_->counters();
  sum.steps += counted_.steps;
  sum.rejected += counted_.rejected;
  sum.evaluations += counted_.evaluations;
  sum.iterations += counted_.iterations;
  sum.factors += counted_.factors;
  sum.passages += counted_.passages;
  return sum;
}

/// All values with the table as it was, then all at once; parameters given by formulas follow. Returns "kT =
/// 50 N m/rad, c = 0".
std::string Run::set_parameters_of(const EventSpec& event) {
  if (event.set.empty()) return "";
  std::string what;
  std::vector<double> parameters = equations_->parameters();
  for (const auto& [slot, value] : event.set) {
    parameters[slot] =
        value.calc<double, double>(equations_->parameters().data(), now_.snapshot.scene.locals.data());
    set_by_event_[slot] = true;
    const ParameterSpec& spec = model_.parameters[slot];
    what += fmt::format("{}{} = {:.10g}", what.empty() ? "" : ", ", spec.name, parameters[slot]);
    if (spec.measure.kind == Measure::Kind::kExact && spec.measure.dimension != Dimension{})
      what += ' ' + to_string(spec.measure.dimension);
  }
  update_parameters(model_, &parameters, set_by_event_);
  std::vector<Problem> problems;
  check_model(model_, parameters, &problems);
  for (const Problem& problem : problems)
    if (!problem.is_warning())
      throw RunError(
          make_step_message(now_.snapshot.scene.t, fmt::format("it sets {}", what), problem.text(), "", ""));
  equations_->set_parameters(parameters);
  update_masses();
  return what;
}

void Run::update_masses() {
  const Resolver<double> resolver{equations_->parameters().data()};
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    now_.masses[b] = calc_mass_properties<double>(model_.bodies[b], resolver);
}

/// Fills now_ from (t, y_).
void Run::observe(double t) {
  if (equations_->observe(t, y_, &now_.snapshot) != Status::kOk)
    throw RunError(
        make_step_message(t, "the motion cannot be evaluated", equations_->explain_failure(t, y_), "", ""));
  if (mode_model_) to_base(model_, *mode_model_, &now_.snapshot);
  now_.snapshot.work += mode_work_;
  now_.snapshot.event_work = event_work_;
  if (options_.drift > 0 && now_.snapshot.position_drift > options_.drift)
    throw RunError(make_step_message(
        t,
        fmt::format("the constraints have drifted apart by {:.3g}, more than the allowed {:g}",
                    now_.snapshot.position_drift, options_.drift),
        find_worst_constraint(), "", "--stabilization projection, or smaller steps"));
}

/// Its name and drift, where it is one of the model's own.
std::string Run::find_worst_constraint() const {
  const std::vector<ConstraintLoad>& loads = now_.snapshot.constraints;
  std::size_t worst = loads.size();
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (worst == loads.size() || loads[i].drift > loads[worst].drift) worst = i;
  if (worst == loads.size() || loads[worst].drift < now_.snapshot.position_drift) return "";
  return fmt::format("'{}'", model_.constraint_name(worst));
}

/// Where the equations themselves fail, the channel is only their messenger.
void Run::refuse_row(const std::string& channel) {
  const double t = now_.snapshot.scene.t;
  if (!now_.snapshot.vdot.allFinite())
    throw RunError(make_step_message(t, "the equations give a value that is not finite",
                                     equations_->explain_failure(t, y_), "", ""));
  throw RunError(make_step_message(
      t, fmt::format("channel '{}' is not a finite number", channel), "", "",
      "a shorter --step or a smaller --tolerance, or a look whether the motion grows without bound"));
}

void Run::write_row() {
  calc_row(model_, channels_, now_, row_);
  for (std::size_t i = 0; i < row_.size(); ++i)
    if (!std::isfinite(row_[i])) refuse_row(channels_[i].name);
  for (Sink* sink : sinks_) sink->row(row_);
  ++summary_.rows;
  summary_.t = now_.snapshot.scene.t;
  unseen_steps_ = 0;
  auditor_.add(now_, mode_work_size_ + work_of(y_).lpNorm<1>());
}

/// Before a step that failed: the state up to which all went well, if it can be looked at.
void Run::write_last_row() {
  if (!(integrator_->t() > summary_.t)) return;
  try {
    y_ = integrator_->y();
    observe(integrator_->t());
    write_row();
  } catch (const RunError&) {
    // the failure that led here is the one to report
  }
}

/// Now and then: a step of a small machine takes little longer than a look at the clock.
void Run::look_at_clock() {
  if (options_.flush_every > 0 && ++steps_unseen_ < patience_) return;
  const double wall = seconds_since(clock_start_);
  patience_ = wall - last_look_ < kLookInterval ? std::min(2 * patience_, kMostPatience) : 1;
  steps_unseen_ = 0;
  last_look_ = wall;
  if (wall - last_flush_ >= options_.flush_every) {
    flush();
    last_flush_ = seconds_since(clock_start_);  // what a flush takes does not count
  }
  if (!options_.progress || wall - last_progress_ < kProgressInterval) return;
  last_progress_ = wall;
  const double t = integrator_->t();
  options_.progress({t, options_.until, wall, t > 0 ? wall * (options_.until - t) / t : 0, count().steps});
}

void Run::finish(Outcome outcome) {
  done_ = true;
  summary_.outcome = outcome;
  if (outcome == Outcome::kInterrupted)
    summary_.message = fmt::format("interrupted at t = {:.10g} s", summary_.t);
}

/// A motion that makes or loses energy is none, whatever else went well.
void Run::judge_balance() {
  const bool came_to_its_end =
      summary_.outcome == Outcome::kFinished || summary_.outcome == Outcome::kStopped;
  // where nothing moves by itself no motion can be wrong, and nothing kept the steps short over which the
  // work of what is prescribed was added up
  const Sizes sizes = equations_->sizes();
  const bool rests = sizes.nv > 0 && y_.segment(sizes.nq, sizes.nv).isZero(0);
  const double bound = options_.balance > 0 ? options_.balance : calc_default_balance(options_);
  const Audit& audit = summary_.audit;
  if (!came_to_its_end || rests || audit.closes_to(bound)) return;
  summary_.outcome = Outcome::kFailed;
  summary_.message =
      make_step_message(summary_.t,
                        fmt::format("the energy balance is off by {:.3g} J, {:.3g} of the {:.3g} J in play",
                                    audit.energy_balance, audit.relative_balance(), audit.energy_scale),
                        fmt::format("more than {:g} is a failed run", bound), "",
                        "a smaller --step or --tolerance, another --integrator, a look for a prescribed "
                        "motion or a force that jumps; "
                        "--balance allows more");
}

void Run::end_sinks() {
  if (stiffness_.is_stiff())
    summary_.notes.push_back(
        stiffness_.text(options_.integrator, advise_stiff(options_, equations_->sizes().na > 0)));
  const IntegratorCounters counters = count();
  if (counters.passages > 0) summary_.notes.push_back(say_passages(options_.integrator, counters.passages));
  summary_.steps = counters.steps;
  summary_.rejected = counters.rejected;
  summary_.evaluations = counters.evaluations;
  summary_.iterations = counters.iterations;
  summary_.factors = counters.factors;
  summary_.audit = auditor_.audit();
  summary_.measures = measures_.results();
  summary_.wall_seconds = seconds_since(clock_start_);
  judge_balance();
  for (Sink* sink : sinks_) {
    try {
      sink->end(summary_);
    } catch (const ReaderGone&) {
      summary_.is_abandoned = true;
    } catch (const RunError& error) {
      // the first failure is the one to report
      if (summary_.outcome != Outcome::kFailed) summary_.message = error.what();
      summary_.outcome = Outcome::kFailed;
    }
  }
}

}  // namespace

RunSummary run(Equations& equations, const RunOptions& options, const std::vector<Sink*>& sinks) {
  return Run(equations, options, sinks).execute();
}

RunSummary run(const Model& model, const RunOptions& options, const std::vector<Sink*>& sinks) {
  require_formulation(model, options);
  return run(*make_equations(options.formulation, model, make_equations_options(options)), options, sinks);
}

}  // namespace haltere
