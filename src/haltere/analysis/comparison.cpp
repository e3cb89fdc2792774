#include "haltere/analysis/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "haltere/model/quantity.h"

namespace haltere {
namespace {

// tolerances of the best solution, and of the one that tells its error: ten times as large; choices
constexpr double kReference = 1e-12, kCheck = 1e-11;
// of an error in its scale: below it, it is rounding, and has no order
constexpr double kRounding = 1e-13;
// Where the next term of the error is h times the first, an order is off by its distance from the one before,
// or twice that from the one behind; below this it rounds to the right number.
constexpr double kWhole = 0.5;
// times the error of the reference: an error that is the method's own; a choice
constexpr double kClear = 3;

bool is_one_of(Quantity quantity, std::initializer_list<Quantity> list) {
  return std::find(list.begin(), list.end(), quantity) != list.end();
}

double find_largest(const MemorySink& sink, const std::string& channel) {
  double largest = 0;
  for (const double x : sink.column(channel)) largest = std::max(largest, std::abs(x));
  return largest;
}

/// All four of a quaternion, from its first.
std::array<std::string, 4> name_components(const std::string& w) {
  const std::string stem = w.substr(0, w.size() - 1);
  return {w, stem + "x", stem + "y", stem + "z"};
}

}  // namespace

std::string Trial::method() const {
  std::string text = formulation;
  if (formulation != "recursive") text += " " + chart;
  text += ", " + integrator;
  if (stabilization != "projection") text += ", " + stabilization;
  return text;
}

std::string Trial::setting() const {
  return step > 0 ? fmt::format("h = {:g} s", step) : fmt::format("{:.0e}", tolerance);
}

MethodComparison::MethodComparison(const Model& model, double until, double every, RunOptions hooks)
    : model_(model), until_(until), every_(every), hooks_(std::move(hooks)) {
  const double length = calc_model_length(model, model.calc_parameters());
  const std::vector<Channel> channels = make_channels(model);
  const bool jointed = std::any_of(channels.begin(), channels.end(), [](const Channel& c) {
    return is_one_of(c.quantity, {Quantity::kJointPosition, Quantity::kJointOrientation});
  });
  const auto add = [&](const Channel& channel, double size, Group* group) {
    group->channels.push_back(channel.name);
    group->sizes.push_back(size);
  };
  bool has_rows = false;
  for (const Channel& c : channels) has_rows |= c.quantity == Quantity::kConstraintMultiplier;
  for (const Channel& c : channels) {
    const double size = c.unit == "m" || c.unit == "m/s" ? length : 1;
    if (c.quantity == Quantity::kJointPosition || (!jointed && c.quantity == Quantity::kBodyPosition))
      add(c, size, &positions_);
    if (c.quantity == Quantity::kJointOrientation && c.component == 0)
      positions_.quaternions.push_back(c.name);
    if (c.quantity == Quantity::kJointVelocity || (!jointed && c.quantity == Quantity::kBodyVelocity))
      add(c, size, &velocities_);
    if (has_rows ? is_one_of(c.quantity, {Quantity::kConstraintForce})
                 : c.quantity == Quantity::kReactionForce)
      add(c, 0, &loads_);
  }
  Trial best;
  best.tolerance = kReference;
  const RunSummary summary = haltere::run(model_, make_options(best), {&reference_});
  if (summary.outcome == RunSummary::Outcome::kInterrupted) return;
  if (summary.outcome == RunSummary::Outcome::kFailed)
    throw RunError("the reference fails:\n" + summary.message);
  // loads count against the largest of all
  double largest = 0;
  for (const std::string& channel : loads_.channels)
    largest = std::max(largest, find_largest(reference_, channel));
  std::fill(loads_.sizes.begin(), loads_.sizes.end(), largest);
  Trial check = best;
  check.tolerance = kCheck;
  reference_errors_ = run(check).errors;
}

RunOptions MethodComparison::make_options(const Trial& trial) const {
  Settings settings;
  settings.formulation = trial.formulation;
  settings.chart = trial.chart;
  settings.integrator = trial.integrator;
  settings.stabilization = trial.stabilization;
  settings.until = until_;
  settings.every = every_;
  if (trial.step > 0)
    settings.step = trial.step;
  else
    settings.tolerance = trial.tolerance;
  RunOptions options = make_run_options(model_, settings);
  if (trial.step <= 0) options.step = 0;                      // of the model, meant for another method
  options.balance = std::numeric_limits<double>::infinity();  // what a method loses is what is compared
  options.insist = hooks_.insist;
  options.interrupt = hooks_.interrupt;
  options.progress = hooks_.progress;
  options.channels = {"drift.*"};
  for (const Group* group : {&positions_, &velocities_, &loads_})
    options.channels.insert(options.channels.end(), group->channels.begin(), group->channels.end());
  for (const std::string& w : positions_.quaternions)
    for (const std::string& channel : name_components(w)) options.channels.push_back(channel);
  return options;
}

TrialErrors MethodComparison::calc_errors(const MemorySink& sink) const {
  // rows of events lie at times of their own
  const std::vector<double> t = sink.column("t"), t_best = reference_.column("t");
  Rows rows;
  for (std::size_t i = 0, k = 0; i < t.size() && k < t_best.size();) {
    const double ours = t[i], best = t_best[k];
    if (ours == best) rows.emplace_back(i, k);
    if (ours <= best) ++i;
    if (best <= ours) ++k;
  }
  return {calc_largest(sink, positions_, rows), calc_largest(sink, velocities_, rows),
          calc_largest(sink, loads_, rows)};
}

double MethodComparison::calc_largest(const MemorySink& sink, const Group& group, const Rows& rows) const {
  double worst = -1;
  for (std::size_t i = 0; i < group.channels.size(); ++i) {
    if (!(group.sizes[i] > 0)) continue;
    const std::vector<double> ours = sink.column(group.channels[i]),
                              best = reference_.column(group.channels[i]);
    for (const auto& [row, other] : rows)
      worst = std::max(worst, std::abs(ours[row] - best[other]) / group.sizes[i]);
  }
  for (const std::string& w : group.quaternions) worst = std::max(worst, calc_turn(sink, w, rows));
  return worst;
}

/// The largest angle between two orientations, of which q and -q are the same.
double MethodComparison::calc_turn(const MemorySink& sink, const std::string& w, const Rows& rows) const {
  std::array<std::vector<double>, 4> ours, best;
  const std::array<std::string, 4> names = name_components(w);
  for (int i = 0; i < 4; ++i) {
    ours[i] = sink.column(names[i]);
    best[i] = reference_.column(names[i]);
  }
  double largest = -1;
  for (const auto& [row, other] : rows) {
    double difference = 0, sum = 0;
    for (int i = 0; i < 4; ++i) {
      difference += std::pow(ours[i][row] - best[i][other], 2);
      sum += std::pow(ours[i][row] + best[i][other], 2);
    }
    const double chord = std::sqrt(std::min(difference, sum));
    largest = std::max(largest, 4 * std::asin(std::min(chord / 2, 1.0)));
  }
  return largest;
}

TrialResult MethodComparison::run(const Trial& trial) const {
  MemorySink sink;
  TrialResult result{trial, {}, 0, haltere::run(model_, make_options(trial), {&sink})};
  result.errors = calc_errors(sink);
  result.drift = find_largest(sink, "drift.position");
  return result;
}

double calc_order(double coarse, double fine) {
  return std::log2(coarse / fine);
}

double calc_resolved(double reference_error) {
  return std::max(kRounding, kClear * reference_error);
}

std::vector<ObservedOrder> calc_orders(const std::vector<double>& errors, double resolved) {
  using Doubt = ObservedOrder::Doubt;
  std::vector<ObservedOrder> orders(errors.size());
  for (std::size_t k = 0; k < errors.size(); ++k) {
    ObservedOrder& order = orders[k];
    const double coarse = k == 0 ? -1 : errors[k - 1], fine = errors[k];
    if (k > 0 && (std::isnan(coarse) || std::isnan(fine)))
      order.doubt = Doubt::kFailed;
    else if (coarse < 0 || fine < 0)  // the first has none before it
      order.doubt = Doubt::kNothing;
    else if (coarse < resolved || fine < resolved)
      order.doubt = Doubt::kUnresolved;
    else
      order.value = calc_order(coarse, fine);
  }
  const std::vector<ObservedOrder> first = orders;
  const auto is_near = [&](std::size_t k, std::size_t other, double distance) {
    return other < first.size() && first[other].doubt == Doubt::kNone &&
           std::abs(first[k].value - first[other].value) < distance;
  };
  for (std::size_t k = 0; k < orders.size(); ++k)
    if (orders[k].doubt == Doubt::kNone &&
        (orders[k].value < kWhole || !(is_near(k, k - 1, kWhole) || is_near(k, k + 1, kWhole / 2))))
      orders[k].doubt = Doubt::kUnconfirmed;
  return orders;
}

}  // namespace haltere
