#pragma once

#include <atomic>

/// A signal ends the program as signals do, with 128 + its number as the shell sees it (130 after Ctrl-C, 143
/// after SIGTERM, 141 where the reader of stdout has gone): in verbs that take long, once what is there has
/// been kept; in all others at once.
namespace haltere {

inline constexpr int kSignalStatus = 128;

/// From here on the first Ctrl-C or SIGTERM sets the flag that is returned, the second ends the program at
/// once.
const std::atomic<bool>* catch_signals();

/// 128 + the signal that was caught.
int interrupted_status();

/// The end of a program whose status is 128 + a signal.
void die_of_signal(int status);

}  // namespace haltere
