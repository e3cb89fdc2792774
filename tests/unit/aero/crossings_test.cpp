#include "haltere/aero/lattice/crossings.h"

#include <array>

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

TEST(Crossings, SeeTheTrianglesOfAPole) {
  // a pyramid of four rows, the first and the last of which are triangles
  Lattice body(4, 4, LatticeLayout::kEdge, true);
  std::vector<Vector> corners;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j) {
      const double r = i % 4 == 0 ? 0 : 1;
      corners.emplace_back(i, r * std::array{0, 1, 0, -1, 0}[j], r * std::array{1, 0, -1, 0, 1}[j]);
    }
  body.update(corners, std::vector<Vector>(25, Vector::Zero()));
  const auto count = [&](const Vector& from, const Vector& to) {
    return count_crossings(body, body, {from}, {to});
  };
  EXPECT_EQ(count({0.2, 0.2, 0.2}, {0.8, 0.2, 0.2}), 1);
  EXPECT_EQ(count({0.8, 0.2, 0.2}, {0.2, 0.2, 0.2}), 1);
  EXPECT_EQ(count({3.8, 0.2, -0.2}, {3.2, 0.2, -0.2}), 1);
  EXPECT_EQ(count({0.5, 0.9, 0.9}, {1.5, 0.9, 0.9}), 0);  // beside it
}

TEST(Crossings, SeeAWingThatMovesThroughAPointAtRest) {
  const std::vector<Vector> point{{0.5, 0.5, 0.5}};
  EXPECT_EQ(count_crossings(make_plate(0), make_plate(1), point, point), 1);
  EXPECT_EQ(count_crossings(make_plate(0), make_plate(0.4), point, point), 0);
}

}  // namespace
}  // namespace haltere
