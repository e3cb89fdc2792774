#pragma once

#include <string>
#include <utility>
#include <vector>

#include "haltere/simulate/run.h"

/// How methods compare on one machine: each against the best solution there is.
namespace haltere {

/// One way to run a case.
struct Trial {
  std::string formulation = "recursive", chart = "lie", integrator = "dop853", stabilization = "projection";
  double step = 0;          // of fixed-step methods; 0: an adaptive one ...
  double tolerance = 1e-9;  // ... with this tolerance

  std::string method() const;   // "absolute quaternion, hamming, s-both2"
  std::string setting() const;  // "h = 0.001 s", "1e-09"
};

/// Largest error over the rows that both runs have at the same time; < 0: nothing to compare.
struct TrialErrors {
  double position = -1;  // of joints, in radians or length scales; of bodies where joints have no coordinate
  double velocity = -1;  // the same, per second
  double load = -1;      // multipliers of constraints, or reactions; relative to the largest load
};

struct TrialResult {
  Trial trial;
  TrialErrors errors;
  double drift = 0;  // largest, of positions
  RunSummary summary;
};

/// Runs trials of one model against its reference: `recursive`, dop853 at 1e-12, whose own error is about
/// what 1e-11 differs from it.
class MethodComparison {
 public:
  /// `hooks`: what all runs take from it: insist, interrupt, progress. RunError where the reference fails.
  MethodComparison(const Model& model, double until, double every, RunOptions hooks = {});

  double until() const { return until_; }
  double every() const { return every_; }
  const TrialErrors& reference_errors() const { return reference_errors_; }
  TrialResult run(const Trial& trial) const;

 private:
  struct Group {
    std::vector<std::string> channels;
    std::vector<double> sizes;             // what an error of each is divided by
    std::vector<std::string> quaternions;  // the first of four channels of each
  };
  RunOptions make_options(const Trial& trial) const;
  TrialErrors calc_errors(const MemorySink& sink) const;
  using Rows = std::vector<std::pair<std::size_t, std::size_t>>;  // of a run and of the reference
  double calc_largest(const MemorySink& sink, const Group& group, const Rows& rows) const;
  double calc_turn(const MemorySink& sink, const std::string& w, const Rows& rows) const;

  const Model& model_;
  double until_, every_;
  RunOptions hooks_;
  MemorySink reference_;
  Group positions_, velocities_, loads_;
  TrialErrors reference_errors_;
};

/// log2 of the ratio of two errors, the second with half the step.
double calc_order(double coarse, double fine);

/// The order between a run and the one before it, with twice the step.
struct ObservedOrder {
  enum class Doubt {
    kNone,
    kNothing,     // the first run has none before it, or there is nothing to compare
    kFailed,      // one of the two runs
    kUnresolved,  // an error is that of the reference, or rounding
    kUnconfirmed  // the error does not fall, or neighbouring orders disagree: steps are not yet small enough
  };
  double value = 0;
  Doubt doubt = Doubt::kNone;
};

/// Of runs with halved steps. Errors are NaN where a run failed, < 0 where there is nothing to compare;
/// `resolved`: what is smaller says nothing.
std::vector<ObservedOrder> calc_orders(const std::vector<double>& errors, double resolved);
/// The least error that can be told from that of the reference.
double calc_resolved(double reference_error);

}  // namespace haltere
