#include "haltere/aero/lattice/wake.h"

#include <array>
#include <random>

#include <gtest/gtest.h>

namespace haltere {
namespace {

using Vector = Vector3<double>;

constexpr double kRoundoff = 1e-13;  // machine: sums of some hundred terms of size one
constexpr int kColumns = 3;

/// A plane wake of unequal rings, a row a second; all that follows from it is `calc_impulse`.
Wake make_plane_wake(int rows) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.5, 1.5);
  Wake wake(kColumns);
  double x = 0;
  for (int row = 0; row <= rows; ++row) {
    std::vector<Vector> edge;
    for (int j = 0; j <= kColumns; ++j) edge.emplace_back(-x, j * (1 + 0.1 * j), 0);
    if (row > 0) wake.push({any(random), any(random), any(random)});
    wake.attach(row, edge);
    x += any(random);
  }
  return wake;
}

/// sum Gamma S
Vector calc_impulse(const Wake& wake) {
  Vector sum = Vector::Zero();
  for (int i = 0; i < wake.rows(); ++i)
    for (int j = 0; j < kColumns; ++j) {
      const std::array<Vector, 4> ring{wake.node(i, j), wake.node(i, j + 1), wake.node(i + 1, j + 1),
                                       wake.node(i + 1, j)};
      for (int k = 0; k < 4; ++k) sum += wake.circulation(i, j) / 2 * ring[k].cross(ring[(k + 1) % 4]);
    }
  return sum;
}

/// What the lines along the span have together, column by column: closed rings have none.
double sum_across(const Wake& wake, int column) {
  double sum = 0;
  for (int i = 0; i <= wake.rows(); ++i)
    sum +=
        (i < wake.rows() ? wake.circulation(i, column) : 0) - (i > 0 ? wake.circulation(i - 1, column) : 0);
  return sum;
}

TEST(Wake, JoinsOldRingsAndKeepsImpulseAndCirculation) {
  Wake wake = make_plane_wake(64);
  const Vector before = calc_impulse(wake);
  wake.limit(64, {.coarsen = 4});
  EXPECT_EQ(wake.rows(), 34);  // analytic: of 64 rings 60 are older than 4 s, each time two become one
  EXPECT_LE((calc_impulse(wake) - before).norm(), kRoundoff * before.norm());
  for (int j = 0; j < kColumns; ++j) EXPECT_NEAR(sum_across(wake, j), 0, kRoundoff);
}

TEST(Wake, IsAsLongAsTheLogarithmOfItsAge) {
  Wake wake(kColumns);
  for (int t = 0; t <= 1000; ++t) {
    if (t > 0) wake.push({1, 1, 1});
    std::vector<Vector> edge;
    for (int j = 0; j <= kColumns; ++j) edge.emplace_back(-t, j, 0);
    wake.attach(t, edge);
    wake.limit(t, {.coarsen = 8});
  }
  // analytic: about 8 rings of each length 1, 2, 4, ... up to 1000/8
  EXPECT_LT(wake.rows(), 8 * 9);
  // a wake of equal rings is the same however it is cut
  const Vector whole = Vector(0, 0, 1) * 3 * 1000;
  EXPECT_LE((calc_impulse(wake).cwiseAbs() - whole).norm(), kRoundoff * whole.norm());
}

TEST(Wake, EndsWhereItIsTooOldButNeverLosesTheRingAtTheEdge) {
  Wake wake = make_plane_wake(10);
  wake.limit(10, {.age = 3.5});
  EXPECT_EQ(wake.rows(), 4);  // the oldest has its younger end at 7 s
  EXPECT_EQ(wake.birth(wake.rows()), 6);
  wake.limit(100, {.age = 3.5});
  EXPECT_EQ(wake.rows(), 1);
  EXPECT_EQ(wake.birth(0), 10);
}

TEST(Wake, GoesIntoACheckpointWithItsAges) {
  Wake wake = make_plane_wake(20), other(kColumns);
  wake.limit(20, {.coarsen = 2});
  Archive saved;
  wake.visit_state(saved);
  Archive loaded(saved.state());
  other.visit_state(loaded);
  ASSERT_EQ(other.rows(), wake.rows());
  for (int i = 0; i <= wake.rows(); ++i) EXPECT_EQ(other.birth(i), wake.birth(i));
  wake.limit(40, {.coarsen = 2});
  other.limit(40, {.coarsen = 2});
  EXPECT_EQ(other.nodes(), wake.nodes());
}

}  // namespace
}  // namespace haltere
