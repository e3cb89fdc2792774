// The command lines of tests/fuzz/corpus/command_line, one word a line: each ends with a status that is part
// of the contract, and one that did what was asked says nothing of the kind of a wrong input.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/program.h"
#include "source_folder.h"

namespace haltere {
namespace {

constexpr const char* kModel = R"(haltere: 1
parameters: {l: 0.5 m, g: 9.81 m/s2}
gravity: [0, 0, -g]
bodies: {bob: {mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3]}}
joints: {pivot: {kind: revolute, child: bob, axis: y, child_frame: [0, 0, l]}}
initial: {pivot: 10 deg}
simulation: {until: 1 s, every: 0.1 s}
cases: {moon: {parameters: {g: 1.62 m/s2}}}
)";

class CommandLine : public ProgramTest {};

TEST_F(CommandLine, OfAnyKindEndsWithAStatus) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_path("tests/fuzz/corpus/command_line"))) {
    write("m.yaml", kModel);
    std::filesystem::remove_all(path("results"));  // a result of the one before is no sign of life
    const std::vector<std::string> words = lines_of(read_text(entry.path()));
    // a run that would go on for long is interrupted
    const bool runs = !words.empty() && words[0] == "run";
    const Outcome o = runs ? haltere_interrupted_at("results/m/result.h5", words, SIGINT) : haltere(words);
    EXPECT_LE(o.status, 2) << entry.path() << o.err;
    EXPECT_TRUE(o.status == 0 || !o.err.empty()) << entry.path() << " fails without a word";
    ++count;
  }
  EXPECT_GT(count, 40);
}

}  // namespace
}  // namespace haltere
