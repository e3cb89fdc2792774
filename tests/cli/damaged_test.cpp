// Damaged files given to the program: refused, each of them, with nothing written. What the library does with
// hundreds of them stands in tests/unit/io/sealed_file_test.cpp.
#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;

class DamagedFile : public ProgramTest {
 protected:
  /// Bits and ends, spread over the file.
  static std::vector<std::string> damage(const std::string& good, int count) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) {
      const std::size_t place = good.size() * i / count;
      all.push_back(good);
      all.back()[place] = static_cast<char>(all.back()[place] ^ (1 << i % 8));
      all.push_back(good.substr(0, place));
    }
    return all;
  }
};

TEST_F(DamagedFile, ResultsAreNotPlotted) {
  ASSERT_EQ(haltere({"run", shipped("pendulum"), "-o", "r", "--quiet"}).status, 0);
  ASSERT_EQ(haltere({"plot", "r", "t", "-o", "good.svg"}).status, 0);
  for (const std::string& bad : damage(read("r/result.h5"), 12)) {
    write("r/result.h5", bad);
    const Outcome o = haltere({"plot", "r", "t", "-o", "bad.svg"});
    EXPECT_EQ(o.status, 2) << o.err;
    EXPECT_THAT(o.err, HasSubstr("r/result.h5: result: "));
    EXPECT_FALSE(exists("bad.svg"));
  }
}

TEST_F(DamagedFile, RunsAreNotContinued) {
  const Outcome cut = haltere_interrupted_at("r/checkpoint",
                                             {"run", shipped("double-pendulum"), "-o", "r", "--until", "3000",
                                              "--every", "0.05", "--checkpoint", "0.01", "--quiet"},
                                             SIGKILL);
  ASSERT_EQ(cut.status, 128 + SIGKILL);
  for (const std::string name : {"r/result.h5.seal", "r/checkpoint"}) {
    const std::string good = read(name);
    for (const std::string& bad : damage(good, 6)) {
      write(name, bad);
      const Outcome o = haltere({"run", shipped("double-pendulum"), "--continue", "r", "--quiet"});
      EXPECT_EQ(o.status, 2) << o.err;
      EXPECT_THAT(o.err, HasSubstr(name == "r/checkpoint" ? "checkpoint: " : "its seal"));
    }
    write(name, good);
  }
}

}  // namespace
}  // namespace haltere
