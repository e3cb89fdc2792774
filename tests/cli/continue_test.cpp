// Runs that are interrupted or killed: what was computed can be read, and the run can be continued with the
// same bits.
#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// half a second of computing, so that a kill meets every phase of a run
const std::vector<std::string> kLong{"--until",    "300",         "--every", "0.05",         "--step",
                                     "0.001",      "--tolerance", "1e-13",   "--checkpoint", "0.01",
                                     "--channels", "joint.*",     "--quiet"};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Continue : public ProgramTest {
 protected:
  /// Leaves a run in the folder r that was cut off later than t = 1 s.
  void interrupt_run(const std::vector<std::string>& options = {}) {
    cut_ = haltere_cut_off("r", std::vector<std::string>{"run", shipped("double-pendulum")} + options + kLong,
                           1);
    ASSERT_EQ(cut_.status, 128 + SIGINT) << cut_.err;
  }

  Outcome cut_;
};

class Killed : public ProgramTest, public testing::WithParamInterface<const char*> {};

TEST_P(Killed, AtAnyMomentLeavesAReadableResultAndCanBeContinued) {
  const std::vector<std::string> start =
      std::vector<std::string>{"run", shipped("double-pendulum"), "--integrator", GetParam()} + kLong;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(haltere(start + std::vector<std::string>{"-o", "whole", "--csv", "whole.csv"}).status, 0);
  const double whole =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();  // [s]

  // on a busy machine a program may be killed long before its first checkpoint: later ones live longer
  std::mt19937 random(GetParam()[0]);
  std::uniform_real_distribution<double> moment(0, 0.4 * whole);
  int killed = 0, continued = 0;
  Outcome o;
  for (o.status = -1; o.status != 0; ++killed) {
    ASSERT_LT(killed, 200);
    const bool begun = exists("r/checkpoint");
    continued += begun ? 1 : 0;
    const std::vector<std::string> arguments =
        begun ? std::vector<std::string>{"run",        shipped("double-pendulum"),
                                         "--continue", "r",
                                         "--quiet",    "--checkpoint",
                                         "0.01",       "--csv",
                                         "r.csv"}
              : start + std::vector<std::string>{"-o", "r", "--csv", "r.csv"};
    o = haltere_interrupted(arguments, SIGKILL, moment(random) * (1 + 0.1 * killed));
    if (o.status == 0) break;
    ASSERT_EQ(o.status, 128 + SIGKILL) << o.err;
    if (!exists("r/result.h5")) continue;
    const Outcome plot = haltere({"plot", "r", "t", "-o", "p.svg"});
    ASSERT_EQ(plot.status, 0) << plot.err;
  }
  EXPECT_GT(killed, 0);
  EXPECT_GT(continued, 0);
  EXPECT_TRUE(read("r.csv") == read("whole.csv"));
  EXPECT_FALSE(exists("r/checkpoint"));
}
INSTANTIATE_TEST_SUITE_P(Methods, Killed, testing::Values("rk4", "dop853", "cvode-bdf"),
                         [](const auto& method) { return std::string(method.param).substr(0, 5); });

TEST_F(Continue, AfterCtrlC) {
  const std::vector<std::string> g{"--set", "g=9.8"};
  ASSERT_EQ(haltere(std::vector<std::string>{"run", shipped("double-pendulum"), "-o", "whole", "--csv",
                                             "whole.csv"} +
                    g + kLong)
                .status,
            0);
  ASSERT_NO_FATAL_FAILURE(interrupt_run(g));
  EXPECT_THAT(cut_.err, HasSubstr("interrupted at t = "));
  EXPECT_THAT(cut_.err, HasSubstr("--continue r"));
  // parameters, channels and settings are those of the run that was cut off
  ASSERT_EQ(
      haltere({"run", shipped("double-pendulum"), "--continue", "r", "--csv", "r.csv", "--quiet"}).status, 0);
  EXPECT_TRUE(read("r.csv") == read("whole.csv"));
}

TEST_F(Continue, AnotherRunIsRefusedByName) {
  ASSERT_NO_FATAL_FAILURE(interrupt_run());
  const std::string result = read("r/result.h5");
  const auto refuse = [&](const std::vector<std::string>& options, const std::string& what) {
    const Outcome o =
        haltere(std::vector<std::string>{"run", shipped("double-pendulum"), "--continue", "r"} + options);
    EXPECT_EQ(o.status, 2) << what;
    EXPECT_THAT(o.err, HasSubstr(what));
  };
  refuse({"--integrator", "rk4"}, "integrator: was 'dop853' and is 'rk4' now");
  refuse({"--tolerance", "1e-6"}, "tolerance: was");
  refuse({"--set", "g=1.62"}, "--set: was '' and is 'g=1.62' now");
  refuse({"--channels", "t"}, "channels: are others");
  const Outcome other = haltere({"run", shipped("pendulum"), "--continue", "r"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("its files have changed"));
  EXPECT_TRUE(read("r/result.h5") == result);
}

TEST_F(Continue, NothingToContinue) {
  ASSERT_EQ(haltere({"run", shipped("pendulum"), "-o", "r", "--quiet"}).status, 0);
  const Outcome o = haltere({"run", shipped("pendulum"), "--continue", "r"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("this run has finished"));
  EXPECT_EQ(haltere({"run", shipped("pendulum"), "--continue", "nowhere"}).status, 2);
}

TEST_F(Continue, DamagedCheckpointsAreRefused) {
  ASSERT_NO_FATAL_FAILURE(interrupt_run());
  const std::string good = read("r/checkpoint");
  for (const std::string& bad : {std::string(), std::string("garbage"), good.substr(0, good.size() / 2)}) {
    write("r/checkpoint", bad);
    const Outcome o = haltere({"run", shipped("double-pendulum"), "--continue", "r"});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("r/checkpoint: checkpoint: "));
  }
}

TEST_F(Continue, LaterEndsAreAllowed) {
  ASSERT_NO_FATAL_FAILURE(interrupt_run());
  const Outcome o = haltere({"run", shipped("double-pendulum"), "--continue", "r", "--until", "301"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err, HasSubstr("finished at t = 301 s"));
}

TEST_F(Continue, AnEndThatHasPassedIsRefused) {
  ASSERT_NO_FATAL_FAILURE(interrupt_run());
  const Outcome o = haltere({"run", shipped("double-pendulum"), "--continue", "r", "--until", "0.1"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("--until: 0.1 s lies before the checkpoint at"));
}

}  // namespace
}  // namespace haltere
