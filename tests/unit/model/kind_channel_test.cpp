#include "haltere/model/kind_channel.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/formula/units.h"
#include "haltere/model/entry_kinds.h"
#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Records its loss, and a number for each of its cells.
template <class T>
struct Dashpot {
  static constexpr std::string_view kName = "dashpot";
  static constexpr std::string_view kSummary = "loses energy";
  int cells = 1;
  T damping{0};
  static constexpr auto fields() {
    return std::tuple{field("damping", &Dashpot::damping, "N s/m", "c"),
                      field("cells", &Dashpot::cells, "", "how many")};
  }
  std::vector<ForceChannel> channels() const {
    std::vector<ForceChannel> list{
        {"loss", "W", "heat", [](const Account<double>& account, int) { return account.dissipation; }}};
    for (int i = 0; i < cells; ++i)
      list.push_back(
          {"cell." + std::to_string(i), "W", "of one cell",
           [](const Account<double>& account, int cell) { return account.dissipation / (1 + cell); }, i});
    return list;
  }
};
template <class T>
struct Silent {
  static constexpr std::string_view kName = "silent";
  static constexpr std::string_view kSummary = "has no channels";
  static constexpr auto fields() { return std::tuple{}; }
};
using TestKinds = KindList<Silent, Dashpot>;

TEST(KindChannels, AreListedByTheKindAfterItsCounts) {
  // a number whose formula cannot be known yet is not asked for
  const Entry dashpot{"d", {}, 1, {std::monostate{}, 2}};
  const auto list = list_kind_channels<TestKinds, ForceChannel>(dashpot);
  std::vector<std::string> names;
  for (const ForceChannel& channel : list) names.push_back(channel.name);
  EXPECT_THAT(names, ElementsAre("loss", "cell.0", "cell.1"));
  const Account<double> account{.dissipation = 6};
  EXPECT_EQ(list[0].read(account, list[0].part), 6);
  EXPECT_EQ(list[2].read(account, list[2].part), 3);
}

TEST(KindChannels, OfAKindThatListsNoneAreNone) {
  EXPECT_THAT((list_kind_channels<TestKinds, ForceChannel>(Entry{"s", {}, 0, {}})), IsEmpty());
}

/// An entry of this kind that gives no field.
Entry make_entry(const std::vector<KindInfo>& kinds, std::size_t kind) {
  return {"e", {}, static_cast<int>(kind), std::vector<Value>(kinds[kind].fields.size())};
}

template <class Channel>
void expect_sane(const std::vector<Channel>& list) {
  std::set<std::string> names;
  for (const Channel& channel : list) {
    EXPECT_TRUE(names.insert(channel.name).second) << channel.name;
    EXPECT_NO_THROW(unit_of(channel.unit)) << channel.name;
    EXPECT_NE(channel.meaning, "") << channel.name;
    EXPECT_NE(channel.read, nullptr) << channel.name;
  }
}

TEST(KindChannels, OfEveryKindHaveNamesOfTheirOwnAndUnits) {
  for (std::size_t i = 0; i < force_kinds().size(); ++i)
    expect_sane(list_force_channels(make_entry(force_kinds(), i)));
  for (std::size_t i = 0; i < constraint_kinds().size(); ++i)
    expect_sane(list_constraint_channels(make_entry(constraint_kinds(), i)));
}

TEST(KindChannels, OfAWheelAreWhatItsGroundDoes) {
  Entry wheel = make_entry(constraint_kinds(), find_kind(constraint_kinds(), "rolling"));
  Vector6<double> lambda;
  lambda << -5, -3, 4, 0, 0, 0;
  ContactPlace<double> place;
  place.point = {1, 2, 0};
  place.xi = 7;
  place.eta = 6;
  std::vector<double> values;
  for (const ConstraintChannel& channel : list_constraint_channels(wheel))
    values.push_back(channel.read(lambda, place, channel.part));
  EXPECT_THAT(values, ElementsAre(5, 3, -4, 1, 1, 2, 7, 6));
  EXPECT_EQ(find_contact_angle(wheel), "xi");
  EXPECT_EQ(find_contact_force(wheel)(lambda).normal, 5);
  wheel.kind = find_kind(constraint_kinds(), "distance");
  EXPECT_EQ(find_contact_angle(wheel), "");
  EXPECT_EQ(find_contact_force(wheel), nullptr);
}

}  // namespace
}  // namespace haltere
