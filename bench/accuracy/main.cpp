// What 30 s of x-hale cost, to 1e-6 rad in every hinge at all times: for each formulation and integrator the
// coarsest setting that is good enough, then all of them side by side.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model_reader.h"
#include "haltere/simulate/recorder.h"
#include "haltere/simulate/run.h"

namespace haltere::bench {
namespace {

constexpr double kUntil = 30;     // [s]
constexpr double kEvery = 0.1;    // where angles are compared [s]
constexpr double kWanted = 1e-6;  // [rad]
constexpr double kHopeless = 2;   // times the evaluations of the best method: not searched any further

struct Variant {
  std::string name, formulation, chart;
  double goal;  // times faster than real time
};
const std::vector<Variant> kVariants{{"recursive", "recursive", "lie", 100},
                                     {"absolute, lie", "absolute", "lie", 10},
                                     {"absolute, quaternion", "absolute", "quaternion", 10}};

using Angles = std::vector<std::vector<double>>;  // of each hinge, at all times

struct Outcome {
  Angles angles;
  RunSummary summary;
};

RunOptions make_options(const Variant& variant, const IntegratorInfo& method, double setting) {
  RunOptions options;
  options.formulation = variant.formulation;
  options.chart = variant.chart;
  options.integrator = method.name;
  options.until = kUntil;
  options.every = kEvery;
  options.channels = {"joint.hinge*.angle"};
  (method.adaptive ? options.tolerance : options.step) = setting;
  return options;
}

Outcome run_recorded(const Model& model, const RunOptions& options) {
  MemorySink sink;
  Outcome outcome;
  outcome.summary = run(model, options, {&sink});
  for (const std::string& name : sink.names())
    if (name.starts_with("joint.")) outcome.angles.push_back(sink.column(name));
  return outcome;
}

/// The largest difference of any hinge at any time.
double calc_error(const Angles& a, const Angles& b) {
  double most = 0;
  for (std::size_t hinge = 0; hinge < b.size(); ++hinge)
    for (std::size_t row = 0; row < b[hinge].size(); ++row)
      most = std::max(most, row < a[hinge].size() ? std::abs(a[hinge][row] - b[hinge][row]) : INFINITY);
  return most;
}

struct Found {
  const Variant* variant;
  const IntegratorInfo* method;
  double setting, error;
  RunSummary summary;
};

/// A fixed step divides the time between rows.
double round_setting(const IntegratorInfo& method, double setting) {
  return method.adaptive ? setting : kEvery / std::ceil(kEvery / setting - 1e-9);
}

/// The coarsest setting that is good enough, to some percent: the error goes with the tolerance, or with the
/// power of the step that is the order. None where it takes too many evaluations.
std::optional<Found> find_setting(const Model& model, const Angles& reference, const Variant& variant,
                                  const IntegratorInfo& method, long fewest) {
  constexpr int kTries = 10;
  constexpr double kNear = 0.6, kAim = 0.8;  // of what is wanted
  std::optional<Found> found;
  double setting = method.adaptive ? 1e-8 : 2e-3;
  for (int i = 0; i < kTries; ++i) {
    setting = round_setting(method, setting);
    const Outcome outcome = run_recorded(model, make_options(variant, method, setting));
    const bool finished = outcome.summary.outcome == RunSummary::Outcome::kFinished;
    const double error = finished ? calc_error(outcome.angles, reference) : 1;
    if (error < kWanted && (!found || setting > found->setting))
      found = Found{&variant, &method, setting, error, outcome.summary};
    if (found && found->error > kNear * kWanted) break;
    const double factor = std::clamp(kAim * kWanted / error, 1e-4, 1e4);
    const double next = setting * std::pow(factor, method.adaptive ? 1.0 : 1.0 / method.order);
    if (found && round_setting(method, next) <= found->setting) break;
    const double work =
        std::pow(factor, -1.0 / method.order) * static_cast<double>(outcome.summary.evaluations);
    if (finished && fewest > 0 && work > kHopeless * static_cast<double>(fewest)) break;
    setting = next;
  }
  return found;
}

Angles calc_reference(const Model& model) {
  const IntegratorInfo& method = *find_integrator("dop853");
  const Angles reference = run_recorded(model, make_options(kVariants[0], method, 1e-13)).angles;
  const Angles other = run_recorded(model, make_options(kVariants[1], method, 1e-12)).angles;
  fmt::print("reference: recursive, dop853 at 1e-13; absolute at 1e-12 differs by {:.1e} rad\n\n",
             calc_error(other, reference));
  return reference;
}

std::vector<Found> find_settings(const Model& model, const Angles& reference, const Variant& variant) {
  std::vector<Found> found;
  long fewest = 0;
  for (const char* name :
       {"dop853", "cvode-adams", "dopri5", "abm45", "hamming", "rk4", "cvode-bdf", "central-difference"}) {
    const auto one = find_setting(model, reference, variant, *find_integrator(name), fewest);
    if (!one) {
      fmt::print("{}, {}: more than {} times the evaluations of the best\n", variant.name, name, kHopeless);
      continue;
    }
    if (fewest == 0 || one->summary.evaluations < fewest) fewest = one->summary.evaluations;
    found.push_back(*one);
  }
  return found;
}

/// Of the processor, not of the clock on the wall: a run is long, and others use the machine.
double time_runs(long n, const Model& model, RunOptions options) {
  options.every = kUntil;  // no rows but the first and the last
  const std::clock_t start = std::clock();
  for (long i = 0; i < n; ++i) run(model, options, {});
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void print_best(const Variant& variant, const std::vector<Found>& found,
                const std::vector<Contestant>& contestants) {
  std::size_t best = found.size();
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].variant == &variant &&
        (best == found.size() || contestants[i].best < contestants[best].best))
      best = i;
  if (best == found.size()) return;
  fmt::print("{}: {:.0f} times faster than real time with {} at {:.2g}; asked for {:.0f}\n", variant.name,
             kUntil / contestants[best].best, found[best].method->name, found[best].setting, variant.goal);
}

void run_all() {
  constexpr int kRounds = 3;
  const Model model = read_model(HALTERE_SOURCE_DIR "/models/x-hale", {.case_name = "free", .set = {}});
  const Angles reference = calc_reference(model);
  std::vector<Found> found;
  for (const Variant& variant : kVariants) {
    const std::vector<Found> own = find_settings(model, reference, variant);
    found.insert(found.end(), own.begin(), own.end());
  }
  std::vector<Contestant> contestants;
  for (const Found& one : found) {
    const RunOptions options = make_options(*one.variant, *one.method, one.setting);
    contestants.push_back({"", [options, &model](long n) { return time_runs(n, model, options); }});
  }
  measure(&contestants, kRounds);
  fmt::print("\n{:<22}{:<20}{:>10}{:>10}{:>9}{:>13}{:>10}{:>16}\n", "", "integrator", "setting", "error",
             "steps", "evaluations", "time, ms", "of real time");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& one = found[i];
    fmt::print("{:<22}{:<20}{:>10.2e}{:>10.1e}{:>9}{:>13}{:>10.1f}{:>16.0f}\n", one.variant->name,
               one.method->name, one.setting, one.error, one.summary.steps, one.summary.evaluations,
               contestants[i].best * 1e3, kUntil / contestants[i].best);
  }
  for (const Variant& variant : kVariants) print_best(variant, found, contestants);
}

}  // namespace
}  // namespace haltere::bench

int main() {
  haltere::bench::run_all();
}
