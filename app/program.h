#pragma once

namespace haltere {

/// The whole program, but for exceptions of streams that cannot be written. Returns the exit status.
int run_program(int argc, const char* const* argv);

}  // namespace haltere
