#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/output_file.h"
#include "app/progress_bar.h"
#include "app/signals.h"
#include "app/state_names.h"
#include "app/steady_arguments.h"
#include "app/sweep.h"
#include "app/table.h"

#include "haltere/analysis/steady_air.h"
#include "haltere/analysis/steady_sweep.h"
#include "haltere/io/model/initial_text.h"
#include "haltere/io/plot/steady_plot.h"
#include "haltere/io/result/analysis_json.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

// of a table over a parameter: coordinates beside each other, and notes below; choices
constexpr std::size_t kMostStates = 6, kMostNotes = 10;
// its digits in a table, and what is known of it
constexpr double kBytesOfANumber = 40;

struct EquilibriumArguments {
  SteadyArguments steady;
  SweepArguments sweep;
  std::string formulation = "recursive", csv, plot, json, output;
};

const char* to_word(SteadyRole role) {
  return role == SteadyRole::kAny ? "any" : role == SteadyRole::kDrifts ? "drifts" : "";
}

std::string describe(const SteadyState& state) {
  const Equilibrium& found = state.equilibrium;
  std::string text = found.is_at_rest() ? "at rest" : "steady motion";
  if (found.turn.norm() > 0)
    text += fmt::format(", turning at {:.6g} rad/s about ({:.4g}, {:.4g}, {:.4g})", found.turn.norm(),
                        found.turn[0] / found.turn.norm(), found.turn[1] / found.turn.norm(),
                        found.turn[2] / found.turn.norm());
  if (found.push.size() > 0 && found.push.lpNorm<Eigen::Infinity>() > 1e-12) {
    Eigen::Index i = 0;
    found.vdot.cwiseAbs().maxCoeff(&i);
    text += fmt::format(", accelerating steadily: {:.6g} {}/s2 of {}", found.vdot[i],
                        is_rotary(list_coordinates(state.model)[i].motion) ? "rad" : "m",
                        list_coordinates(state.model)[i].position);
  }
  return text;
}

void print_table(const StateNames& names, const SteadyState& state) {
  const Equilibrium& found = state.equilibrium;
  const auto nq = static_cast<int>(names.q.size());
  const int width = std::max({calc_width(names.q), calc_width(names.v), calc_width(names.x)});
  fmt::print(stderr, "{:<{}}  {:>14} {:>14}\n", "", width, "start", "equilibrium");
  const auto print = [&](const std::string& name, const char* role, int i) {
    fmt::print(stderr, "{:<{}}  {:>14.8g} {:>14.8g} {:<6} {}\n", name, width, state.guess[i], found.y[i],
               names.unit(name), role);
  };
  const SteadyRoles roles = calc_roles(state);
  for (int i = 0; i < nq; ++i) print(names.q[i], to_word(roles.q[i]), i);
  for (int i = 0; i < static_cast<int>(names.v.size()); ++i) print(names.v[i], to_word(roles.v[i]), nq + i);
  const int nqv = nq + static_cast<int>(names.v.size());
  for (int i = 0; i < static_cast<int>(names.x.size()); ++i) print(names.x[i], "", nqv + i);
}

void print_air(const SteadyAir& air) {
  const TunnelReading& r = air.reading;
  fmt::print(
      stderr,
      "\nsettled air: {:.6g} m/s, q {:.6g} Pa, S {:.6g} m2, b {:.6g} m, c {:.6g} m; moments about ({:.6g}, "
      "{:.6g}, {:.6g}) m\n{:>12} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
      r.stream.norm(), r.dynamic_pressure, r.area, r.span, r.chord, r.reference[0], r.reference[1],
      r.reference[2], "", "CL", "CD", "CY", "Cl", "Cm", "Cn");
  const auto print = [](std::string_view name, const AirCoefficients& c) {
    fmt::print(stderr, "{:>12}", name);
    for (const double x : {c.CL, c.CD, c.CY, c.Cl, c.Cm, c.Cn})
      fmt::print(stderr, " {:>11.6f}", std::abs(x) < 5e-7 ? 0. : x);  // no minus before zeros
    fmt::print(stderr, "\n");
  };
  print("all", r.total);
  if (r.surfaces.size() > 1)
    for (std::size_t i = 0; i < r.surfaces.size(); ++i) print(air.surfaces[i], r.surfaces[i]);
  for (std::size_t k = 0; k < TunnelReading::kVariables.size(); ++k)
    print(fmt::format("d/d{}", TunnelReading::kVariables[k]), r.derivatives[k]);
  fmt::print(stderr, "{:>12} {:>11} {:>11.6f}   (Trefftz)\n", "far field", "", r.CD_far);
}

// -- over a parameter

/// States that vary, as many as fit, and coefficients of the air.
void print_sweep(const Sweep& sweep, const SteadySweep& found) {
  const std::vector<SweepColumn> columns = list_columns(found);
  std::vector<const SweepColumn*> shown = find_varying(columns, SweepColumn::Of::kState);
  const std::size_t n_states = shown.size();
  shown.resize(std::min(n_states, kMostStates));
  for (const SweepColumn& column : columns)
    if (column.of == SweepColumn::Of::kAir) shown.push_back(&column);
  Table table;
  std::vector<std::string> head{sweep.label()};
  for (const SweepColumn* column : shown)
    head.push_back(column->name + (column->unit.empty() ? "" : " [" + column->unit + "]"));
  head.emplace_back("");
  table.add(std::move(head));
  const std::size_t every = choose_stride(sweep);
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    const SteadyPoint& point = found.points[k];
    const bool is_news = !point.is_found() && (k == 0 || found.points[k - 1].failure != point.failure);
    if (!is_news && k % every != 0) continue;
    std::vector<std::string> row{fmt::format("{:.6g}", point.value)};
    for (const SweepColumn* column : shown) {
      const double x = column->values[k];
      const bool is_coefficient = column->of == SweepColumn::Of::kAir;
      row.push_back(std::isnan(x)    ? "-"
                    : is_coefficient ? fmt::format("{:.6f}", std::abs(x) < 5e-7 ? 0. : x)
                                     : fmt::format("{:.8g}", x));
    }
    row.emplace_back(point.is_found() ? "found" : "failed");
    table.add(std::move(row));
  }
  table.print();
  say_stride(sweep);
  if (n_states > kMostStates)
    fmt::print("{} more coordinates vary: --csv has them\n", n_states - kMostStates);
}

void print_notes(const Sweep& sweep, const SteadySweep& found) {
  std::vector<std::string> said;
  for (const SteadyPoint& point : found.points)
    for (const std::string& note : point.notes) {
      if (std::find(said.begin(), said.end(), note) != said.end()) continue;
      said.push_back(note);
      if (said.size() <= kMostNotes)
        fmt::print(stderr, "note, {} = {:.6g} {}: {}\n", sweep.parameter, point.value, sweep.unit, note);
    }
  if (said.size() > kMostNotes)
    fmt::print(stderr, "{} more notes: --json has them\n", said.size() - kMostNotes);
}

SteadyWalk make_walk(const EquilibriumArguments& a, const Sweep& sweep) {
  return {[&](double value) { return read_at(a.steady.model, sweep, value); }, a.steady.options};
}

/// With progress; after Ctrl-C the points that are left are failures.
SteadySweep walk(const EquilibriumArguments& a, const Sweep& sweep, const std::atomic<bool>* interrupt) {
  SteadySweep found;
  found.parameter = sweep.parameter;
  found.unit = sweep.unit;
  SteadyWalk points = make_walk(a, sweep);
  ProgressBar bar(true);
  for (const double value : sweep.values) {
    if (interrupt->load()) {
      found.points.emplace_back(value, "interrupted");
      continue;
    }
    bar.say(fmt::format("{} = {:.6g}: point {} of {}", sweep.parameter, value, found.points.size() + 1,
                        sweep.values.size()));
    add_steady_point(value, a.formulation, &points, &found);
  }
  return found;
}

void require_affordable_points(const EquilibriumArguments& a, const Sweep& sweep) {
  require_affordable(a.sweep, sweep, [&] {
    SteadySweep first;
    SteadyWalk points = make_walk(a, sweep);
    add_steady_point(sweep.values.front(), a.formulation, &points, &first);
    return kBytesOfANumber * static_cast<double>(list_columns(first).size() + 1);
  });
}

int sweep_equilibria(const EquilibriumArguments& a, const Model& model) {
  const Sweep sweep = read_sweep(a.steady.model, a.sweep.range);
  require_affordable_points(a, sweep);
  const std::atomic<bool>* interrupt = catch_signals();
  const SteadySweep found = walk(a, sweep, interrupt);
  std::vector<std::string> failures;
  for (const SteadyPoint& point : found.points) failures.push_back(point.failure);
  if (std::none_of(found.points.begin(), found.points.end(),
                   [](const SteadyPoint& point) { return point.is_found(); })) {
    report_failures(sweep, failures);
    if (interrupt->load()) return interrupted_status();
    throw RunError("no point of the sweep was found");
  }
  if (a.csv != "-" && a.json != "-") print_sweep(sweep, found);
  print_notes(sweep, found);
  if (!a.csv.empty()) write_output(a.csv, make_steady_csv(found));
  if (!a.json.empty()) write_output(a.json, make_steady_json(model, found));
  if (!a.plot.empty()) write_output(a.plot, make_steady_plot(found, a.steady.model.calc_label()));
  const int status = report_failures(sweep, failures);
  return interrupt->load() ? interrupted_status() : status;
}

/// What goes with a sweep, and what without.
void require_fitting_options(const EquilibriumArguments& a) {
  if (a.plot == "-") throw wrong_input("--plot", "goes to a file, not to stdout", "write a file name");
  if (!a.plot.empty() && !a.plot.ends_with(".svg"))
    throw wrong_input("--plot", fmt::format("'{}' is no .svg file", a.plot), "write FILE.svg");
  if (a.sweep.is_given()) {
    if (!a.output.empty())
      throw wrong_input("--output", "is about one equilibrium, not about a sweep",
                        "leave --sweep out, or use --csv or --json");
    return;
  }
  for (const auto& [file, option] : {std::pair{a.csv, "--csv"}, {a.plot, "--plot"}})
    if (!file.empty()) throw wrong_input(option, "is the picture of a sweep", "add --sweep PARAM=a..b");
}

int find(const EquilibriumArguments& a) {
  require_fitting_options(a);
  const Model model = a.steady.model.read();
  require_outputs({a.csv, a.plot, a.json, a.output}, model.files);
  print_warnings(model);
  make_equations(a.formulation, model);  // refuses what it does not know before anything is computed
  if (a.sweep.is_given()) return sweep_equilibria(a, model);
  const std::unique_ptr<SteadyState> state = require_steady_state(model, a.steady.options);
  const Equilibrium& found = state->equilibrium;
  const StateNames names(*state->equations);
  const double acceleration = calc_acceleration_left(*state, a.formulation);
  const std::optional<SteadyAir> air = measure_steady_air(*state);
  print_table(names, *state);
  fmt::print(stderr, "{}\n", describe(*state));
  fmt::print(stderr,
             "{} iterations{}; residual {:.1e} of the largest load; accelerations left in {}: {:.1e}\n",
             found.iterations, found.settled ? " (sunk as in honey)" : "", found.residual, a.formulation,
             acceleration);
  for (const std::string& note : found.notes) fmt::print(stderr, "note: {}\n", note);
  if (air) print_air(*air);
  if (!a.json.empty())
    write_output(a.json, make_equilibrium_json(names, *state, acceleration, air ? &*air : nullptr));
  if (a.output.empty() && a.json == "-") return kSuccess;
  const Sizes sizes = state->equations->sizes();
  write_output(a.output.empty() ? "-" : a.output,
               make_initial_text(model, sizes.q(found.y), sizes.v(found.y)) +
                   make_states_text(model, sizes.x(found.y)));
  return kSuccess;
}

}  // namespace

void add_equilibrium(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("equilibrium", "where the machine rests, or moves steadily");
  const auto a = std::make_shared<EquilibriumArguments>();
  a->steady.add_to(verb);
  verb->add_option("--formulation", a->formulation, "whose accelerations check the result")
      ->type_name("NAME");
  a->sweep.add_to(verb, "equilibria over a parameter, each from the one before: a polar of wings in wind");
  verb->add_option("--csv", a->csv, "all numbers of a sweep; - is stdout")->type_name("FILE");
  verb->add_option("--plot", a->plot, "what varies in a sweep as a picture")->type_name("FILE.svg");
  verb->add_option("--json", a->json, "all that was found as JSON; - is stdout")->type_name("FILE");
  verb->add_option("-o,--output", a->output, "the `initial:` block, instead of stdout")->type_name("FILE");
  verb->footer(
      "The equilibrium nearest to the initial state; with initial velocities the nearest steady motion, "
      "straight\n"
      "or in a circle about the vertical. Coordinates that the equations do not notice may drift, and are "
      "marked;\n"
      "`any`: every value would do, this one is nearest to the start.\n"
      "A sweep keeps the points that it found and marks the others (`failed`); the exit status is 1 then.\n"
      "Examples:\n"
      "  haltere equilibrium x-hale\n"
      "  haltere equilibrium double-pendulum --settle\n"
      "  haltere equilibrium heavy-top --case precession\n"
      "  haltere equilibrium wing --case swept      coefficients and derivatives of a wing that is held in "
      "wind\n"
      "  haltere equilibrium wing --case swept --sweep alpha='-4 deg..8 deg:13' --csv polar.csv\n"
      "stdout is an `initial:` block for the model file, or the table of a sweep; stderr says the rest.");
  verb->callback([=] { *action = [=] { return find(*a); }; });
}

}  // namespace haltere
