#include "haltere/simulate/run.h"

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "app/continuation.h"
#include "app/model_arguments.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/run_sinks.h"
#include "app/run_summary.h"
#include "app/shell.h"
#include "app/signals.h"
#include "app/verbs.h"

#include "haltere/io/result/checkpoint_file.h"
#include "haltere/io/result/result.h"
#include "haltere/model/read_quantity.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace {

struct RunArguments {
  ModelArguments model;
  std::string until, step, every, tolerance, frames, wake_stride;
  std::string formulation, chart, integrator, stabilization, drift, balance;
  std::vector<std::string> channels;
  SinkArguments sinks;
  std::string checkpoint;
  bool quiet = false, yes = false;
  std::string command;  // as typed
};

Settings calc_overrides(const RunArguments& a) {
  Settings settings;
  const auto read = [](const char* option, const std::string& text, const char* unit,
                       std::optional<double>* out) {
    if (!text.empty()) *out = read_quantity(option, text, unit);
  };
  read("--until", a.until, "s", &settings.until);
  read("--step", a.step, "s", &settings.step);
  read("--every", a.every, "s", &settings.every);
  read("--tolerance", a.tolerance, "", &settings.tolerance);
  read("--frames", a.frames, "s", &settings.frames);
  read("--wake-stride", a.wake_stride, "", &settings.wake_stride);
  if (!a.formulation.empty()) settings.formulation = a.formulation;
  if (!a.integrator.empty()) settings.integrator = a.integrator;
  if (!a.chart.empty()) settings.chart = a.chart;
  if (!a.stabilization.empty()) settings.stabilization = a.stabilization;
  read("--drift", a.drift, "", &settings.drift);
  read("--balance", a.balance, "", &settings.balance);
  return settings;
}

RunOptions calc_options(const RunArguments& a, const Model& model, const Continuation* past,
                        ProgressBar* bar) {
  Settings settings = calc_overrides(a);
  if (past != nullptr) past->complete(&settings);
  RunOptions options = make_run_options(model, settings);
  if (!a.checkpoint.empty()) options.flush_every = read_quantity("--checkpoint", a.checkpoint, "s");
  if (options.flush_every < 0)
    throw wrong_input("--checkpoint", fmt::format("is {:g} s", options.flush_every),
                      "it must not be negative");
  if (!a.channels.empty()) options.channels = a.channels;
  options.command = a.command;
  options.insist = a.yes;
  if (bar->is_shown()) options.progress = [bar](const Progress& p) { bar->draw(p); };
  // a wrong glob is found here, before anything is written
  const std::vector<Channel> channels = options.channels.empty()
                                            ? select_outputs(model)
                                            : select_channels(make_channels(model), options.channels);
  if (past == nullptr) return options;
  require_same_run(past->info(), past->channels(), make_run_info(model, options), channels);
  options.past = &past->past();
  return options;
}

/// Case, parameters and channels that are not given are those of the past.
void complete(const RunInfo& past, RunArguments* a) {
  if (a->model.case_name.empty()) a->model.case_name = past.case_name;
  if (a->model.set.empty()) a->model.set = past.set;
  if (a->channels.empty()) a->channels = past.globs;
}

/// A run that is continued must not be going on elsewhere; one that can only be read is not.
std::unique_ptr<FolderLock> lock_past(const RunArguments& a) {
  if (access((std::filesystem::path(a.sinks.continued) / kResultFile).c_str(), W_OK) != 0) return nullptr;
  auto lock = std::make_unique<FolderLock>(a.sinks.continued, a.command);
  EarlierResult past(a.sinks.continued);  // puts back what a killed run had set aside
  return lock;
}

/// What is said even where silence is asked for.
void print_alarm(const RunSummary& summary) {
  if (!summary.audit.is_trustworthy()) fmt::print(stderr, "warning: {}\n", summary.audit.energy_text());
}

int explain_end(const RunArguments& a, const RunSummary& summary, const RunSinks& sinks) {
  if (summary.outcome == RunSummary::Outcome::kFailed) {
    fmt::print(stderr, "{}\n", summary.message);
    return kComputationFailed;
  }
  if (summary.outcome == RunSummary::Outcome::kInterrupted) {
    fmt::print(stderr, "{}; the rows up to there are kept; to go on:\n  haltere run {} --continue {}\n",
               summary.message, quote_for_shell(a.model.model), quote_for_shell(sinks.folder()));
    return interrupted_status();
  }
  return kSuccess;
}

/// Of the result that the run has written.
void write_page(const RunArguments& a, const Model& model, const RunSinks& sinks) {
  if (a.sinks.report.empty() || sinks.keeps_earlier()) return;
  const Result result(sinks.folder());
  ReportContent content{model.case_name.empty() ? model.name : model.name + " " + model.case_name};
  content.results.push_back({&result, name_of_result(sinks.folder())});
  write_report(a.sinks.report, content);
  if (!a.quiet && a.sinks.report != "-") fmt::print(stderr, "wrote {}\n", a.sinks.report);
}

int run_model(RunArguments a) {
  if (!a.sinks.report.empty()) require_page(a.sinks.report);
  std::unique_ptr<Continuation> past;
  std::unique_ptr<FolderLock> lock;
  if (!a.sinks.continued.empty()) {
    lock = lock_past(a);
    past = std::make_unique<Continuation>(a.sinks.continued);
    complete(past->info(), &a);
  }
  const Model model = a.model.read();
  std::optional<ProgressBar> bar(!a.quiet);
  RunOptions options = calc_options(a, model, past.get(), &*bar);
  const RunSinks sinks(a.sinks, name_result(a.model.calc_label(), a.model.set), a.command, model.files,
                       std::move(lock));
  options.save = [&](const Checkpoint& c) { write_checkpoint(c, sinks.checkpoint_file()); };
  if (!a.quiet) print_warnings(model);

  options.interrupt = catch_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a reader of --csv - that has gone must not take an earlier result along
  const RunSummary summary = run(model, options, sinks.all());
  bar.reset();
  std::signal(SIGPIPE, SIG_DFL);  // nothing is left to keep
  if (summary.is_abandoned) return kSignalStatus + SIGPIPE;
  if (a.quiet)
    print_alarm(summary);
  else
    print_summary(model, options, summary, sinks.describe());
  write_page(a, model, sinks);
  return explain_end(a, summary, sinks);
}

void add_options(CLI::App* verb, RunArguments* a) {
  a->model.add_to(verb);
  verb->add_option("--until", a->until, "end of the run, 10 or \"500 ms\"")->type_name("S");
  verb->add_option("--step", a->step,
                   "step of the integrator; adaptive methods start with it, those that can be both keep it")
      ->type_name("S");
  verb->add_option("--every", a->every, "interval of the rows")->type_name("S");
  verb->add_option("--frames", a->frames,
                   "interval of the frames, with lattices and wakes, for haltere export (until/100; 0: none)")
      ->type_name("S");
  verb->add_option("--wake-stride", a->wake_stride,
                   "every N-th row of the wakes in frames (as many as fit into 50 MB)")
      ->type_name("N");
  verb->add_option("--tolerance", a->tolerance, "relative local error of adaptive methods")->type_name("REL");
  verb->add_option("--formulation", a->formulation, "see haltere list formulations")->type_name("NAME");
  verb->add_option("--chart", a->chart, "of rotations in 'absolute': lie, quaternion, euler-zyx, ... (lie)")
      ->type_name("NAME");
  verb->add_option("--integrator", a->integrator, "see haltere list integrators")->type_name("NAME");
  verb->add_option("--stabilization", a->stabilization,
                   "of constraints: none, baumgarte:ALPHA,BETA, projection or s-both2 (projection)")
      ->type_name("NAME");
  verb->add_option("--drift", a->drift, "stop when a constraint is off by more (radians, or length scales)")
      ->type_name("X");
  verb->add_option(
          "--balance", a->balance,
          "a run whose energy balance is off by more, of the energy in play, has failed (methods that "
          "choose their steps: 0.01, or 1000 tolerances where that is more; equal steps: 0.1)")
      ->type_name("REL");
  verb->add_option("--channels", a->channels,
                   "record only what matches, like 'joint.*.angle'; may be repeated")
      ->type_name("GLOB")
      ->expected(1)
      ->take_all();
  verb->add_option("-o,--output", a->sinks.folder,
                   "folder of the result (results/MODEL-CASE, and what --set changes)")
      ->type_name("DIR");
  verb->add_option("--csv", a->sinks.csv, "also as CSV; - is stdout")->type_name("FILE");
  verb->add_option("--report", a->sinks.report, "a page that plays the run in a browser, see haltere report")
      ->type_name("FILE");
  verb->add_option("--continue", a->sinks.continued, "go on with a run that was cut off")->type_name("DIR");
  verb->add_option("--checkpoint", a->checkpoint, "time of the clock between checkpoints (1)")
      ->type_name("S");
  verb->add_option("--json", a->sinks.json, "summary as JSON; - is stdout")->type_name("FILE");
  verb->add_flag("--quiet", a->quiet, "no summary, no progress; of warnings only that energy is not kept");
  verb->add_flag("--yes", a->yes, "insist on absurdly many rows, steps or events");
}

/// The command line, for the record in the result.
std::string calc_command(const CLI::App& verb) {
  std::string command = "haltere run";
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = option->get_positional() ? "" : " " + option->get_name();
    for (const std::string& value : option->results())
      command += option->get_items_expected_max() == 0 ? name : name + " " + quote_for_shell(value);
  }
  return command;
}

}  // namespace

void add_run(CLI::App* program, Action* action) {
  CLI::App* verb = program->add_subcommand("run", "run a model and keep what it did");
  const auto arguments = std::make_shared<RunArguments>();
  add_options(verb, arguments.get());
  verb->footer(
      "Examples:\n"
      "  haltere run double-pendulum --until 20 --csv -\n"
      "  haltere run chain --set n=100 --integrator dop853 -o results/long-chain\n"
      "Exit status 1: it failed, or energy is not kept; 130: interrupted. The rows up to there are kept. A "
      "run that does "
      "not get\n"
      "beyond its start, or whose reader has gone, leaves an earlier result as it is. One run at a time "
      "writes into a "
      "folder.");
  verb->callback([=] {
    arguments->command = calc_command(*verb);
    *action = [=] { return run_model(*arguments); };
  });
}

}  // namespace haltere
