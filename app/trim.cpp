#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/find_model.h"
#include "app/json_file.h"
#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/progress_bar.h"
#include "app/signals.h"
#include "app/state_names.h"
#include "app/table.h"

#include "haltere/analysis/floquet.h"
#include "haltere/io/initial_text.h"
#include "haltere/io/model_text.h"
#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/channel_formula.h"
#include "haltere/simulate/effort.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

// least share of a coordinate in a shape that is named, and how many are
constexpr double kShare = 0.02;
constexpr std::size_t kMostParts = 4;
// tolerance of adaptive methods where none is asked for: an orbit is to come back to 1e-10
constexpr double kTolerance = 1e-12;
// how many periods, and rows in each, the written file runs
constexpr int kPeriods = 3, kRows = 100;
// steps of a period beyond which they are taken for a slip of the pen
constexpr double kManySteps = 1e7;

struct TrimArguments {
  ModelArguments model;
  std::string period, mirror, continue_in;
  std::vector<std::string> free, mean, drift;
  bool steady = false, yes = false;
  std::string formulation, chart, integrator, step, tolerance;
  std::string output, json;
};

// -- what is asked for

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

RunOptions calc_method(const TrimArguments& a, const Model& model) {
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

void read_period(const TrimArguments& a, const Model& model, TrimSpec* trim) {
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
void require_affordable_steps(const TrimArguments& a, const Model& model, const OrbitRequest& request) {
  if (a.yes || !request.trim.period || request.method.step <= 0) return;
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

OrbitRequest make_request(const TrimArguments& a, const Model& model) {
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

// -- what was found

void print_report(const PeriodicOrbit& orbit) {
  if (!orbit.failure.empty())
    fmt::print(stderr, "where the search ended:\n");
  else if (orbit.period > 0)
    fmt::print(stderr, "periodic motion of {:.10g} s{}, {} steps a period\n", orbit.period,
               orbit.is_mirrored ? ", found over half a period and a mirror" : "", orbit.steps);
  else
    fmt::print(stderr, "steady motion\n");
  std::size_t width = 10;
  for (const auto& p : orbit.changed) width = std::max(width, p.name.size());
  for (const auto& t : orbit.targets) width = std::max(width, t.name.size());
  if (!orbit.changed.empty())
    fmt::print(stderr, "{:<{}}  {:>16} {:>16}\n", "parameter", width, "before", "after");
  for (const auto& p : orbit.changed)
    fmt::print(stderr, "{:<{}}  {:>16.10g} {:>16.10g} {}\n", p.name, width, p.before, p.after, p.unit);
  if (!orbit.targets.empty())
    fmt::print(stderr, "{:<{}}  {:>16} {:>16}\n", orbit.period > 0 ? "mean of" : "value of", width, "wanted",
               "reached");
  for (const auto& t : orbit.targets)
    fmt::print(stderr, "{:<{}}  {:>16.10g} {:>16.10g} {}{}\n", t.name, width, t.wanted, t.reached, t.unit,
               t.is_met ? "" : " NOT MET");
  fmt::print(stderr, "residual {:.1e} of what is to come back, the largest of {}; {} iterations\n",
             orbit.residual, orbit.worst.empty() ? "nothing" : orbit.worst, orbit.iterations);
  if (!orbit.walked.empty()) fmt::print(stderr, "walked there in {} legs\n", orbit.walked.size() - 1);
  for (const std::string& note : orbit.notes) fmt::print(stderr, "note: {}\n", note);
}

std::string write_multiplier(const FloquetMode& mode) {
  const std::complex<double> x = mode.multiplier;
  return mode.is_pair ? fmt::format("{:.8g} +- {:.8g} i", x.real(), std::abs(x.imag()))
                      : fmt::format("{:.8g}", x.real());
}

std::string write_shape(const OrbitMap& map, const FloquetMode& mode) {
  std::vector<ShapePart> parts = describe_shape(map, mode, kShare);
  const bool more = parts.size() > kMostParts;
  if (more) parts.resize(kMostParts);
  std::string text;
  for (const ShapePart& part : parts) {
    const std::string name = part.name.starts_with("joint.") ? part.name.substr(6) : part.name;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * part.share);
    const double degrees = part.phase * 180 / std::numbers::pi;
    if (std::abs(degrees) > 0.5) text += fmt::format(" at {:.0f} deg", degrees);
  }
  return text + (more ? ", ..." : "");
}

void print_modes(const PeriodicOrbit& orbit, const FloquetSet& set) {
  Table table;
  const bool periodic = set.period > 0;
  std::vector<std::string> head{"mode"};
  if (periodic) head.insert(head.end(), {"multiplier", "modulus"});
  head.insert(head.end(), {"growth [1/s]", "Hz", "half/double [s]", "what moves"});
  table.add(head);
  int i = 0;
  for (const FloquetMode& mode : set.modes) {
    std::vector<std::string> row{std::to_string(++i)};
    const bool is_still = !mode.grows() && !mode.decays();
    // what is smaller than the errors of differences is only known to be small
    const bool is_nothing = periodic && mode.accuracy > std::abs(mode.multiplier);
    if (is_nothing) {
      const double most = mode.accuracy + std::abs(mode.multiplier);
      row.insert(
          row.end(),
          {"0", fmt::format("< {:.1e}", most), fmt::format("< {:.4g}", std::log(most) / set.period), "-",
           most < 1 ? fmt::format("< {:.2g} to half", -std::numbers::ln2 * set.period / std::log(most))
                    : "-"});
    } else {
      if (periodic)
        row.insert(row.end(), {write_multiplier(mode), fmt::format("{:.8g}", std::abs(mode.multiplier))});
      row.push_back(is_still ? "0" : fmt::format("{:.6g}", mode.exponent.real()));
      row.push_back(mode.exponent.imag() > mode.rate_accuracy ? fmt::format("{:.6g}", mode.frequency())
                                                              : "-");
      row.push_back(is_still ? "-"
                             : fmt::format("{:.4g} to {}", mode.time(), mode.grows() ? "double" : "half"));
    }
    row.push_back(write_shape(orbit.map, mode));
    table.add(row);
  }
  if (!set.modes.empty()) table.print();
  if (!set.neutral.empty())
    fmt::print("neutral by symmetry, and left out: {}\n", fmt::join(set.neutral, ", "));
  double change = 0;
  for (const FloquetMode& mode : set.modes) change = std::max(change, mode.change);
  if (periodic && orbit.refined.F.size() > 0)
    fmt::print("half the steps change multipliers by {:.1e} at most\n", change);
  fmt::print("{}\n", set.verdict());
}

Json make_json(const Model& model, const StateNames& names, const PeriodicOrbit& orbit,
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
    for (const ShapePart& part : describe_shape(orbit.map, mode, kShare))
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
  return {{"haltere", version()},
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
          {"notes", orbit.notes}};
}

/// A model file that starts on the orbit and runs as the orbit was found.
std::string make_file(const TrimArguments& a, const Model& model, const OrbitRequest& request,
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
  changes.initial = make_initial_text(model, orbit.y.head(sizes.nq), orbit.y.segment(sizes.nq, sizes.nv));
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
  return make_model_text(find_model(a.model.model), {.case_name = a.model.case_name, .set = a.model.set},
                         changes);
}

/// With progress, and an end in order after Ctrl-C.
PeriodicOrbit search(const Model& model, OrbitRequest* request) {
  ProgressBar bar(true);
  request->method.interrupt = catch_signals();
  if (bar.is_shown())
    request->progress = [&](const OrbitProgress& p) {
      bar.say(fmt::format("iteration {}{}: derivative {} of {}", p.iteration + 1,
                          p.iteration > 0 ? fmt::format(", {:.1e} left over", p.residual) : "", p.done + 1,
                          p.of));
    };
  return find_orbit(*request, model);
}

int trim(const TrimArguments& a) {
  const Model model = a.model.read();
  require_outputs({a.json, a.output}, model.files);
  print_warnings(model);
  OrbitRequest request = make_request(a, model);
  const PeriodicOrbit orbit = search(model, &request);
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  const FloquetSet set = orbit.failure.empty() ? calc_floquet(orbit) : FloquetSet{};
  if (!a.json.empty()) write_json(make_json(model, StateNames(*equations), orbit, set), a.json);
  if (!orbit.failure.empty()) {
    if (!orbit.worst.empty()) print_report(orbit);
    fmt::print(stderr, "{}{}\n", orbit.failure,
               a.output.empty() ? "" : "\nnothing was written to " + a.output);
    return orbit.is_interrupted ? interrupted_status() : kComputationFailed;
  }
  print_report(orbit);
  if (a.json != "-" && a.output != "-") print_modes(orbit, set);
  if (!a.output.empty()) write_output(a.output, make_file(a, model, request, orbit, equations->sizes()));
  return orbit.is_interrupted ? interrupted_status() : kSuccess;
}

void add_options(CLI::App* verb, TrimArguments* a) {
  a->model.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, const char* type, auto* list) {
    verb->add_option(option, *list, what)->type_name(type)->expected(1)->take_all();
  };
  verb->add_option("--period", a->period, "of the motion, a time or a formula of parameters")->type_name("S");
  verb->add_flag("--steady", a->steady, "a steady motion, whatever the model says");
  add_list("--free", "a parameter that may change; may be repeated", "PARAM", &a->free);
  add_list("--mean", "a formula of channels whose mean is to be this; may be repeated", "FORMULA=VALUE",
           &a->mean);
  verb->add_option("--mirror", a->mirror,
                   "half a period and a mirror: x, y or z is normal to it; none: a whole period")
      ->type_name("AXIS")
      ->check(CLI::IsMember({"x", "y", "z", "none"}));
  add_list("--drift", "a position or angle that need not come back; may be repeated", "NAME", &a->drift);
  verb->add_option("--continue-in", a->continue_in, "walk there from an easier value of a parameter")
      ->type_name("PARAM=FROM");
  verb->add_option("--formulation", a->formulation, "see haltere list formulations")->type_name("NAME");
  verb->add_option("--chart", a->chart, "of rotations in 'absolute'")->type_name("NAME");
  verb->add_option("--integrator", a->integrator, "see haltere list integrators (dop853)")->type_name("NAME");
  verb->add_option("--step", a->step, "of methods with equal steps; a thousandth of the stretch by default")
      ->type_name("S");
  verb->add_option("--tolerance", a->tolerance, "of methods that choose their steps (1e-12)")
      ->type_name("REL");
  verb->add_flag("--yes", a->yes, "insist on absurdly many steps");
  verb->add_option("-o,--output", a->output, "a model file that starts on the motion; - is stdout")
      ->type_name("FILE");
  verb->add_option("--json", a->json, "all that was found as JSON; - is stdout")->type_name("FILE");
}

}  // namespace

void add_trim(CLI::App* program, Action* action) {
  CLI::App* verb =
      program->add_subcommand("trim", "periodic and steady motions, and whether they are stable");
  const auto a = std::make_shared<TrimArguments>();
  add_options(verb, a.get());
  verb->footer(
      "Finds the initial state, and values of the free parameters, with which all positions and velocities "
      "come "
      "back after\n"
      "the period and the means are as asked for; unstable motions, too. `trim:` of the model file says the "
      "same "
      "as the options.\n"
      "A coordinate whose mean velocity is asked for may advance. Without a period: a steady motion.\n"
      "Then Floquet multipliers: what small changes become after each period.\n"
      "Examples:\n"
      "  haltere trim hover.yaml --period 2*pi/omega --free A --mean body.thorax.velocity.z=0 -o "
      "trimmed.yaml\n"
      "  haltere trim pendulum.yaml --period 2 --continue-in amplitude=0.1\n"
      "Exit status 1 where no such motion was found, 130 after Ctrl-C; --json then tells where the search "
      "ended, and no "
      "model\nfile is written.");
  verb->callback([=] { *action = [=] { return trim(*a); }; });
}

}  // namespace haltere
