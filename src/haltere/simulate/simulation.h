#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/simulate/audit.h"
#include "haltere/simulate/chatter_watch.h"
#include "haltere/simulate/event_watch.h"
#include "haltere/simulate/stiffness_watch.h"
#include "haltere/simulate/switched_system.h"
#include "haltere/simulate/table_watch.h"

namespace haltere {

/// A step that failed, or an event in it that broke the machine: the simulation stands at the last good
/// instant, which can be looked at.
class StepError : public RunError {
 public:
  using RunError::RunError;
};

/// A machine in motion, from step to step: run() is a loop of it that writes rows.
///
///   Simulation simulation(model, make_run_options(model, {}));
///   while (!simulation.is_done()) simulation.step();
///
/// Of the options it uses those of the method and of its limits; rows, files and clocks are none of its
/// business. A failed computation throws RunError with the message that run() would give; from then on the
/// simulation is done, and only load() brings it back. Model or equations must outlive it.
class Simulation {
 public:
  /// InputError for options or events that make no sense. The motion begins with start(), at the latest with
  /// the first step: parameters that are set before belong to the machine that is put together then.
  Simulation(const Model& model, const RunOptions& options);
  /// The same for equations that exist already; their parameters stay as the last event left them.
  Simulation(Equations& equations, const RunOptions& options);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Puts the machine together at t = 0; events of that time happen.
  void start();
  /// One step of the method with the first event in it, if there is one: the step then ends there. Nothing
  /// where the simulation is done.
  void step();
  /// Steps that end exactly at t [s], or where the simulation is done. InputError for a time that has passed
  /// or lies beyond the end.
  void step_until(double t);
  bool is_done() const { return done_; }  // by its end, an event that stops it, or a failure
  /// Up to here, as run() would say it. While it is not done its outcome is kInterrupted. The audit looks at
  /// the end of every step().
  RunSummary summary() const;

  double t() const { return t_; }  // [s]
  /// (positions, velocities, work, turns) as equations().coordinate_names() has them. An event that locks or
  /// frees a joint changes their number.
  const Eigen::VectorXd& state();
  /// The motion goes on from there. Quaternions are made unit, the work done stays. A state that joints and
  /// constraints do not allow is moved as after an event, and a note says so. The energy that it brings is
  /// accounted for like that of an event.
  void set_state(const Eigen::VectorXd& y);
  const Instant& instant();  // all that can be recorded now
  const Snapshot& snapshot() { return instant().snapshot; }
  Equations& equations() const { return system_.equations(); }  // as events have left them

  double parameter(std::string_view name) const;  // SI
  /// From now on, as an event would do it; parameters given by formulas follow. InputError, with nothing
  /// changed, for a name or a value that the model does not allow.
  void set_parameter(std::string_view name, double value);

  /// From here the motion goes on with the same bits, also in another simulation of the same model and
  /// options. A method whose history cannot be saved begins anew here, in this simulation too.
  Checkpoint save();
  /// InputError for a checkpoint of another formulation or method, with nothing changed, or of another model.
  /// The summary lists what happens from here on.
  void load(const Checkpoint& checkpoint);

  // -- step() in parts, for who looks at the motion within it: advance(); look(); where is_broken():
  // apply_events(); then end_step(). The beginning has no advance(): begin(), apply_events(), end_step().
  void begin();
  /// Up to the first event, or not beyond `limit` [s].
  void advance(double limit = std::numeric_limits<double>::infinity());
  /// instant() and state() at a time within the step.
  const Instant& look(double t);
  bool is_broken() const { return broken_; }  // by events at t(), or by the end
  void apply_events();
  /// True where a method whose history cannot be saved begins anew, as it does ten times in a run.
  bool end_step();
  void audit();  // takes in what was looked at last
  bool can_save() const { return integrator_->can_save(); }
  /// All that is known between two steps; `row` is a number of the recorder's that checkpoints have among it.
  void visit_state(Archive& archive, long* row);
  IntegratorCounters counters() const;
  const std::vector<RunEvent>& events() const { return summary_.events; }

 private:
  Simulation(std::unique_ptr<Equations> own, const RunOptions& options);
  using Outcome = RunSummary::Outcome;

  void assemble();
  void note_method();
  void take_step(double limit);
  void watch_steps(const StepReport& step);
  void require_headway(double t);
  void require_rest(int event, long count);
  void apply(int event);
  void note_redundant_rows();
  void follow(Equations& equations);
  void begin_again();
  bool advance_environments();
  void couple();
  void try_motion(double end);
  void see_energy();
  void finish(Outcome outcome);
  void judge_balance(RunSummary* summary) const;
  int find_parameter(std::string_view name) const;
  void attempt(const std::function<void()>& action);
  void change_now(const std::function<void()>& change);

  std::unique_ptr<Integrator> make_method(Equations& equations) const;
  std::unique_ptr<Auditor> make_auditor() const;
  double kink_time(const Integrator& integrator);
  double past_time() const;
  double restart_time() const;

  std::unique_ptr<Equations> own_;  // none where they came from outside
  const RunOptions options_;
  const IntegratorInfo& method_;
  SwitchedSystem system_;
  EventWatch watch_;
  TableWatch tables_;
  ChatterWatch chatter_;
  StiffnessWatch stiffness_;
  std::unique_ptr<Auditor> auditor_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<Integrator>
      trial_;                   // of motions up to the end of an environment's step, where it is coupled
  IntegratorCounters counted_;  // before the present mode
  double t_ = 0;                // end of the present step                                        [s]
  Happening happening_;         // in it
  bool broken_ = false;
  long next_restart_ = 1;      // the next part of the run, for methods with a history
  std::vector<double> paced_;  // time of each event's last happening whose number is a multiple of its pace
  long unseen_steps_ = 0;      // since the audit looked
  long steps_taken_ = 0;       // of this piece of the run ...
  double piece_start_ = 0;     // ... since this time                                            [s]
  bool started_ = false, done_ = false;
  bool chattered_ = false;           // and that was said
  std::set<std::string> redundant_;  // rows that were named
  RunSummary summary_;
};

}  // namespace haltere
