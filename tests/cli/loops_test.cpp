#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;

class Loops : public ProgramTest {};

// 40 four-bars have 40 joints that close loops, and 120 rows too many: two notes, not 160. (source: analytic)
TEST_F(Loops, AreSummedUpInOneNoteHoweverManyThereAre) {
  const Outcome o = haltere({"run", "four-bar", "--set", "N=40", "--until", "0.01", "-o", "r"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string all = o.out + o.err;
  EXPECT_THAT(all, HasSubstr("and 36 more close loops"));
  EXPECT_THAT(all, HasSubstr("and 116 more are redundant"));
  const std::vector<std::string> lines = lines_of(all);
  EXPECT_LE(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.starts_with("note:"); }),
            3);
}

// what takes a thousand loops with dense matrices minutes and gigabytes
//                                                                (source: analytic, one crank moves them all)
TEST_F(Loops, OfAThousandFourBarsAreCounted) {
  const Outcome o = haltere({"check", "four-bar", "--set", "N=1000"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out + o.err, HasSubstr("1 degree of freedom, 5000 constraint rows (3000 redundant)"));
}

}  // namespace
}  // namespace haltere
