#include "haltere/io/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/model/forces.h"
#include "haltere/model/joints.h"
#include "haltere/model/shapes.h"

namespace haltere {
namespace {

using ::testing::HasSubstr;

const std::vector<KindInfo> kKinds{
    {"screw", {}, std::nullopt, "turns and advances"},
    {"spring",
     {{"joint", "", Rule::kAny, Need::kRequired, {}, {}, FieldType::kCoordinate, {}, "where it acts"},
      {"stiffness",
       "N m/rad | N/m",
       Rule::kNotNegative,
       Need::kOptional,
       {},
       {},
       FieldType::kNumber,
       {},
       "k"},
      {"axes", "", Rule::kAny, Need::kOptional, {}, {}, FieldType::kWord, {"world", "body"}, "axes"}},
     std::nullopt,
     "pulls back"}};

TEST(Catalog, ListsKindsWithTheirFieldsInColumns) {
  EXPECT_EQ(make_kind_list(kKinds),
            "screw        turns and advances\n"
            "spring       pulls back\n"
            "  joint      joint            where it acts; required\n"
            "  stiffness  [N m/rad | N/m]  k; not negative\n"
            "  axes       world or body    axes\n");
}

TEST(Catalog, WritesATableForEveryKindWithFields) {
  EXPECT_EQ(make_kind_section("Forces", kKinds),
            "## Forces\n"
            "\n### `screw`\n\nturns and advances\n"
            "\n### `spring`\n\npulls back\n"
            "\n| field | unit or form | meaning |\n|---|---|---|\n"
            "| `joint` | joint | where it acts; required |\n"
            "| `stiffness` | [N m/rad \\| N/m] | k; not negative |\n"
            "| `axes` | world or body | axes |\n");
}

TEST(Catalog, PageHasEveryKindOfEveryRoom) {
  const std::string page = make_kind_page();
  for (const auto name : JointKinds::kNames)
    EXPECT_THAT(page, HasSubstr(std::string("### `") + std::string(name)));
  for (const auto name : ForceKinds::kNames)
    EXPECT_THAT(page, HasSubstr(std::string("### `") + std::string(name)));
  for (const auto name : ShapeKinds::kNames)
    EXPECT_THAT(page, HasSubstr(std::string("### `") + std::string(name)));
}

}  // namespace
}  // namespace haltere
