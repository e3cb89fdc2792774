#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "haltere/integrate/evaluator.h"
#include "haltere/simulate/notes.h"
#include "haltere/simulate/simulation.h"

/// What changes a machine while it moves: events, and whoever steps it.
namespace haltere {
namespace {

// an event that would happen more often until the end of the run has an accumulation point, or is a formula
// that flutters about zero; its pace is that of so many happenings. Choices; --yes insists.
constexpr long kMostHappenings = 100'000, kPaceHappenings = 1000;

}  // namespace

/// Events at one time: their changes in file order. The simulation then stands after them.
void Simulation::apply_events() {
  if (t_ > 0)
    look(t_);
  else
    system_.observe();
  for (const int event : happening_.events) {
    const Instant before = system_.instant();
    try {
      apply(event);
    } catch (const RunError& error) {
      system_.go_back_to(before);
      throw StepError(fmt::format("event '{}': {}", system_.model().events[event].name, error.what()));
    }
  }
}

void Simulation::apply(int event) {
  const EventSpec& spec = system_.model().events[event];
  require_rest(event, system_.count_happening(event));
  const Instant before = system_.instant();
  RunEvent record{.name = spec.name, .t = t_, .stop = spec.stop, .what = {}};
  if (spec.changes_mode() || !spec.set.empty()) record.what = system_.apply(spec, &summary_.notes);
  if (spec.clears_air()) {
    equations().restart_environment("air", t_, system_.y());
    record.what += record.what.empty() ? "the air is cleared" : ", the air is cleared";
  }
  system_.observe();
  if (spec.changes_mode()) note_redundant_rows();
  record.energy_change = system_.account_for(before);
  auditor_->add_event(before, system_.instant(), system_.parameters());
  if (spec.stop) record.what += record.what.empty() ? "stop" : ", stop";
  summary_.events.push_back(std::move(record));
}

/// An event that happens ever faster, or flutters, would never let the run end.
void Simulation::require_rest(int event, long count) {
  if (count % kPaceHappenings != 0) return;
  const double span = t_ - std::exchange(paced_[event], t_);
  if (options_.insist && span > 0) return;
  const double more =
      span > 0 ? kPaceHappenings * (options_.until - t_) / span : std::numeric_limits<double>::infinity();
  if (static_cast<double>(count) + more <= kMostHappenings) return;
  throw RunError(make_step_message(
      t_,
      fmt::format("it has happened {} times, the last {} of them in {:.2g} s", count, kPaceHappenings, span),
      "it flutters, or comes ever faster", "",
      "a direction, a second event at another value to switch back (hysteresis), a formula that moves away "
      "from "
      "zero after the event, or --yes to insist"));
}

/// What an event has made redundant is said once.
void Simulation::note_redundant_rows() {
  Equations& equations = system_.equations();
  const Sizes sizes = equations.sizes();
  Eigen::VectorXd g(sizes.ng), gdot(sizes.na);
  if (sizes.na == 0 || equations.calc_drift(t_, system_.y(), g, gdot) != Status::kOk) return;
  std::vector<std::string> rows;
  for (const int row : equations.find_dependent_rows())
    if (redundant_.insert(equations.row_name(row)).second) rows.push_back(equations.row_name(row));
  if (!rows.empty())
    summary_.notes.push_back(
        fmt::format("from t = {:.10g} s on {}", t_, say_of_all(rows, kIsRedundant, kAreRedundant)));
}

/// A change from outside, at the present time: accounted for, and the method begins anew.
void Simulation::change_now(const std::function<void()>& change) {
  if (done_) throw RunError(fmt::format("the simulation is done: it ended at t = {:.10g} s", t_));
  attempt([&] {
    const Instant before = instant();
    change();
    system_.observe();
    system_.account_for(before);
    auditor_->add_event(before, system_.instant(), system_.parameters());
    equations().past()->break_at(t_);
    begin_again();
  });
}

const Eigen::VectorXd& Simulation::state() {
  start();
  return system_.y();
}

void Simulation::set_state(const Eigen::VectorXd& y) {
  const auto size = state().size();
  if (y.size() != size || !y.allFinite())
    throw InputError({Problem{
        {},
        "state",
        y.size() != size ? fmt::format("has {} numbers", y.size()) : "has a number that is not finite",
        fmt::format("{} numbers make a state", size)}});
  change_now([&] { system_.move_to(y, &summary_.notes); });
}

const Instant& Simulation::instant() {
  start();
  if (!system_.is_observed()) system_.observe();
  return system_.instant();
}

int Simulation::find_parameter(std::string_view name) const {
  const Model& model = system_.model();
  if (const std::optional<int> slot = model.find_parameter(name)) return *slot;
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : model.parameters) names.push_back(parameter.name);
  throw InputError({Problem{
      {}, "parameter", fmt::format("there is no '{}'", name), did_you_mean(std::string(name), names)}});
}

double Simulation::parameter(std::string_view name) const {
  return system_.parameters()[find_parameter(name)];
}

void Simulation::set_parameter(std::string_view name, double value) {
  const int slot = find_parameter(name);
  const Model& model = system_.model();
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    throw InputError({Problem{{}, fmt::format("parameter '{}'", name), why, hint}});
  };
  if (model.parameters[slot].structural)
    refuse("decides how many blocks there are", "it cannot change during a run");
  if (!std::isfinite(value)) refuse("its value is not a finite number", "");
  std::vector<Problem> problems;
  check_model(model, system_.calc_parameters({{slot, value}}), &problems);
  std::erase_if(problems, [](const Problem& problem) { return problem.is_warning(); });
  if (!problems.empty()) throw InputError(std::move(problems));
  if (started_) return change_now([&] { system_.assign({{slot, value}}, &summary_.notes); });
  system_.prepare({{slot, value}});
  integrator_ = make_method(equations());  // its error norm has the scales of the machine
  watch_ = EventWatch(equations());
  auditor_ = make_auditor();
}

}  // namespace haltere
