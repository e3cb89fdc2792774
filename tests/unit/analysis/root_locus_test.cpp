#include "haltere/analysis/root_locus.h"

#include <gtest/gtest.h>

namespace haltere {
namespace {

/// x" + c x' + (1 - p) x = 0 with c = p - 0.3: swings up from p = 0.3 on it is damped, at p = 1 it tips over.
LocusPoint calc_point(double p) {
  Linearization l;
  l.F = Eigen::MatrixXd{{0, 1}, {p - 1, 0.3 - p}};
  l.X = Eigen::MatrixXd{{1, 0}};
  l.V = Eigen::MatrixXd{{0, 1}};
  l.neutral.resize(2, 0);
  l.n_positions = 1;
  l.scales = Eigen::VectorXd::Ones(1);
  l.positions = l.velocities = {"x"};
  return {calc_modes(l), [](const Eigenmode&) { return std::string("x"); }};
}

// c = 0 and 1 - p = 0                                                                      (source: analytic)
TEST(RootLocus, FindsBothLimitsOfStability) {
  const RootLocus locus = calc_root_locus({0, 0.25, 0.5, 0.75, 1.1}, calc_point);
  ASSERT_EQ(locus.limits.size(), 2U);
  EXPECT_NEAR(locus.limits[0].value, 0.3, 1e-14);
  EXPECT_NEAR(locus.limits[0].eigenvalue.imag(), std::sqrt(0.7), 1e-12);
  EXPECT_EQ(locus.limits[0].growing_below, 2);
  EXPECT_NEAR(locus.limits[1].value, 1, 1e-13);
  EXPECT_NEAR(std::abs(locus.limits[1].eigenvalue), 0, 1e-6);
  EXPECT_EQ(locus.limits[1].growing_above, 1);
}

TEST(RootLocus, FollowsEachEigenvalue) {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(0.01 * i);
  const RootLocus locus = calc_root_locus(values, calc_point);
  ASSERT_EQ(locus.tracks.size(), 2U);
  for (const auto& track : locus.tracks)
    for (std::size_t k = 1; k < track.size(); ++k) EXPECT_LT(std::abs(track[k] - track[k - 1]), 0.35) << k;
}

// Both limits are found although the points on either side of the first are not there.     (source: analytic)
TEST(RootLocus, LeavesOutPointsThatFail) {
  const auto calc = [](double p) {
    const bool fails = std::abs(p - 0.25) < 0.01 || std::abs(p - 0.5) < 0.01;
    return fails ? LocusPoint{{}, {}, "no"} : calc_point(p);
  };
  const RootLocus locus = calc_root_locus({0, 0.25, 0.5, 0.75, 1.1}, calc);
  EXPECT_EQ(locus.count_failures(), 2U);
  EXPECT_FALSE(locus.has(1));
  EXPECT_TRUE(locus.has(3));
  ASSERT_EQ(locus.tracks.size(), 2U) << "tracks go on behind";
  EXPECT_TRUE(std::isnan(locus.tracks[0][1].real()));
  EXPECT_FALSE(std::isnan(locus.tracks[0][3].real()));
  ASSERT_EQ(locus.limits.size(), 2U);
  EXPECT_NEAR(locus.limits[0].value, 0.3, 1e-14);
  EXPECT_NEAR(locus.limits[1].value, 1, 1e-13);
}

TEST(RootLocus, SaysBetweenWhichPointsALimitLies) {
  const auto calc = [](double p) { return p > 0.1 && p < 0.6 ? LocusPoint{{}, {}, "no"} : calc_point(p); };
  const RootLocus locus = calc_root_locus({0, 0.8}, calc);
  ASSERT_EQ(locus.limits.size(), 1U);
  EXPECT_FALSE(locus.limits[0].is_sharp);
  EXPECT_DOUBLE_EQ(locus.limits[0].value, 0.4);
  EXPECT_DOUBLE_EQ(locus.limits[0].uncertainty, 0.4);
}

}  // namespace
}  // namespace haltere
