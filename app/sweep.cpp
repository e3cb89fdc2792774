#include "app/sweep.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "app/verbs.h"

#include "haltere/model/wrong_input.h"
#include "haltere/simulate/effort.h"

namespace haltere {
namespace {

constexpr int kPoints = 101;
// more are taken for a slip of the pen; more than the last are none
constexpr std::size_t kManyPoints = 10000;
constexpr int kMostPoints = 10'000'000;
constexpr std::size_t kTableRows = 20;

/// The model with another value of the parameter. What is wrong with it is the sweep's: the model was read
/// without.
Model read_with(ModelArguments model, const std::string& parameter, const std::string& value) {
  model.set.push_back(parameter + "=" + value);
  try {
    return model.read();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.mark.file == "--set") problem.mark.file = "--sweep";
    throw InputError(std::move(problems));
  }
}

}  // namespace

void SweepArguments::add_to(CLI::App* verb, const std::string& what) {
  verb->add_option("--sweep", range, fmt::format("{}; {} points by default", what, kPoints))
      ->type_name("PARAM=a..b[:n]");
  verb->add_flag("--yes", yes, "insist on absurdly many points of a sweep");
}

Sweep read_sweep(const ModelArguments& model, const std::string& range) {
  const std::size_t sign = range.find('='), dots = range.find("..");
  if (sign == std::string::npos || dots == std::string::npos || dots < sign)
    throw wrong_input("--sweep", fmt::format("'{}' is no range", range), "write PARAM=a..b or PARAM=a..b:n");
  Sweep sweep;
  sweep.parameter = range.substr(0, sign);
  const std::string low = range.substr(sign + 1, dots - sign - 1);
  std::string high = range.substr(dots + 2);
  int points = kPoints;
  if (const std::size_t colon = high.find(':'); colon != std::string::npos) {
    const char *first = high.data() + colon + 1, *last = high.data() + high.size();
    if (const auto [end, error] = std::from_chars(first, last, points); error != std::errc() || end != last)
      throw wrong_input("--sweep", fmt::format("'{}' is no number of points", high.substr(colon + 1)),
                        "write PARAM=a..b:n");
    high.resize(colon);
  }
  if (points < 2 || points > kMostPoints)
    throw wrong_input("--sweep", fmt::format("'{}' has {} points", range, points),
                      fmt::format("2 to {}", kMostPoints));
  const auto value_of = [&](const std::string& value) {
    const Model changed = read_with(model, sweep.parameter, value);
    const auto slot = changed.find_parameter(sweep.parameter);
    if (!slot)
      throw wrong_input("--sweep", fmt::format("'{}' is no parameter of the model", sweep.parameter));
    return changed.calc_parameters()[*slot];
  };
  const Model given = model.read();
  if (const auto slot = given.find_parameter(sweep.parameter)) {
    const Measure& measure = given.parameters[*slot].measure;
    if (measure.kind == Measure::Kind::kExact) sweep.unit = to_string(measure.dimension);
  }
  const double first = value_of(low), last = value_of(high);
  if (!(first < last))
    throw wrong_input("--sweep", fmt::format("'{}' does not grow", range), "write a..b with a < b");
  for (int i = 0; i < points; ++i) sweep.values.push_back(first + (last - first) * i / (points - 1));
  return sweep;
}

Model read_at(const ModelArguments& model, const Sweep& sweep, double value) {
  return read_with(model, sweep.parameter, fmt::format("{}", value));
}

void require_affordable(const SweepArguments& arguments, const Sweep& sweep,
                        const std::function<double()>& calc_first) {
  if (arguments.yes || sweep.values.size() <= kManyPoints) return;
  const auto start = std::chrono::steady_clock::now();
  const double bytes = calc_first();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
               count = static_cast<double>(sweep.values.size());
  throw wrong_input("--sweep",
                    fmt::format("{:g} points take about {} and {} of memory or disk", count,
                                describe_duration(count * seconds), describe_bytes(count * bytes)),
                    "if it is meant, --yes insists");
}

std::size_t choose_stride(const Sweep& sweep) {
  return std::max<std::size_t>(1, (sweep.values.size() - 1) / kTableRows);
}

void say_stride(const Sweep& sweep) {
  if (const std::size_t every = choose_stride(sweep); every > 1)
    fmt::print(stderr, "of {} points one in {} is shown; --csv FILE has all\n", sweep.values.size(), every);
}

int report_failures(const Sweep& sweep, const std::vector<std::string>& failures) {
  const auto n =
      std::count_if(failures.begin(), failures.end(), [](const std::string& f) { return !f.empty(); });
  if (n == 0) return kSuccess;
  fmt::print(stderr, "{} of {} points failed; the others are kept\n", n, failures.size());
  for (std::size_t k = 0; k < failures.size(); ++k)
    if (!failures[k].empty() && (k == 0 || failures[k] != failures[k - 1]))
      fmt::print(stderr, "{} = {:.6g}{}{}: {}\n", sweep.parameter, sweep.values[k],
                 sweep.unit.empty() ? "" : " ", sweep.unit, failures[k]);
  return kComputationFailed;
}

}  // namespace haltere
