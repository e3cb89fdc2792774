#pragma once

#include <functional>

#include <CLI/CLI.hpp>

/// The verbs of the program. Each adds its subcommand; when the user asks for it, `action` is what to do. An
/// action returns the exit status, and throws InputError (status 2) or RunError (status 1). What a signal
/// ended has 128 + the signal (app/signals.h).
namespace haltere {

using Action = std::function<int()>;

enum ExitStatus { kSuccess = 0, kComputationFailed = 1, kInputWrong = 2 };

void add_run(CLI::App* program, Action* action);
void add_check(CLI::App* program, Action* action);
void add_compare(CLI::App* program, Action* action);
void add_assemble(CLI::App* program, Action* action);
void add_evaluate(CLI::App* program, Action* action);
void add_list(CLI::App* program, Action* action);
void add_plot(CLI::App* program, Action* action);
void add_export(CLI::App* program, Action* action);
void add_report(CLI::App* program, Action* action);
void add_view(CLI::App* program, Action* action);
void add_schema(CLI::App* program, Action* action);
void add_new(CLI::App* program, Action* action);
void add_validate(CLI::App* program, Action* action);
void add_completion(CLI::App* program, Action* action);

}  // namespace haltere
