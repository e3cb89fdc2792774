#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/integrator.h"
#include "haltere/simulate/checkpoint.h"

namespace haltere {

/// Beyond these the square of a time, or of a rate, is no number.                                     [s]
inline constexpr double kShortestTime = 1e-150, kLongestTime = 1e150;

struct Progress {
  double t = 0, until = 0;
  double wall_seconds = 0;
  double seconds_left = 0;  // estimate
  long steps = 0;
};

/// A complete answer to "how to run": the model's `simulation`, overridden by the command line.
struct RunOptions {
  std::string formulation = "recursive";
  std::string chart = "lie";                 // of `absolute`
  std::string stabilization = "projection";  // of constraints
  double drift = 0;    // largest allowed, of angles [rad] and of lengths in length scales; 0: any
  double balance = 0;  // largest allowed error of the energy balance, of the energy in play; 0: by the method
  std::string integrator = "dop853";
  double until = 10;                  // [s]; 0: the start alone
  double every = 0;                   // [s]; 0: until / 1000
  double step = 0;                    // [s]; 0: the method chooses; fixed-step methods then take `every`
  std::optional<double> frames;       // [s]; 0: none; not given: until / 100
  int wake_stride = 0;                // of wakes in frames: every such row; 0: so that frames stay small
  double tolerance = 1e-9;            // relative
  std::vector<std::string> channels;  // globs; empty: the model's `outputs`
  bool insist = false;                // on more rows, steps or events than anybody wants
  std::string command;                // for the record
  std::function<void(const Progress&)> progress;  // called about ten times a second
  const std::atomic<bool>* interrupt = nullptr;   // set by a signal handler: stop soon, keep all
  double flush_every = 1;                         // of the clock on the wall [s]
  std::function<void(const Checkpoint&)> save;    // called after a flush, where the method can be saved
  const PastRun* past = nullptr;                  // a run to continue, made with the same model and options
};

/// `overrides` win over the model's `simulation`, which wins over the defaults. InputError for what makes no
/// sense.
RunOptions make_run_options(const Model& model, const Settings& overrides);

/// The bound where none is asked for. A method that chooses its steps answers for them: 1 %, or 1000
/// tolerances where that is more. What equal steps lose is a matter of their length: 10 %.
double calc_default_balance(const RunOptions& options);

/// InputError where the formulation cannot serve the method, or is made for other machines.
void require_formulation(const Model& model, const RunOptions& options);

/// What a run records of itself before it begins.
RunInfo make_run_info(const Model& model, const RunOptions& options);

/// Runs: rows at the start, at every multiple of `every`, once after each event, at the end; each time once.
/// Frames, where the air has something to draw and a sink wants it: at the start, and where the first step of the
/// air ends at or after each multiple of `frames`. Without such an air, where the channels do not say where every body
/// is: of the bodies alone, at rows, ten in each interval of `frames`.
/// A continued run gives its sinks the rows and events of the past first: they see what one run in one piece
/// would have shown them. Methods whose history cannot be saved start anew ten times in a run, in one piece
/// or continued. Never throws for a failed computation: the summary says what happened, and the sinks keep
/// what was computed. A run whose energy balance is off by more than options.balance has failed, and so has
/// one that would not end in reasonable time (steps or events without end), unless options.insist.
/// InputError, before any sink begins, for channels that do not exist, events at impossible times, and absurd
/// numbers of rows.
RunSummary run(const Model& model, const RunOptions& options, const std::vector<Sink*>& sinks);

/// The same for equations that exist already; their parameters stay as the last event left them.
RunSummary run(Equations& equations, const RunOptions& options, const std::vector<Sink*>& sinks);

}  // namespace haltere
