#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class List : public ProgramTest {
 protected:
  std::vector<std::string> list(const std::vector<std::string>& what) const {
    std::vector<std::string> arguments{"list"};
    arguments.insert(arguments.end(), what.begin(), what.end());
    const Outcome o = haltere(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, IsEmpty());
    return lines_of(o.out);
  }
};

TEST_F(List, ShowsEveryShippedModel) {
  const std::vector<std::string> lines = list({"models"});
  for (const char* name :
       {"pendulum", "double-pendulum", "chain", "wing-nut", "heavy-top", "cart-pole", "falling-cat"})
    EXPECT_THAT(lines, Contains(StartsWith(std::string(name) + " "))) << name;
}

TEST_F(List, ShowsEveryKindOfJointWithItsFields) {
  const std::vector<std::string> lines = list({"joints"});
  for (const char* name :
       {"weld", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "free"})
    EXPECT_THAT(lines, Contains(StartsWith(std::string(name) + " "))) << name;
  EXPECT_THAT(lines, Contains(HasSubstr("second_axis")));
}

TEST_F(List, ShowsEveryKindOfForceWithUnits) {
  const std::vector<std::string> lines = list({"forces"});
  for (const char* name :
       {"rotary-spring", "linear-spring", "spring-damper", "applied-force", "applied-torque", "feedback"})
    EXPECT_THAT(lines, Contains(StartsWith(std::string(name) + " "))) << name;
  EXPECT_THAT(lines, Contains(HasSubstr("N m/rad")));
}

TEST_F(List, ShowsShapesIntegratorsAndFormulations) {
  EXPECT_THAT(list({"shapes"}), Contains(StartsWith("ellipsoid ")));
  for (const char* name : {"rk4", "dopri5", "dop853", "cvode-bdf", "cvode-adams"})
    EXPECT_THAT(list({"integrators"}), Contains(StartsWith(std::string(name) + " "))) << name;
  EXPECT_THAT(list({"formulations"}), Contains(StartsWith("recursive ")));
}

TEST_F(List, ShowsTheChannelsOfAModelWithUnits) {
  const std::vector<std::string> lines = list({"channels", "cart-pole"});
  EXPECT_THAT(lines, Contains(StartsWith("t ")));
  EXPECT_THAT(lines, Contains(testing::ContainsRegex("^joint\\.track\\.position +m ")));
  EXPECT_THAT(lines, Contains(StartsWith("energy.balance ")));
}

TEST_F(List, KnowsSurfaces) {
  const Outcome o = haltere({"list", "surfaces"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.out, testing::AllOf(HasSubstr("blade-element"), HasSubstr("span_axis"), HasSubstr("wind")));
}

TEST_F(List, NamesTheListThatWasMeant) {
  const Outcome o = haltere({"list", "joint"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("joints"));
}

TEST_F(List, ChannelsNeedAModel) {
  EXPECT_EQ(haltere({"list", "channels"}).status, 2);
}

TEST_F(List, IsJsonForOtherPrograms) {
  const auto list_json = [this](std::vector<std::string> what) {
    what.insert(what.begin(), "list");
    what.insert(what.end(), {"--json", "-"});
    return nlohmann::json::parse(haltere(what).out);
  };
  const auto models = list_json({"models"});
  const auto hale =
      std::find_if(models.begin(), models.end(), [](const auto& m) { return m["name"] == "x-hale"; });
  ASSERT_NE(hale, models.end());
  EXPECT_THAT((*hale)["cases"].get<std::vector<std::string>>(), Contains("gust"));
  const auto joints = list_json({"joints"});
  EXPECT_EQ(joints[1]["name"], "revolute");
  EXPECT_EQ(joints[1]["fields"][0]["name"], "axis");
  EXPECT_FALSE(joints[1]["fields"][0]["required"]);
  EXPECT_EQ(list_json({"channels", shipped("pendulum")})[0],
            (nlohmann::json{{"name", "t"}, {"unit", "s"}, {"meaning", "time"}}));
  EXPECT_EQ(list_json({"integrators"})[0]["name"], "rk4");
  EXPECT_EQ(list_json({"formulations"})[0]["name"], "recursive");
  EXPECT_EQ(haltere({"list", "kinds", "--json", "-"}).status, 2);
}

}  // namespace
}  // namespace haltere
