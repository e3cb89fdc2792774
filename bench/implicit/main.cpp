// What implicit methods cost: the X-HALE to 1e-4 rad and a chain of 400 bodies, against Exudyn, and long
// chains. First that both programs compute the same motion, then how long each takes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>

#include "implicit/contest.h"

#include "haltere/io/model/model_reader.h"

namespace haltere::bench {
namespace {

constexpr const char* kAlpha = "generalized-alpha";
constexpr int kRounds = 3;

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

/// Infinite for a run that fails.
double calc_time(const Runner& runner, const Task& task) {
  const Trial trial = runner.run(task);
  return trial.finished ? trial.seconds : INFINITY;
}

/// All take turns; the median counts. `part` of each motion, from its start.
void measure_entries(std::vector<Entry>* entries, double part) {
  std::vector<std::vector<double>> seconds(entries->size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < entries->size(); ++i) {
      const Entry& entry = (*entries)[i];
      const Task task{part * entry.task.until, std::lround(part * static_cast<double>(entry.task.steps)), 0};
      seconds[i].push_back(calc_time(entry.runner, task) / part);
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
  constexpr int kTries = 4;
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

/// Without those that take many times as long a step as the fastest of their program: all need about the same
/// number of steps.
std::vector<Runner> drop_hopeless(const std::vector<Runner>& runners, const Task& task) {
  constexpr double kHopeless = 3;
  std::vector<double> seconds;
  for (const Runner& runner : runners) seconds.push_back(calc_time(runner, task));
  const double best = *std::min_element(seconds.begin(), seconds.end());
  std::vector<Runner> left;
  for (std::size_t i = 0; i < runners.size(); ++i)
    if (seconds[i] < kHopeless * best)
      left.push_back(runners[i]);
    else
      fmt::print("{}, {}: {:.1f} times the time of the fastest, not searched\n", runners[i].program,
                 runners[i].name, seconds[i] / best);
  return left;
}

/// The search begins with `steps`; `part` of the motion is measured.
bool compare_x_hale(bool peer, double until, long steps, double part) {
  const int rows = static_cast<int>(std::lround(10 * until));
  const std::vector<std::string> hinges{"hinge12", "hinge23", "hinge34", "hinge45", "hinge56", "hinge67"};
  const Model model = read_model(HALTERE_SOURCE_DIR "/models/x-hale", {.case_name = "free", .set = {}});
  fmt::print("\nx-hale, case free, {} s, below {:.0e} rad in all hinges at {} times\n", until, kWanted, rows);
  const Rows reference = make_haltere(model, "recursive", "dop853", hinges).run({until, rows, rows}).rows;
  std::vector<Runner> runners{make_haltere(model, "recursive", kAlpha, hinges),
                              make_haltere(model, "recursive", "newmark", hinges),
                              make_haltere(model, "absolute", kAlpha, hinges)};
  std::vector<Runner> peers;
  for (const char* form : {"redundant", "merged", "tree"})
    for (const char* method : {kAlpha, "trapezoidal"})
      if (peer) peers.push_back(make_exudyn("x-hale", form, method));
  if (peer) peers = drop_hopeless(peers, {until / 30, steps / 30, 0});
  runners.insert(runners.end(), peers.begin(), peers.end());
  std::vector<Entry> entries;
  for (const Runner& runner : runners) {
    const std::optional<Entry> entry = find_steps(runner, reference, {until, steps, rows});
    if (!entry) {
      fmt::print(stderr, "bench_implicit: {}, {} does not come near the motion of the others\n",
                 runner.program, runner.name);
      return false;
    }
    entries.push_back(*entry);
  }
  measure_entries(&entries, part);
  print_entries(entries);
  return true;
}

// -- chains -------------------------------------------------------------------------------------------------

/// Bars of 1 m and 1 kg that hang straight at 30 degrees; hinges are numbered from the ceiling.
Model read_chain(int n) {
  return read_model(HALTERE_SOURCE_DIR "/bench/implicit/chain.yaml",
                    {.case_name = "", .set = {fmt::format("n={}", n)}});
}

std::vector<std::string> name_hinges(int n) {
  std::vector<std::string> names;
  for (int i = 1; i <= n; ++i) names.push_back(fmt::format("hinge{}", i));
  return names;
}

/// With a longer step Newton's method of Exudyn, whose tangent seems to know nothing of the tension, does not
/// converge in redundant coordinates. The longer a chain is, the further a step moves its end.
double choose_step(int n) {
  return 2.0 / n;
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
      std::fflush(stdout);
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
  constexpr long kFirst = 10, kSteps = 30;
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

/// `parts`: which of long, chain, x-hale; none for all. `short` is the tenth part of x-hale.
int run(const std::vector<std::string>& parts) {
  const auto wants = [&](const char* part) {
    return parts.empty() || std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  const bool peer = has_exudyn();
  if (!peer) fmt::print("not compared: Exudyn (it could not be loaded)\n");
  bool good = true;
  if (wants("long")) measure_long_chains();
  if (wants("chain")) good = compare_chain(peer) && good;
  if (wants("x-hale")) good = compare_x_hale(peer, 30, 210000, 0.1) && good;
  if (!parts.empty() && wants("short")) good = compare_x_hale(peer, 3, 9000, 1) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace haltere::bench

int main(int argc, char** argv) {
  return haltere::bench::run({argv + 1, argv + argc});
}
