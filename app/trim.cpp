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
#include "app/model_arguments.h"
#include "app/motion_file.h"
#include "app/output_file.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/signals.h"
#include "app/table.h"

#include "haltere/analysis/flow.h"
#include "haltere/analysis/orbit_request.h"
#include "haltere/io/model/orbit_text.h"

namespace haltere {
namespace {

constexpr std::size_t kMostNamed = 4;  // of a shape, that are named

struct TrimArguments {
  ModelArguments model;
  TrimOptions options;
  std::string output, json, report;
};

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
  std::vector<ShapePart> parts = describe_shape(map, mode, kNamedShare);
  const bool more = parts.size() > kMostNamed;
  if (more) parts.resize(kMostNamed);
  std::string text;
  for (const ShapePart& part : parts) {
    const std::string name = part.name.starts_with("joint.") ? part.name.substr(6) : part.name;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * part.share);
    const double degrees = part.phase * 180 / std::numbers::pi;
    if (std::abs(degrees) > 0.5) text += fmt::format(" at {:.0f} deg", degrees);
  }
  return text + (more ? ", ..." : "");
}

/// Multiplier, growth, frequency and time of a mode; the first two columns of periodic motions alone.
std::vector<std::string> write_columns(const FloquetSet& set, const FloquetMode& mode) {
  const bool periodic = set.period > 0;
  // what is smaller than the errors of differences is only known to be small
  if (periodic && mode.accuracy > std::abs(mode.multiplier)) {
    const double most = mode.accuracy + std::abs(mode.multiplier);
    return {
        "0", fmt::format("< {:.1e}", most), fmt::format("< {:.4g}", std::log(most) / set.period), "-",
        most < 1 ? fmt::format("< {:.2g} to half", -std::numbers::ln2 * set.period / std::log(most)) : "-"};
  }
  const bool is_still = !mode.grows() && !mode.decays();
  std::vector<std::string> columns;
  if (periodic) columns = {write_multiplier(mode), fmt::format("{:.8g}", std::abs(mode.multiplier))};
  columns.push_back(is_still ? "0" : fmt::format("{:.6g}", mode.exponent.real()));
  columns.push_back(mode.exponent.imag() > mode.rate_accuracy ? fmt::format("{:.6g}", mode.frequency())
                                                              : "-");
  columns.push_back(is_still ? "-"
                             : fmt::format("{:.4g} to {}", mode.time(), mode.grows() ? "double" : "half"));
  return columns;
}

void print_modes(const PeriodicOrbit& orbit, const FloquetSet& set) {
  Table table;
  std::vector<std::string> head{"mode"};
  if (set.period > 0) head.insert(head.end(), {"multiplier", "modulus"});
  head.insert(head.end(), {"growth [1/s]", "Hz", "half/double [s]", "what moves"});
  table.add(head);
  int i = 0;
  for (const FloquetMode& mode : set.modes) {
    std::vector<std::string> row{std::to_string(++i)};
    for (std::string& column : write_columns(set, mode)) row.push_back(std::move(column));
    row.push_back(write_shape(orbit.map, mode));
    table.add(row);
  }
  if (!set.modes.empty()) table.print();
  if (!set.neutral.empty())
    fmt::print("neutral by symmetry, and left out: {}\n", fmt::join(set.neutral, ", "));
  double change = 0;
  for (const FloquetMode& mode : set.modes) change = std::max(change, mode.change);
  if (set.period > 0 && orbit.refined.F.size() > 0)
    fmt::print("half the steps change multipliers by {:.1e} at most\n", change);
  fmt::print("{}\n", set.verdict());
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

// -- the page

ReportFigure draw_multipliers(const OrbitMap& map, const FloquetSet& set) {
  const bool is_periodic = set.period > 0;
  ReportFigure figure{is_periodic ? "Floquet multipliers" : "eigenvalues",
                      {"real part", is_periodic ? "" : "1/s"},
                      {"imaginary part", is_periodic ? "" : "1/s"},
                      is_periodic,
                      is_periodic};
  ReportSeries series{"modes"};
  for (const FloquetMode& mode : set.modes)
    for (const double sign : {1., -1.}) {
      if (sign < 0 && !mode.is_pair) continue;
      const std::complex<double> x = is_periodic ? mode.multiplier : mode.exponent;
      series.x.push_back(x.real());
      series.y.push_back(sign * x.imag());
      series.texts.push_back(write_shape(map, mode));
    }
  figure.series.push_back(std::move(series));
  return figure;
}

ReportTable list_multipliers(const OrbitMap& map, const FloquetSet& set) {
  ReportTable table{set.verdict(), {{"mode", true}}};
  if (set.period > 0) table.columns.insert(table.columns.end(), {{"multiplier", true}, {"modulus", true}});
  table.columns.insert(
      table.columns.end(),
      {{"growth [1/s]", true}, {"Hz", true}, {"half/double [s]", true}, {"what moves", false}});
  for (const FloquetMode& mode : set.modes) {
    std::vector<std::string> row{std::to_string(table.rows.size() + 1)};
    for (std::string& column : write_columns(set, mode)) row.push_back(std::move(column));
    row.push_back(write_shape(map, mode));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The motion once round, and its multipliers.
void write_orbit_page(const TrimArguments& a, const Model& model, const OrbitRequest& request,
                      const PeriodicOrbit& orbit, const FloquetSet& set) {
  ReportContent content{a.model.calc_label()};
  content.figures.push_back(draw_multipliers(orbit.map, set));
  content.tables.push_back(list_multipliers(orbit.map, set));
  ReportTable changed{"parameters",
                      {{"parameter", false}, {"before", true}, {"after", true}, {"unit", false}}};
  for (const auto& p : orbit.changed)
    changed.rows.push_back(
        {p.name, fmt::format("{:.10g}", p.before), fmt::format("{:.10g}", p.after), p.unit});
  if (!changed.rows.empty()) content.tables.push_back(std::move(changed));
  MotionFile file(model, orbit.parameters, request.method);
  Flow flow(model, request.method);
  flow.set_parameters(orbit.parameters);
  constexpr int kSamples = 240;
  if (orbit.period > 0) {
    Eigen::VectorXd end;
    std::string failure = flow.choose_steps(0, orbit.y, orbit.period);
    if (failure.empty())
      failure = flow.integrate(
          0, orbit.y, orbit.period,
          {kSamples, [&](double t, const Eigen::VectorXd& y) { file.add(t, flow.observe(t, y)); }}, &end);
    if (!failure.empty()) throw RunError("the page has no motion: " + failure);
  } else {
    file.add(0, flow.observe(0, orbit.y));
  }
  content.results.push_back({&file.finish(), "orbit"});
  if (orbit.period > 0) content.results.back().loop = orbit.period;
  write_report(a.report, content);
  fmt::print(stderr, "wrote {}\n", a.report);
}

int trim(const TrimArguments& a) {
  const Model model = a.model.read();
  require_outputs({a.json, a.output, a.report}, model.files);
  if (!a.report.empty()) require_page(a.report, true);
  print_warnings(model);
  OrbitRequest request = make_orbit_request(model, a.options);
  const PeriodicOrbit orbit = search(model, &request);
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  const FloquetSet set = orbit.failure.empty() ? calc_floquet(orbit) : FloquetSet{};
  if (!a.json.empty()) write_output(a.json, make_orbit_json(model, StateNames(*equations), orbit, set));
  if (!orbit.failure.empty()) {
    if (!orbit.worst.empty()) print_report(orbit);
    fmt::print(stderr, "{}{}\n", orbit.failure,
               a.output.empty() ? "" : "\nnothing was written to " + a.output);
    return orbit.is_interrupted ? interrupted_status() : kComputationFailed;
  }
  print_report(orbit);
  if (a.json != "-" && a.output != "-") print_modes(orbit, set);
  if (!a.output.empty()) {
    const ModelSource source{find_model(a.model.model), {.case_name = a.model.case_name, .set = a.model.set}};
    write_output(a.output, make_orbit_model(source, model, request, orbit, equations->sizes()));
  }
  if (!a.report.empty()) write_orbit_page(a, model, request, orbit, set);
  return orbit.is_interrupted ? interrupted_status() : kSuccess;
}

void add_options(CLI::App* verb, TrimArguments* a) {
  a->model.add_to(verb);
  const auto add_list = [&](const char* option, const char* what, const char* type, auto* list) {
    verb->add_option(option, *list, what)->type_name(type)->expected(1)->take_all();
  };
  verb->add_option("--period", a->options.period, "of the motion, a time or a formula of parameters")
      ->type_name("S");
  verb->add_flag("--steady", a->options.steady, "a steady motion, whatever the model says");
  add_list("--free", "a parameter that may change; may be repeated", "PARAM", &a->options.free);
  add_list("--mean", "a formula of channels whose mean is to be this; may be repeated", "FORMULA=VALUE",
           &a->options.mean);
  verb->add_option("--mirror", a->options.mirror,
                   "half a period and a mirror: x, y or z is normal to it; none: a whole period")
      ->type_name("AXIS")
      ->check(CLI::IsMember({"x", "y", "z", "none"}));
  add_list("--drift", "a position or angle that need not come back; may be repeated", "NAME",
           &a->options.drift);
  verb->add_option("--continue-in", a->options.continue_in, "walk there from an easier value of a parameter")
      ->type_name("PARAM=FROM");
  verb->add_option("--formulation", a->options.formulation, "see haltere list formulations")
      ->type_name("NAME");
  verb->add_option("--chart", a->options.chart, "of rotations in 'absolute'")->type_name("NAME");
  verb->add_option("--integrator", a->options.integrator, "see haltere list integrators (dop853)")
      ->type_name("NAME");
  verb->add_option("--step", a->options.step,
                   "of methods with equal steps; a thousandth of the stretch by default")
      ->type_name("S");
  verb->add_option("--tolerance", a->options.tolerance, "of methods that choose their steps (1e-12)")
      ->type_name("REL");
  verb->add_flag("--yes", a->options.insist, "insist on absurdly many steps");
  verb->add_option("-o,--output", a->output, "a model file that starts on the motion; - is stdout")
      ->type_name("FILE");
  verb->add_option("--json", a->json, "all that was found as JSON; - is stdout")->type_name("FILE");
  verb->add_option("--report", a->report, "a page that plays the motion and has its multipliers")
      ->type_name("FILE");
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
