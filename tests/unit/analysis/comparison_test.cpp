#include "haltere/analysis/comparison.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace haltere {
namespace {

using Doubt = ObservedOrder::Doubt;

std::vector<Doubt> list_doubts(const std::vector<double>& errors, double resolved) {
  std::vector<Doubt> doubts;
  for (const ObservedOrder& order : calc_orders(errors, resolved)) doubts.push_back(order.doubt);
  return doubts;
}

// e = C h^p (1 + a h)                                                                      (source: analytic)
std::vector<double> make_errors(double p, double a) {
  std::vector<double> errors;
  for (double h = 0.1; h > 0.01; h /= 2) errors.push_back(std::pow(h, p) * (1 + a * h));
  return errors;
}

TEST(Orders, ComeOutWhereNeighboursAgree) {
  const std::vector<ObservedOrder> orders = calc_orders(make_errors(4, 1), 1e-13);
  ASSERT_EQ(orders.size(), 4U);
  EXPECT_EQ(orders[0].doubt, Doubt::kNothing);
  for (std::size_t k = 1; k < orders.size(); ++k) {
    EXPECT_EQ(orders[k].doubt, Doubt::kNone);
    EXPECT_NEAR(orders[k].value, 4, 0.1);  // log2 of (1 + a h)/(1 + a h/2) <= a h/2 / ln 2
  }
}

TEST(Orders, AreNotSaidOfRunsThatFailed) {
  const double failed = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(list_doubts({failed, 1e-3, 2.5e-4, 6.25e-5}, 1e-13),
            (std::vector{Doubt::kNothing, Doubt::kFailed, Doubt::kNone, Doubt::kNone}));
}

TEST(Orders, AreNotSaidOfErrorsThatTheReferenceHasToo) {
  EXPECT_EQ(list_doubts({1.6e-9, 1e-10, 6.25e-12, 5e-12}, 6e-12),
            (std::vector{Doubt::kNothing, Doubt::kNone, Doubt::kNone, Doubt::kUnresolved}));
}

TEST(Orders, AreNotSaidBeforeStepsAreSmallEnough) {
  // 8.3, 1.0, 3.9: no two agree
  EXPECT_EQ(list_doubts({1, 3e-3, 1.5e-3, 1e-4}, 1e-13),
            (std::vector{Doubt::kNothing, Doubt::kUnconfirmed, Doubt::kUnconfirmed, Doubt::kUnconfirmed}));
  // 3.03, 3.54, 3.85: 0.51 and 0.30 from the one before, 0.30 from the one behind
  EXPECT_EQ(list_doubts({1, 0.1224, 0.0105, 7.3e-4}, 1e-13),
            (std::vector{Doubt::kNothing, Doubt::kUnconfirmed, Doubt::kUnconfirmed, Doubt::kNone}));
  // the last two agree
  EXPECT_EQ(list_doubts({1, 3e-3, 7.6e-4, 1.9e-4}, 1e-13),
            (std::vector{Doubt::kNothing, Doubt::kUnconfirmed, Doubt::kNone, Doubt::kNone}));
}

TEST(Orders, AreNotSaidOfErrorsThatDoNotFall) {
  EXPECT_EQ(list_doubts({1e-3, 1e-3, 1.01e-3, 1.02e-3}, 1e-13),
            (std::vector{Doubt::kNothing, Doubt::kUnconfirmed, Doubt::kUnconfirmed, Doubt::kUnconfirmed}));
}

TEST(Orders, NeedSomethingToCompare) {
  EXPECT_EQ(list_doubts({-1, -1}, 1e-13), (std::vector{Doubt::kNothing, Doubt::kNothing}));
}

}  // namespace
}  // namespace haltere
