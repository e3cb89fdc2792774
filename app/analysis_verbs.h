#pragma once

#include "app/verbs.h"

/// Verbs that start from an equilibrium.
namespace haltere {

void add_equilibrium(CLI::App* program, Action* action);
void add_modes(CLI::App* program, Action* action);
void add_lqr(CLI::App* program, Action* action);

}  // namespace haltere
