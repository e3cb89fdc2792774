#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "haltere/simulate/channels.h"
#include "haltere/simulate/contact_audit.h"
#include "haltere/simulate/frame.h"
#include "haltere/simulate/measures.h"
#include "haltere/simulate/start.h"

namespace haltere {

/// What is known of a run before its first row; goes into every result.
struct RunInfo {
  std::string version;  // of haltere
  std::string command;  // as typed, may be empty
  std::string instruction_set;
  std::string model_name, case_name, model_text, reference;
  std::vector<std::string> set;    // --set of the command line
  std::vector<std::string> globs;  // of the channels that were asked for; empty: all
  std::string formulation, chart, integrator, stabilization;
  double until = 0, step = 0, every = 0, tolerance = 0;
  std::vector<std::pair<std::string, double>> parameters;  // SI, as the run starts
  std::size_t event_text = 256;                            // bytes of the longest text that an event can have
  std::vector<MeasureResult> measures;                     // that the run will take, without values
  double frames = 0;                                       // their interval; 0: there are none            [s]
  int wake_stride = 0;                                     // of their wakes, where the user chose it
  std::vector<std::string> bodies, surfaces;               // names of those that frames may have
  std::string scene;  // what can be drawn, see make_scene_text(); of runs that a sink wants to draw
};

/// Something that happened at a time: an event of the model, or its planned stop.
struct RunEvent {
  std::string name;
  double t = 0;
  bool stop = false;
  std::string what;          // "kT = 50 N m/rad", "stop"
  double energy_change = 0;  // [J], by a parameter that jumped or a joint that locked
  std::vector<int> ended{};  // channels that mean nothing from now on: their joint has broken off
};

/// Every run checks itself.
struct Audit {
  double energy_scale = 0;            // largest kinetic energy + range of the potential one + work   [J]
  double energy_balance = 0;          // largest |total - total at the start - work - events|         [J]
  double energy_rounding = 0;         // what such a difference is when nothing happens               [J]
  bool momentum_applies = false;      // nothing outside acts but gravity: no force or joint from the world
  double momentum_drift = 0;          // largest |p - p(0) - impulse of gravity|, relative to its scale
  double angular_momentum_drift = 0;  // the same about the centre of mass
  std::vector<ContactAudit> contacts{};
  double relative_balance() const { return energy_scale > 0 ? energy_balance / energy_scale : 0; }
  bool closes_to(double bound) const {
    return relative_balance() <= bound || energy_balance <= energy_rounding;
  }
  /// Of the energy in play: no run that is meant to be accurate loses a thousandth of it. A choice; it makes
  /// a warning, runs fail by `balance`.
  static constexpr double kTrustworthy = 1e-3;
  bool is_trustworthy() const { return closes_to(kTrustworthy); }
  std::string energy_text() const;  // the first of them, or two
  std::string text() const;         // some lines for the summary
};

struct RunSummary {
  enum class Outcome { kFinished, kStopped, kFailed, kInterrupted };
  Outcome outcome = Outcome::kFinished;
  double t = 0;  // last time reached
  long rows = 0;
  long steps = 0, rejected = 0, evaluations = 0;
  long iterations = 0, factors = 0;  // of Newton's method, where the method has its own
  double wall_seconds = 0;
  std::vector<RunEvent> events;
  Audit audit;
  std::vector<MeasureResult> measures;  // numbers of the periods of the motion, in the order of the model
  std::vector<StartChange> start_changes;
  std::vector<std::string> notes;  // what the run found out at its start: changes, loops, dependent rows
  std::string message;             // on failure: when, what, where, what to try
  bool is_abandoned = false;       // whoever read the rows has gone: no more were wanted
};
std::string_view name_of(RunSummary::Outcome outcome);  // finished, stopped, failed, interrupted

/// The reader of a pipe has gone: no failure, but there is nobody to write for.
class ReaderGone : public RunError {
 public:
  ReaderGone() : RunError("the reader of standard output has gone") {}
};

/// Where rows go: memory, HDF5, CSV. A sink sees begin, rows, events and frames in order of time, end. It throws
/// RunError where it cannot write; the run then ends as a failure, or as interrupted where its reader has
/// gone. After flush() what it has seen survives the program; a run flushes about once a second, and once
/// before its first step.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const std::vector<Channel>& channels, const RunInfo& info) = 0;
  virtual void row(std::span<const double> values) = 0;
  virtual void event(const RunEvent&) {}
  virtual bool wants_frames() const { return false; }
  virtual void frame(const Frame&) {}
  virtual void flush() {}
  virtual void end(const RunSummary& summary) = 0;  // also after a failure: what was computed is kept
};

/// Keeps everything in memory, for tests and for the library.
class MemorySink : public Sink {
 public:
  void begin(const std::vector<Channel>& channels, const RunInfo& info) override;
  void row(std::span<const double> values) override;
  void event(const RunEvent& event) override;
  void end(const RunSummary& summary) override;

  const std::vector<std::string>& names() const { return names_; }
  long rows() const { return names_.empty() ? 0 : static_cast<long>(values_.size() / names_.size()); }
  double value(long row, std::string_view channel) const;  // throws std::out_of_range for an unknown channel
  std::vector<double> column(std::string_view channel) const;
  const std::vector<RunEvent>& events() const { return events_; }
  const RunSummary& summary() const { return summary_; }

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;  // row after row
  std::vector<RunEvent> events_;
  RunSummary summary_;
};

}  // namespace haltere
