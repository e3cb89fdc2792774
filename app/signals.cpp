#include "app/signals.h"

#include <csignal>

namespace haltere {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> caught{SIGINT};
// else a signal handler may not touch them
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

}  // namespace

const std::atomic<bool>* catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    caught = signal;
    interrupted = true;
  };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return &interrupted;
}

int interrupted_status() {
  return kSignalStatus + caught;
}

void die_of_signal(int status) {
  std::signal(status - kSignalStatus, SIG_DFL);
  std::raise(status - kSignalStatus);
}

}  // namespace haltere
