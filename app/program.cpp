#include "app/program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

#include "app/analysis_verbs.h"
#include "app/completion.h"
#include "app/output_file.h"
#include "app/signals.h"
#include "app/verbs.h"

#include "haltere/model/problem.h"
#include "haltere/simulate/recorder.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

// part of the command line's contract, but not of this version
constexpr std::array kLaterVerbs{"sweep"};

constexpr const char* kAbout =
    "haltere studies how flying, flapping and rolling machines move.\n"
    "MODEL is a model file, a folder with a model.yaml, or the name of a shipped model (haltere list "
    "models).";

constexpr const char* kExamples =
    "Examples:\n"
    "  haltere run double-pendulum\n"
    "  haltere run chain --set n=100 --csv chain.csv\n"
    "  haltere plot results/double-pendulum 'joint.*.angle' -o angles.svg\n"
    "  haltere view results/double-pendulum\n"
    "Each verb has its own --help. Exit status: 0 success, 1 the computation failed, 2 the input is wrong; "
    "128 "
    "+ a signal\n"
    "where one ended it (130 Ctrl-C, 143 SIGTERM, 141 the reader of stdout has gone): what was there is "
    "kept.";

void print_problems(const InputError& error) {
  for (const Problem& problem : error.problems()) fmt::print(stderr, "{}\n", problem.text());
  const auto errors = std::count_if(error.problems().begin(), error.problems().end(),
                                    [](const Problem& p) { return !p.is_warning(); });
  fmt::print(stderr, "{} problem{}\n", errors, errors == 1 ? "" : "s");
}

std::vector<std::string> calc_verbs(const CLI::App& program) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands({})) verbs.push_back(verb->get_name());
  return verbs;
}

/// The first word may be no verb: then say which was meant, or that it is still to come.
int explain_verb(const CLI::App& program, const std::string& word) {
  if (std::find(kLaterVerbs.begin(), kLaterVerbs.end(), word) != kLaterVerbs.end()) {
    fmt::print(stderr, "haltere {}: not there yet in version {}\n", word, version());
    return kInputWrong;
  }
  const std::string hint = did_you_mean(word, calc_verbs(program));
  fmt::print(stderr, "haltere: unknown verb '{}'; {}\n", word, hint.empty() ? "see haltere --help" : hint);
  return kInputWrong;
}

int perform(const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    print_problems(error);
    return kInputWrong;
  } catch (const ReaderGone&) {
    return kSignalStatus + SIGPIPE;
  } catch (const RunError& error) {
    fmt::print(stderr, "{}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "haltere: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "haltere: unexpected: {}\n", error.what());
  }
  return kComputationFailed;
}

/// A standard stream that the caller closed: its number must not go to the next file that is opened. Messages
/// vanish then; what goes to stdout fails, as it should.
void fill_closed_streams() {
  for (const auto& [stream, mode] : {std::pair{0, O_RDONLY}, {1, O_RDONLY}, {2, O_WRONLY}})
    if (fcntl(stream, F_GETFD) == -1) open("/dev/null", mode | O_CLOEXEC);  // takes the lowest free number
}

/// The exit status, once all output is written.
int end(int status) {
  if (std::fflush(stdout) == 0 || status >= kSignalStatus) return status;
  if (errno == EPIPE) return kSignalStatus + SIGPIPE;
  fmt::print(stderr, "haltere: stdout cannot be written: {}\n", std::strerror(errno));
  return status == kSuccess ? kComputationFailed : status;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  fill_closed_streams();
  CLI::App program{kAbout, "haltere"};
  program.set_version_flag("--version", fmt::format("haltere {}", version()));
  program.footer(kExamples);
  Action action;
  for (const auto add : {add_run, add_check, add_evaluate, add_assemble, add_equilibrium, add_modes, add_lqr,
                         add_trim, add_compare, add_list, add_plot, add_report, add_view, add_export,
                         add_schema, add_new, add_validate, add_completion})
    add(&program, &action);

  if (argc < 2) {
    fmt::print(stderr, "{}", program.help());
    return kInputWrong;
  }
  const std::string word = argv[1];
  if (word == "__complete") {
    write_output("-", candidates_text(calc_candidates(program, {argv + 2, argv + argc})));
    return end(kSuccess);
  }
  const std::vector<std::string> verbs = calc_verbs(program);
  if (!word.starts_with('-') && std::find(verbs.begin(), verbs.end(), word) == verbs.end())
    return explain_verb(program, word);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = program.exit(error) == 0 ? kSuccess : kInputWrong;
    std::cout.flush();
    return end(std::cout ? status : kComputationFailed);
  }
  return end(perform(action));
}

}  // namespace haltere
