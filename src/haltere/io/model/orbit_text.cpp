#include "haltere/io/model/orbit_text.h"

#include <cmath>

#include <fmt/format.h>

#include "haltere/io/json.h"
#include "haltere/io/model/initial_text.h"
#include "haltere/io/model/model_text.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

// how many periods, and rows in each, the written file runs; choices, which its user may change
constexpr int kPeriods = 3, kRows = 100;

}  // namespace

std::string make_orbit_json(const Model& model, const StateNames& names, const PeriodicOrbit& orbit,
                            const FloquetSet& set) {
  const auto nq = static_cast<int>(names.q.size());
  Json q = Json::object(), v = Json::object(), parameters = Json::object(), targets = Json::array(),
       modes = Json::array();
  for (int i = 0; i < nq; ++i) q[names.q[i]] = orbit.y[i];
  for (int i = 0; i < static_cast<int>(names.v.size()); ++i) v[names.v[i]] = orbit.y[nq + i];
  for (const auto& p : orbit.changed)
    parameters[p.name] = {{"before", p.before}, {"after", p.after}, {"unit", p.unit}};
  for (const auto& t : orbit.targets)
    targets.push_back(
        {{"of", t.name}, {"wanted", t.wanted}, {"reached", t.reached}, {"unit", t.unit}, {"met", t.is_met}});
  for (const FloquetMode& mode : set.modes) {
    Json shape = Json::array(), json;
    for (const ShapePart& part : describe_shape(orbit.map, mode, kNamedShare))
      shape.push_back({{"name", part.name}, {"share", part.share}, {"phase", part.phase}});
    if (set.period > 0)
      json = {{"multiplier", {mode.multiplier.real(), mode.multiplier.imag()}},
              {"modulus", std::abs(mode.multiplier)},
              {"change_with_half_steps", mode.change}};
    json["exponent"] = {mode.exponent.real(), mode.exponent.imag()};
    json["accuracy"] = mode.accuracy;
    json["pair"] = mode.is_pair;
    json["grows"] = mode.grows();
    json["frequency"] = mode.frequency();
    json["time"] = std::isfinite(mode.time()) ? Json(mode.time()) : Json();
    json["shape"] = shape;
    modes.push_back(std::move(json));
  }
  return to_text(
      {{"haltere", version()},
       {"model", model.name},
       {"case", model.case_name},
       {"found", orbit.failure.empty()},
       {"interrupted", orbit.is_interrupted},
       {"message", orbit.failure},
       {"period", orbit.period},
       {"mirrored", orbit.is_mirrored},
       {"residual", orbit.residual},
       {"worst", orbit.worst},
       {"iterations", orbit.iterations},
       {"steps", orbit.steps},
       {"parameters", parameters},
       {"targets", targets},
       {"walked", orbit.walked},
       {"q", q},
       {"v", v},
       {"stable", set.is_stable()},
       {"growing", set.count_growing()},
       {"time_to_double", std::isfinite(set.time_to_double()) ? Json(set.time_to_double()) : Json()},
       {"neutral", set.neutral},
       {"modes", modes},
       {"notes", orbit.notes}});
}

std::string make_orbit_model(const ModelSource& source, const Model& model, const OrbitRequest& request,
                             const PeriodicOrbit& orbit, const Sizes& sizes) {
  ModelChanges changes;
  changes.comment =
      fmt::format("{}{}: {} found by haltere trim {}, residual {:.1e}", model.name,
                  model.case_name.empty() ? "" : ", " + model.case_name,
                  orbit.period > 0 ? "a periodic motion" : "a steady motion", version(), orbit.residual);
  for (const int slot : request.trim.parameters) {
    const ParameterSpec& parameter = model.parameters[slot];
    const bool has_unit =
        parameter.measure.kind == Measure::Kind::kExact && parameter.measure.dimension != Dimension{};
    changes.parameters.emplace_back(
        parameter.name, fmt::format("{}{}", orbit.parameters[slot],
                                    has_unit ? " " + to_string(parameter.measure.dimension) : ""));
  }
  changes.initial = make_initial_text(model, sizes.q(orbit.y), sizes.v(orbit.y));
  if (orbit.period > 0) {
    const RunOptions& method = request.method;
    changes.simulation = {{"until", fmt::format("{}", kPeriods * orbit.period)},
                          {"every", fmt::format("{}", orbit.period / kRows)},
                          {"integrator", method.integrator},
                          {"step", orbit.step > 0 ? fmt::format("{}", orbit.step) : ""},
                          {"tolerance", orbit.step > 0 ? "" : fmt::format("{}", method.tolerance)},
                          {"formulation", method.formulation},
                          {"chart", method.formulation == "recursive" ? "" : method.chart}};
  }
  return make_model_text(source.path, source.options, changes);
}

}  // namespace haltere
