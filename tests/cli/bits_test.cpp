#include <cstdlib>

#include <gtest/gtest.h>

#include "cli/program.h"

/// The same input gives the same bits (analytic: equality).
namespace haltere {
namespace {

class Bits : public ProgramTest {};

TEST_F(Bits, DoNotDependOnTheInstructionSet) {
  for (const char* model : {"chain", "falling-cat", "heavy-top"}) {
    const std::vector<std::string> arguments{"run", shipped(model), "--until", "0.2", "--csv",
                                             "-",   "--quiet"};
    const Outcome own = haltere(arguments);
    setenv("HALTERE_INSTRUCTION_SET", "baseline", 1);
    const Outcome baseline = haltere(arguments);
    unsetenv("HALTERE_INSTRUCTION_SET");
    ASSERT_EQ(own.status, 0) << own.err;
    ASSERT_GT(own.out.size(), 1000u);
    EXPECT_EQ(own.out, baseline.out) << model;
  }
}

}  // namespace
}  // namespace haltere
