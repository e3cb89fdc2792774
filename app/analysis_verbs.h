#pragma once

#include "app/verbs.h"

/// Verbs that look for a motion, or start from one.
namespace haltere {

void add_equilibrium(CLI::App* program, Action* action);
void add_modes(CLI::App* program, Action* action);
void add_lqr(CLI::App* program, Action* action);
void add_trim(CLI::App* program, Action* action);

}  // namespace haltere
