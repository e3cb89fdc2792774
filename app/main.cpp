#include "app/program.h"
#include "app/verbs.h"

int main(int argc, char** argv) {
  try {
    return haltere::run_program(argc, argv);
  } catch (...) {
    return haltere::kComputationFailed;  // the message could not be written
  }
}
