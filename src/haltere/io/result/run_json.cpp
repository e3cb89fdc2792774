#include "haltere/io/result/run_json.h"

#include "haltere/io/json.h"

namespace haltere {
namespace {

Json list_events(const RunSummary& summary) {
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
Json list_start_changes(const RunSummary& summary) {
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

Json list_measures(const RunSummary& summary) {
  Json measures = Json::object();
  for (const MeasureResult& m : summary.measures) {
    Json& json = measures[m.name];
    json = {{"kind", m.kind}, {"of", m.of}, {"unit", m.unit}, {"period", m.period}, {"values", m.values}};
    json["value"] = m.is_known() ? Json(m.value()) : Json();
  }
  return measures;
}

Json describe_audit(const Audit& audit) {
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

}  // namespace

std::string make_run_json(const RunInfo& info, const RunSummary& summary) {
  Json json{{"haltere", info.version},
            {"model", info.model_name},
            {"case", info.case_name},
            {"formulation", info.formulation},
            {"chart", info.chart},
            {"integrator", info.integrator},
            {"stabilization", info.stabilization},
            {"until", info.until},
            {"step", info.step},
            {"every", info.every},
            {"tolerance", info.tolerance},
            {"outcome", name_of(summary.outcome)},
            {"t", summary.t},
            {"rows", summary.rows},
            {"steps", summary.steps},
            {"rejected", summary.rejected},
            {"evaluations", summary.evaluations},
            {"wall_seconds", summary.wall_seconds},
            {"events", list_events(summary)},
            {"audit", describe_audit(summary.audit)},
            {"start_changes", list_start_changes(summary)},
            {"notes", summary.notes},
            {"message", summary.message}};
  if (!summary.measures.empty()) json["measures"] = list_measures(summary);
  return to_text(json);
}

}  // namespace haltere
