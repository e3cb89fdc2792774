#include "haltere/simulate/effort.h"

#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace haltere {
namespace {

constexpr const char* kInsist = "if it is meant, --yes insists";

/// Where a setting comes from: the file, or the command line.
Problem make_problem(const Model& model, const std::string& name, const std::optional<double>& in_file,
                     double value) {
  const auto mark = model.settings.marks.find(name);
  const bool from_file = in_file && *in_file == value && mark != model.settings.marks.end();
  Problem problem;
  if (from_file) problem.mark = mark->second;
  problem.thing = from_file ? "simulation: " + name : "--" + name;
  problem.hint = kInsist;
  return problem;
}

}  // namespace

double measure_evaluation(const Model& model) {
  using Clock = std::chrono::steady_clock;
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  const Eigen::VectorXd y = equations->calc_initial_state();
  Eigen::VectorXd ydot = Eigen::VectorXd::Zero(y.size());
  if (equations->calc_ydot(0, y, ydot) != Status::kOk) return 0;  // and fills caches
  const auto start = Clock::now();
  constexpr int kTimes = 3;  // an estimate to one digit will do
  for (int i = 0; i < kTimes; ++i)
    if (equations->calc_ydot(0, y, ydot) != Status::kOk) return 0;
  return std::chrono::duration<double>(Clock::now() - start).count() / kTimes;
}

std::string describe_duration(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 5> kUnits{
      {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}, {0, "s"}}};
  for (const auto& [size, name] : kUnits)
    if (seconds >= 2 * size) return fmt::format("{:.2g} {}", size > 0 ? seconds / size : seconds, name);
  return "";
}

std::string describe_bytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t i = 0;
  for (; bytes >= 1000 && i + 1 < kUnits.size(); ++i) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, kUnits[i]);
}

void require_affordable(const Model& model, const RunOptions& options, std::size_t channels) {
  if (options.insist) return;
  const IntegratorInfo* method = find_integrator(options.integrator);
  const bool equal = method != nullptr && !method->chooses_steps(options.step);
  const double rows = options.until / options.every, steps = equal ? options.until / options.step : 0;
  const double bytes = rows * static_cast<double>(channels) * sizeof(double);
  const bool many_rows = rows > kManyRows || bytes > kManyBytes;
  if (!many_rows && !(steps > kManySteps)) return;
  const double evaluation = measure_evaluation(model);
  const double seconds = evaluation * std::max(rows, steps * (equal ? method->order : 1));
  const std::string time = seconds > 0 ? ", at least " + describe_duration(seconds) : "";
  Problem problem = many_rows ? make_problem(model, "every", model.settings.every, options.every)
                              : make_problem(model, "step", model.settings.step, options.step);
  problem.message = many_rows ? fmt::format("asks for {:.3g} rows of {} channels: {} in memory or on disk{}",
                                            rows, channels, describe_bytes(bytes), time)
                              : fmt::format("asks for {:.3g} steps{}", steps, time);
  throw InputError({problem});
}

}  // namespace haltere
