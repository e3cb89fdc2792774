#include "haltere/simulate/event_watch.h"

#include <cmath>

#include <gtest/gtest.h>

namespace haltere {
namespace {

std::vector<FormulaSample> sample(const FormulaOfTime& g, const std::vector<double>& times) {
  std::vector<FormulaSample> samples;
  for (const double t : times) samples.push_back({t, g(t)});
  return samples;
}

/// Number of neighbours whose signs differ.
int count_changes(const std::vector<FormulaSample>& samples) {
  int changes = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) changes += (samples[i].g > 0) != (samples[i - 1].g > 0);
  return changes;
}

TEST(InsertDips, FindsTheOtherSideBetweenSamples) {
  for (const double sign : {1.0, -1.0})
    for (const double depth : {0.1, 1e-3, 1e-6, 1e-9}) {
      // below zero for |t - 0.31| < sqrt(depth), far less than the distance of the samples
      const FormulaOfTime g = [&](double t) { return sign * ((t - 0.31) * (t - 0.31) - depth * depth); };
      auto samples = sample(g, {0, 0.25, 0.5, 0.75, 1});
      insert_dips(&samples, g);
      EXPECT_EQ(count_changes(samples), 2) << depth;
      for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_LT(samples[i - 1].t, samples[i].t);
    }
}

TEST(InsertDips, SeesACornerAndALopsidedDip) {
  const FormulaOfTime corner = [](double t) { return std::abs(t - 0.4) - 1e-4; };
  auto samples = sample(corner, {0, 0.3, 0.6, 1});
  insert_dips(&samples, corner);
  EXPECT_EQ(count_changes(samples), 2);
  // falls from the very start and turns soon: the sample beside the end shows it
  const FormulaOfTime early = [](double t) { return (t - 0.02) * (t - 0.03); };
  samples = sample(early, {0, 1e-3, 0.125, 0.25});
  insert_dips(&samples, early);
  EXPECT_EQ(count_changes(samples), 2);
}

TEST(InsertDips, DoesNotLookWhereNothingCanBe) {
  int calls = 0;
  const FormulaOfTime g = [&](double t) {
    ++calls;
    return 1000 + std::cos(20 * t);
  };
  auto samples = sample(g, {0, 0.125, 0.25, 0.375, 0.5});
  calls = 0;
  insert_dips(&samples, g);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(samples.size(), 5U);
}

TEST(InsertDips, LeavesATouchFromAboveAlone) {
  const FormulaOfTime g = [](double t) { return (t - 0.31) * (t - 0.31) + 1e-6; };
  auto samples = sample(g, {0, 0.25, 0.5, 0.75, 1});
  insert_dips(&samples, g);
  EXPECT_EQ(samples.size(), 5U);
}

}  // namespace
}  // namespace haltere
