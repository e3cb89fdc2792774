#include "haltere/aero/lattice/far_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "haltere/aero/lattice/core_effect.h"
#include "haltere/aero/lattice/lattice.h"
#include "haltere/math/threads.h"

namespace haltere {
namespace {

using Vector = Vector3<double>;

constexpr double kPi = std::numbers::pi;
// machine: sums of thousands of terms, each with some last bits
constexpr double kRounding = 1e-12;

/// Lines, and points that look at them.
struct Scene {
  std::string name;
  VortexLines lines;
  double core = 0;
  PointList points;
};

/// 1,000 points: half of them nodes of the lines, the others anywhere in a box about them.
void add_points(std::mt19937* generator, const Vector& low, const Vector& high, Scene* scene) {
  constexpr int n = 1000;
  scene->points.resize(n);
  std::uniform_real_distribution<double> number(0, 1);
  const auto& nodes = scene->lines.nodes();
  for (int i = 0; i < n; ++i) {
    Vector point;
    for (int k = 0; k < 3; ++k) point[k] = low[k] + (high[k] - low[k]) * number(*generator);
    scene->points.set(i, i % 2 == 0 ? nodes[nodes.size() * i / n].place() : point);
  }
}

/// The wake of a wing with elliptic load that flaps: panels of about length 1, rolled up, and rough.
Scene make_wake(double core, double roughness = 0.05, int rows = 80, int columns = 30) {
  Scene scene{"wake, core " + std::to_string(core), {}, core, PointList()};
  std::mt19937 generator(1);
  std::normal_distribution<double> number(0, 1);
  std::vector<Vector> nodes;
  for (int i = 0; i <= rows; ++i)
    for (int j = 0; j <= columns; ++j) {
      const double e = 2. * j / columns - 1, y = j - columns / 2.;
      nodes.emplace_back(i + roughness * number(generator), y * (1 - 0.1 * std::sin(0.05 * i)),
                         3 * std::sin(0.06 * i) * (1 + e * e) + 2 * std::pow(e, 4) * std::tanh(0.05 * i));
    }
  add_rings(
      rows, columns, [&](int i, int j) { return nodes[i * (columns + 1) + j]; },
      [&](int i, int j) {
        const double e = (2 * j + 1.) / columns - 1;
        return std::sqrt(1 - e * e) * (1 + 0.5 * std::sin(0.06 * i));
      },
      &scene.lines);
  add_points(&generator, {-10, -columns / 1.5, -10}, {rows + 10., columns / 1.5, 10}, &scene);
  return scene;
}

Vector ring_node(int k, int n) {
  return {std::cos(2 * kPi * k / n), std::sin(2 * kPi * k / n), 0};
}

Scene make_ring(double core, int n = 6000) {
  Scene scene{"ring, core " + std::to_string(core), {}, core, PointList()};
  scene.lines.begin(ring_node(0, n));
  for (int k = 1; k <= n; ++k) scene.lines.extend(ring_node(k % n, n), 1);
  std::mt19937 generator(2);
  add_points(&generator, {-1.5, -1.5, -1}, {1.5, 1.5, 1}, &scene);
  return scene;
}

PointList calc_velocities(const Scene& scene, double tolerance) {
  FarField far;
  far.update(scene.lines, scene.core, tolerance);
  EXPECT_EQ(far.uses_tree(), tolerance > 0) << scene.name;
  PointList velocities(scene.points.size());
  far.add_velocities(scene.points, &velocities);
  return velocities;
}

double calc_largest_difference(const PointList& a, const PointList& b) {
  double most = 0;
  for (int i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

bool are_same(const PointList& a, const PointList& b) {
  for (int i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return a.size() == b.size();
}

/// For as long as it lives.
struct Threads {
  explicit Threads(int n) { set_n_threads(n); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() { set_n_threads(0); }
};

// independent: all lines one by one. What the tree promises is the tolerance itself
TEST(FarField, KeepsItsToleranceAtAThousandPoints) {
  std::vector<Scene> scenes;
  for (const double core : {0., 1e-3, 0.03, 0.3}) scenes.push_back(make_wake(core));
  scenes.push_back(make_wake(0.1, 0));
  for (const double core : {0., 1e-6, 1e-3}) scenes.push_back(make_ring(core));
  for (const Scene& scene : scenes) {
    const PointList direct = calc_velocities(scene, 0);
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-8}) {
      FarField far;
      far.update(scene.lines, scene.core, tolerance);
      ASSERT_TRUE(far.uses_tree()) << scene.name;
      const double error = calc_largest_difference(calc_velocities(scene, tolerance), direct);
      EXPECT_LE(error, tolerance * far.scale()) << scene.name << ", " << tolerance;
    }
  }
}

// independent: the largest of the same points, recomputed here; all 1,000 of them are asked for
TEST(FarField, AuditsItself) {
  for (Scene& scene : std::vector<Scene>{make_wake(0.1), make_ring(0)}) {
    FarField far;
    far.update(scene.lines, scene.core, 1e-4);
    const double error =
        calc_largest_difference(calc_velocities(scene, 1e-4), calc_velocities(scene, 0)) / far.scale();
    EXPECT_EQ(far.calc_error(scene.points, scene.points.size()), error) << scene.name;
    EXPECT_GT(far.calc_error(scene.points, 10), 0);
    EXPECT_LE(far.calc_error(scene.points, 10), error);
    far.update(scene.lines, scene.core, 0);
    EXPECT_EQ(far.calc_error(scene.points, 10), 0);
  }
}

// analytic: the scale is one of the speeds of the nodes, and no more than the largest
TEST(FarField, ItsScaleIsASpeedOfTheNodes) {
  Scene scene = make_ring(1e-3);
  FarField far;
  far.update(scene.lines, scene.core, 1e-2);
  scene.points.resize(4);
  for (int i = 0; i < 4; ++i) scene.points.set(i, ring_node(1, 6000));
  EXPECT_NEAR(far.scale(), calc_velocities(scene, 0)[0].norm(), kRounding * far.scale());
}

/// Two segments, and what a multipole keeps of them.
struct SmallCell {
  explicit SmallCell(int order) : multipole(order), coefficients(multipole.n_coefficients()) {
    lines.begin({-0.3, 0.2, 0.1});
    lines.extend({0.4, 0.3, -0.2}, 1.7);
    lines.extend({0.1, -0.5, 0.3}, -0.6);
    std::vector<Multipole::Moment> moments(multipole.n_moments());
    multipole.calc_moments(lines, {0, 1}, sphere, moments.data());
    multipole.calc_coefficients(moments.data(), sphere, coefficients.data());
  }

  Multipole multipole;
  VortexLines lines;
  Multipole::Sphere sphere{{0.05, 0, 0}, 0.6};
  std::vector<double> coefficients;
};

// independent: the law of Biot and Savart for a straight segment; theory.md (E37), its error by (E38)
TEST(Multipole, OfASegmentIsItsExactField) {
  constexpr int kOrder = 20;
  const SmallCell cell(kOrder);
  const auto& [multipole, lines, sphere, coefficients] = cell;
  PointList points(4), exact(4);
  points.set(0, {3, 1, 2});
  points.set(1, {-1, -4, 0.3});
  points.set(2, {0, 0.01, 5});
  points.set(3, {2, -2, -2});
  lines.add_velocities(points, 0, &exact);
  double strength = 0;
  for (int k = 1; k < 3; ++k)
    strength += std::abs(lines.nodes()[k].circulation) * std::sqrt(lines.nodes()[k].length2);
  for (const int order : {0, 1, 2, 5, 10, kOrder}) {
    PointList velocities(4);
    multipole.add_velocities(coefficients.data(), order, sphere, points, {0, 1}, &velocities);
    for (int i = 0; i < 4; ++i) {
      const double r = (points[i] - sphere.centre).norm(), x = sphere.radius / r;
      const int n = order + 1;
      const double bound = strength / (r * r) * std::pow(x, n) * (n + 1 - n * x) / ((1 - x) * (1 - x));
      EXPECT_LE((velocities[i] - exact[i]).norm(), bound + kRounding * exact[i].norm()) << order << ' ' << i;
    }
  }
}

// independent: differences of the fields of two orders, at points all around
TEST(Multipole, NoDegreeGivesMoreThanItsBound) {
  constexpr int kOrder = 6, n = 1000;
  const SmallCell cell(kOrder);
  const auto& [multipole, lines, sphere, coefficients] = cell;
  std::vector<double> bounds(kOrder + 1);
  multipole.calc_bounds(coefficients.data(), bounds.data());
  std::mt19937 generator(5);
  std::normal_distribution<double> number(0, 1);
  PointList points(n), below(n);
  for (int i = 0; i < n; ++i) {
    const Vector way{number(generator), number(generator), number(generator)};
    points.set(i, sphere.centre + 2 * sphere.radius * way.normalized());
  }
  for (int order = 0; order <= kOrder; ++order) {
    PointList velocities(n);
    multipole.add_velocities(coefficients.data(), order, sphere, points, {0, n / 4}, &velocities);
    double most = 0;
    for (int i = 0; i < n; ++i) most = std::max(most, (velocities[i] - below[i]).norm());
    const double bound = std::ldexp(bounds[order], -order - 2);
    EXPECT_LE(most, bound * (1 + kRounding)) << order;
    EXPECT_GE(most, 0.4 * bound) << order;  // Cauchy and Schwarz lose that much at most for these lines
    below = velocities;
  }
}

// analytic: what is odd and what is even in the number of points takes two ways through the code
TEST(Multipole, GivesTheSameBitsInAnyPack) {
  constexpr int kOrder = 5;
  const Multipole multipole(kOrder);
  VortexLines lines;
  lines.begin({-0.3, 0.2, 0.1});
  lines.extend({0.4, 0.3, -0.2}, 1.7);
  const Multipole::Sphere sphere{{0.05, 0, 0}, 0.6};
  std::vector<Multipole::Moment> moments(multipole.n_moments());
  std::vector<double> coefficients(multipole.n_coefficients());
  multipole.calc_moments(lines, {0, 1}, sphere, moments.data());
  multipole.calc_coefficients(moments.data(), sphere, coefficients.data());
  PointList points(12), all(12), last(12);
  for (int i = 0; i < 12; ++i) points.set(i, {2 + 0.1 * i, 1 - 0.3 * i, 0.7});
  multipole.add_velocities(coefficients.data(), kOrder, sphere, points, {0, 3}, &all);
  multipole.add_velocities(coefficients.data(), kOrder, sphere, points, {1, 3}, &last);
  for (int i = 4; i < 12; ++i) EXPECT_EQ(last[i], all[i]) << i;
}

// independent: a segment with its core and without. Seen at an angle with the sine s the core takes away its square
// over s, theory.md (E34): that is below twice the square from 30 degrees on, which holds in all directions, and below
// the estimate from 3.5 degrees on where the segment has one of the thirteen directions
TEST(CoreEffect, IsMoreThanWhatASegmentLosesUnlessItPointsAtThePlace) {
  constexpr double kLength = 1e-3, kCore = 1e-3;
  std::mt19937 generator(6);
  std::normal_distribution<double> number(0, 1);
  int n = 0;
  double most = 0;
  for (int i = 0; i < 2000; ++i) {
    const bool is_axis = i % 2 == 0;
    const Vector axis = is_axis ? Vector(1, i % 3 - 1, i % 5 % 3 - 1)
                                : Vector(number(generator), number(generator), number(generator));
    const Vector to = Vector(number(generator), number(generator), number(generator)).normalized();
    const double sine = axis.normalized().cross(to).norm();
    if (sine < (is_axis ? 0.06 : 0.5)) continue;
    VortexLines lines;
    lines.begin(-kLength / 2 * axis.normalized());
    lines.extend(kLength / 2 * axis.normalized(), 1);
    PointList points(1), with(1), without(1);
    points.set(0, to);
    lines.add_velocities(points, kCore, &with);
    lines.add_velocities(points, 0, &without);
    CoreEffect effect, twice;
    effect.add_segment(lines.nodes()[1], kCore * kCore);
    const double lost = (with[0] - without[0]).norm();
    EXPECT_LE(lost, effect.calc(to)) << axis.transpose() << " seen from " << to.transpose();
    most = std::max(most, lost / effect.calc(to));
    for (int k = 0; k < 2; ++k) twice.add(effect);
    EXPECT_EQ(twice.calc(to), 2 * effect.calc(to));
    ++n;
  }
  EXPECT_GT(n, 1500);
  EXPECT_GT(most, 0.5);  // and not much more
}

// independent: the moments of the same lines about the other centre
TEST(Multipole, MomentsMoveToAnotherCentre) {
  constexpr int kOrder = 9;
  const Multipole multipole(kOrder);
  VortexLines lines;
  lines.begin({-0.3, 0.2, 0.1});
  lines.extend({0.4, 0.3, -0.2}, 1.7);
  lines.extend({0.1, -0.5, 0.3}, -0.6);
  const Multipole::Sphere inside{{0.05, 0, 0}, 0.6}, sphere{{-0.4, 0.3, 0.2}, 1.3};
  const Multipole::Moment nothing{Pack(0), Pack(0)};
  std::vector<Multipole::Moment> inner(multipole.n_moments()), moved(multipole.n_moments(), nothing),
      moments(multipole.n_moments());
  multipole.calc_moments(lines, {0, 1}, inside, inner.data());
  multipole.add_moments(inner.data(), inside, sphere, moved.data());
  multipole.calc_moments(lines, {0, 1}, sphere, moments.data());
  for (std::size_t i = 0; i < moments.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(moved[i].re.x[k], moments[i].re.x[k], kRounding);
      EXPECT_NEAR(moved[i].im.x[k], moments[i].im.x[k], kRounding);
    }
}

// analytic: symmetry. Each node is within the tolerance of the same speed, so all are within ten times that
TEST(FarField, ARingKeepsItsSymmetry) {
  constexpr int n = 5040;
  constexpr double kTolerance = 1e-6;
  Scene scene = make_ring(1e-4, n);
  scene.points.resize(n);
  for (int k = 0; k < n; ++k) scene.points.set(k, ring_node(k, n));
  const PointList velocities = calc_velocities(scene, kTolerance);
  double least = INFINITY, most = 0, aside = 0;
  for (int k = 0; k < n; ++k) {
    least = std::min(least, velocities[k][2]);
    most = std::max(most, velocities[k][2]);
    aside = std::max(aside, velocities[k].head<2>().norm());
  }
  EXPECT_GT(least, 0);
  EXPECT_LE(most - least, 10 * kTolerance * most);
  EXPECT_LE(aside, 10 * kTolerance * most);
}

/// A ring of n sides about the z axis, moved by what it induces in steps of Euler's.
struct Ring {
  int n;
  double core;
  PointList nodes = PointList(n), velocities = PointList(n);
  VortexLines lines;
  FarField far;
  Ring(int sides, double its_core) : n(sides), core(its_core) {
    for (int k = 0; k < n; ++k) nodes.set(k, ring_node(k, n));
  }
  void update_velocities(double tolerance, int tree_from) {
    lines.clear();
    lines.begin(nodes[0]);
    for (int k = 1; k <= n; ++k) lines.extend(nodes[k % n], 1);
    far.update(lines, core, tolerance, tree_from);
    velocities.resize(n);
    far.add_velocities(nodes, &velocities);
  }
  void move(double step) {
    for (int k = 0; k < n; ++k) nodes.set(k, nodes[k] + step * velocities[k]);
  }
  /// How far from where node 0 would be, were it turned to theirs.
  double calc_asymmetry() const {
    double most = 0;
    for (int k = 0; k < n; ++k) {
      const double c = ring_node(k, n)[0], s = ring_node(k, n)[1];
      const Vector first = nodes[0],
                   turned(c * first[0] - s * first[1], s * first[0] + c * first[1], first[2]);
      most = std::max(most, (nodes[k] - turned).norm());
    }
    return most;
  }
};

// analytic: n-fold symmetry, and with it the speed of the first step in all others; that it is the sum over the sides, and
// that of a thin ring, says vortex_lattice_test
TEST(FarField, ARingKeepsItsSymmetryOverAThousandSteps) {
  constexpr int kSteps = 1000, kSides = 100;
  constexpr double kStep = 0.01, kCore = 0.02;  // it goes some 2.5 radii
  Ring ring(kSides, kCore);
  ring.update_velocities(0, 0);
  const double speed = ring.velocities[0][2];
  EXPECT_GT(kSteps * kStep * speed, 2);
  for (int i = 0; i < kSteps; ++i) {
    ring.update_velocities(0, 0);
    ring.move(kStep);
  }
  EXPECT_LE(ring.calc_asymmetry(), 1e-8);
  EXPECT_NEAR(ring.nodes[0][2], kSteps * kStep * speed, 1e-10 * kSteps * kStep * speed);
}

// analytic, as above: a tree adds up to a millionth in each step
TEST(FarField, ARingKeepsItsSymmetryOverAThousandStepsOfATree) {
  constexpr int kSteps = 1000, kSides = 600;
  constexpr double kStep = 1e-3, kCore = 1e-3, kTolerance = 1e-6;
  const Threads limit(1);  // there is little to share in a step
  Ring ring(kSides, kCore);
  for (int i = 0; i < kSteps; ++i) {
    ring.update_velocities(kTolerance, 0);
    ASSERT_TRUE(ring.far.uses_tree());
    ring.move(kStep);
  }
  EXPECT_GT(ring.nodes[0][2], 0.3);
  EXPECT_LE(ring.calc_asymmetry(), 1e-4);
  EXPECT_GT(ring.far.calc_error(ring.nodes, kSides),
            1e-3 * kTolerance);  // cells are far from each other, indeed
}

TEST(FarField, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Scene scene = make_wake(0.03);
  for (const double tolerance : {0., 1e-4}) {
    const auto calc = [&](int threads) {
      const Threads limit(threads);
      return calc_velocities(scene, tolerance);
    };
    const PointList one = calc(1);
    EXPECT_TRUE(are_same(calc(2), one)) << tolerance;
    EXPECT_TRUE(are_same(calc(3), one)) << tolerance;
  }
}

TEST(FarField, GivesTheSameBitsWhateverOtherPointsThereAre) {
  const Scene scene = make_wake(0.03);
  for (const double tolerance : {0., 1e-4}) {
    const PointList all = calc_velocities(scene, tolerance);
    Scene few = scene;
    few.points.resize(7);
    for (int i = 0; i < 7; ++i) few.points.set(i, scene.points[997 - 130 * i]);
    const PointList some = calc_velocities(few, tolerance);
    for (int i = 0; i < 7; ++i) EXPECT_EQ(some[i], all[997 - 130 * i]) << tolerance;
  }
}

// analytic: lengths times s, circulations times s^2: velocities times s, without any rounding if s is a power of two
TEST(FarField, GivesTheSameBitsInOtherUnits) {
  const Scene scene = make_wake(0.03);
  for (const double tolerance : {0., 1e-4})
    for (const double s : {std::ldexp(1, 20), std::ldexp(1, -20)}) {
      Scene scaled{scene.name, {}, s * scene.core, scene.points};
      for (int i = 0; i < scene.lines.n_chains(); ++i) {
        const VortexLines::Range chain = scene.lines.chain(i);
        scaled.lines.begin(s * scene.lines.nodes()[chain.first].place());
        for (int k = chain.first + 1; k < chain.last; ++k)
          scaled.lines.extend(s * scene.lines.nodes()[k].place(),
                              s * s * 4 * kPi * scene.lines.nodes()[k].circulation);
      }
      Scene same = scene;  // with circulations that went the same way
      same.lines.clear();
      for (int i = 0; i < scene.lines.n_chains(); ++i) {
        const VortexLines::Range chain = scene.lines.chain(i);
        same.lines.begin(scene.lines.nodes()[chain.first].place());
        for (int k = chain.first + 1; k < chain.last; ++k)
          same.lines.extend(scene.lines.nodes()[k].place(), 4 * kPi * scene.lines.nodes()[k].circulation);
      }
      for (int i = 0; i < scene.points.size(); ++i) scaled.points.set(i, s * scene.points[i]);
      PointList expected = calc_velocities(same, tolerance);
      for (int i = 0; i < expected.size(); ++i) expected.set(i, s * expected[i]);
      EXPECT_TRUE(are_same(calc_velocities(scaled, tolerance), expected)) << tolerance << ' ' << s;
    }
}

// independent: lines of one core each
TEST(FarField, CoresMayGrowWithAge) {
  Scene scene = make_wake(0.02), old{"old", {}, 0.05, scene.points}, young = old;
  for (int i = 0; i < scene.lines.n_chains(); ++i) {
    const VortexLines::Range chain = scene.lines.chain(i);
    VortexLines& lines = i % 3 == 0 ? old.lines : young.lines;
    lines.begin(scene.lines.nodes()[chain.first].place());
    for (int k = chain.first + 1; k < chain.last; ++k)
      lines.extend(scene.lines.nodes()[k].place(), scene.lines.nodes()[k].circulation);
  }
  young.core = 0.02;
  scene.lines.clear();
  for (const Scene* part : {&young, &old})
    for (int i = 0; i < part->lines.n_chains(); ++i) {
      const VortexLines::Range chain = part->lines.chain(i);
      scene.lines.begin(part->lines.nodes()[chain.first].place());
      for (int k = chain.first + 1; k < chain.last; ++k)
        scene.lines.extend(part->lines.nodes()[k].place(), 4 * kPi * part->lines.nodes()[k].circulation,
                           part == &old ? 0.05 * 0.05 - 0.02 * 0.02 : 0);
    }
  PointList expected(scene.points.size());
  for (const Scene* part : {&young, &old}) {
    PointList velocities(scene.points.size());
    part->lines.add_velocities(scene.points, part->core, &velocities);
    for (int i = 0; i < expected.size(); ++i) expected.set(i, expected[i] + velocities[i]);
  }
  FarField far;
  far.update(scene.lines, scene.core, 1e-4);
  EXPECT_LE(calc_largest_difference(calc_velocities(scene, 0), expected), kRounding * far.scale());
  EXPECT_LE(calc_largest_difference(calc_velocities(scene, 1e-4), expected), 1e-4 * far.scale());
}

TEST(FarField, WithoutATreeGivesTheBitsOfTheLines) {
  const Scene scene = make_wake(0.03);
  PointList expected(scene.points.size());
  scene.lines.add_velocities(scene.points, scene.core, &expected);
  EXPECT_TRUE(are_same(calc_velocities(scene, 0), expected));
}

TEST(FarField, NothingInducesNothing) {
  VortexLines lines;
  PointList points(3), velocities(3), none(0);
  FarField far;
  for (const double tolerance : {0., 1e-4}) {
    far.update(lines, 0, tolerance);
    far.add_velocities(points, &velocities);
    far.add_velocities(none, &none);
    EXPECT_EQ(velocities[1], Vector::Zero());
    EXPECT_EQ(far.calc_error(points, 2), 0);
  }
}

// independent: one by one
TEST(FarField, BearsCoincidentAndEmptySegments) {
  Scene scene = make_wake(0.03);
  for (int i = 0; i < 500; ++i) {
    scene.lines.begin({20, 1, 0.5});
    scene.lines.extend({20, 1, 0.5}, 3);
    scene.lines.extend({20.5, 1, 0.5}, 1e-3);
  }
  scene.points.set(0, {20, 1, 0.5});
  scene.points.set(1, {20.2, 1, 0.5});
  const PointList direct = calc_velocities(scene, 0), tree = calc_velocities(scene, 1e-4);
  FarField far;
  far.update(scene.lines, scene.core, 1e-4);
  EXPECT_LE(calc_largest_difference(tree, direct), 1e-4 * far.scale());
}

// analytic: a line induces nothing on itself, nor where all of it is at one place
TEST(FarField, LinesThatMoveNothingAreSummedOneByOne) {
  VortexLines line, place;
  line.begin({0, 0, 0});
  place.begin({1, 2, 3});
  for (int k = 1; k <= 4000; ++k) {
    line.extend({1. * k, 0, 0}, 1);
    place.extend({1, 2, 3}, 1);
  }
  PointList points(1), velocities(1), expected(1);
  points.set(0, {5, 3, 0});
  FarField far;
  for (const VortexLines* lines : {&line, &place}) {
    far.update(*lines, 0.1, 1e-4);
    EXPECT_FALSE(far.uses_tree());
    far.add_velocities(points, &velocities);
    lines->add_velocities(points, 0.1, &expected);
    EXPECT_EQ(velocities[0], expected[0]);
  }
}

// a wake that has blown up; no sense in the numbers, but an end
TEST(FarField, EndsWhereLinesOrPointsAreNotFinite) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Scene scene = make_wake(0.03);
  scene.points.set(3, {kNan, 0, 0});
  scene.points.set(4, {1e300, 0, INFINITY});
  scene.points.set(5, {1e30, -1e30, 0});
  EXPECT_TRUE(std::isfinite(calc_velocities(scene, 1e-4)[7].sum()));
  for (const double wrong : {kNan, double{INFINITY}}) {
    Scene broken = make_wake(0.03);
    broken.lines.begin({wrong, 0, 0});
    broken.lines.extend({1, 1, 1}, 1);
    FarField far;
    far.update(broken.lines, broken.core, 1e-4);
    EXPECT_FALSE(far.uses_tree());
    PointList velocities(broken.points.size());
    far.add_velocities(broken.points, &velocities);
  }
}

}  // namespace
}  // namespace haltere
