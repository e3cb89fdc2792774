#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/model_arguments.h"
#include "app/output_file.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/signals.h"
#include "app/table.h"
#include "app/verbs.h"

#include "haltere/analysis/comparison.h"
#include "haltere/dynamics/misfits.h"
#include "haltere/io/json.h"
#include "haltere/io/plot/work_precision.h"
#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

struct CompareArguments {
  ModelArguments model;
  std::vector<std::string> formulations, charts, integrators, stabilizations, steps, tolerances;
  std::string until, every, csv, json, plot, report;
  bool order = false, yes = false;
};

// how often `--order` halves the step
constexpr int kHalvings = 3;

std::vector<double> read_numbers(const std::vector<std::string>& texts, const char* option, const char* unit,
                                 std::vector<double> otherwise) {
  if (texts.empty()) return otherwise;
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    numbers.push_back(read_quantity(option, text, unit));
    if (!(numbers.back() > 0)) throw wrong_input(option, fmt::format("'{}' must be positive", text));
  }
  return numbers;
}

/// What was named, or what there is.
std::vector<std::string> names_or(const std::vector<std::string>& named,
                                  const std::vector<std::string>& otherwise) {
  return named.empty() ? otherwise : named;
}

template <class List, class Wanted>
std::vector<std::string> list_names(const List& list, const Wanted& wanted) {
  std::vector<std::string> names;
  for (const auto& item : list)
    if (wanted(item)) names.emplace_back(item.name);
  return names;
}

/// The settings of one method: tolerances, or steps.
void add_settings(const Trial& method, const CompareArguments& a, double until, std::vector<Trial>* trials) {
  const IntegratorInfo* info = find_integrator(method.integrator);
  // an unknown one is refused by its run
  const StepChoice choice = info == nullptr ? StepChoice::kFixed : info->steps;
  if (choice == StepChoice::kAdaptive && a.order)
    throw wrong_input("--order", fmt::format("{} chooses its own steps", method.integrator),
                      "an order is that of a fixed step");
  const auto add = [&](double Trial::*setting, const std::vector<double>& values) {
    for (const double x : values) trials->emplace_back(method).*setting = x;
  };
  std::vector<double> steps = read_numbers(a.steps, "--step", "s", {until / 1000, until / 4000});
  const std::vector<double> tolerances = read_numbers(a.tolerances, "--tolerance", "", {1e-6, 1e-9});
  if (a.order) {
    steps.resize(1);
    for (int i = 0; i < kHalvings; ++i) steps.push_back(steps.back() / 2);
  }
  // those that can be both choose their steps only where tolerances alone are given
  const bool only_tolerances = !a.order && a.steps.empty() && !a.tolerances.empty();
  if (choice == StepChoice::kAdaptive || (choice == StepChoice::kEither && only_tolerances))
    add(&Trial::tolerance, tolerances);
  else
    add(&Trial::step, steps);
}

/// The formulations that were named, or those that the model fits into.
std::vector<std::string> list_formulations(const CompareArguments& a, const Model& model) {
  if (!a.formulations.empty()) return a.formulations;
  return list_names(formulations(), [&](const FormulationInfo& info) {
    const std::vector<Problem> misfits = find_misfits(info.name, model);
    if (!misfits.empty()) fmt::print(stderr, "{} is left out: {}\n", info.name, misfits.front().text());
    return misfits.empty();
  });
}

/// False for what nobody has asked for, and what the formulation cannot do.
bool is_possible(const CompareArguments& a, const Trial& trial) {
  const IntegratorInfo* info = find_integrator(trial.integrator);
  const bool implicit = info != nullptr && info->solves_constraints && !has_implicit_form(trial.formulation);
  const bool named = !a.formulations.empty();
  return !(implicit && !(named && !a.integrators.empty())) &&
         (named || has_chart(trial.formulation, trial.chart));
}

/// Everything that was asked for, or all there is: each formulation with each method.
std::vector<Trial> list_trials(const CompareArguments& a, const Model& model, double until) {
  const auto fits = [&](const IntegratorInfo& info) {
    return !a.order || info.steps != StepChoice::kAdaptive;
  };
  const std::vector<std::string> charts = names_or(a.charts, {"lie"});
  std::vector<Trial> trials;
  for (const std::string& formulation : list_formulations(a, model))
    for (const std::string& chart : charts) {
      if (!has_charts(formulation) && chart != charts.front()) continue;
      for (const std::string& method : names_or(a.integrators, list_names(integrators(), fits)))
        for (const std::string& held : names_or(a.stabilizations, {"projection"}))
          if (const Trial trial{formulation, chart, method, held}; is_possible(a, trial))
            add_settings(trial, a, until, &trials);
    }
  return trials;
}

std::string number(double x) {
  return x < 0 ? "-" : fmt::format("{:.2e}", x);
}

std::string verdict(const RunSummary& summary) {
  if (summary.outcome != RunSummary::Outcome::kFailed) return "";
  return fmt::format("failed at t = {:.4g} s", summary.t);
}

/// An error of a run that reached its end; up to where a failed one came says little.
std::string error_of(const TrialResult& r, double TrialErrors::*error) {
  return r.summary.outcome == RunSummary::Outcome::kFailed ? "-" : number(r.errors.*error);
}

void print_table(const std::vector<TrialResult>& results) {
  Table table;
  table.add({"method", "setting", "position", "velocity", "load", "energy", "drift", "steps", "evaluations",
             "iterations", "ms", ""});
  for (const TrialResult& r : results)
    table.add({r.trial.method(), r.trial.setting(), error_of(r, &TrialErrors::position),
               error_of(r, &TrialErrors::velocity), error_of(r, &TrialErrors::load),
               number(r.summary.audit.relative_balance()), number(r.drift), std::to_string(r.summary.steps),
               std::to_string(r.summary.evaluations), std::to_string(r.summary.iterations),
               fmt::format("{:.1f}", 1e3 * r.summary.wall_seconds), verdict(r.summary)});
  table.print();
}

/// A mark where there is no order, to be explained below the table.
std::string order_text(const ObservedOrder& order) {
  switch (order.doubt) {
    case ObservedOrder::Doubt::kNone:
      return fmt::format("{:.2f}", order.value);
    case ObservedOrder::Doubt::kNothing:
      return "";
    case ObservedOrder::Doubt::kFailed:
      return "-(f)";
    case ObservedOrder::Doubt::kUnresolved:
      return "-(r)";
    case ObservedOrder::Doubt::kUnconfirmed:
      return "-(s)";
  }
  return "";
}

constexpr std::array kErrorKinds{&TrialErrors::position, &TrialErrors::velocity, &TrialErrors::load};

/// Of one method with halved steps.
std::vector<ObservedOrder> calc_orders_of(const TrialResult* runs, double TrialErrors::*error,
                                          const TrialErrors& reference) {
  std::vector<double> errors;
  for (int i = 0; i <= kHalvings; ++i)
    errors.push_back(runs[i].summary.outcome == RunSummary::Outcome::kFailed
                         ? std::numeric_limits<double>::quiet_NaN()
                         : runs[i].errors.*error);
  return calc_orders(errors, calc_resolved(reference.*error));
}

void explain_marks(const std::string& used) {
  for (const auto& [mark, meaning] : {std::pair{"(f)", "no order: a run failed"},
                                      {"(r)", "no order: an error is that of the reference, or rounding"},
                                      {"(s)",
                                       "no order yet: the error does not fall, or neighbouring orders are "
                                       "too far apart; take smaller steps"}})
    if (used.find(mark) != std::string::npos) fmt::print("{} {}\n", mark, meaning);
}

/// Results come in groups of one method with halved steps.
void print_orders(const std::vector<TrialResult>& results, const TrialErrors& reference) {
  Table table;
  std::string used;
  table.add({"method", "step", "position", "order", "velocity", "order", "load", "order", ""});
  // an interrupted comparison ends within a group: no order comes of it
  for (std::size_t first = 0; first + kHalvings < results.size(); first += kHalvings + 1) {
    std::array<std::vector<ObservedOrder>, kErrorKinds.size()> orders;
    for (std::size_t e = 0; e < kErrorKinds.size(); ++e)
      orders[e] = calc_orders_of(&results[first], kErrorKinds[e], reference);
    for (std::size_t i = 0; i <= kHalvings; ++i) {
      const TrialResult& r = results[first + i];
      std::vector<std::string> row{i == 0 ? r.trial.method() : "", fmt::format("{:g} s", r.trial.step)};
      for (std::size_t e = 0; e < kErrorKinds.size(); ++e) {
        row.push_back(error_of(r, kErrorKinds[e]));
        row.push_back(order_text(orders[e][i]));
        used += row.back();
      }
      row.push_back(verdict(r.summary));
      table.add(row);
    }
  }
  table.print();
  explain_marks(used);
}

std::string make_csv(const std::vector<TrialResult>& results) {
  std::string text =
      "formulation,chart,integrator,stabilization,step,tolerance,position_error,velocity_error,load_error,"
      "energy_error,drift,steps,rejected,evaluations,iterations,factors,seconds,t,outcome\n";
  for (const TrialResult& r : results) {
    const Trial& t = r.trial;
    const auto error = [&](double TrialErrors::*x) {  // empty: none
      const bool has_one = r.summary.outcome != RunSummary::Outcome::kFailed && r.errors.*x >= 0;
      return has_one ? fmt::format("{}", r.errors.*x) : "";
    };
    text += fmt::format("{},{},{},\"{}\",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", t.formulation,
                        t.chart, t.integrator, t.stabilization, t.step, t.step > 0 ? 0 : t.tolerance,
                        error(&TrialErrors::position), error(&TrialErrors::velocity),
                        error(&TrialErrors::load), r.summary.audit.relative_balance(), r.drift,
                        r.summary.steps, r.summary.rejected, r.summary.evaluations, r.summary.iterations,
                        r.summary.factors, r.summary.wall_seconds, r.summary.t, name_of(r.summary.outcome));
  }
  return text;
}

std::string make_json(const std::vector<TrialResult>& results) {
  Json list = Json::array();
  for (const TrialResult& r : results) {
    const Trial& t = r.trial;
    Json entry{{"formulation", t.formulation},
               {"chart", t.chart},
               {"integrator", t.integrator},
               {"stabilization", t.stabilization},
               {t.step > 0 ? "step" : "tolerance", t.step > 0 ? t.step : t.tolerance},
               {"outcome", name_of(r.summary.outcome)},
               {"t", r.summary.t}};
    if (r.summary.outcome == RunSummary::Outcome::kFailed) {
      entry["message"] = r.summary.message;
    } else {
      for (const auto& [name, error] : {std::pair{"position_error", &TrialErrors::position},
                                        {"velocity_error", &TrialErrors::velocity},
                                        {"load_error", &TrialErrors::load}})
        if (r.errors.*error >= 0) entry[name] = r.errors.*error;
    }
    entry.update({{"energy_error", r.summary.audit.relative_balance()},
                  {"drift", r.drift},
                  {"steps", r.summary.steps},
                  {"rejected", r.summary.rejected},
                  {"evaluations", r.summary.evaluations},
                  {"iterations", r.summary.iterations},
                  {"factors", r.summary.factors},
                  {"seconds", r.summary.wall_seconds}});
    list.push_back(std::move(entry));
  }
  return to_text(list);
}

std::string make_figure(const std::vector<TrialResult>& results) {
  std::vector<WorkPrecisionLine> lines;
  for (const TrialResult& r : results) {
    if (r.summary.outcome == RunSummary::Outcome::kFailed || !(r.errors.position > 0)) continue;
    const std::string name = r.trial.method();
    if (lines.empty() || lines.back().name != name) lines.push_back({name, {}});
    lines.back().points.emplace_back(r.summary.wall_seconds, r.errors.position);
  }
  return make_work_precision(lines);
}

/// Over which time, and at which times the runs are compared.
struct Span {
  double until, every;  // [s]
};

Span read_span(const CompareArguments& a, const Model& model) {
  const double until =
      a.until.empty() ? model.settings.until.value_or(10) : read_quantity("--until", a.until, "s");
  if (!(until > 0))
    throw wrong_input("--until", fmt::format("is {:g} s: there is nothing to compare", until));
  return {until, a.every.empty() ? until / 100 : read_quantity("--every", a.every, "s")};
}

void require_sense(const CompareArguments& a) {
  if (!a.plot.empty() && !a.plot.ends_with(".svg"))
    throw wrong_input("--plot", fmt::format("'{}' is no .svg file", a.plot), "write FILE.svg");
  if (a.order && a.steps.size() > 1)
    throw wrong_input("--step", "with --order there is one step, which is halved", "give the largest");
  if (a.order && !a.tolerances.empty())
    throw wrong_input("--tolerance", "has no meaning with --order", "an order is that of a fixed step");
}

/// The table and the diagram of work and precision.
void write_comparison_page(const CompareArguments& a, const std::vector<TrialResult>& results) {
  ReportContent content{a.model.calc_label() + ": methods compared"};
  ReportFigure figure{"work and precision",
                      {"time of computing", "s", true},
                      {"largest error of positions", "rad, length scales", true}};
  ReportTable table{"methods",
                    {{"method", false},
                     {"setting", true},
                     {"position", true},
                     {"velocity", true},
                     {"load", true},
                     {"energy", true},
                     {"drift", true},
                     {"steps", true},
                     {"evaluations", true},
                     {"seconds", true},
                     {"outcome", false}}};
  for (const TrialResult& r : results) {
    table.rows.push_back(
        {r.trial.method(), r.trial.setting(), error_of(r, &TrialErrors::position),
         error_of(r, &TrialErrors::velocity), error_of(r, &TrialErrors::load),
         fmt::format("{:.1e}", r.summary.audit.relative_balance()), fmt::format("{:.1e}", r.drift),
         std::to_string(r.summary.steps), std::to_string(r.summary.evaluations),
         fmt::format("{:.4g}", r.summary.wall_seconds), std::string(name_of(r.summary.outcome))});
    if (r.summary.outcome == RunSummary::Outcome::kFailed || !(r.errors.position > 0)) continue;
    if (figure.series.empty() || figure.series.back().name != r.trial.method()) {
      figure.series.push_back({r.trial.method()});
      figure.series.back().has_line = true;
    }
    ReportSeries& series = figure.series.back();
    series.x.push_back(r.summary.wall_seconds);
    series.y.push_back(r.errors.position);
    series.texts.push_back(r.trial.setting());
  }
  content.figures.push_back(std::move(figure));
  content.tables.push_back(std::move(table));
  write_report(a.report, content);
  fmt::print(stderr, "wrote {}\n", a.report);
}

void print_results(const CompareArguments& a, const Span& span, const MethodComparison& comparison,
                   const std::vector<TrialResult>& results) {
  fmt::print(stderr,
             "{} runs until {:g} s; errors are the largest of {:.0f} rows against recursive, dop853 at 1e-12 "
             "(whose own "
             "is about {:.0e}),\nin radians or length scales, loads relative to the largest\n",
             results.size(), span.until, std::floor(span.until / span.every + 1e-9) + 1,
             std::max(0., comparison.reference_errors().position));
  const bool has_table = a.csv != "-" && a.json != "-";  // else stdout is for the numbers
  if (has_table && a.order) print_orders(results, comparison.reference_errors());
  if (has_table && !a.order) print_table(results);
  if (!a.csv.empty()) write_output(a.csv, make_csv(results));
  if (!a.json.empty()) write_output(a.json, make_json(results));
  if (!a.plot.empty()) write_output(a.plot, make_figure(results));
  if (!a.report.empty()) write_comparison_page(a, results);
}

int compare(const CompareArguments& a) {
  const Model model = a.model.read();
  print_warnings(model);
  require_outputs({a.csv, a.json, a.plot, a.report}, model.files);
  if (!a.report.empty()) require_page(a.report, true);
  const Span span = read_span(a, model);
  require_sense(a);
  const std::vector<Trial> trials = list_trials(a, model, span.until);
  std::vector<TrialResult> results;
  std::optional<ProgressBar> bar(true);
  RunOptions hooks;
  hooks.insist = a.yes;
  hooks.interrupt = catch_signals();
  hooks.progress = [&](const Progress& p) {
    bar->say(
        fmt::format("run {} of {}, t = {:.4g} of {:.4g} s", results.size() + 1, trials.size(), p.t, p.until));
  };
  const MethodComparison comparison(model, span.until, span.every, hooks);
  for (const Trial& trial : trials) {
    TrialResult result = comparison.run(trial);
    if (hooks.interrupt->load()) break;
    results.push_back(std::move(result));
  }
  bar.reset();
  if (results.empty() && hooks.interrupt->load()) return interrupted_status();
  print_results(a, span, comparison, results);
  if (hooks.interrupt->load()) {
    fmt::print(stderr, "interrupted after {} of {} runs\n", results.size(), trials.size());
    return interrupted_status();
  }
  if (std::all_of(results.begin(), results.end(),
                  [](const TrialResult& r) { return r.summary.outcome == RunSummary::Outcome::kFailed; }))
    throw RunError("no run came to its end: " + results.front().summary.message);
  return kSuccess;
}

}  // namespace

void add_compare(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand(
      "compare", "formulations and integrators on one case: error, energy, drift, cost");
  const auto a = std::make_shared<CompareArguments>();
  a->model.add_to(verb);
  const auto add_list = [&](const char* name, std::vector<std::string>* list, const char* help) {
    verb->add_option(name, *list, help)->expected(1)->take_all()->type_name("X");
  };
  verb->add_flag("--order", a->order, "halve the step three times and print the orders that come out");
  add_list("--formulation", &a->formulations, "by default all that the model fits into");
  add_list("--chart", &a->charts, "of absolute and hinge-matrix; lie by default");
  add_list("--integrator", &a->integrators, "by default all; with --order all of fixed step");
  add_list("--stabilization", &a->stabilizations, "projection by default");
  add_list("--step", &a->steps, "of fixed-step methods; a 1000th and a 4000th of the run by default");
  add_list("--tolerance", &a->tolerances,
           "of adaptive methods; 1e-6 and 1e-9 by default; without --step also of those that can be both");
  verb->add_option("--until", a->until, "end of the runs; the model's by default")->type_name("S");
  verb->add_option("--every", a->every, "interval of the rows that are compared; a 100th by default")
      ->type_name("S");
  verb->add_flag("--yes", a->yes, "insist on absurdly many rows or steps");
  verb->add_option("--csv", a->csv, "the table as CSV; - is stdout")->type_name("FILE");
  verb->add_option("--json", a->json, "the same as JSON; - is stdout")->type_name("FILE");
  verb->add_option("--plot", a->plot, "work-precision diagram, .svg")->type_name("FILE");
  verb->add_option("--report", a->report, "a page with the diagram and the table")->type_name("FILE");
  verb->footer(
      "Examples:\n"
      "  haltere compare x-hale --case free --order\n"
      "  haltere compare four-bar --integrator dop853 --integrator generalized-alpha:0.8 --until '0.6 s' "
      "--plot wp.svg\n"
      "Options that name a choice may be repeated. With --order a mark in place of an order says why there "
      "is "
      "none: a run\n"
      "failed, errors are those of the reference, or neighbouring orders disagree and steps must be "
      "smaller.");
  verb->callback([=] { *action = [=] { return compare(*a); }; });
}

}  // namespace haltere
