#include "haltere/aero/lattice/crossings.h"

#include <gtest/gtest.h>

namespace haltere {
namespace {

using Vector = Vector3<double>;

/// 2 x 3 unit squares in the plane z = height.
Lattice make_plate(double height) {
  Lattice lattice(2, 3, LatticeLayout::kQuarter);
  std::vector<Vector> corners;
  for (int i = 0; i <= 2; ++i)
    for (int j = 0; j <= 3; ++j) corners.emplace_back(i, j, height);
  lattice.update(corners, std::vector<Vector>(12, Vector::Zero()));
  return lattice;
}

TEST(Crossings, CountPointsThatGoThroughAPanel) {
  const Lattice plate = make_plate(0);
  const auto count = [&](const Vector& from, const Vector& to) {
    return count_crossings(plate, plate, {from}, {to});
  };
  EXPECT_EQ(count({0.5, 0.5, 1}, {0.5, 0.5, -1}), 1);
  EXPECT_EQ(count({1.7, 2.3, -0.1}, {1.8, 2.2, 0.4}), 1);
  EXPECT_EQ(count({0.5, 0.5, 1}, {0.5, 0.5, 0.1}), 0);  // not yet
  EXPECT_EQ(count({2.5, 0.5, 1}, {2.5, 0.5, -1}), 0);   // beside it
  EXPECT_EQ(count({2.5, 0.5, 1}, {-30, 0.5, -1}), 0);   // across its plane before it comes there
  EXPECT_EQ(count({2, 1.5, 0}, {3, 1.5, 0.5}), 0);      // leaves the edge
  EXPECT_EQ(count_crossings(plate, plate, {{0.5, 0.5, 1}, {1.5, 1.5, 1}}, {{0.5, 0.5, -1}, {1.5, 1.5, -1}}),
            2);
}

TEST(Crossings, SeeAWingThatMovesThroughAPointAtRest) {
  const std::vector<Vector> point{{0.5, 0.5, 0.5}};
  EXPECT_EQ(count_crossings(make_plate(0), make_plate(1), point, point), 1);
  EXPECT_EQ(count_crossings(make_plate(0), make_plate(0.4), point, point), 0);
}

}  // namespace
}  // namespace haltere
