#include "haltere/io/result/analysis_json.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "haltere/io/json.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

Json make_state(const Names& names, ConstRef values) {
  Json state = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) state[names[i]] = values[static_cast<Eigen::Index>(i)];
  return state;
}

std::vector<std::string> list_chosen(const Names& names, const std::vector<SteadyRole>& roles) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (roles[i] != SteadyRole::kFound) chosen.push_back(names[i]);
  return chosen;
}

Json describe_coefficients(const AirCoefficients& c) {
  return {{"CL", c.CL}, {"CD", c.CD}, {"CY", c.CY}, {"Cl", c.Cl}, {"Cm", c.Cm}, {"Cn", c.Cn}};
}

Json describe_air(const SteadyAir& air) {
  const TunnelReading& r = air.reading;
  Json json{{"stream", to_json(r.stream)},
            {"reference", to_json(r.reference)},
            {"dynamic_pressure", r.dynamic_pressure},
            {"area", r.area},
            {"span", r.span},
            {"chord", r.chord},
            {"total", describe_coefficients(r.total)},
            {"CD_far", r.CD_far}};
  for (std::size_t k = 0; k < TunnelReading::kVariables.size(); ++k)
    json["derivatives"][std::string(TunnelReading::kVariables[k])] = describe_coefficients(r.derivatives[k]);
  for (std::size_t s = 0; s < air.surfaces.size(); ++s) {
    Json& surface = json["surfaces"][air.surfaces[s]];
    surface = describe_coefficients(r.surfaces[s]);
    for (const TunnelReading::Strip& strip : r.strips[s])
      surface["strips"].push_back(
          {{"place", strip.place}, {"width", strip.width}, {"chord", strip.chord}, {"cl", strip.cl}});
  }
  return json;
}

}  // namespace

std::string make_assembly_json(const StateNames& names, const AssemblyRoles& roles, const Assembly& assembly,
                               const Equations& equations) {
  const Model& model = equations.model();
  const auto nq = static_cast<int>(names.q.size()), nv = static_cast<int>(names.v.size());
  const std::vector<StateCoordinate> coordinates = list_coordinates(model);
  const auto make_roles = [](const Names& all, const std::vector<AssemblyRole>& of) {
    Json json = Json::object();
    for (std::size_t i = 0; i < all.size(); ++i) json[all[i]] = to_word(of[i]);
    return json;
  };
  Json redundant = Json::array(), free_q = Json::array(), free_v = Json::array(), others = Json::array();
  for (const int row : assembly.redundant_rows) redundant.push_back(equations.row_name(row));
  for (const int i : assembly.free_positions) free_q.push_back(coordinates[i].position);
  for (const int i : assembly.free_velocities) free_v.push_back(coordinates[i].velocity);
  for (const Branch& other : assembly.others)
    others.push_back({{"distance", other.distance},
                      {"isolated", other.is_isolated},
                      {"q", make_state(names.q, other.y.head(nq))}});
  return to_text({{"haltere", version()},
                  {"model", model.name},
                  {"case", model.case_name},
                  {"t", 0},
                  {"q", make_state(names.q, assembly.y.head(nq))},
                  {"v", make_state(names.v, assembly.y.segment(nq, nv))},
                  {"guess",
                   {{"q", make_state(names.q, assembly.guess.head(nq))},
                    {"v", make_state(names.v, assembly.guess.segment(nq, nv))}}},
                  {"roles", {{"q", make_roles(names.q, roles.q)}, {"v", make_roles(names.v, roles.v)}}},
                  {"distance", assembly.distance},
                  {"drift", assembly.drift},
                  {"guesses", assembly.n_guesses},
                  {"ran_away", assembly.ran_away},
                  {"others", others},
                  {"redundant_rows", redundant},
                  {"not_determined", {{"q", free_q}, {"v", free_v}}},
                  {"singular", assembly.is_singular},
                  {"regularity", assembly.regularity},
                  {"notes", assembly.notes}});
}

std::string make_equilibrium_json(const StateNames& names, const SteadyState& state, double acceleration,
                                  const SteadyAir* air) {
  const Equilibrium& found = state.equilibrium;
  const auto nq = static_cast<int>(names.q.size()), nv = static_cast<int>(names.v.size());
  const SteadyRoles roles = calc_roles(state);
  Json loads = Json::object();
  for (int i = 0; i < found.lambda.size(); ++i) loads[state.equations->row_name(i)] = found.lambda[i];
  Json json{{"haltere", version()},
            {"model", state.model.name},
            {"case", state.model.case_name},
            {"at_rest", found.is_at_rest()},
            {"q", make_state(names.q, found.y.head(nq))},
            {"v", make_state(names.v, found.y.segment(nq, nv))},
            {"turn", to_json(found.turn)},
            {"multipliers", loads},
            {"residual", found.residual},
            {"acceleration_left", acceleration},
            {"iterations", found.iterations},
            {"settled", found.settled},
            {"not_determined", {{"q", list_chosen(names.q, roles.q)}, {"v", list_chosen(names.v, roles.v)}}},
            {"notes", found.notes}};
  if (!names.x.empty())
    json["x"] = make_state(names.x, found.y.segment(nq + nv, static_cast<Eigen::Index>(names.x.size())));
  if (air != nullptr) json["air"] = describe_air(*air);
  return to_text(json);
}

std::string make_steady_json(const Model& model, const SteadySweep& sweep) {
  Json points = Json::array();
  for (const SteadyPoint& point : sweep.points) {
    if (!point.is_found()) {
      points.push_back({{"value", point.value}, {"outcome", "failed"}, {"message", point.failure}});
      continue;
    }
    Json json{{"value", point.value},
              {"outcome", "found"},
              {"at_rest", point.is_at_rest},
              {"q", make_state(sweep.q_names, point.q)},
              {"v", make_state(sweep.v_names, point.v)},
              {"residual", point.residual},
              {"acceleration_left", point.acceleration},
              {"iterations", point.iterations},
              {"notes", point.notes}};
    if (point.air) json["air"] = describe_air(*point.air);
    points.push_back(std::move(json));
  }
  return to_text({{"haltere", version()},
                  {"model", model.name},
                  {"case", model.case_name},
                  {"parameter", sweep.parameter},
                  {"unit", sweep.unit},
                  {"points", points}});
}

std::string make_steady_csv(const SteadySweep& sweep) {
  const std::vector<SweepColumn> columns = list_columns(sweep);
  std::string text = sweep.parameter;
  for (const SweepColumn& column : columns) text += ',' + column.name;
  text += ",outcome\n";
  for (std::size_t k = 0; k < sweep.points.size(); ++k) {
    text += fmt::format("{}", sweep.points[k].value);
    for (const SweepColumn& column : columns)
      text += std::isnan(column.values[k]) ? "," : fmt::format(",{}", column.values[k]);
    text += sweep.points[k].is_found() ? ",found\n" : ",failed\n";
  }
  return text;
}

std::string make_modes_json(const Model& model, const Linearization& linearization, const ModeSet& set) {
  Json modes = Json::array();
  for (const Eigenmode& mode : set.modes) {
    Json shape = Json::array();
    for (const ShapePart& part : describe_shape(linearization, mode, kNamedShare))
      shape.push_back({{"name", part.name}, {"share", part.share}, {"phase", part.phase}});
    modes.push_back({{"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}},
                     {"accuracy", mode.accuracy},
                     {"neutral", mode.is_neutral},
                     {"frequency", mode.frequency()},
                     {"damping", mode.damping()},
                     {"shape", shape}});
  }
  if (linearization.wrenches.cols() > 0)  // the air has no matrices of the machine's size
    return to_text({{"haltere", version()},
                    {"model", model.name},
                    {"case", model.case_name},
                    {"stable", set.is_stable()},
                    {"growing", set.count_growing()},
                    {"modes", modes}});
  const StateSpace system = make_state_space(linearization);
  return to_text({{"haltere", version()},
                  {"model", model.name},
                  {"case", model.case_name},
                  {"stable", set.is_stable()},
                  {"growing", set.count_growing()},
                  {"symmetric", set.n_symmetric},
                  {"modes", modes},
                  {"states", system.states},
                  {"inputs", system.inputs},
                  {"outputs", system.outputs},
                  {"A", rows_of(system.A)},
                  {"B", rows_of(system.B)},
                  {"C", rows_of(system.C)}});
}

std::string make_locus_csv(const std::string& parameter, const RootLocus& locus) {
  std::string text = parameter;
  for (std::size_t i = 0; i < locus.tracks.size(); ++i) text += fmt::format(",re{0},im{0}", i + 1);
  text += ",growing,outcome\n";
  for (std::size_t k = 0; k < locus.values.size(); ++k) {
    text += fmt::format("{}", locus.values[k]);
    for (const auto& track : locus.tracks)
      text += std::isnan(track[k].real()) ? ",," : fmt::format(",{},{}", track[k].real(), track[k].imag());
    text += locus.has(k) ? fmt::format(",{},found\n", locus.sets[k].count_growing()) : ",,failed\n";
  }
  return text;
}

}  // namespace haltere
