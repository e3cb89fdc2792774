// What implicit methods cost: the X-HALE to 1e-4 rad and a chain of 400 bodies, against Exudyn, and long
// chains. First that both programs compute the same motion, then how long each takes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>

#include "implicit/contest.h"

#include "haltere/io/model_reader.h"

namespace haltere::bench {
namespace {

constexpr const char* kAlpha = "generalized-alpha";
constexpr int kRounds = 5;

double calc_median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

/// A runner with the number of steps that it needs.
struct Entry {
  Runner runner;
  Task task;
  double error = 0;  // against the reference [rad]
  Trial trial;       // of the whole motion
  double seconds = 0;
};

/// All take turns; the median counts. `part` of each motion, from its start.
void measure_entries(std::vector<Entry>* entries, double part) {
  std::vector<std::vector<double>> seconds(entries->size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < entries->size(); ++i) {
      const Entry& entry = (*entries)[i];
      const Task task{part * entry.task.until, std::lround(part * static_cast<double>(entry.task.steps)), 0};
      seconds[i].push_back(entry.runner.run(task).seconds / part);
    }
  for (std::size_t i = 0; i < entries->size(); ++i) (*entries)[i].seconds = calc_median(seconds[i]);
}

const Entry& find_best(const std::vector<Entry>& entries, const std::string& program) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries)
    if (entry.runner.program == program && (best == nullptr || entry.seconds < best->seconds)) best = &entry;
  return *best;
}

void print_entries(const std::vector<Entry>& entries) {
  fmt::print("{:<9}{:<36}{:>9}{:>10}{:>12}{:>10}{:>9}{:>11}\n", "", "", "steps", "error", "iterations",
             "tangents", "s", "ms a step");
  for (const Entry& e : entries)
    fmt::print("{:<9}{:<36}{:>9}{:>10.1e}{:>12}{:>10}{:>9.2f}{:>11.3f}\n", e.runner.program, e.runner.name,
               e.task.steps, e.error, e.trial.iterations, e.trial.factors, e.seconds,
               e.seconds * 1e3 / static_cast<double>(e.task.steps));
  if (entries.front().runner.program != entries.back().runner.program) {
    const Entry& ours = find_best(entries, "haltere");
    const Entry& theirs = find_best(entries, "Exudyn");
    fmt::print("best against best: Exudyn takes {:.2f} times the time of haltere\n",
               theirs.seconds / ours.seconds);
  }
  std::fflush(stdout);
}

// -- the X-HALE ---------------------------------------------------------------------------------------------

constexpr double kWanted = 1e-4;  // [rad]

/// The fewest equal steps that are good enough, to some percent: the error goes with the square of the step.
std::optional<Entry> find_steps(const Runner& runner, const Rows& reference, Task task) {
  constexpr int kTries = 6;
  constexpr double kNear = 0.6, kAim = 0.8;  // of what is wanted
  std::optional<Entry> found;
  for (int i = 0; i < kTries; ++i) {
    const Trial trial = runner.run(task);
    const double error = trial.finished ? calc_difference(trial.rows, reference) : 1;
    if (error < kWanted && (!found || task.steps < found->task.steps))
      found = Entry{runner, task, error, trial};
    if (found && found->error > kNear * kWanted) break;
    const double more = std::clamp(std::sqrt(error / (kAim * kWanted)), 0.1, 10.0);
    task.steps = task.rows * std::lround(std::ceil(more * static_cast<double>(task.steps) / task.rows));
    if (found && task.steps >= found->task.steps) break;
  }
  return found;
}

bool compare_x_hale(bool peer) {
  constexpr double kUntil = 30, kPart = 0.1;
  constexpr int kRows = 300;
  const std::vector<std::string> hinges{"hinge12", "hinge23", "hinge34", "hinge45", "hinge56", "hinge67"};
  const Model model = read_model(HALTERE_SOURCE_DIR "/models/x-hale", {.case_name = "free", .set = {}});
  fmt::print("x-hale, case free, 30 s, below {:.0e} rad in all hinges at {} times\n", kWanted, kRows);
  const Rows reference = make_haltere(model, "recursive", "dop853", hinges).run({kUntil, kRows, kRows}).rows;
  std::vector<Runner> runners{make_haltere(model, "recursive", kAlpha, hinges),
                              make_haltere(model, "recursive", "newmark", hinges),
                              make_haltere(model, "absolute", kAlpha, hinges)};
  for (const char* form : {"redundant", "merged", "tree"})
    for (const char* method : {kAlpha, "trapezoidal"})
      if (peer) runners.push_back(make_exudyn("x-hale", form, method));
  std::vector<Entry> entries;
  for (const Runner& runner : runners) {
    const std::optional<Entry> entry = find_steps(runner, reference, {kUntil, 60000, kRows});
    if (!entry) {
      fmt::print(stderr, "bench_implicit: {}, {} does not come near the motion of the others\n",
                 runner.program, runner.name);
      return false;
    }
    entries.push_back(*entry);
  }
  measure_entries(&entries, kPart);
  print_entries(entries);
  return true;
}

// -- chains -------------------------------------------------------------------------------------------------

/// Rods of 1 m and 1 kg that hang straight at 30 degrees; hinges are numbered from the ceiling.
Model read_chain(int n) {
  return read_model(
      HALTERE_SOURCE_DIR "/models/chain",
      {.case_name = "",
       .set = {fmt::format("n={}", n), fmt::format("L={} m", n), fmt::format("M={} kg", n), "start=30 deg"}});
}

std::vector<std::string> name_hinges(int n) {
  std::vector<std::string> names;
  for (int i = 1; i <= n; ++i) names.push_back(fmt::format("hinge{}", i));
  return names;
}

/// The fastest waves of a chain need steps like 1/sqrt(n). With longer ones Newton's method of Exudyn, whose
/// tangent knows nothing of the tension, does not converge in redundant coordinates.
double choose_step(int n) {
  return 0.005 * std::sqrt(400.0 / n);
}

/// Both programs with the same method and step differ by less than the method errs.
bool agree(const std::vector<Entry>& entries) {
  bool same = true;
  for (const Entry& e : entries)
    for (const Entry& other : entries) {
      if (e.runner.program != "haltere" || other.runner.program != "Exudyn" ||
          e.runner.name.find(kAlpha) == std::string::npos ||
          other.runner.name.find(kAlpha) == std::string::npos)
        continue;
      const double difference = calc_difference(e.trial.rows, other.trial.rows);
      fmt::print("{} and Exudyn's {} differ by {:.1e} rad\n", e.runner.name, other.runner.name, difference);
      same = same && difference < e.error;
    }
  return same;
}

bool compare_chain(bool peer) {
  constexpr int kLinks = 400, kRows = 10;
  constexpr long kSteps = 1000;
  const Model model = read_chain(kLinks);
  const std::vector<std::string> hinges = name_hinges(kLinks);
  const Task task{static_cast<double>(kSteps) * choose_step(kLinks), kSteps, kRows};
  fmt::print("\nchain of {} bodies, {} steps of {} s\n", kLinks, kSteps, choose_step(kLinks));
  const Rows reference = make_haltere(model, "recursive", "dop853", hinges).run(task).rows;
  std::vector<Runner> runners{make_haltere(model, "recursive", kAlpha, hinges),
                              make_haltere(model, "absolute", kAlpha, hinges)};
  for (const char* form : {"redundant", "tree"})
    for (const char* method : {kAlpha, "trapezoidal"})
      if (peer) runners.push_back(make_exudyn(fmt::format("chain:{}", kLinks), form, method));
  std::vector<Entry> entries;
  for (const Runner& runner : runners) {
    Entry entry{runner, task, 0, runner.run(task)};
    entry.error = calc_difference(entry.trial.rows, reference);
    entries.push_back(std::move(entry));
  }
  if (!agree(entries)) {
    fmt::print(stderr,
               "bench_implicit: the motions of the chain differ by more than the error of the method\n");
    print_entries(entries);
    return false;
  }
  measure_entries(&entries, 1);
  print_entries(entries);
  return true;
}

/// Most memory that the process has had [MB].
double read_peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Cost of a step beyond the first ones: set-up and first tangent are left out.
void measure_long_chains() {
  constexpr long kFirst = 10, kSteps = 50;
  fmt::print("\nchains, absolute, {}, after the first {} steps\n", kAlpha, kFirst);
  fmt::print("{:>8}{:>12}{:>16}{:>14}{:>12}{:>10}\n", "bodies", "ms a step", "us a body, step", "iterations",
             "tangents", "peak MB");
  for (const int n : {100, 400, 1000, 4000, 10000}) {
    const Model model = read_chain(n);
    const Runner runner = make_haltere(model, "absolute", kAlpha, {});
    const double h = choose_step(n);
    std::vector<double> seconds;
    Trial first, all;
    for (int round = 0; round < kRounds; ++round) {
      first = runner.run({h * kFirst, kFirst, 0});
      all = runner.run({h * (kFirst + kSteps), kFirst + kSteps, 0});
      seconds.push_back((all.seconds - first.seconds) / kSteps);
    }
    const double step = calc_median(seconds);
    fmt::print("{:>8}{:>12.3f}{:>16.2f}{:>14.2f}{:>12.2f}{:>10.0f}\n", n, step * 1e3, step * 1e6 / n,
               static_cast<double>(all.iterations - first.iterations) / kSteps,
               static_cast<double>(all.factors - first.factors) / kSteps, read_peak());
    std::fflush(stdout);
  }
}

/// `parts`: which of x-hale, chain, long; none for all.
int run(const std::vector<std::string>& parts) {
  const auto wants = [&](const char* part) {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  const bool peer = has_exudyn();
  if (!peer) fmt::print("not compared: Exudyn (it could not be loaded)\n");
  bool good = true;
  if (wants("long")) measure_long_chains();
  if (wants("chain")) good = compare_chain(peer) && good;
  if (wants("x-hale")) good = compare_x_hale(peer) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace haltere::bench

int main(int argc, char** argv) {
  return haltere::bench::run({argv + 1, argv + argc});
}
