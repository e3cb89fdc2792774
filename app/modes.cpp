#include "haltere/analysis/modes.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "app/analysis_verbs.h"
#include "app/linear_arguments.h"
#include "app/motion_file.h"
#include "app/output_file.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/signals.h"
#include "app/sweep.h"
#include "app/table.h"

#include "haltere/analysis/modes_walk.h"
#include "haltere/io/plot/locus_plot.h"
#include "haltere/io/result/analysis_json.h"
#include "haltere/io/result/state_space_file.h"
#include "haltere/math/dense.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

// of a shape that are named
constexpr std::size_t kMostParts = 5;
// its two numbers, their text in a table, and what is known of it
constexpr double kBytesOfAMode = 300;

struct ModesArguments {
  LinearArguments linear;
  SweepArguments sweep;
  std::string csv, plot, json, matrices, report;
};

std::string write_number(double x) {
  return std::isfinite(x) ? fmt::format("{:.6g}", x) : "-";
}

std::string write_eigenvalue(const Eigenmode& mode) {
  if (mode.is_neutral) return "0";
  const double re = mode.eigenvalue.real(), im = mode.eigenvalue.imag();
  if (im == 0) return fmt::format("{:.6g}", re);
  const std::string real = std::abs(re) <= mode.accuracy ? "0" : fmt::format("{:.6g}", re);
  return fmt::format("{} +- {:.6g} i", real, im);
}

std::string write_shape(const Linearization& linearization, const Eigenmode& mode) {
  std::vector<ShapePart> parts = describe_shape(linearization, mode, kNamedShare);
  const bool more = parts.size() > kMostParts;
  if (more) parts.resize(kMostParts);
  std::string text;
  for (const ShapePart& part : parts) {
    std::string name = part.name;
    if (name.starts_with("joint.")) name = name.substr(6);
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * part.share);
    const double degrees = part.phase * 180 / std::numbers::pi;
    if (std::abs(degrees) > 0.5) text += fmt::format(" at {:.0f} deg", degrees);
  }
  return text + (more ? ", ..." : "");
}

std::string verdict(const ModeSet& set) {
  if (set.is_unstable()) return fmt::format("unstable: {} of its eigenvalues grow", set.count_growing());
  if (set.modes.empty()) return "stable: nothing that lasts";
  const auto is_neutral = [](const Eigenmode& mode) { return mode.is_neutral; };
  if (std::all_of(set.modes.begin(), set.modes.end(), is_neutral))
    return "neutral: nothing comes back, nothing runs away";
  const bool has_neutral = std::any_of(set.modes.begin(), set.modes.end(), is_neutral);
  if (set.is_stable()) return has_neutral ? "stable, but for what is neutral" : "stable";
  return "neither stable nor unstable to first order: some modes neither grow nor decay";
}

void print_modes(const Linearization& linearization, const ModeSet& set) {
  Table table;
  table.add({"mode", "eigenvalue [1/s]", "Hz", "rad/s", "damping", "half/double [s]", "what moves"});
  int i = 0;
  for (const Eigenmode& mode : set.modes) {
    const bool swings = mode.is_oscillation() && !mode.is_neutral;
    const std::string time = write_number(mode.time());
    table.add({std::to_string(++i), write_eigenvalue(mode), swings ? write_number(mode.frequency()) : "-",
               swings ? write_number(std::abs(mode.eigenvalue.imag())) : "-",
               swings ? fmt::format("{:.4g}",
                                    std::abs(mode.eigenvalue.real()) <= mode.accuracy ? 0 : mode.damping())
                      : "-",
               time == "-" ? time : fmt::format("{} {}", time, mode.grows() ? "to double" : "to half"),
               (mode.is_neutral ? "neutral: " : "") + write_shape(linearization, mode)});
  }
  table.print();
  fmt::print("{}\n", verdict(set));
}

void print_context(const SteadyState& state, const ModeSet& set) {
  const Equilibrium& found = state.equilibrium;
  fmt::print(stderr, "about {}{}; residual {:.1e}\n", found.is_at_rest() ? "rest" : "a steady motion",
             found.turn.norm() > 0 ? fmt::format(" that turns at {:.6g} rad/s", found.turn.norm()) : "",
             found.residual);
  if (set.n_symmetric > 0) {
    std::vector<std::string> names;
    const std::vector<StateCoordinate> coordinates = list_coordinates(state.model);
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      if (calc_row_norm(found.symmetry.drift, static_cast<Eigen::Index>(i)) > 0)
        names.push_back(coordinates[i].position);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (!found.symmetry.axes.empty())
      names.emplace_back(found.symmetry.axes.size() == 1 ? "the heading" : "the heading in space");
    fmt::print(stderr, "neutral by symmetry, and left out: {}\n", fmt::join(names, ", "));
  }
  for (const std::string& note : found.notes) fmt::print(stderr, "note: {}\n", note);
  for (const std::string& note : set.notes) fmt::print(stderr, "note: {}\n", note);
}

// -- the page

constexpr double kShownAmplitude = 0.2;  // of a mode, in radians or length scales: to be seen; a choice
constexpr int kShownMoments = 48;        // of its period
constexpr std::size_t kMostShown = 60;   // modes that move on a page

/// The machine as it swings in one mode, neither growing nor decaying.
class ModeShapes {
 public:
  ModeShapes(const SteadyState& state, const LinearOptions& options, const Linearization& linearization)
      : state_(state),
        linearization_(linearization),
        equations_(make_equations(options.formulation, state.model, {.chart = options.chart})) {
    run_.formulation = options.formulation;
    run_.chart = options.chart;
    equations_->set_parameters(state.equations->parameters());
    Snapshot snapshot;
    state.equations->observe(0, state.equilibrium.y, &snapshot);
    y_ = equations_->calc_state(snapshot.scene);
    const Resolver<double> resolver{equations_->parameters().data()};
    for (const BodySpec& body : state.model.bodies)
      instant_.masses.push_back(calc_mass_properties(body, resolver));
    instant_.happened.assign(state.model.events.size(), 0);
  }

  static double calc_loop(const Eigenmode& mode) {
    const double rate =
        mode.is_oscillation() ? std::abs(mode.eigenvalue.imag()) : std::abs(mode.eigenvalue.real());
    return rate > 0 ? 2 * std::numbers::pi / rate : 1;
  }
  std::unique_ptr<MotionFile> draw(const Eigenmode& mode) {
    auto file = std::make_unique<MotionFile>(state_.model, equations_->parameters(), run_);
    const double loop = calc_loop(mode);
    for (int k = 0; k <= kShownMoments; ++k) {
      const double part = static_cast<double>(k) / kShownMoments;
      const std::complex<double> turn = std::polar(kShownAmplitude, 2 * std::numbers::pi * part);
      Eigen::VectorXd y = y_;
      equations_->shift((mode.dq * turn).real().cwiseProduct(linearization_.scales),
                        (mode.dv * turn).real().cwiseProduct(linearization_.scales), y);
      const bool is_seen = equations_->observe(0, y, &instant_.snapshot) == Status::kOk;
      file->add(loop * part, is_seen ? &instant_ : nullptr);
    }
    return file;
  }

 private:
  const SteadyState& state_;
  const Linearization& linearization_;
  std::unique_ptr<Equations> equations_;
  RunOptions run_;
  Eigen::VectorXd y_;
  Instant instant_;
};

/// Modes that move, their eigenvalues as points that select them, and the table.
void write_modes_page(const ModesArguments& a, const SteadyState& state, const SmallMotions& found) {
  const Linearization& linearization = found.linearization;
  ReportContent content{a.linear.steady.model.calc_label() + ": modes"};
  ReportFigure figure{"eigenvalues", {"real part", "1/s"}, {"imaginary part", "1/s"}};
  ReportTable table{
      verdict(found.set),
      {{"mode", true}, {"eigenvalue [1/s]", true}, {"Hz", true}, {"damping", true}, {"what moves", false}}};
  ReportSeries points{"modes"};
  std::vector<std::unique_ptr<MotionFile>> files;
  ModeShapes shapes(state, a.linear.options, linearization);
  for (const Eigenmode& mode : found.set.modes) {
    const std::string label = std::to_string(table.rows.size() + 1);
    const bool swings = mode.is_oscillation() && !mode.is_neutral;
    int result = -1;
    if (!mode.is_neutral && files.size() < kMostShown) {
      files.push_back(shapes.draw(mode));
      result = static_cast<int>(content.results.size());
      const std::string name =
          fmt::format("mode {}{}", label, swings ? fmt::format(", {:.4g} Hz", mode.frequency()) : "");
      content.results.push_back({&files.back()->finish(), name, ModeShapes::calc_loop(mode)});
    }
    table.rows.push_back({label, write_eigenvalue(mode), swings ? write_number(mode.frequency()) : "-",
                          swings ? write_number(mode.damping()) : "-",
                          (mode.is_neutral ? "neutral: " : "") + write_shape(linearization, mode)});
    table.results.push_back(result);
    for (const double sign : {1., -1.}) {
      if (sign < 0 && !mode.is_oscillation()) continue;
      // what is smaller than its accuracy is not known to differ from zero
      points.x.push_back(std::abs(mode.eigenvalue.real()) <= mode.accuracy ? 0 : mode.eigenvalue.real());
      points.y.push_back(sign * mode.eigenvalue.imag());
      points.texts.push_back(fmt::format("mode {}: {}", label, write_shape(linearization, mode)));
      points.results.push_back(result);
    }
  }
  figure.series.push_back(std::move(points));
  content.figures.push_back(std::move(figure));
  content.tables.push_back(std::move(table));
  write_report(a.report, content);
  fmt::print(stderr, "wrote {}\n", a.report);
}

/// Eigenvalues over a parameter, each a line.
void write_locus_page(const ModesArguments& a, const Sweep& sweep, const RootLocus& locus) {
  ReportContent content{
      fmt::format("{}: modes over {}", a.linear.steady.model.calc_label(), sweep.parameter)};
  ReportFigure plane{"root locus", {"real part", "1/s"}, {"imaginary part", "1/s"}};
  ReportFigure growth{"growth", {sweep.parameter, sweep.unit}, {"real part", "1/s"}};
  for (std::size_t i = 0; i < locus.tracks.size(); ++i) {
    const std::string name = fmt::format("eigenvalue {}", i + 1);
    ReportSeries in_plane{name}, over{name};
    in_plane.has_line = over.has_line = true;
    over.has_points = false;
    for (std::size_t k = 0; k < locus.values.size(); ++k) {
      const std::complex<double> x = locus.tracks[i][k];
      if (std::isnan(x.real())) continue;
      in_plane.x.push_back(x.real());
      in_plane.y.push_back(x.imag());
      in_plane.texts.push_back(fmt::format("{} = {:.6g} {}", sweep.parameter, locus.values[k], sweep.unit));
      over.x.push_back(locus.values[k]);
      over.y.push_back(x.real());
    }
    plane.series.push_back(std::move(in_plane));
    growth.series.push_back(std::move(over));
  }
  ReportTable limits{"limits of stability",
                     {{fmt::format("{} [{}]", sweep.parameter, sweep.unit), true},
                      {"growing below", true},
                      {"growing above", true},
                      {"what moves", false}}};
  for (const StabilityLimit& limit : locus.limits)
    limits.rows.push_back({fmt::format("{:.10g}", limit.value), std::to_string(limit.growing_below),
                           std::to_string(limit.growing_above), limit.shape});
  content.figures = {std::move(plane), std::move(growth)};
  content.tables.push_back(std::move(limits));
  write_report(a.report, content);
  fmt::print(stderr, "wrote {}\n", a.report);
}

// -- over a parameter

ModesWalk make_walk(const ModesArguments& a, const Sweep& sweep) {
  const auto read = [&](double value) { return read_at(a.linear.steady.model, sweep, value); };
  return {SteadyWalk(read, a.linear.steady.options), a.linear.options, write_shape};
}

void print_locus(const Sweep& sweep, const RootLocus& locus) {
  Table table;
  table.add({sweep.label(), "growing", "eigenvalues [1/s]"});
  const std::size_t every = choose_stride(sweep);
  for (std::size_t k = 0; k < locus.values.size(); ++k) {
    const bool is_news = !locus.has(k) && (k == 0 || locus.failures[k - 1] != locus.failures[k]);
    if (!is_news && k % every != 0) continue;
    if (!locus.has(k)) {
      table.add({fmt::format("{:.6g}", locus.values[k]), "-", "failed"});
      continue;
    }
    std::string eigenvalues;
    for (const Eigenmode& mode : locus.sets[k].modes)
      eigenvalues += (eigenvalues.empty() ? "" : "   ") + write_eigenvalue(mode);
    table.add(
        {fmt::format("{:.6g}", locus.values[k]), std::to_string(locus.sets[k].count_growing()), eigenvalues});
  }
  table.print();
  say_stride(sweep);
  for (const StabilityLimit& limit : locus.limits) {
    if (limit.uncertainty > 0) {
      fmt::print(
          "{} between {:.7g} and {:.7g} {}: {} growing below, {} above; nothing was found in the middle\n",
          sweep.parameter, limit.value - limit.uncertainty, limit.value + limit.uncertainty, sweep.unit,
          limit.growing_below, limit.growing_above);
      continue;
    }
    fmt::print("{} = {:.{}g} {}: {} {} ({} growing below, {} above); moves: {}\n", sweep.parameter,
               limit.value, limit.is_sharp ? 15 : 7, sweep.unit,
               limit.is_oscillation ? "an oscillation" : "a slow motion",
               limit.growing_above < limit.growing_below ? "ceases to grow" : "begins to grow",
               limit.growing_below, limit.growing_above, limit.shape);
  }
  if (locus.limits.empty()) fmt::print("no stability limit in this range\n");
}

/// With progress; after Ctrl-C the points that are left are failures.
RootLocus walk(const ModesArguments& a, const Sweep& sweep, const std::atomic<bool>* interrupt) {
  ModesWalk points = make_walk(a, sweep);
  ProgressBar bar(true);
  int done = 0;
  return calc_root_locus(sweep.values, [&](double value) -> LocusPoint {
    if (interrupt->load()) return {{}, {}, "interrupted"};
    bar.say(fmt::format("{} = {:.6g}: point {} of {}, and more at limits", sweep.parameter, value, ++done,
                        sweep.values.size()));
    return points.calc(value);
  });
}

int sweep_modes(const ModesArguments& a) {
  const Sweep sweep = read_sweep(a.linear.steady.model, a.sweep.range);
  require_affordable(a.sweep, sweep, [&] {
    const LocusPoint first = make_walk(a, sweep).calc(sweep.values.front());
    return kBytesOfAMode * static_cast<double>(first.set.modes.size());
  });
  const std::atomic<bool>* interrupt = catch_signals();
  const RootLocus locus = walk(a, sweep, interrupt);
  if (locus.count_failures() == locus.values.size()) {
    report_failures(sweep, locus.failures);
    if (interrupt->load()) return interrupted_status();
    throw RunError("no point of the sweep was found");
  }
  if (a.csv != "-") print_locus(sweep, locus);
  if (!a.csv.empty()) write_output(a.csv, make_locus_csv(sweep.parameter, locus));
  if (!a.plot.empty())
    write_output(a.plot,
                 make_locus_plot(sweep.parameter, sweep.unit, locus, a.linear.steady.model.calc_label()));
  if (!a.report.empty()) write_locus_page(a, sweep, locus);
  const int status = report_failures(sweep, locus.failures);
  return interrupt->load() ? interrupted_status() : status;
}

int run_modes(const ModesArguments& a) {
  for (const auto& [file, option] : {std::pair{a.plot, "--plot"}, {a.matrices, "--matrices"}})
    if (file == "-") throw wrong_input(option, "goes to a file, not to stdout", "write a file name");
  if (!a.plot.empty() && !a.plot.ends_with(".svg"))
    throw wrong_input("--plot", fmt::format("'{}' is no .svg file", a.plot), "write FILE.svg");
  for (const auto& [file, option] : {std::pair{a.json, "--json"}, {a.matrices, "--matrices"}})
    if (!file.empty() && a.sweep.is_given())
      throw wrong_input(option, "is about one equilibrium, not about a sweep",
                        "leave --sweep out, or use --csv");
  const Model model = a.linear.steady.model.read();
  require_outputs({a.csv, a.plot, a.json, a.matrices, a.report}, model.files);
  if (!a.report.empty()) require_page(a.report, true);
  print_warnings(model);
  if (a.sweep.is_given()) return sweep_modes(a);
  for (const auto& [file, option] : {std::pair{a.csv, "--csv"}, {a.plot, "--plot"}})
    if (!file.empty()) throw wrong_input(option, "is the picture of a sweep", "add --sweep PARAM=a..b");
  const std::unique_ptr<SteadyState> state = require_steady_state(model, a.linear.steady.options);
  const SmallMotions found = find_small_motions(*state, a.linear.options);
  if (found.has_air && !a.matrices.empty())
    throw wrong_input("--matrices", "air with wakes has no matrices of the machine's size", "leave it out");
  const Linearization& linearization = found.linearization;
  const ModeSet& set = found.set;
  print_context(*state, set);
  if (a.json != "-") print_modes(linearization, set);
  if (!a.json.empty()) write_output(a.json, make_modes_json(model, linearization, set));
  if (!a.matrices.empty()) write_state_space(make_state_space(linearization), model.name, a.matrices);
  if (!a.report.empty()) write_modes_page(a, *state, found);
  return kSuccess;
}

}  // namespace

void add_modes(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("modes", "small motions about an equilibrium or a steady motion");
  const auto a = std::make_shared<ModesArguments>();
  a->linear.add_to(verb);
  a->sweep.add_to(verb, "eigenvalues over a parameter, and where stability ends");
  verb->add_option("--csv", a->csv, "the eigenvalues of a sweep; - is stdout")->type_name("FILE");
  verb->add_option("--plot", a->plot, "the same as a picture")->type_name("FILE.svg");
  verb->add_option("--json", a->json, "modes and matrices as JSON; - is stdout")->type_name("FILE");
  verb->add_option("--matrices", a->matrices, "A, B, C and D with their names, for Python and MATLAB")
      ->type_name("FILE.h5");
  verb->add_option("--report", a->report, "a page on which the modes move; of a sweep the root locus")
      ->type_name("FILE");
  verb->footer(
      "The equilibrium is found first, as by haltere equilibrium. `what moves` gives shares of the squares "
      "and\n"
      "phases against the largest; angles count in radians, lengths in length scales of the machine.\n"
      "A sweep keeps the points that it found and marks the others (`failed`; in --csv without eigenvalues); "
      "the "
      "exit\n"
      "status is 1 then.\n"
      "Matrices are kept by rows: A = h5py.File(f)['A'][:] in Python, A = h5read(f, '/A')' in MATLAB.\n"
      "Examples:\n"
      "  haltere modes x-hale\n"
      "  haltere modes bicycle --sweep v=0..10 --plot locus.svg\n"
      "  haltere modes cart-pole --matrices cart-pole.h5");
  verb->callback([=] { *action = [=] { return run_modes(*a); }; });
}

}  // namespace haltere
