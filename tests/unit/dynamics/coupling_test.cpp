#include "haltere/dynamics/machine/coupling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haltere {
namespace {

using ::testing::ElementsAre;

/// A field of a test kind.
FieldInfo make_field(std::string_view name, FieldType type, Reads reads = Reads::kSignals) {
  return {name, "", Rule::kAny, Need::kOptional, Parity::kPolar, reads, type, {}, ""};
}

/// A surface that is stretched between two bodies.
const std::vector<KindInfo> kMembranes{
    {"membrane",
     {make_field("front", FieldType::kBody), make_field("lift", FieldType::kFunction, Reads::kAngle),
      make_field("back", FieldType::kBody)},
     std::nullopt,
     "between two bodies"}};

/// Three bodies, nothing between them.
Model make_bodies() {
  Model model;
  model.bodies.resize(4);
  return model;
}

TEST(Coupling, ABodyWithoutPartnersFeelsItself) {
  EXPECT_THAT(find_coupled_bodies(make_bodies())[2], ElementsAre(2));
}

TEST(Coupling, ASurfaceCouplesTheBodiesThatItsFieldsName) {
  Model model = make_bodies();
  model.surfaces.push_back({"skin", {}, 0, {BodyIndex{1}, std::monostate{}, BodyIndex{3}}});
  const auto coupled = find_coupled_bodies(model, {.surfaces = kMembranes});
  EXPECT_THAT(coupled[1], ElementsAre(1, 3));
  EXPECT_THAT(coupled[2], ElementsAre(2));
  EXPECT_THAT(coupled[3], ElementsAre(1, 3));
}

TEST(Coupling, TheWorldCouplesNothing) {
  Model model = make_bodies();
  model.surfaces.push_back({"skin", {}, 0, {BodyIndex{1}, std::monostate{}, std::monostate{}}});
  EXPECT_THAT(find_coupled_bodies(model, {.surfaces = kMembranes})[1], ElementsAre(1));
}

TEST(Coupling, AConstraintCouplesItsTwoBodies) {
  Model model = make_bodies();
  const int kind = find_kind(constraint_kinds(), "coincident");
  Entry pin{"pin", {}, kind, std::vector<Value>(constraint_kinds()[kind].fields.size())};
  pin.values[0] = BodyIndex{2};
  pin.values[2] = BodyIndex{3};
  model.constraints.push_back(pin);
  EXPECT_THAT(find_coupled_bodies(model)[2], ElementsAre(2, 3));
}

}  // namespace
}  // namespace haltere
