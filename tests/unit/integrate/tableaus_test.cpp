#include "haltere/integrate/tableaus.h"

#include <cmath>

#include <gtest/gtest.h>

namespace haltere {

namespace {

// orders of well-known methods, [hairer1993] ch. II.1 and II.7 (source: paper)
TEST(OrderConditions, KnowTheOrderOfClassicalMethods) {
  EXPECT_EQ(order_of(Rows<1, 1>{{{0}}}, Row<1>{1}), 1);                  // Euler
  EXPECT_EQ(order_of(Rows<1, 1>{{{0.5}}}, Row<1>{1}), 2);                // implicit midpoint
  EXPECT_EQ(order_of(Rows<2, 2>{{{0, 0}, {0.5, 0}}}, Row<2>{0, 1}), 2);  // Runge
  EXPECT_EQ(order_of(Rows<3, 3>{{{0, 0, 0}, {1. / 3, 0, 0}, {0, 2. / 3, 0}}}, Row<3>{0.25, 0, 0.75}),
            3);  // Heun
  EXPECT_EQ(order_of(Rows<2, 2>{{{5. / 12, -1. / 12}, {3. / 4, 1. / 4}}}, Row<2>{0.75, 0.25}),
            3);  // Radau IIA
}

TEST(OrderConditions, ReachTheOrderOfGaussMethods) {
  const double r3 = std::sqrt(3) / 6, r15 = std::sqrt(15);
  EXPECT_EQ(order_of(Rows<2, 2>{{{1. / 4, 1. / 4 - r3}, {1. / 4 + r3, 1. / 4}}}, Row<2>{0.5, 0.5}), 4);
  EXPECT_EQ(order_of(Rows<3, 3>{{{5. / 36, 2. / 9 - r15 / 15, 5. / 36 - r15 / 30},
                                 {5. / 36 + r15 / 24, 2. / 9, 5. / 36 - r15 / 24},
                                 {5. / 36 + r15 / 30, 2. / 9 + r15 / 15, 5. / 36}}},
                     Row<3>{5. / 18, 4. / 9, 5. / 18}),
            6);
}

// quadrature alone is not enough: b and c of Simpson's rule, stages that ignore each other
TEST(OrderConditions, SeeMoreThanQuadrature) {
  const Rows<3, 3> a{{{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}}};
  EXPECT_EQ(order_of(a, Row<3>{1. / 6, 2. / 3, 1. / 6}), 2);
}

TEST(OrderConditions, NoticeAWrongDigitInAnyCoefficient) {
  int changed = 0;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      if (kDop853.a[i][j] == 0) continue;
      Tableau<12> wrong = kDop853;
      wrong.a[i][j] += 1e-6;
      EXPECT_LT(order_of(wrong), 8) << i << " " << j;
      EXPECT_FALSE(is_consistent(wrong));
      ++changed;
    }
  EXPECT_EQ(changed, 50);  // entries of the publication that are not zero
}

TEST(OrderConditions, HoldInsideAStep) {
  // Euler's method on the way is exact to first order: y + theta h f
  EXPECT_EQ(order_of(Rows<1, 1>{{{0}}}, Row<1>{0.25}, 0.25), 1);
  EXPECT_EQ(order_of(Rows<1, 1>{{{0}}}, Row<1>{0.25}, 0.5), 0);
}

}  // namespace

}  // namespace haltere
