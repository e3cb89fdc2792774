#include "app/run_summary.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "app/json_file.h"

namespace haltere {
namespace {

constexpr std::size_t kShownEvents = 20;

Json make_events(const RunSummary& summary) {
  Json events = Json::array();
  for (const RunEvent& event : summary.events)
    events.push_back({{"name", event.name},
                      {"t", event.t},
                      {"stop", event.stop},
                      {"what", event.what},
                      {"energy_change", event.energy_change}});
  return events;
}

/// What the constraints made of the initial state.
Json make_start(const RunSummary& summary) {
  Json changes = Json::array();
  for (const StartChange& change : summary.start_changes) {
    Json& json = changes.emplace_back(
        Json{{"coordinate", change.name}, {"stated", change.is_stated}, {"change", change.change}});
    if (change.unit.empty()) continue;  // an orientation, which is no single number
    json["from"] = change.from;
    json["to"] = change.to;
    json["unit"] = change.unit;
  }
  return changes;
}

Json make_measures(const RunSummary& summary) {
  Json measures = Json::object();
  for (const MeasureResult& m : summary.measures) {
    Json& json = measures[m.name];
    json = {{"kind", m.kind}, {"of", m.of}, {"unit", m.unit}, {"period", m.period}, {"values", m.values}};
    json["value"] = m.is_known() ? Json(m.value()) : Json();
  }
  return measures;
}

Json make_audit(const Audit& audit) {
  Json json{{"energy_scale", audit.energy_scale},
            {"energy_balance", audit.energy_balance},
            {"relative_energy_balance", audit.relative_balance()},
            {"momentum_applies", audit.momentum_applies}};
  if (audit.momentum_applies) {
    json["momentum_drift"] = audit.momentum_drift;
    json["angular_momentum_drift"] = audit.angular_momentum_drift;
  }
  for (const ContactAudit& contact : audit.contacts)
    json["contacts"].push_back({{"name", contact.name},
                                {"pulled", contact.pulled},
                                {"first_pull", contact.first_pull},
                                {"strongest_pull", contact.strongest_pull},
                                {"friction_needed", contact.friction_needed},
                                {"friction_time", contact.friction_time}});
  return json;
}

/// The first ones; all are in the result.
void print_events(const std::vector<RunEvent>& events) {
  for (std::size_t i = 0; i < std::min(events.size(), kShownEvents); ++i) {
    const RunEvent& event = events[i];
    fmt::print(stderr, "event {} t={:.12g}{}{}{}\n", event.name, event.t, event.what.empty() ? "" : " ",
               event.what,
               event.energy_change == 0 ? "" : fmt::format(" (energy {:+.4g} J)", event.energy_change));
  }
  if (events.size() > kShownEvents)
    fmt::print(stderr, "and {} more events, which the result holds\n", events.size() - kShownEvents);
}

}  // namespace

void print_summary(const Model& model, const RunOptions& options, const RunSummary& summary,
                   const std::string& place) {
  const std::string name = model.case_name.empty() ? model.name : model.name + ", " + model.case_name;
  fmt::print(stderr, "{}: {} at t = {:.6g} s after {:.3g} s\n", name, name_of(summary.outcome), summary.t,
             summary.wall_seconds);
  fmt::print(stderr, "{} ({}): {} steps, {} rejected, {} evaluations, {} rows\n", options.integrator,
             options.formulation, summary.steps, summary.rejected, summary.evaluations, summary.rows);
  for (const std::string& note : summary.notes) fmt::print(stderr, "note: {}\n", note);
  print_events(summary.events);
  for (const MeasureResult& measure : summary.measures) fmt::print(stderr, "measure {}\n", measure.text());
  const std::string audit = summary.audit.text();
  fmt::print(stderr, "{}{}", audit, audit.empty() || audit.back() == '\n' ? "" : "\n");
  fmt::print(stderr, "result: {}\n", place);
}

void SummarySink::begin(const std::vector<Channel>&, const RunInfo& info) {
  info_ = info;
}

void SummarySink::end(const RunSummary& summary) {
  Json json{{"haltere", info_.version},
            {"model", info_.model_name},
            {"case", info_.case_name},
            {"formulation", info_.formulation},
            {"chart", info_.chart},
            {"integrator", info_.integrator},
            {"stabilization", info_.stabilization},
            {"until", info_.until},
            {"step", info_.step},
            {"every", info_.every},
            {"tolerance", info_.tolerance},
            {"outcome", name_of(summary.outcome)},
            {"t", summary.t},
            {"rows", summary.rows},
            {"steps", summary.steps},
            {"rejected", summary.rejected},
            {"evaluations", summary.evaluations},
            {"wall_seconds", summary.wall_seconds},
            {"events", make_events(summary)},
            {"audit", make_audit(summary.audit)},
            {"start_changes", make_start(summary)},
            {"notes", summary.notes},
            {"message", summary.message}};
  if (!summary.measures.empty()) json["measures"] = make_measures(summary);
  write_json(json, file_);
}

}  // namespace haltere
