#include "haltere/simulate/audit.h"

#include <gtest/gtest.h>

#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

/// Two bodies in space: the first free, the second on a revolute joint of the first.
Model make_pair_in_space() {
  Model model;
  model.bodies.resize(3);
  model.joints.resize(2);
  model.joints[0].entry.kind = find_kind(joint_kinds(), "free");
  model.joints[0].prescribed.resize(6);
  model.joints[0].driven.resize(6);
  model.joints[0].child = {1};
  model.joints[1].entry.kind = find_kind(joint_kinds(), "revolute");
  model.joints[1].prescribed.resize(1);
  model.joints[1].driven.resize(1);
  model.joints[1].parent = {1};
  model.joints[1].child = {2};
  return model;
}

Entry make_force(std::string_view kind, std::vector<Value> values) {
  Entry entry;
  entry.kind = find_kind(force_kinds(), kind);
  entry.values = std::move(values);
  entry.values.resize(8);
  return entry;
}

TEST(Audit, AMachineInSpaceIsIsolatedWhateverItDoesInside) {
  Model model = make_pair_in_space();
  EXPECT_TRUE(is_isolated(model));
  model.joints[1].driven[0] = Expression(2.0);
  model.forces.push_back(make_force("rotary-spring", {CoordinateIndex{1, 0}}));
  model.forces.push_back(make_force("spring-damper", {BodyIndex{1}, {}, BodyIndex{2}}));
  EXPECT_TRUE(is_isolated(model));
}

TEST(Audit, WhateverHoldsToTheWorldOrPushesFromOutsideCounts) {
  Model model = make_pair_in_space();
  model.joints[0].driven[2] = Expression(1.0);
  EXPECT_FALSE(is_isolated(model)) << "a driven joint of the world";
  model = make_pair_in_space();
  model.joints[0].entry.kind = find_kind(joint_kinds(), "spherical");
  EXPECT_FALSE(is_isolated(model)) << "a bearing in the world";
  for (const Entry& force :
       {make_force("spring-damper", {{}, {}, BodyIndex{2}}),      // from the world, by default
        make_force("applied-force", {BodyIndex{1}}),              // on one body alone
        make_force("linear-spring", {CoordinateIndex{0, 3}})}) {  // on a joint of the world
    model = make_pair_in_space();
    model.forces.push_back(force);
    EXPECT_FALSE(is_isolated(model)) << force_kinds()[force.kind].name;
  }
}

/// A body of 2 kg with the momentum 2 v.
Instant make_instant(double t, const Vector3<double>& v) {
  Instant instant;
  instant.masses.resize(3);
  instant.masses[1].mass = 2;
  Snapshot& s = instant.snapshot;
  s.scene.t = t;
  s.scene.X_WB.resize(3);
  s.scene.V_WB.assign(3, Vector6<double>::Zero());
  s.scene.V_WB[1].tail<3>() = v;
  s.momentum = 2 * v;
  s.kinetic = v.squaredNorm();
  return instant;
}

TEST(Audit, MomentumGrowsByTheImpulseOfGravity) {
  Model model = make_pair_in_space();
  model.gravity[2] = Expression(-10.0);
  Auditor auditor(model, {});
  auditor.add(make_instant(0, {3, 0, 0}), 0);
  auditor.add(make_instant(0.5, {3, 0, -5}), 0);
  EXPECT_EQ(auditor.audit().momentum_drift, 0);
  auditor.add(make_instant(1, {3, 1, -10}), 0);  // 1 m/s from nowhere
  // analytic: 2 kg m/s of the largest momentum 2 sqrt(9 + 1 + 100)
  EXPECT_NEAR(auditor.audit().momentum_drift, 1 / std::sqrt(110.0), 1e-15);
}

TEST(Audit, WhatAnEventChangesIsNoError) {
  Model model = make_pair_in_space();
  model.parameters.emplace_back();
  Auditor auditor(model, {0.0});
  auditor.add(make_instant(0, {3, 0, 0}), 0);
  const Instant before = make_instant(1, {3, 0, 0});
  Instant after = before;
  after.snapshot.momentum *= 2;  // a mass that doubles
  auditor.add_event(before, after, {0.0});
  auditor.add(after, 0);
  EXPECT_EQ(auditor.audit().momentum_drift, 0);
}

TEST(Audit, TheScaleOfEnergyIsWhatIsInPlay) {
  Auditor auditor(make_pair_in_space(), {});
  Instant instant = make_instant(0, {3, 0, 0});
  instant.snapshot.potential = 1000;
  instant.total_at_start = 1009;
  auditor.add(instant, 0);
  instant.snapshot.kinetic = 4;
  instant.snapshot.potential = 1006;
  instant.snapshot.work = 2;
  auditor.add(instant, 2);
  // kinetic 9, potential over a range of 6, work 2: the zero of the potential means nothing
  EXPECT_EQ(auditor.audit().energy_scale, 17);
  EXPECT_EQ(auditor.audit().energy_balance, 1);  // 1010 - 1009 - 2
}

TEST(Audit, WhatRoundingLeavesOfAMachineAtRestIsNoLoss) {
  Audit audit;
  audit.energy_scale = audit.energy_balance = 2e-16;
  EXPECT_FALSE(audit.is_trustworthy());
  audit.energy_rounding = 1e-14;
  EXPECT_TRUE(audit.is_trustworthy());
  EXPECT_TRUE(audit.closes_to(0.01));
  audit.energy_scale = audit.energy_balance = 1;  // far above it
  EXPECT_FALSE(audit.closes_to(0.1));
  EXPECT_TRUE(audit.closes_to(1));
}

// a body of 2 kg in gravity 10 m/s2 and a machine of 3 m: 60 J, and some last bits of it (64 of them)
TEST(Audit, RoundingIsThatOfTheLoadsOverTheLengthOfTheMachine) {
  Model model = make_pair_in_space();
  model.gravity[2] = Expression(-10.0);
  Auditor auditor(model, {}, 3);
  auditor.add(make_instant(0, {0, 0, 0}), 0);
  EXPECT_EQ(auditor.audit().energy_rounding, 60 * std::ldexp(1., -46));
}

}  // namespace
}  // namespace haltere
