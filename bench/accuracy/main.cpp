// What the motion of a published machine costs, to a given error at all times: for each formulation and
// integrator the coarsest setting that is good enough, then all of them side by side.
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
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/recorder.h"
#include "haltere/simulate/run.h"

namespace haltere::bench {
namespace {

constexpr double kHopeless = 2;  // times the evaluations of the best method: not searched any further

struct Variant {
  std::string name, formulation, chart;
  double goal;  // times faster than real time; 0: none is set
};

struct Question {
  std::string model, case_name;
  double until;   // [s]
  double every;   // where channels are compared [s]
  double wanted;  // largest error, absolute or of the largest value of a channel, whichever is larger
  std::vector<std::string> channels;
  std::vector<Variant> variants;
};

const std::vector<Question> kQuestions{
    {"x-hale",
     "free",
     30,
     0.1,
     1e-6,
     {"joint.hinge*.angle"},
     {{"recursive", "recursive", "lie", 100},
      {"absolute, lie", "absolute", "lie", 10},
      {"absolute, quaternion", "absolute", "quaternion", 10}}},
    // not what tilts: it is zero, and rounding grows there
    {"kick-scooter",
     "straight",
     10,
     0.1,
     1e-8,
     {"body.deck.position.x", "body.deck.position.z", "body.deck.euler.1", "joint.fork.position",
      "joint.swing.angle", "joint.*_axle.angle"},
     {{"recursive", "recursive", "lie", 50}, {"absolute, lie", "absolute", "lie", 0}}}};

using Columns = std::vector<std::vector<double>>;  // of each channel, at all times

struct Outcome {
  Columns columns;
  RunSummary summary;
};

RunOptions make_options(const Question& question, const Variant& variant, const IntegratorInfo& method,
                        double setting) {
  RunOptions options;
  options.formulation = variant.formulation;
  options.chart = variant.chart;
  options.integrator = method.name;
  options.until = question.until;
  options.every = question.every;
  options.channels = question.channels;
  (method.chooses_steps(0) ? options.tolerance : options.step) = setting;
  return options;
}

Outcome run_recorded(const Model& model, const RunOptions& options) {
  MemorySink sink;
  Outcome outcome;
  outcome.summary = run(model, options, {&sink});
  for (const std::string& name : sink.names())
    if (name != "t") outcome.columns.push_back(sink.column(name));
  return outcome;
}

/// The largest difference of any channel at any time, of its largest value where that is above 1.
double calc_error(const Columns& a, const Columns& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double size = 1;
    for (const double value : b[i]) size = std::max(size, std::abs(value));
    for (std::size_t row = 0; row < b[i].size(); ++row)
      most = std::max(most, row < a[i].size() ? std::abs(a[i][row] - b[i][row]) / size : INFINITY);
  }
  return most;
}

struct Found {
  const Variant* variant;
  const IntegratorInfo* method;
  double setting, error;
  RunSummary summary;
};

/// A fixed step divides the time between rows.
double round_setting(const Question& question, const IntegratorInfo& method, double setting) {
  return method.chooses_steps(0) ? setting : question.every / std::ceil(question.every / setting - 1e-9);
}

/// The coarsest setting that is good enough, to some percent: the error goes with the tolerance, or with the
/// power of the step that is the order. None where it takes too many evaluations.
std::optional<Found> find_setting(const Question& question, const Model& model, const Columns& reference,
                                  const Variant& variant, const IntegratorInfo& method, long fewest) {
  constexpr int kTries = 10;
  constexpr double kNear = 0.6, kAim = 0.8;  // of what is wanted
  std::optional<Found> found;
  double setting = method.chooses_steps(0) ? 1e-8 : 2e-3;
  for (int i = 0; i < kTries; ++i) {
    setting = round_setting(question, method, setting);
    const Outcome outcome = run_recorded(model, make_options(question, variant, method, setting));
    const bool finished = outcome.summary.outcome == RunSummary::Outcome::kFinished;
    const double error = finished ? calc_error(outcome.columns, reference) : 1;
    if (error < question.wanted && (!found || setting > found->setting))
      found = Found{&variant, &method, setting, error, outcome.summary};
    if (found && found->error > kNear * question.wanted) break;
    const double factor = std::clamp(kAim * question.wanted / error, 1e-4, 1e4);
    const double next = setting * std::pow(factor, method.chooses_steps(0) ? 1.0 : 1.0 / method.order);
    if (found && round_setting(question, method, next) <= found->setting) break;
    const double work =
        std::pow(factor, -1.0 / method.order) * static_cast<double>(outcome.summary.evaluations);
    if (finished && fewest > 0 && work > kHopeless * static_cast<double>(fewest)) break;
    setting = next;
  }
  return found;
}

Columns calc_reference(const Question& question, const Model& model) {
  const IntegratorInfo& method = *find_integrator("dop853");
  const Columns reference =
      run_recorded(model, make_options(question, question.variants[0], method, 1e-13)).columns;
  const Columns other =
      run_recorded(model, make_options(question, question.variants[1], method, 1e-12)).columns;
  fmt::print("reference: recursive, dop853 at 1e-13; absolute at 1e-12 differs by {:.1e}\n\n",
             calc_error(other, reference));
  return reference;
}

std::vector<Found> find_settings(const Question& question, const Model& model, const Columns& reference,
                                 const Variant& variant) {
  std::vector<Found> found;
  long fewest = 0;
  for (const char* name :
       {"dop853", "cvode-adams", "dopri5", "abm45", "hamming", "rk4", "cvode-bdf", "central-difference"}) {
    const auto one = find_setting(question, model, reference, variant, *find_integrator(name), fewest);
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
  options.every = options.until;  // no rows but the first and the last
  const std::clock_t start = std::clock();
  for (long i = 0; i < n; ++i) run(model, options, {});
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void print_best(const Question& question, const Variant& variant, const std::vector<Found>& found,
                const std::vector<Contestant>& contestants) {
  std::size_t best = found.size();
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].variant == &variant &&
        (best == found.size() || contestants[i].best < contestants[best].best))
      best = i;
  if (best == found.size()) return;
  fmt::print("{}: {:.0f} times faster than real time with {} at {:.2g}", variant.name,
             question.until / contestants[best].best, found[best].method->name, found[best].setting);
  if (variant.goal > 0) fmt::print("; asked for {:.0f}", variant.goal);
  fmt::print("\n");
}

void answer(const Question& question) {
  constexpr int kRounds = 3;
  fmt::print("{:.0f} s of {} --case {}, to {:.0e}\n", question.until, question.model, question.case_name,
             question.wanted);
  const Model model = read_model(HALTERE_SOURCE_DIR "/models/" + question.model,
                                 {.case_name = question.case_name, .set = {}});
  const Columns reference = calc_reference(question, model);
  std::vector<Found> found;
  for (const Variant& variant : question.variants) {
    const std::vector<Found> own = find_settings(question, model, reference, variant);
    found.insert(found.end(), own.begin(), own.end());
  }
  std::vector<Contestant> contestants;
  for (const Found& one : found) {
    const RunOptions options = make_options(question, *one.variant, *one.method, one.setting);
    contestants.push_back({"", [options, &model](long n) { return time_runs(n, model, options); }});
  }
  measure(&contestants, kRounds);
  fmt::print("\n{:<22}{:<20}{:>10}{:>10}{:>9}{:>13}{:>10}{:>16}\n", "", "integrator", "setting", "error",
             "steps", "evaluations", "time, ms", "of real time");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& one = found[i];
    fmt::print("{:<22}{:<20}{:>10.2e}{:>10.1e}{:>9}{:>13}{:>10.1f}{:>16.0f}\n", one.variant->name,
               one.method->name, one.setting, one.error, one.summary.steps, one.summary.evaluations,
               contestants[i].best * 1e3, question.until / contestants[i].best);
  }
  for (const Variant& variant : question.variants) print_best(question, variant, found, contestants);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace haltere::bench

int main() {
  for (const haltere::bench::Question& question : haltere::bench::kQuestions)
    haltere::bench::answer(question);
}
