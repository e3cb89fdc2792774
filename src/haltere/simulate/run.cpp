#include "haltere/simulate/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "haltere/integrate/evaluator.h"
#include "haltere/model/quantity.h"
#include "haltere/simulate/effort.h"
#include "haltere/simulate/frame_watch.h"
#include "haltere/simulate/run_info.h"
#include "haltere/simulate/scene_text.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// of wall time, for the eye of a person; results do not depend on them
constexpr double kProgressInterval = 0.1;  // [s]
constexpr double kLookInterval = 1e-3;     // at the clock, at least [s]
constexpr int kMostPatience = 1024;        // steps
constexpr long kReplayedValues = 1 << 20;  // read at once from a past run
// a multiple of `every` this near (in units of `every`) to an event or to the end is the same row: rounding
// of times, with room
constexpr double kSameRow = 1e-9;

bool want_frames(const std::vector<Sink*>& sinks) {
  return std::any_of(sinks.begin(), sinks.end(), [](const Sink* sink) { return sink->wants_frames(); });
}

/// Whether rows say where every body is.
bool have_poses(const Model& model, const std::vector<Channel>& channels) {
  std::size_t n = 0;
  for (const Channel& channel : channels)
    n +=
        channel.quantity == Quantity::kBodyPosition || channel.quantity == Quantity::kBodyOrientation ? 1 : 0;
  constexpr std::size_t kEach = 7;
  return n == kEach * (model.bodies.size() - 1);
}

/// A simulation from its start to its end, with what is recorded of it. A failure travels as RunError to
/// execute() and no further.
class Run {
 public:
  Run(Equations& equations, RunOptions options, const std::vector<Sink*>& sinks);
  RunSummary execute();

 private:
  using Outcome = RunSummary::Outcome;

  void resume(const PastRun& past);
  void visit_state(Archive& archive);
  RunEvent make_event(RunEvent event) const;

  void begin();
  void replay(const PastRun& past);
  void replay_frames(const PastRun& past);
  void advance();
  void break_step();
  void take_samples();
  void add_sample();
  void write_rows(bool included);
  void write_row();
  void write_last_row();
  void write_frame();
  [[noreturn]] void refuse_row(const std::string& channel);
  void give_events();

  bool interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }
  bool is_done() const { return interrupted_ || simulation_.is_done(); }
  void look_at_clock();
  void flush();
  RunSummary end();
  void end_sinks(RunSummary* summary);
  double row_time(long k) const { return static_cast<double>(k) * options_.every; }

  const Model& model_;
  const RunOptions options_;
  RunInfo info_;
  const std::vector<Sink*>& sinks_;
  const std::vector<Channel> channels_;
  Simulation simulation_;
  MeasureWatch measures_;
  FrameWatch frames_;
  std::vector<double> row_;
  std::vector<RunEvent> events_;  // that the sinks have seen, or will by replay()
  std::size_t events_given_ = 0;  // of those of the simulation
  double t_ = 0;                  // of the last row                                          [s]
  long rows_ = 0;
  long next_row_ = 1;         // the next multiple of `every`
  bool interrupted_ = false;  // before the end
  bool failed_ = false, abandoned_ = false;
  std::string message_;
  const Clock::time_point clock_start_ = Clock::now();
  double last_progress_ = 0, last_flush_ = 0, last_look_ = 0;  // [s] since clock_start_
  int steps_unseen_ = 0, patience_ = 1;                        // steps since then, and before the next look
};

Run::Run(Equations& equations, RunOptions options, const std::vector<Sink*>& sinks)
    : model_(equations.model()),
      options_(complete(std::move(options))),
      info_(make_run_info(model_, options_)),
      sinks_(sinks),
      channels_(select_channels(make_channels(model_),
                                options_.channels.empty() ? model_.outputs : options_.channels)),
      simulation_(equations, options_),
      measures_(model_, equations.parameters(), options_.until),
      frames_(equations.environments(), options_, want_frames(sinks), have_poses(model_, channels_)),
      row_(channels_.size()) {
  info_.measures = measures_.results();
  if (!frames_.has_frames()) info_.frames = 0;
  for (std::size_t i = 0; i < info_.parameters.size();
       ++i)  // equations may come with others than the model's
    info_.parameters[i].second = equations.parameters()[i];
  if (want_frames(sinks)) info_.scene = make_scene_text(model_, equations.parameters());
  require_affordable(model_, options_, channels_.size());
  if (options_.past != nullptr) resume(*options_.past);
}

RunSummary Run::execute() {
  try {
    for (Sink* sink : sinks_) sink->begin(channels_, info_);
    begin();
    while (!is_done()) advance();
  } catch (const ReaderGone& gone) {
    interrupted_ = abandoned_ = true;
    message_ = gone.what();
  } catch (const RunError& error) {
    failed_ = true;
    message_ = error.what();
  }
  return end();
}

// -- from the start to the end

void Run::begin() {
  if (options_.past != nullptr) {
    replay(*options_.past);
  } else {
    simulation_.begin();
    write_frame();
    break_step();
    simulation_.end_step();
    if (!model_.measures.empty()) add_sample();
  }
  flush();
}

/// One step of the simulation, and all that falls into it.
void Run::advance() {
  if (interrupted()) {
    flush();
    interrupted_ = true;
    return;
  }
  try {
    simulation_.advance();
  } catch (const StepError&) {
    write_last_row();
    throw;
  }
  take_samples();
  write_rows(!simulation_.is_broken());
  if (interrupted_) return;
  write_frame();
  if (simulation_.is_broken()) break_step();
  if (simulation_.end_step()) flush();
  if (!is_done()) look_at_clock();
}

/// Events, or the end: one row after all that happens at one time.
void Run::break_step() {
  try {
    simulation_.apply_events();
  } catch (const StepError&) {  // a run that an event breaks ends with the moment before
    give_events();
    write_row();
    throw;
  }
  give_events();
  write_row();
  while (row_time(next_row_) <= simulation_.t() + kSameRow * options_.every) ++next_row_;
}

// -- a run that is continued

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
    if (!(past.checkpoint.t == simulation_.t())) throw ArchiveMismatch("its state is of another time");
  } catch (const ArchiveMismatch& mismatch) {
    throw InputError(
        {Problem{{}, "checkpoint", fmt::format("does not fit this run: {}", mismatch.what()), ""}});
  }
  t_ = past.checkpoint.t;
  rows_ = past.checkpoint.rows;
  for (long i = 0; i < past.checkpoint.events; ++i) events_.push_back(make_event(past.events.at(i)));
}

/// The sinks see the rows and events of the past.
void Run::replay(const PastRun& past) {
  for (const RunEvent& event : events_)
    for (Sink* sink : sinks_) sink->event(event);
  const long width = static_cast<long>(channels_.size()), block = std::max(1L, kReplayedValues / width);
  for (long first = 0; first < past.checkpoint.rows; first += block) {
    const long count = std::min(block, past.checkpoint.rows - first);
    const std::vector<double> values = past.read_rows(first, count);
    for (long i = 0; i < count; ++i)
      for (Sink* sink : sinks_) sink->row(std::span(values).subspan(i * width, width));
  }
  replay_frames(past);
}

/// The frames among it.
void Run::replay_frames(const PastRun& past) {
  if (!frames_.has_frames()) return;
  for (std::size_t i = 0; i < past.frame_times.size() && past.frame_times[i] <= past.checkpoint.t; ++i) {
    const Frame frame = past.read_frame(static_cast<long>(i));
    frames_.pass(frame);
    for (Sink* sink : sinks_) sink->frame(frame);
  }
}

/// All that a run knows between two steps, but for what it has given to its sinks.
void Run::visit_state(Archive& archive) {
  simulation_.visit_state(archive, &next_row_);
  archive.block("measures");
  measures_.visit_state(archive);
}

/// What the sinks have seen is safe; then, where the method allows it, so is the state that belongs to it.
void Run::flush() {
  for (Sink* sink : sinks_) sink->flush();
  if (!options_.save || is_done() || !simulation_.can_save()) return;
  Archive archive;
  visit_state(archive);
  options_.save({simulation_.t(), rows_, static_cast<long>(events_.size()), archive.state()});
}

// -- what is recorded

/// Rows at the multiples of `every` in the present step, whose end is a row of its own where not `included`.
void Run::write_rows(bool included) {
  const double t_end = simulation_.t();
  const double same = included ? 0 : kSameRow * options_.every;
  for (; row_time(next_row_) < t_end - same || (included && row_time(next_row_) == t_end); ++next_row_) {
    if (interrupted()) {
      interrupted_ = true;
      return;
    }
    simulation_.look(row_time(next_row_));
    write_row();
    t_ = row_time(next_row_);
  }
}

void Run::write_row() {
  const Instant& now = simulation_.instant();
  calc_row(model_, channels_, now, row_);
  for (std::size_t i = 0; i < row_.size(); ++i)
    if (!std::isfinite(row_[i])) refuse_row(channels_[i].name);
  for (Sink* sink : sinks_) sink->row(row_);
  if (frames_.is_due_at_row(now.snapshot.scene.t)) {
    const Frame frame = frames_.take(now.snapshot.scene);
    for (Sink* sink : sinks_) sink->frame(frame);
  }
  ++rows_;
  t_ = now.snapshot.scene.t;
  simulation_.audit();
}

/// Before a step that failed: the state up to which all went well, if it can be looked at.
void Run::write_last_row() {
  if (!(simulation_.t() > t_)) return;
  try {
    write_row();
  } catch (const RunError&) {
    // the failure that led here is the one to report
  }
}

/// At the end of the step, before events change anything: a step of the air ends there, too.
void Run::write_frame() {
  const double t = simulation_.t();
  if (!frames_.is_due(t)) return;
  const Frame frame = frames_.take(t > 0 ? simulation_.look(t).snapshot.scene : simulation_.snapshot().scene);
  for (Sink* sink : sinks_) sink->frame(frame);
}

/// Where the equations themselves fail, the channel is only their messenger.
void Run::refuse_row(const std::string& channel) {
  const double t = simulation_.snapshot().scene.t;
  if (!simulation_.snapshot().vdot.allFinite())
    throw RunError(make_step_message(t, "the equations give a value that is not finite",
                                     simulation_.equations().explain_failure(t, simulation_.state()), "",
                                     ""));
  throw RunError(make_step_message(
      t, fmt::format("channel '{}' is not a finite number", channel), "", "",
      "a shorter --step or a smaller --tolerance, or a look whether the motion grows without bound"));
}

/// Samples of the measures up to the end of the step, at their own times.
void Run::take_samples() {
  const double t_end = simulation_.t();
  // the end of the run may miss that of a period by rounding
  const double last = t_end + (t_end >= options_.until ? measures_.slack() : 0);
  for (double t = measures_.next_time(); t <= last && !interrupted(); t = measures_.next_time()) {
    simulation_.look(std::min(t, t_end));
    add_sample();
  }
}

void Run::add_sample() {
  const Instant& now = simulation_.instant();
  const std::string fault = measures_.add(now, simulation_.equations().parameters());
  if (!fault.empty())
    throw RunError(
        make_step_message(now.snapshot.scene.t, fault, "", "", "another formula, or another start"));
}

void Run::give_events() {
  for (; events_given_ < simulation_.events().size(); ++events_given_) {
    events_.push_back(make_event(simulation_.events()[events_given_]));
    for (Sink* sink : sinks_) sink->event(events_.back());
  }
}

/// With the channels that it ends.
RunEvent Run::make_event(RunEvent event) const {
  for (const EventSpec& spec : model_.events)
    if (spec.name == event.name) event.ended = find_ended(model_, channels_, spec);
  return event;
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
  const double t = simulation_.t();
  options_.progress(
      {t, options_.until, wall, t > 0 ? wall * (options_.until - t) / t : 0, simulation_.counters().steps});
}

// -- the end

RunSummary Run::end() {
  RunSummary summary = simulation_.summary();
  if (interrupted_ || failed_) {
    summary.outcome = failed_ ? Outcome::kFailed : Outcome::kInterrupted;
    summary.message = message_;
    if (message_.empty()) summary.message = fmt::format("interrupted at t = {:.10g} s", t_);
  }
  summary.t = t_;
  summary.rows = rows_;
  summary.events = events_;
  summary.measures = measures_.results();
  summary.is_abandoned = abandoned_;
  if (const std::string note = frames_.note(); !note.empty()) summary.notes.push_back(note);
  summary.wall_seconds = seconds_since(clock_start_);
  end_sinks(&summary);
  return summary;
}

void Run::end_sinks(RunSummary* summary) {
  for (Sink* sink : sinks_) {
    try {
      sink->end(*summary);
    } catch (const ReaderGone&) {
      summary->is_abandoned = true;
    } catch (const RunError& error) {
      // the first failure is the one to report
      if (summary->outcome != Outcome::kFailed) summary->message = error.what();
      summary->outcome = Outcome::kFailed;
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
