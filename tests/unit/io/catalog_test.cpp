#include "haltere/io/catalog/catalog.h"

#include <array>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source_folder.h"

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
       "k",
       "0"},
      {"axes",
       "",
       Rule::kAny,
       Need::kOptional,
       {},
       {},
       FieldType::kWord,
       {"world", "body"},
       "axes",
       "world"}},
     std::nullopt,
     "pulls back"}};

TEST(Catalog, ListsKindsWithTheirFieldsInColumns) {
  EXPECT_EQ(make_kind_list(kKinds),
            "screw        turns and advances\n"
            "spring       pulls back\n"
            "  joint      joint            required  where it acts\n"
            "  stiffness  [N m/rad | N/m]  0         k; not negative\n"
            "  axes       world or body    world     axes\n");
}

TEST(Catalog, WritesATableForEveryKindWithFields) {
  EXPECT_EQ(make_kind_section("Forces", kKinds),
            "## Forces\n"
            "\n### `screw`\n\nturns and advances\n"
            "\n### `spring`\n\npulls back\n"
            "\n| field | unit or form | default | meaning |\n|---|---|---|---|\n"
            "| `joint` | joint | required | where it acts |\n"
            "| `stiffness` | [N m/rad \\| N/m] | 0 | k; not negative |\n"
            "| `axes` | world or body | world | axes |\n");
}

void expect_defaults(const std::vector<KindInfo>& kinds) {
  for (const KindInfo& kind : kinds)
    for (const FieldInfo& field : kind.fields) {
      EXPECT_EQ(field.otherwise.empty(), field.need == Need::kRequired) << kind.name << ' ' << field.name;
      EXPECT_EQ(field.meaning.find("default"), std::string_view::npos) << "said twice: " << field.meaning;
    }
}

TEST(Catalog, KnowsTheDefaultOfEveryFieldThatIsNotRequired) {
  expect_defaults(joint_kinds());
  expect_defaults(constraint_kinds());
  expect_defaults(force_kinds());
  expect_defaults(surface_kinds());
  expect_defaults(shape_kinds());
  const std::string page = make_kind_section("Surfaces", surface_kinds());
  EXPECT_THAT(page, HasSubstr("| `added_mass` | kirchhoff or printed or none | none |"));
  EXPECT_THAT(page, HasSubstr("| `center_of_pressure` | number | 0.25 |"));
  EXPECT_THAT(page, HasSubstr("| `points` | whole number | 6 |"));
  EXPECT_THAT(page, HasSubstr("| `root` | 3 x [m] | [0, 0, 0] |"));
  EXPECT_THAT(page, HasSubstr("| `lift` | number | that of `coefficients` |"));
}

TEST(Catalog, PageHasEveryKindOfEveryRoom) {
  const std::string page = make_kind_page();
  for (const auto* kinds :
       {&joint_kinds(), &force_kinds(), &constraint_kinds(), &surface_kinds(), &shape_kinds()})
    for (const KindInfo& kind : *kinds) EXPECT_THAT(page, HasSubstr("### `" + std::string(kind.name)));
}

TEST(Catalog, WritesARowForEveryQuantity) {
  const std::array table{
      QuantityInfo{Quantity::kBodyPosition, "position", "xy", "m", {}, "where"},
      QuantityInfo{Quantity::kBodyCom, "size", "", "", {}, "how large"},
  };
  EXPECT_EQ(make_quantity_rows("body.NAME.", table),
            "| `body.NAME.position.{x,y}` | m | where |\n"
            "| `body.NAME.size` |  | how large |\n");
}

// The page is written by hand but for these rows.
TEST(Catalog, ThePageOfChannelsHasTheTablesOfTheProgram) {
  std::ifstream file(source_path("docs/channels.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, HasSubstr(make_quantity_rows("body.NAME.", body_quantities())));
  EXPECT_THAT(page, HasSubstr(make_quantity_rows("joint.NAME.", joint_quantities())));
  EXPECT_THAT(page, HasSubstr(make_quantity_rows("", machine_quantities())));
  EXPECT_THAT(page, HasSubstr(make_quantity_rows("joint.NAME.", coordinate_quantities(Motion::kAngle))));
  EXPECT_THAT(page, HasSubstr(make_quantity_rows("joint.NAME.", coordinate_quantities(Motion::kLength))));
  EXPECT_THAT(page, HasSubstr(make_quantity_rows("joint.NAME.", coordinate_quantities(Motion::kTurn))));
}

}  // namespace
}  // namespace haltere
