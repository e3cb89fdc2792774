#include "app/program.h"
#include "app/signals.h"
#include "app/verbs.h"

int main(int argc, char** argv) {
  try {
    const int status = haltere::run_program(argc, argv);
    if (status > haltere::kSignalStatus) haltere::die_of_signal(status);
    return status;
  } catch (...) {
    return haltere::kComputationFailed;  // the message could not be written
  }
}
