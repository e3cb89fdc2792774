#include "haltere/formula/text.h"

#include <string>

#include <gtest/gtest.h>

namespace haltere {
namespace {

// source of all expected values: counted by hand
TEST(Text, EditDistanceCountsSlips) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("stifness", "stiffness"), 1);
  EXPECT_EQ(edit_distance("revolut", "revolute"), 1);
  EXPECT_EQ(edit_distance("mass", "mses"), 2);
  EXPECT_EQ(edit_distance("daming", "damping"), 1);
  EXPECT_EQ(edit_distance("lenght", "length"), 1) << "swapped neighbours are one slip";
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("abc", "xyz"), 3);
}

TEST(Text, FindsTheNearestWord) {
  EXPECT_EQ(find_similar("stifness", {"damping", "stiffness", "rest_angle"}), "stiffness");
  EXPECT_EQ(find_similar("Mass", {"gas", "mass"}), "mass") << "case is no mistake";
  EXPECT_EQ(find_similar("axle", {"axis", "axle2"}), "axle2");
  EXPECT_EQ(find_similar("x", {"y", "z"}), std::nullopt) << "one letter replaced says nothing";
  EXPECT_EQ(find_similar("gravity", {"bodies", "joints"}), std::nullopt);
  EXPECT_EQ(find_similar("", {"a"}), std::nullopt);
  EXPECT_EQ(find_similar("a", {}), std::nullopt);
  EXPECT_EQ(find_similar(std::string(1000000, 'a'), {"aa"}), std::nullopt);
}

TEST(Text, QuotesWhateverItIsGiven) {
  EXPECT_EQ(quote("abc"), "'abc'");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote(std::string_view("a\0b\n", 4)), "'a\\x00b\\x0a'");
  EXPECT_EQ(quote("\xff\xc2"), "'\\xff\\xc2'");
  EXPECT_EQ(quote("5 \u00b5m \u221e"), "'5 \u00b5m \u221e'");
  EXPECT_EQ(quote(std::string(1000000, 'a')), "'" + std::string(40, 'a') + "...'");
}

}  // namespace
}  // namespace haltere
