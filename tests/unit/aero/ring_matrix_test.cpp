#include "haltere/aero/lattice/ring_matrix.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "haltere/math/spatial.h"

namespace haltere {
namespace {

using Vector = Vector3<double>;

constexpr double kCore = 1e-3;
// machine: matrices of condition 1e2 of some hundred panels, by two ways of the same sums
constexpr double kRoundoff = 1e-12;

/// A plate of 3 x 6 panels, cambered, where a rigid body has it; `bend` is not rigid.
Lattice make_plate(const Transform<double>& X, double bend = 0) {
  Lattice lattice(3, 6, LatticeLayout::kQuarter);
  std::vector<Vector> corners, still;
  for (int i = 0; i <= 3; ++i)
    for (int j = 0; j <= 6; ++j) {
      const double x = i / 3., y = j / 2.;
      corners.emplace_back(X.p + X.R * Vector(x, y, 0.2 * x * (1 - x) + bend * y * y));
      still.emplace_back(Vector::Zero());
    }
  lattice.update(corners, still);
  return lattice;
}

Transform<double> make_place(double angle, const Vector& p) {
  Transform<double> X;
  X.R = Eigen::AngleAxisd(angle, Vector(1, 2, -1).normalized()).toRotationMatrix();
  X.p = p;
  return X;
}

Eigen::VectorXd make_flow(int n) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> number(-1, 1);
  return Eigen::VectorXd::NullaryExpr(n, [&] { return number(generator); });
}

struct Wings {
  std::vector<Lattice> lattices;
  ImagePlanes planes{};
  std::vector<const Lattice*> list() const {
    std::vector<const Lattice*> all;
    for (const Lattice& lattice : lattices) all.push_back(&lattice);
    return all;
  }
  int n() const { return 18 * static_cast<int>(lattices.size()); }
  void update(RingMatrix* matrix) const { matrix->update(list(), kCore, planes); }
  Eigen::VectorXd solve(RingMatrix* matrix) const {
    update(matrix);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n());
    matrix->solve(make_flow(n()), &x);
    return x;
  }
  /// The other way: all legs of all rings at all panels, one factorisation.
  Eigen::VectorXd solve_whole() const {
    RingMatrix matrix;
    matrix.update_whole(list(), {}, kCore, planes);
    Eigen::VectorXd x(n());
    matrix.solve(make_flow(n()), &x);
    return x;
  }
};

void expect_near(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  EXPECT_LT((x - y).norm(), kRoundoff * y.norm());
}

TEST(RingMatrix, OneLatticeIsWhatItIsWhereverARigidBodyTakesIt) {
  RingMatrix matrix;
  for (int k = 0; k < 4; ++k) {
    const Wings wing{{make_plate(make_place(0.7 * k, {10. * k, -1. * k * k, 3}))}};
    expect_near(wing.solve(&matrix), wing.solve_whole());
  }
}

TEST(RingMatrix, WhatBendsIsComputedAnew) {
  RingMatrix matrix;
  const Wings straight{{make_plate(make_place(0.3, {1, 0, 0}))}},
      bent{{make_plate(make_place(0.3, {1, 0, 0}), 0.05)}},
      bent_a_little{{make_plate(make_place(0.3, {1, 0, 0}), 0.05 + 1e-9)}};
  expect_near(straight.solve(&matrix), straight.solve_whole());
  expect_near(bent.solve(&matrix), bent.solve_whole());
  expect_near(bent_a_little.solve(&matrix), bent_a_little.solve_whole());
  EXPECT_GT((bent_a_little.solve_whole() - bent.solve_whole()).norm(),
            1e2 * kRoundoff);  // or this would be no test
}

TEST(RingMatrix, SeveralLatticesThatMoveAgainstEachOtherAndTogether) {
  RingMatrix matrix;
  for (int k = 0; k < 6; ++k) {
    const double apart = k < 3 ? 0.3 + 0.1 * k : 0.5;  // the last three move as one
    const Transform<double> X = make_place(0.4 * k, {5. * k, 1, 0});
    Wings wings;
    for (int s = 0; s < 3; ++s) {
      Transform<double> own = X;
      own.p += X.R * Vector(0.2 * s, 0.1 * s, apart * s);
      wings.lattices.push_back(make_plate(own));
    }
    expect_near(wings.solve(&matrix), wings.solve_whole());
  }
}

/// A closed lattice: a drum with pointed ends, of 4 x 6 panels.
Lattice make_drum(const Transform<double>& X) {
  Lattice lattice(4, 6, LatticeLayout::kEdge, true);
  std::vector<Vector> corners, still;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 6; ++j) {
      const double r = i % 4 == 0 ? 0 : 1, angle = std::numbers::pi / 3 * (j % 6);
      corners.emplace_back(X.p + X.R * Vector(i, r * std::sin(angle), r * std::cos(angle)));
      still.emplace_back(Vector::Zero());
    }
  lattice.update(corners, still);
  return lattice;
}

/// Whose last column lies on its first: none of the corners of a plain wing's frame are apart.
Lattice make_tube(const Vector& middle) {
  Lattice lattice(3, 6, LatticeLayout::kQuarter);
  std::vector<Vector> corners;
  for (int i = 0; i <= 3; ++i)
    for (int j = 0; j <= 6; ++j) {
      const double angle = std::acos(-1) / 3 * (j % 6);
      corners.push_back(middle + Vector(i / 3., 0.6 * std::cos(angle), 0.6 * std::sin(angle)));
    }
  return lattice.make_at(corners);
}

TEST(RingMatrix, AWingThatClosesUponItselfSeesHowOthersMove) {
  RingMatrix matrix;
  for (const double height : {1., 1.2, 3.}) {
    Wings wings;
    wings.lattices = {make_tube({0, 0, 0}), make_plate(make_place(0, {0, 0, height}))};
    expect_near(wings.solve(&matrix), wings.solve_whole());
  }
}

TEST(RingMatrix, AClosedLatticeHasAnInverse) {
  // analytic: alike circulations of all rings would induce nothing, and the mean is what little flow there is through the
  // whole; a stream has none
  const Lattice drum = make_drum(make_place(0.4, {1, 2, 3}));
  const auto block = RingMatrix::make_block(drum, kCore);
  Eigen::VectorXd through(drum.n_panels());
  for (int p = 0; p < drum.n_panels(); ++p) through[p] = drum.normals()[p].dot(Vector(1, -2, 0.5));
  const Eigen::VectorXd gamma = block->factors.solve(through);
  double mean = 0;
  for (int p = 0; p < drum.n_panels(); ++p) mean += gamma[p] * drum.areas()[p];
  EXPECT_NEAR(mean, 0, 1e-12 * gamma.norm());
  EXPECT_LT((block->matrix * gamma - through).norm(), kRoundoff * through.norm());
}

TEST(RingMatrix, AClosedLatticeIsRigid) {
  RingMatrix matrix;
  for (int k = 0; k < 3; ++k) {
    const Wings one{{make_drum(make_place(0.7 * k, {10. * k, -1. * k * k, 3}))}};
    matrix.update(one.list(), kCore, {});
    Eigen::VectorXd x(24), whole(24);
    RingMatrix other;
    other.update_whole(one.list(), {}, kCore, {});
    matrix.solve(make_flow(24), &x);
    other.solve(make_flow(24), &whole);
    expect_near(x, whole);
    // its factors are those of the first place: made anew they have other bits
    if (k == 0) continue;
    RingMatrix fresh;
    fresh.update(one.list(), kCore, {});
    Eigen::VectorXd anew(24);
    fresh.solve(make_flow(24), &anew);
    EXPECT_NE(anew, x);
  }
}

TEST(RingMatrix, TwoThatTouchAndWalls) {
  RingMatrix matrix;
  for (const double height : {2., 0.1}) {
    Wings wings;
    wings.lattices = {make_plate(make_place(0, {0, 0, height})), make_plate(make_place(0, {0, 3, height}))};
    expect_near(wings.solve(&matrix), wings.solve_whole());
    wings.planes = ImagePlanes({AirPlane{}});
    expect_near(wings.solve(&matrix), wings.solve_whole());
  }
}

/// One in the other: what the blocks say of it is worth nothing, and factors of the whole are taken.
TEST(RingMatrix, TwoThatAllButLieInEachOther) {
  Wings wings;
  wings.lattices = {make_plate(make_place(0, {0, 0, 0})), make_plate(make_place(0, {0, 0, 2e-3}))};
  RingMatrix matrix;
  const Eigen::VectorXd x = wings.solve(&matrix), exact = wings.solve_whole();
  EXPECT_LT((x - exact).norm(), 1e-9 * exact.norm());  // machine: condition 1e5
}

TEST(RingMatrix, ACoreThatChangesIsNoticed) {
  const Wings wing{{make_plate(make_place(0, {0, 0, 0}))}};
  RingMatrix matrix, whole;
  matrix.update(wing.list(), 0.1, {});
  expect_near(wing.solve(&matrix), wing.solve_whole());
}

TEST(RingMatrix, ContinuesFromACheckpointWithTheSameBits) {
  for (const bool has_wall : {false, true})
    for (const int n_wings : {1, 2}) {
      const auto at = [&](double angle) {
        Wings wings;
        for (int s = 0; s < n_wings; ++s)
          wings.lattices.push_back(make_plate(make_place(angle, {0, 0, 4. + 0.5 * s})));
        if (has_wall) wings.planes = ImagePlanes({AirPlane{}});
        return wings;
      };
      RingMatrix matrix, other;
      at(0).update(&matrix);
      const Wings before = at(0.1), after = at(0.2);
      before.update(&matrix);
      Archive saved;
      matrix.visit_state(saved, before.list(), kCore, before.planes);
      Archive loaded(saved.state());
      other.visit_state(loaded, before.list(), kCore, before.planes);
      EXPECT_EQ(after.solve(&other), after.solve(&matrix));
      // which is what was kept: made anew it has other bits
      RingMatrix fresh;
      const Eigen::VectorXd anew = after.solve(&fresh);
      EXPECT_NE(anew, after.solve(&matrix));
      matrix.forget();
      EXPECT_EQ(after.solve(&matrix), anew);
    }
}

TEST(RingMatrix, RefusesTheCheckpointOfOtherLattices) {
  const Wings one{{make_plate(make_place(0, {0, 0, 0}))}};
  Wings two = one;
  two.lattices.push_back(make_plate(make_place(0, {0, 0, 1})));
  RingMatrix matrix, other;
  one.update(&matrix);
  Archive saved;
  matrix.visit_state(saved, one.list(), kCore, {});
  Archive loaded(saved.state());
  EXPECT_THROW(other.visit_state(loaded, two.list(), kCore, {}), ArchiveMismatch);
}

}  // namespace
}  // namespace haltere
