#include "haltere/analysis/orbit_request.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/channel_formula.h"
#include "haltere/simulate/effort.h"

namespace haltere {
namespace {

// tolerance of adaptive methods where none is asked for: an orbit is to come back to 1e-10 (kPeriodic of
// periodic_orbit.cpp), and errors of a period add up
constexpr double kTolerance = 1e-12;
// steps of a period beyond which they are taken for a slip of the pen, unless --yes insists; a choice
constexpr double kManySteps = 1e7;

/// A formula that was typed behind an option.
MeasureSpec read_formula(const std::string& option, const std::string& text, const Model& model,
                         const std::optional<Dimension>& dimension) {
  MeasureSpec out;
  std::vector<TextProblem> found;
  ChannelFormulas(model).read(text, dimension, {}, &out, &found);
  std::vector<Problem> problems;
  for (const TextProblem& problem : found)
    problems.push_back({{option, 0, 0}, "'" + text + "'", problem.message, problem.hint});
  if (!problems.empty()) throw InputError(std::move(problems));
  out.name = text;
  out.mark = {option, 0, 0};
  return out;
}

/// The same, of parameters alone.
Expression read_constant(const std::string& option, const std::string& text, const Model& model,
                         const std::optional<Dimension>& dimension) {
  MeasureSpec formula = read_formula(option, text, model, dimension);
  if (formula.of.uses_locals())
    throw wrong_input(option, fmt::format("'{}' changes with time", text),
                      "only parameters can be used here");
  return std::move(formula.of);
}

int find_parameter(const std::string& option, const std::string& name, const Model& model) {
  if (const auto slot = model.find_parameter(name)) {
    if (!model.parameters[*slot].structural) return *slot;
    throw wrong_input(option, fmt::format("the number of repeated blocks depends on '{}'", name),
                      "it cannot change");
  }
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : model.parameters) names.push_back(parameter.name);
  throw wrong_input(option, fmt::format("'{}' is no parameter of the model", name),
                    did_you_mean(name, names));
}

void add_target(const std::string& text, const Model& model, TrimSpec* trim) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw wrong_input("--mean", fmt::format("'{}' is not of the form FORMULA=VALUE", text),
                      "as in --mean body.thorax.velocity.z=0");
  TrimSpec::Target target;
  target.mean = read_formula("--mean", text.substr(0, sign), model, std::nullopt);
  std::optional<Dimension> dimension;
  if (target.mean.of.measure().kind == Measure::Kind::kExact) dimension = target.mean.of.measure().dimension;
  target.value = read_constant("--mean", text.substr(sign + 1), model, dimension);
  std::erase_if(trim->targets,
                [&](const TrimSpec::Target& other) { return other.mean.name == target.mean.name; });
  trim->targets.push_back(std::move(target));
}

RunOptions calc_method(const TrimOptions& a, const Model& model) {
  Settings settings;
  if (!a.step.empty()) settings.step = read_quantity("--step", a.step, "s");
  settings.tolerance = a.tolerance.empty() ? kTolerance : read_quantity("--tolerance", a.tolerance, "");
  if (!a.formulation.empty()) settings.formulation = a.formulation;
  if (!a.chart.empty()) settings.chart = a.chart;
  if (!a.integrator.empty()) settings.integrator = a.integrator;
  RunOptions options = make_run_options(model, settings);
  // the model's step is meant for the model's method
  if (a.step.empty() && (!a.integrator.empty() || !model.settings.step)) options.step = 0;
  return options;
}

void read_period(const TrimOptions& a, const Model& model, TrimSpec* trim) {
  if (!a.period.empty()) trim->period = read_constant("--period", a.period, model, unit_of("s").dimension);
  if (a.steady) {
    trim->period.reset();
    trim->mirror.reset();
  }
  if (a.mirror == "none") trim->mirror.reset();
  if (a.mirror.size() == 1) trim->mirror = a.mirror[0] - 'x';
  if (trim->mirror && !trim->period)
    throw wrong_input("--mirror", "a steady motion has no half period",
                      "add --period, or leave the mirror out");
  if (!trim->period) return;
  const std::vector<double> parameters = model.calc_parameters();
  const double period = trim->period->calc<double, double>(parameters.data(), nullptr);
  if (!(period > 0) || !std::isfinite(period))
    throw wrong_input("--period", fmt::format("is {:g} s; must be greater than 0", period));
  if (period < kShortestTime || period > kLongestTime)
    throw wrong_input("--period", fmt::format("is {:g} s; must lie between {:g} and {:g} s", period,
                                              kShortestTime, kLongestTime));
}

/// Equal steps that would take an age, or fill the memory.
void require_affordable_steps(const TrimOptions& a, const Model& model, const OrbitRequest& request) {
  if (a.insist || !request.trim.period || request.method.step <= 0) return;
  const std::vector<double> parameters = model.calc_parameters();
  const double steps =
      request.trim.period->calc<double, double>(parameters.data(), nullptr) / request.method.step;
  if (!(steps > kManySteps)) return;
  // four motions for each derivative, half the steps once more in the end
  const double unknowns = 2. * static_cast<double>(request.drift.size() + request.trim.parameters.size()),
               motions = 4 * unknowns, order = find_integrator(request.method.integrator)->order;
  throw wrong_input(
      "--step",
      fmt::format("{:g} s are {:.3g} steps a period: {} of memory, and at least {} for each iteration",
                  request.method.step, steps, describe_bytes(steps * sizeof(double)),
                  describe_duration(motions * order * steps * measure_evaluation(model))),
      "if it is meant, --yes insists");
}

void add_drift(const char* where, const std::string& glob, const Model& model, std::vector<bool>* drift) {
  const CoordinateSelection named = select_coordinates(model, glob, where);
  const std::vector<StateCoordinate> coordinates = list_coordinates(model);
  for (std::size_t i = 0; i < named.positions.size(); ++i) {
    if (!named.positions[i] && !named.velocities[i]) continue;
    if (coordinates[i].motion == Motion::kTurn)
      throw wrong_input(where, fmt::format("'{}' is an orientation, which has to come back", glob),
                        "positions and angles may advance");
    (*drift)[i] = true;
  }
}

/// PARAM=FROM
std::pair<int, double> read_walk(const std::string& text, const Model& model, const TrimSpec& trim) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos)
    throw wrong_input("--continue-in", fmt::format("'{}' is not of the form PARAM=FROM", text));
  const int slot = find_parameter("--continue-in", text.substr(0, sign), model);
  if (std::find(trim.parameters.begin(), trim.parameters.end(), slot) != trim.parameters.end())
    throw wrong_input("--continue-in", fmt::format("'{}' is free", model.parameters[slot].name),
                      "walk in a parameter that the motion is not to choose");
  const Measure& measure = model.parameters[slot].measure;
  std::optional<Dimension> dimension;
  if (measure.kind == Measure::Kind::kExact) dimension = measure.dimension;
  const Expression from = read_constant("--continue-in", text.substr(sign + 1), model, dimension);
  return {slot, from.calc<double, double>(model.calc_parameters().data(), nullptr)};
}

}  // namespace

OrbitRequest make_orbit_request(const Model& model, const TrimOptions& a) {
  OrbitRequest request;
  if (model.trim) request.trim = *model.trim;
  TrimSpec& trim = request.trim;
  read_period(a, model, &trim);
  for (const std::string& name : a.free) {
    const int slot = find_parameter("--free", name, model);
    if (std::find(trim.parameters.begin(), trim.parameters.end(), slot) == trim.parameters.end())
      trim.parameters.push_back(slot);
  }
  for (const std::string& text : a.mean) add_target(text, model, &trim);
  request.drift = find_drifting(model, trim.targets);
  for (const std::string& glob : trim.drift) add_drift("trim: drift", glob, model, &request.drift);
  for (const std::string& glob : a.drift) add_drift("--drift", glob, model, &request.drift);
  if (!a.continue_in.empty()) request.continue_in = read_walk(a.continue_in, model, trim);
  request.method = calc_method(a, model);
  require_affordable_steps(a, model, request);
  return request;
}

}  // namespace haltere
