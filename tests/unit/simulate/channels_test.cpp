#include "haltere/simulate/channels.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/model/kind_info.h"
#include "haltere/model/quantity.h"

namespace haltere {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A body on a joint of this kind.
Model make_model(std::string_view kind) {
  Model model;
  model.bodies.resize(2);
  model.bodies[1].name = "plate";
  JointSpec joint;
  joint.entry.name = "j";
  joint.entry.kind = find_kind(joint_kinds(), kind);
  joint.child = {1};
  model.joints.push_back(joint);
  return model;
}

std::vector<std::string> names_of(const std::vector<Channel>& channels, std::string_view prefix = "") {
  std::vector<std::string> names;
  for (const Channel& channel : channels)
    if (channel.name.starts_with(prefix)) names.push_back(channel.name);
  return names;
}

/// Names of the joint's own coordinates.
std::vector<std::string> coordinate_channels(std::string_view kind) {
  std::vector<std::string> names;
  for (const std::string& name : names_of(make_channels(make_model(kind)), "joint.j."))
    if (!name.starts_with("joint.j.reaction")) names.push_back(name.substr(8));
  return names;
}

TEST(Channels, OfEachJointAreNamedByWhatItsCoordinatesDo) {
  EXPECT_THAT(coordinate_channels("weld"), ElementsAre());
  EXPECT_THAT(coordinate_channels("revolute"), ElementsAre("angle", "rate", "acceleration", "torque"));
  EXPECT_THAT(coordinate_channels("prismatic"), ElementsAre("position", "velocity", "acceleration", "force"));
  EXPECT_THAT(coordinate_channels("cylindrical"),
              ElementsAre("angle.0", "rate.0", "acceleration.0", "torque.0", "position.1", "velocity.1",
                          "acceleration.1", "force.1"));
  EXPECT_THAT(coordinate_channels("spherical"),
              ElementsAre("orientation.w", "orientation.x", "orientation.y", "orientation.z", "velocity.0",
                          "acceleration.0", "torque.0", "velocity.1", "acceleration.1", "torque.1",
                          "velocity.2", "acceleration.2", "torque.2"));
  const auto free = coordinate_channels("free");
  EXPECT_THAT(free, Contains("position.3"));
  EXPECT_THAT(free, Contains("force.5"));
  EXPECT_THAT(free, Not(Contains("position.0")));
}

TEST(Channels, AreUniqueAndSayWhatTheyMean) {
  for (const KindInfo& kind : joint_kinds()) {
    const std::vector<Channel> channels = make_channels(make_model(kind.name));
    EXPECT_EQ(channels[0].name, "t");
    std::set<std::string> names;
    for (const Channel& channel : channels) {
      EXPECT_TRUE(names.insert(channel.name).second) << channel.name;
      EXPECT_FALSE(channel.meaning.empty()) << channel.name;
      TextProblem problem;
      EXPECT_TRUE(parse_unit(channel.unit, &problem)) << channel.name << " [" << channel.unit << "]";
    }
  }
}

TEST(Channels, EulerAnglesAppearWhereTheBodyNamesASequence) {
  Model model = make_model("free");
  EXPECT_THAT(names_of(make_channels(model)), Not(Contains("body.plate.euler.0")));
  model.bodies[1].euler = EulerSequence::parse("zyx");
  EXPECT_THAT(names_of(make_channels(model)), Contains("body.plate.euler.2"));
}

TEST(Channels, GlobsSelectInTheOrderOfTheModelAndKeepTheTime) {
  const auto all = make_channels(make_model("revolute"));
  EXPECT_THAT(names_of(select_channels(all, {"energy.k*", "joint.*.angle"})),
              ElementsAre("t", "joint.j.angle", "energy.kinetic"));
  EXPECT_THAT(names_of(select_channels(all, {"body.plate.com.?"})),
              ElementsAre("t", "body.plate.com.x", "body.plate.com.y", "body.plate.com.z"));
  EXPECT_EQ(select_channels(all, {}).size(), all.size());
  EXPECT_EQ(select_channels(all, {"*"}).size(), all.size());
  EXPECT_EQ(select_channels(all, {"*.x*", "**.?"}).size(), select_channels(all, {"*.?"}).size());
  EXPECT_THAT(names_of(select_channels(all, {"t"})), ElementsAre("t"));
}

std::string error_of(const std::vector<std::string>& globs) {
  try {
    select_channels(make_channels(make_model("revolute")), globs);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Channels, AGlobThatMatchesNothingIsNamedWithAHint) {
  EXPECT_THAT(error_of({"joint.j.angel"}), HasSubstr("did you mean 'joint.j.angle'?"));
  EXPECT_THAT(error_of({"joint.j"}), HasSubstr("did you mean 'joint.j.*'?"));
  EXPECT_THAT(error_of({"Q*", "joint.*.angle", "R*"}), HasSubstr("'Q*'"));
  EXPECT_THAT(error_of({"Q*", "joint.*.angle", "R*"}), HasSubstr("'R*'"));
  EXPECT_THAT(error_of({""}), HasSubstr("no channel matches"));
}

/// An instant with a different number in every place.
Instant make_instant(const Model& model) {
  Instant instant;
  Snapshot& s = instant.snapshot;
  s.scene.t = 0.5;
  s.scene.X_WB.resize(2);
  s.scene.X_WB[1] = {EulerSequence{{2, 1, 0}}.calc_R<double>({0.3, -0.2, 0.1}), {1, 2, 3}};
  s.scene.V_WB.assign(2, Vector6<double>::Zero());
  s.scene.V_WB[1] << 4, 5, 6, 7, 8, 9;
  s.A_WB.assign(2, Vector6<double>::Zero());
  s.A_WB[1] << 10, 11, 12, 13, 14, 15;
  s.scene.q = Eigen::VectorXd::LinSpaced(model.nq(), 1, model.nq());
  s.scene.v = Eigen::VectorXd::LinSpaced(model.nv(), 21, 20 + model.nv());
  s.vdot = Eigen::VectorXd::LinSpaced(model.nv(), 31, 30 + model.nv());
  s.tau = Eigen::VectorXd::LinSpaced(model.nv(), 41, 40 + model.nv());
  s.scene.q_of = {model.nq() - model.nv()};
  s.scene.v_start = {0};
  s.F_reaction.assign(1, Vector6<double>::Zero());
  s.F_reaction[0] << 51, 52, 53, 54, 55, 56;
  s.gravity_power = 61;
  s.gravity_potential = 62;
  s.kinetic = 71;
  s.potential = 72;
  s.work = 3;
  s.event_work = 2;
  instant.total_at_start = 137;
  instant.masses.resize(2);
  instant.masses[1].p_BoBcm = {0.1, 0.2, 0.3};
  return instant;
}

double value_of(const Model& model, const Instant& instant, const std::string& name) {
  const auto channels = select_channels(make_channels(model), {name});
  std::vector<double> row(channels.size());
  calc_row(model, channels, instant, row);
  return row.back();
}

TEST(Channels, AreReadOffTheInstant) {
  Model model = make_model("free");
  model.bodies[1].euler = EulerSequence::parse("zyx");
  const Instant instant = make_instant(model);
  const auto value = [&](const std::string& name) { return value_of(model, instant, name); };
  const Matrix3<double> R = instant.snapshot.scene.X_WB[1].R;
  constexpr double kRounding = 1e-14;  // machine: a few products of numbers below 20

  EXPECT_EQ(value("t"), 0.5);
  EXPECT_EQ(value("body.plate.position.y"), 2);
  EXPECT_EQ(value("body.plate.velocity.z"), 9);
  EXPECT_EQ(value("body.plate.acceleration.x"), 13);
  EXPECT_NEAR(value("body.plate.euler.0"), 0.3, kRounding);
  EXPECT_NEAR(value("body.plate.euler.2"), 0.1, kRounding);
  // body axes: the column of R is the body's axis in the world
  EXPECT_NEAR(value("body.plate.angular_velocity.y"), R.col(1).dot(Vector3<double>(4, 5, 6)), kRounding);
  EXPECT_NEAR(value("body.plate.angular_acceleration.z"), R.col(2).dot(Vector3<double>(10, 11, 12)),
              kRounding);
  EXPECT_NEAR(value("body.plate.com.x"), 1 + R.row(0).dot(Vector3<double>(0.1, 0.2, 0.3)), kRounding);
  EXPECT_NEAR(value("body.plate.orientation.w"), quaternion_of<double>(R)[0], kRounding);
  // the state 1, 2, 3, 4 of the quaternion, made a unit one
  EXPECT_NEAR(value("joint.j.orientation.x"), 2 / std::sqrt(30.0), kRounding);
  EXPECT_EQ(value("joint.j.position.3"), 5);
  EXPECT_EQ(value("joint.j.velocity.0"), 21);
  EXPECT_EQ(value("joint.j.acceleration.5"), 36);
  EXPECT_EQ(value("joint.j.torque.2"), 43);
  EXPECT_EQ(value("joint.j.force.4"), 45);
  EXPECT_EQ(value("joint.j.reaction.torque.x"), 51);
  EXPECT_EQ(value("joint.j.reaction.force.z"), 56);
  EXPECT_EQ(value("force.gravity.power"), 61);
  EXPECT_EQ(value("force.gravity.energy"), 62);
  EXPECT_EQ(value("energy.total"), 143);
  EXPECT_EQ(value("energy.work"), 5);
  EXPECT_EQ(value("energy.balance"), 1);
}

TEST(Channels, ARowIsTheSameWhetherWholeOrInParts) {
  const Model model = make_model("free");
  const Instant instant = make_instant(model);
  const auto all = make_channels(model);
  std::vector<double> row(all.size());
  calc_row(model, all, instant, row);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(value_of(model, instant, all[i].name), row[i]) << all[i].name;
}

TEST(Channels, OfAKindAreReadByTheKind) {
  const Model model = make_model("revolute");
  Instant instant = make_instant(model);
  instant.snapshot.forces.assign(2, {});
  instant.snapshot.forces[1].dissipation = 8;
  instant.snapshot.surfaces.resize(1);
  instant.snapshot.surfaces[0].energy = 9;
  instant.snapshot.constraints.resize(1);
  instant.snapshot.constraints[0].lambda[2] = 7;
  std::vector<Channel> channels(3);
  channels[0].quantity = Quantity::kForceOwn;
  channels[0].index = 1;
  channels[0].component = 2;
  channels[0].read = [](const Account<double>& account, int part) { return account.dissipation / part; };
  channels[1].quantity = Quantity::kSurfaceOwn;
  channels[1].read = [](const SurfaceLoad& load, int) { return load.energy; };
  channels[2].quantity = Quantity::kConstraintOwn;
  channels[2].component = 2;
  channels[2].read = [](const Vector6<double>& lambda, const ContactPlace<double>&, int part) {
    return lambda[part];
  };
  std::vector<double> row(3);
  calc_row(model, channels, instant, row);
  EXPECT_THAT(row, ElementsAre(4, 9, 7));
}

TEST(Channels, SignalsAndEventsAreChannels) {
  Model model = make_model("revolute");
  model.probes.resize(2);
  model.signals.push_back({"error", {}, Expression(1.0)});
  model.events.resize(1);
  model.events[0].name = "release";
  Instant instant = make_instant(model);
  instant.snapshot.scene.locals = {0.5, 1, 2, 99};
  instant.happened = {3};
  EXPECT_EQ(value_of(model, instant, "signal.error"), 99);
  EXPECT_EQ(value_of(model, instant, "event.release"), 3);
}

}  // namespace
}  // namespace haltere
