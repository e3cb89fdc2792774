#include "implicit/contest.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "python_peer.h"

#include "haltere/dynamics/equations.h"
#include "haltere/simulate/recorder.h"
#include "haltere/simulate/run.h"

namespace haltere::bench {
namespace {

constexpr const char* kPython = HALTERE_BINARY_DIR "/peers-env/bin/python";
constexpr const char* kScript = HALTERE_SOURCE_DIR "/bench/implicit/exudyn_peer.py";

Trial read_trial(const std::string& text) {
  std::istringstream in(text);
  Trial trial;
  trial.finished = static_cast<bool>(in >> trial.seconds >> trial.iterations >> trial.factors);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream numbers(line);
    std::vector<double> row;
    for (double x = 0; numbers >> x;) row.push_back(x);
    trial.rows.push_back(std::move(row));
  }
  return trial;
}

Trial run_haltere(const Model& model, RunOptions options, const std::vector<std::string>& hinges,
                  const Task& task) {
  options.until = task.until;
  options.step = task.until / static_cast<double>(task.steps);
  options.every = task.until / std::max(task.rows, 1);
  options.channels = {"joint.*.angle"};
  const auto equations = make_equations(options.formulation, model);
  MemorySink sink;
  const std::vector<Sink*> sinks = task.rows > 0 ? std::vector<Sink*>{&sink} : std::vector<Sink*>{};
  const std::clock_t start = std::clock();
  const RunSummary summary = run(*equations, options, sinks);
  Trial trial{summary.outcome == RunSummary::Outcome::kFinished,
              static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC,
              summary.iterations,
              summary.factors,
              {}};
  if (!trial.finished) fmt::print(stderr, "{}\n", summary.message);
  for (std::size_t h = 0; task.rows > 0 && h < hinges.size(); ++h) {
    const std::vector<double> column = sink.column("joint." + hinges[h] + ".angle");
    trial.rows.resize(column.size());
    for (std::size_t row = 0; row < column.size(); ++row) trial.rows[row].push_back(column[row]);
  }
  return trial;
}

}  // namespace

Runner make_haltere(const Model& model, const std::string& formulation, const std::string& integrator,
                    const std::vector<std::string>& hinges) {
  RunOptions options;
  options.formulation = formulation;
  options.integrator = integrator;
  options.tolerance = 1e-12;
  return {"haltere", formulation + ", " + integrator,
          [&model, options, hinges](const Task& task) { return run_haltere(model, options, hinges, task); }};
}

bool has_exudyn() {
  return !read_output(fmt::format("{} -c 'import exudyn; print(1)' 2>/dev/null", kPython)).empty();
}

Runner make_exudyn(const std::string& machine, const std::string& form, const std::string& method) {
  return {"Exudyn", form + ", " + method, [=](const Task& task) {
            return read_trial(
                read_output(fmt::format("{} -W ignore {} {} {} {} {} {} {} 2>/dev/null", kPython, kScript,
                                        machine, form, method, task.steps, task.until, task.rows)));
          }};
}

double calc_difference(const Rows& a, const Rows& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (a[row].size() != b[row].size()) return INFINITY;
    for (std::size_t i = 0; i < a[row].size(); ++i) {
      const double difference = std::abs(a[row][i] - b[row][i]);
      if (!std::isfinite(difference)) return INFINITY;
      most = std::max(most, difference);
    }
  }
  return most;
}

}  // namespace haltere::bench
