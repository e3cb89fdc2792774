// Results do not get lost: each has its folder, one run at a time writes there, and no input is overwritten.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

constexpr const char* kSlider = R"(haltere: 1
parameters: {v: 1 m/s, k: 4 N/m}
bodies: {b: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {j: {kind: prismatic, child: b, axis: x}}
forces: {s: {kind: linear-spring, joint: j, stiffness: k}}
initial: {j: {velocity: v}}
simulation: {until: 1 s}
)";

class Folders : public ProgramTest {
 protected:
  Folders() { write("m.yaml", kSlider); }

  /// Names of the folders below results/.
  std::vector<std::string> results() const {
    std::vector<std::string> names;
    for (const std::string& file : files())
      if (file.starts_with("results/") && file.ends_with("/result.h5"))
        names.push_back(file.substr(8, file.size() - 18));
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(Folders, WhatSetChangesIsInTheName) {
  ASSERT_EQ(haltere({"run", "m.yaml", "--quiet"}).status, 0);
  ASSERT_EQ(haltere({"run", "m.yaml", "--quiet", "--set", "v=2"}).status, 0);
  ASSERT_EQ(haltere({"run", "m.yaml", "--quiet", "--set", "v=2", "--set", "k=3"}).status, 0);
  EXPECT_THAT(results(), ElementsAre("m", "m-k=3,v=2", "m-v=2"));
  // the same settings, typed in another way
  ASSERT_EQ(haltere({"run", "m.yaml", "--quiet", "--set", "k=5", "--set", "v=2", "--set", "k=3"}).status, 0);
  ASSERT_EQ(haltere({"run", "m.yaml", "--quiet", "--set", "k=3", "--set", "v=2"}).status, 0);
  EXPECT_THAT(results(), ElementsAre("m", "m-k=3,v=2", "m-v=2"));
}

TEST_F(Folders, SettingsThatLookAlikeInANameAreKeptApart) {
  const std::string zeros(300, '0');
  for (const std::string& value :
       std::vector<std::string>{"3 N/m", "3*1 N/m", "3." + zeros + "1", "3." + zeros + "2"})
    ASSERT_EQ(haltere({"run", "m.yaml", "--quiet", "--set", "k=" + value}).status, 0) << value;
  const std::vector<std::string> names = results();
  EXPECT_EQ(names.size(), 4U);
  for (const std::string& name : names) {
    EXPECT_THAT(name, StartsWith("m-k=3"));
    EXPECT_LT(name.size(), 100U);
    EXPECT_EQ(name.find_first_of(" /*"), std::string::npos) << name;
  }
}

TEST_F(Folders, AWordSaysWhatIsReplaced) {
  const Outcome first = haltere({"run", "m.yaml", "--until", "0.5"});
  EXPECT_THAT(first.err, HasSubstr("result: results/m\n"));
  const Outcome second = haltere({"run", "m.yaml"});
  EXPECT_THAT(second.err,
              HasSubstr("result: results/m, which replaces the result of haltere run m.yaml --until 0.5\n"));
  EXPECT_THAT(results(), ElementsAre("m"));
}

TEST_F(Folders, OneRunAtATimeWritesIntoAFolder) {
  // far longer than any test would wait; the second finds the first at work
  Outcome second, third;
  const Outcome first = haltere_meanwhile(
      "results/m/checkpoint", {"run", "m.yaml", "--until", "1e7", "--every", "1e3", "--quiet"}, SIGINT, [&] {
        second = haltere({"run", "m.yaml"});
        third = haltere({"run", "m.yaml", "--continue", "results/m"});
      });
  EXPECT_EQ(first.status, 128 + SIGINT);
  for (const Outcome& o : {second, third}) {
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("results/m: another run writes there: process "));
    EXPECT_THAT(o.err, HasSubstr("haltere run m.yaml --until 1e7"));
  }
  EXPECT_THAT(files(), ElementsAre("m.yaml", "results/m/checkpoint", "results/m/result.h5"));
}

TEST_F(Folders, TheLockOfAKilledRunDoesNotBlock) {
  const Outcome killed = haltere_interrupted_at(
      "results/m/checkpoint", {"run", "m.yaml", "--until", "1e7", "--every", "1e3"}, SIGKILL);
  ASSERT_EQ(killed.status, 128 + SIGKILL);
  ASSERT_TRUE(exists("results/m/.haltere-lock"));
  EXPECT_EQ(haltere({"run", "m.yaml"}).status, 0);
  EXPECT_THAT(files(), ElementsAre("m.yaml", "results/m/result.h5"));
}

TEST_F(Folders, AReaderThatHasGoneEndsTheRunQuietlyAndReplacesNothing) {
  ASSERT_EQ(haltere({"run", "m.yaml"}).status, 0);
  const std::string good = read("results/m/result.h5");
  const Outcome o = haltere_read({"run", "m.yaml", "--until", "1e6", "--every", "0.1", "--csv", "-"}, 100);
  EXPECT_EQ(o.status, 128 + SIGPIPE);
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, StartsWith("t,"));
  EXPECT_TRUE(read("results/m/result.h5") == good);
  EXPECT_THAT(files(), ElementsAre("m.yaml", "results/m/result.h5"));
}

// its seal and its checkpoint stand beside it
TEST_F(Folders, ARunThatWasKilledIsWholeAgainAfterOneThatReplacesNothing) {
  const std::vector<std::string> long_run{"run", "m.yaml", "--until", "1e6", "--every", "0.1"};
  const Outcome killed = haltere_interrupted_at("results/m/result.h5.seal", long_run, SIGKILL);
  ASSERT_EQ(killed.status, 128 + SIGKILL);
  std::vector<std::string> abandoned = long_run;
  abandoned.insert(abandoned.end(), {"--csv", "-"});
  ASSERT_EQ(haltere_read(abandoned, 100).status, 128 + SIGPIPE);
  EXPECT_TRUE(exists("results/m/result.h5.seal"));
  EXPECT_TRUE(exists("results/m/checkpoint"));
  EXPECT_EQ(haltere({"plot", "results/m", "t", "-o", "t.svg"}).status, 0);
}

TEST_F(Folders, AReaderThatHasGoneEndsEveryVerbQuietly) {
  const Outcome o = haltere_read({"schema"}, 10);  // more than a pipe holds
  EXPECT_EQ(o.status, 128 + SIGPIPE);
  EXPECT_THAT(o.err, IsEmpty());
}

TEST_F(Folders, ARunThatFailsAtItsStartReplacesNothing) {
  ASSERT_EQ(haltere({"run", "m.yaml", "-o", "r"}).status, 0);
  const std::string good = read("r/result.h5");
  // no number at t = 0: the force is infinite there
  write("m.yaml", R"(haltere: 1
bodies: {b: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {j: {kind: prismatic, child: b, axis: x}}
forces: {f: {kind: applied-force, body: b, force: [1 N*log(t/(1 s)), 0, 0]}}
simulation: {until: 1 s}
)");
  const Outcome o = haltere({"run", "m.yaml", "-o", "r"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("result: r stays the result of haltere run m.yaml --output r\n"));
  EXPECT_TRUE(read("r/result.h5") == good);
  EXPECT_THAT(files(), ElementsAre("m.yaml", "r/result.h5"));
}

TEST_F(Folders, NoVerbWritesOverWhatItReads) {
  ASSERT_EQ(haltere({"run", "m.yaml", "-o", "r", "--quiet"}).status, 0);
  write("state.json", "{}");
  write("part.yaml", "gravity: [0, 0, 0]\n");
  write("polar.csv", "x,y\n0,0\n100,1\n");
  write("whole.yaml", "include: part.yaml\n" + std::string(kSlider) +
                          "signals: {s: \"table('polar.csv', 'y', t/(1 s))\"}\n");
  fs::create_hard_link(path("m.yaml"), path("hard.yaml"));
  fs::create_symlink("m.yaml", path("soft.yaml"));
  const std::string model = read("m.yaml"), result = read("r/result.h5");
  const std::vector<std::vector<std::string>> commands{
      {"assemble", "m.yaml", "-o", "m.yaml"},
      {"assemble", "m.yaml", "-o", "hard.yaml"},
      {"assemble", "m.yaml", "--json", "soft.yaml"},
      {"assemble", "whole.yaml", "-o", "part.yaml"},
      {"equilibrium", "m.yaml", "-o", "./m.yaml"},
      {"equilibrium", "m.yaml", "--json", "m.yaml"},
      {"evaluate", "m.yaml", "--json", "m.yaml"},
      {"evaluate", "m.yaml", "--state", "state.json", "--json", "state.json"},
      {"modes", "m.yaml", "--json", "m.yaml"},
      {"modes", "m.yaml", "--matrices", "m.yaml"},
      {"lqr", "m.yaml", "--input", "joint.j.force", "-o", "m.yaml"},
      {"trim", "m.yaml", "--steady", "-o", "m.yaml"},
      {"trim", "m.yaml", "--steady", "-o", "x", "--json", "x"},
      {"compare", "m.yaml", "--csv", "m.yaml"},
      {"run", "m.yaml", "-o", "r2", "--csv", "hard.yaml"},
      {"run", "m.yaml", "-o", "r2", "--json", "r2/.haltere-lock"},
      {"plot", "r", "t", "-o", "r/result.h5"}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome o = haltere(command);
    EXPECT_EQ(o.status, 2) << command[0] << ' ' << command.back();
    EXPECT_TRUE(read("m.yaml") == model) << command[0];
  }
  EXPECT_TRUE(read("r/result.h5") == result);
  EXPECT_EQ(read("state.json"), "{}");
}

}  // namespace
}  // namespace haltere
