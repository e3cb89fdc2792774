#include "haltere/simulate/recorder.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MemorySink, KeepsRowsByChannel) {
  MemorySink sink;
  std::vector<Channel> channels(2);
  channels[0].name = "t";
  channels[1].name = "x";
  EXPECT_EQ(sink.rows(), 0);
  sink.begin(channels, {});
  sink.row(std::vector<double>{0, 5});
  sink.row(std::vector<double>{1, 6});
  EXPECT_EQ(sink.rows(), 2);
  EXPECT_EQ(sink.value(1, "x"), 6);
  EXPECT_THAT(sink.column("x"), ElementsAre(5, 6));
  EXPECT_THROW(sink.value(0, "y"), std::out_of_range);
  EXPECT_THROW(sink.value(2, "x"), std::out_of_range);
}

TEST(Audit, SpeaksOfMomentumOnlyWhereItApplies) {
  Audit audit;
  audit.energy_scale = 8;
  audit.energy_balance = 4e-9;
  EXPECT_THAT(audit.text(), HasSubstr("4.0e-09 J, 5.0e-10 of 8 J"));
  EXPECT_THAT(audit.text(), Not(HasSubstr("momentum")));
  audit.momentum_applies = true;
  EXPECT_THAT(audit.text(), HasSubstr("momentum"));
  EXPECT_THAT(Audit{}.text(), HasSubstr("no energy in play"));
}

}  // namespace
}  // namespace haltere
