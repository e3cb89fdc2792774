// The unsteady vortex lattice: another implementation of the same choices, closed forms, and laws that hold whatever
// the wing does.
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <random>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "source_folder.h"

#include "haltere/aero/lattice/vortex_air.h"

namespace haltere {
namespace {

using Json = nlohmann::json;
using Vector = Vector3<double>;
using Motion = VortexAir::Motion;

constexpr double kPi = std::numbers::pi;
// independent: numbers are printed with twelve digits
constexpr double kPrinted = 1e-10;
// machine: hundreds of terms of size one
constexpr double kRoundoff = 1e-12;

const Json& data() {
  static const Json json = [] {
    Json all;
    std::ifstream(source_path("tests/validation/independent/vortex_lattice.json")) >> all;
    return all;
  }();
  return json;
}

Vector to_vector(const Json& json) {
  return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

/// A machine in the air: how its lattices move, and how long a step is.
struct Flight {
  VortexAir::Settings settings;
  std::vector<LatticeSpec> surfaces;
  double step = 0;
  std::function<std::vector<Motion>(double)> motion;

  VortexAir fly(int steps) const {
    VortexAir air(settings, surfaces);
    air.start(0, step, motion(0));
    for (int k = 1; k <= steps; ++k) air.advance(k * step, motion(k * step));
    return air;
  }
};

/// Corners of rows x columns panels at x = i/rows, y = j/columns, moved by a function of both.
template <class Move>
Motion make_motion(int rows, int columns, const Move& move) {
  Motion motion;
  for (int i = 0; i <= rows; ++i)
    for (int j = 0; j <= columns; ++j) {
      const auto [place, velocity] = move(static_cast<double>(i) / rows, static_cast<double>(j) / columns);
      motion.corners.push_back(place);
      motion.velocities.push_back(velocity);
    }
  return motion;
}

VortexAir::Settings in_stream(const Vector& stream, double density, double core) {
  return {density, core, [stream](double, const Vector&) { return stream; }};
}

/// Aspect ratio 4 at 5 degrees, started at once.
Flight make_sudden_start(bool free_wake) {
  const double alpha = 5 * kPi / 180;
  LatticeSpec spec{.rows = 4, .columns = 13};
  spec.wake_is_free = free_wake;
  return {in_stream({std::cos(alpha), 0, std::sin(alpha)}, 1, 0.01), {spec}, 1 / 16., [](double) {
            return std::vector{make_motion(4, 13, [](double x, double y) {
              return std::pair<Vector, Vector>{{x, 4 * y - 2, 0}, Vector::Zero()};
            })};
          }};
}

/// The same plate, pitched by -5 degrees, heaves with k = 0.5.
Flight make_heave() {
  const double alpha = 5 * kPi / 180;
  return {in_stream({1, 0, 0}, 1, 0.01), {{.rows = 4, .columns = 13}}, 1 / 16., [alpha](double t) {
            return std::vector{make_motion(4, 13, [&](double x, double y) {
              return std::pair<Vector, Vector>{
                  {x * std::cos(alpha), 4 * y - 2, x * std::sin(alpha) + 0.1 * std::cos(t)},
                  {0, 0, -0.1 * std::sin(t)}};
            })};
          }};
}

Matrix3<double> turn(int axis, double angle) {
  return Eigen::AngleAxisd(angle, Vector::Unit(axis)).toRotationMatrix();
}

/// Two rectangular wings that hover: mm, mg, ms.
Flight make_hover() {
  constexpr double kRate = 2 * kPi * 0.2;
  return {in_stream(Vector::Zero(), 1.225e-3, 0.05),
          {{.rows = 4, .columns = 8}, {.rows = 4, .columns = 8}},
          1 / 0.2 / 60,
          [](double t) {
            const double phi = kPi / 3 * std::cos(kRate * t), alpha = kPi / 4 * std::sin(kRate * t),
                         phi_rate = -kPi / 3 * kRate * std::sin(kRate * t),
                         alpha_rate = kPi / 4 * kRate * std::cos(kRate * t);
            const Matrix3<double> back = turn(1, -kPi / 2), stroke = back * turn(0, phi),
                                  T = stroke * turn(1, alpha);
            const Vector w = back * Vector(phi_rate, 0, 0) + stroke * Vector(0, alpha_rate, 0);
            std::vector<Motion> motions;
            for (const double side : {1., -1.})
              motions.push_back(make_motion(4, 8, [&](double x, double y) {
                const Vector r = T * Vector(0.175 - 0.7 * x, 0.2 + 2.3 * y, 0);
                Vector place = Vector(0, 0.36, 0) + r, velocity = w.cross(r);
                place.y() *= side;
                velocity.y() *= side;
                return std::pair{place, velocity};
              }));
            return motions;
          }};
}

Vector calc_force(const VortexAir& air, int surface, LatticeLoad load) {
  Vector sum = Vector::Zero();
  for (const PointForce& f : air.calc_forces(surface, load)) sum += f.force;
  return sum;
}

Vector calc_moment(const VortexAir& air, int surface, LatticeLoad load,
                   const Vector& about = Vector::Zero()) {
  Vector sum = Vector::Zero();
  for (const PointForce& f : air.calc_forces(surface, load)) sum += (f.point - about).cross(f.force);
  return sum;
}

void expect_snapshot(const Json& snapshot, const VortexAir& air) {
  SCOPED_TRACE("step " + snapshot["k"].dump());
  for (int s = 0; s < air.n_surfaces(); ++s) {
    const Vector J = calc_force(air, s, LatticeLoad::kJ);
    const double size = to_vector(snapshot["F_joukowski"][s]).norm();
    EXPECT_LE((J - to_vector(snapshot["F_joukowski"][s])).norm(), kPrinted * size);
    EXPECT_LE((calc_force(air, s, LatticeLoad::kJEdge) - J - to_vector(snapshot["F_shed_edge"][s])).norm(),
              kPrinted * size);
    EXPECT_LE((calc_force(air, s, LatticeLoad::kBernoulli) - to_vector(snapshot["F_bernoulli"][s])).norm(),
              kPrinted * size);
    const Vector M = to_vector(snapshot["M_joukowski_about_origin"][s]);
    EXPECT_LE((calc_moment(air, s, LatticeLoad::kJ) - M).norm(), kPrinted * M.norm());
    if (!snapshot.contains("gamma")) continue;
    const Json &gamma = snapshot["gamma"][s], &nodes = snapshot["wake_nodes"][s];
    for (std::size_t i = 0; i < gamma.size(); ++i)
      for (std::size_t j = 0; j < gamma[i].size(); ++j)
        EXPECT_NEAR(air.circulation(s, static_cast<int>(i), static_cast<int>(j)), gamma[i][j].get<double>(),
                    kPrinted * std::abs(gamma[0][0].get<double>()));
    ASSERT_EQ(static_cast<int>(nodes.size()), air.wake(s).rows() + 1);
    for (std::size_t r = 0; r < nodes.size(); ++r)
      for (std::size_t c = 0; c < nodes[r].size(); ++c)
        EXPECT_LE(
            (air.wake(s).node(static_cast<int>(r), static_cast<int>(c)) - to_vector(nodes[r][c])).norm(),
            kPrinted);
  }
}

// source: independent
TEST(VortexLattice, GivesCirculationsWakesAndForcesOfAnotherImplementation) {
  const std::vector<std::pair<std::string, Flight>> cases{
      {"sudden_start_AR4_free", make_sudden_start(true)},
      {"sudden_start_AR4_prescribed", make_sudden_start(false)},
      {"heave_AR4_k0.5_free", make_heave()},
      {"hover_quarter_TE", make_hover()}};
  for (const auto& [name, flight] : cases) {
    SCOPED_TRACE(name);
    const Json& snapshots = data()["cases"][name]["snapshots"];
    ASSERT_GE(snapshots.size(), 11U);
    VortexAir air(flight.settings, flight.surfaces);
    Vector impulse = Vector::Zero();
    for (const Json& snapshot : snapshots) {
      const double t = snapshot["k"].get<int>() * flight.step;
      if (t == 0)
        air.start(0, flight.step, flight.motion(0));
      else
        air.advance(t, flight.motion(t));
      expect_snapshot(snapshot, air);
      const Vector before = std::exchange(impulse, air.calc_impulse());
      if (t == 0) continue;
      const Vector force = to_vector(snapshot["F_impulse_all_surfaces"]);  // of the air on all surfaces
      EXPECT_LE(((before - impulse) / flight.step - force).norm(), kPrinted * force.norm());
    }
  }
}

// peer: PteraSoftware 5.1.0 (bench/lattice/ptera_peer.py), lift over the angle in radians of a plate of aspect ratio 4 that is
// started at once, a step a panel, cores of 0.03. At 0.0001 degrees cores that grow with circulation, as its do, are 4e-8 of
// the lift after ten chords, and its last rings, which are bent into the wind, less than rounding
TEST(VortexLattice, LiftsAsTheLatticeOfAnotherProgram) {
  const double alpha = 1e-4 * kPi / 180;
  for (const bool free : {false, true}) {
    Flight flight = make_sudden_start(free);
    flight.settings = in_stream({std::cos(alpha), 0, std::sin(alpha)}, 1, 0.03);
    flight.step = 1 / 4.;
    for (const auto& [steps, lift] :
         {std::pair{0, 14.38767589}, std::pair{1, 5.880319394}, std::pair{4, 6.690931673},
          std::pair{10, 7.325831575}, std::pair{20, 7.612184396}, std::pair{40, 7.713483006}}) {
      const Vector F = calc_force(flight.fly(steps), 0, LatticeLoad::kJEdge);
      EXPECT_NEAR((F.z() * std::cos(alpha) - F.x() * std::sin(alpha)) / alpha, lift, 1e-7 * lift) << steps;
    }
  }
}

/// A section of span 1e6, chord 1, with one column of panels: two dimensions.
constexpr double kSpan = 1e6;

template <class Velocity>
Motion make_section(int rows, const Velocity& velocity) {
  return make_motion(rows, 1, [&](double x, double y) {
    return std::pair<Vector, Vector>{Vector(x, kSpan * (y - 0.5), 0), velocity(x)};
  });
}

// Wagner's function (analytic), for the load with the shed edge where a step is a panel's chord; and the plain load
// as another implementation has it (independent)
TEST(VortexLattice, BecomesWagnersSectionWhereItsSpanIsLong) {
  const double alpha = 5 * kPi / 180;
  for (const Json& entry : data()["cases"]["wagner_limit_cfl1"]) {
    const int rows = entry["M"];
    if (rows > 16) continue;
    Flight flight{
        in_stream({std::cos(alpha), 0, std::sin(alpha)}, 1, 0),
        {{.rows = rows, .columns = 1}},
        1. / rows,
        [rows](double) { return std::vector{make_section(rows, [](double) { return Vector(0, 0, 0); })}; }};
    flight.surfaces[0].wake_is_free = false;
    const double s = entry["s"];  // half chords
    const VortexAir air = flight.fly(static_cast<int>(std::lround(s / 2 * rows)));
    const auto lift = [&](LatticeLoad load) {
      const Vector F = calc_force(air, 0, load);
      return (F.z() * std::cos(alpha) - F.x() * std::sin(alpha)) / (0.5 * kSpan) /
             (2 * kPi * std::sin(alpha));
    };
    EXPECT_NEAR(lift(LatticeLoad::kJEdge), entry["wagner"].get<double>(), 2e-3) << rows << " " << s;
    EXPECT_NEAR(lift(LatticeLoad::kJEdge), entry["J+edge/(2pi sin a)"].get<double>(), 1e-9)
        << rows << " " << s;
    EXPECT_NEAR(lift(LatticeLoad::kJ), entry["J/(2pi sin a)"].get<double>(), 1e-9) << rows << " " << s;
  }
}

// source: analytic, found and checked with another lattice
TEST(VortexLattice, HasTheAddedMassOfItsPanels) {
  constexpr double kHalf = 0.5, kStep = 1e-3;
  for (const int n : {1, 2, 3, 4, 8, 16, 32})
    for (const LatticeLayout layout : {LatticeLayout::kQuarter, LatticeLayout::kEdge}) {
      const auto push = [&](const auto& velocity) {
        LatticeSpec spec{.rows = n, .columns = 1};
        spec.layout = layout;
        VortexAir air(in_stream(Vector::Zero(), 1, 0), {spec});
        air.start(0, kStep, {make_section(n, velocity)});
        return air;
      };
      // from rest to a velocity within one step
      const VortexAir plunging = push([=](double) { return Vector(0, 0, kStep); });
      const double mass = -calc_force(plunging, 0, LatticeLoad::kJ).z() / kSpan;
      EXPECT_NEAR(mass / (kPi * kHalf * kHalf), 1 + 1. / n, kRoundoff * 10) << n;
      const VortexAir pitching = push([=](double x) { return Vector(0, 0, kStep * (x - kHalf)); });
      const double inertia = calc_moment(pitching, 0, LatticeLoad::kJ, {kHalf, 0, 0}).y() / kSpan;
      EXPECT_NEAR(inertia / (kPi * std::pow(kHalf, 4) / 8), (1 - 1. / (n * n)) * (1 + 2. / n),
                  kRoundoff * 100)
          << n;
    }
  // load Q, whose rate over three points is 3/2 of that over two at such a start; printed with five digits
  for (const auto& [n, factor] :
       {std::pair{4, 1.11328}, std::pair{8, 1.07590}, std::pair{16, 1.04501}, std::pair{32, 1.02504}}) {
    VortexAir air(in_stream(Vector::Zero(), 1, 0), {{.rows = n, .columns = 1}});
    air.start(0, kStep, {make_section(n, [=](double) { return Vector(0, 0, kStep); })});
    const double mass = -calc_force(air, 0, LatticeLoad::kQ).z() / kSpan / 1.5;
    EXPECT_NEAR(mass / (kPi * kHalf * kHalf), factor, 1e-5) << n;
  }
}

/// The flight seen from elsewhere: turned or mirrored by R, and moving with `velocity`.
Flight see_from(const Flight& flight, const Matrix3<double>& R, const Vector& velocity) {
  Flight seen = flight;
  const Vector stream = flight.settings.wind(0, Vector::Zero());
  seen.settings.wind = [=](double, const Vector&) { return Vector(R * stream + velocity); };
  seen.motion = [=](double t) {
    std::vector<Motion> motions = flight.motion(t);
    for (Motion& m : motions) {
      for (Vector& corner : m.corners) corner = R * corner + velocity * t;
      for (Vector& v : m.velocities) v = R * v + velocity;
    }
    return motions;
  };
  return seen;
}

// source: analytic
TEST(VortexLattice, DoesNotDependOnWhoLooks) {
  const Matrix3<double> turned = turn(0, 0.3) * turn(1, -1.1) * turn(2, 2.3);
  Matrix3<double> mirrored = Matrix3<double>::Identity();
  mirrored(1, 1) = -1;
  for (const Flight& flight : {make_sudden_start(true), make_heave(), make_hover()}) {
    const VortexAir air = flight.fly(5);
    for (const Matrix3<double>& R : {Matrix3<double>(Matrix3<double>::Identity()), turned, mirrored}) {
      const double size = calc_force(air, 0, LatticeLoad::kJ).norm();
      const VortexAir seen =
          see_from(flight, R, R.determinant() > 0 && R(0, 0) == 1 ? Vector(3, -1, 2) : Vector(0, 0, 0))
              .fly(5);
      for (int s = 0; s < air.n_surfaces(); ++s)
        for (const LatticeLoad load :
             {LatticeLoad::kQ, LatticeLoad::kJ, LatticeLoad::kJEdge, LatticeLoad::kBernoulli})
          EXPECT_LE((calc_force(seen, s, load) - R * calc_force(air, s, load)).norm(),
                    100 * kRoundoff * size);
    }
  }
}

TEST(VortexLattice, GoesOnWithTheSameBitsFromItsState) {
  const Flight flight = make_hover();
  VortexAir air = flight.fly(6), other(flight.settings, flight.surfaces);
  Archive saved;
  air.visit_state(saved);
  Archive loaded(saved.state());
  other.visit_state(loaded);
  loaded.require_end();
  for (const LatticeLoad load : {LatticeLoad::kQ, LatticeLoad::kBernoulli})
    EXPECT_EQ(calc_force(other, 1, load), calc_force(air, 1, load));
  for (VortexAir* each : {&air, &other})
    for (int k = 7; k <= 9; ++k) each->advance(k * flight.step, flight.motion(k * flight.step));
  EXPECT_EQ(calc_force(other, 0, LatticeLoad::kQ), calc_force(air, 0, LatticeLoad::kQ));
  EXPECT_EQ(other.wake(1).nodes(), air.wake(1).nodes());
}

// -- lines

Vector calc_naive(const Vector& a, const Vector& b, double circulation, double core, const Vector& p) {
  const Vector r0 = b - a, r1 = p - a, r2 = p - b, c = r1.cross(r2);
  return circulation / (4 * kPi) * c * r0.dot(r1.normalized() - r2.normalized()) /
         (c.squaredNorm() + core * core * r0.squaredNorm());
}

// source: analytic, the law as it is written
TEST(VortexLines, InduceWhatBiotAndSavartSay) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto any = [&] { return Vector(number(random), number(random), number(random)); };
  for (const double core : {0., 0.05}) {
    VortexLines lines;
    PointList points(13), velocities(13);
    std::vector<Vector> expected(13, Vector::Zero());
    for (int i = 0; i < 13; ++i) points.set(i, any());
    for (int chain = 0; chain < 3; ++chain) {
      Vector last = any();
      lines.begin(last);
      for (int k = 0; k < 4; ++k) {
        const Vector next = any();
        const double circulation = number(random);
        lines.extend(next, circulation);
        for (int i = 0; i < 13; ++i) expected[i] += calc_naive(last, next, circulation, core, points[i]);
        last = next;
      }
    }
    EXPECT_EQ(lines.n_segments(), 12);
    lines.add_velocities(points, core, &velocities);
    for (int i = 0; i < 13; ++i)
      EXPECT_LE((velocities[i] - expected[i]).norm(), kRoundoff * expected[i].norm());
    // one point alone has the same bits
    for (int i = 0; i < 13; ++i) {
      PointList one(1), alone(1);
      one.set(0, points[i]);
      lines.add_velocities(one, core, &alone);
      EXPECT_EQ(alone[0], velocities[i]);
    }
  }
}

TEST(VortexLines, InduceNothingOnThemselves) {
  for (const double core : {0., 0.1})
    for (const double far : {0., 1e3}) {
      const Vector a(far, 0.1, -0.3), b(far + 0.2, 0.4, 0.7);
      VortexLines line;
      line.begin(a);
      line.extend(b, 1);
      PointList points(4), velocities(4);
      points.set(0, a);
      points.set(1, b);
      points.set(2, (a + b) / 2);
      points.set(3, b + 2 * (b - a));
      line.add_velocities(points, core, &velocities);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(velocities[i], Vector(0, 0, 0)) << core << " " << far << " " << i;
    }
}

// analytic: the sum over the sides that do not end at the node. Of many sides a thin ring: an element at the distance r is
// h = r^2/(2R) beside the line of the node, and counts h^2/(h^2 + core^2); so U = Gamma/(4 pi R) int dr/r r^4/(r^4 + a^4) =
// Gamma/(4 pi R) ln(4R/a) with a^2 = 2 R core
TEST(VortexLines, ARingMovesAlongItsAxis) {
  constexpr double kCore = 0.02;
  for (const int n : {8, 400}) {
    VortexLines ring;
    const auto node = [&](int k) { return Vector(std::cos(2 * kPi * k / n), std::sin(2 * kPi * k / n), 0); };
    ring.begin(node(0));
    for (int k = 1; k <= n; ++k) ring.extend(node(k % n), 1);
    PointList points(n), velocities(n);
    for (int k = 0; k < n; ++k) points.set(k, node(k));
    ring.add_velocities(points, kCore, &velocities);
    double sum = 0;
    for (int k = 1; k + 1 < n; ++k) sum += calc_naive(node(k), node(k + 1), 1, kCore, node(0)).z();
    for (int k = 0; k < n; ++k) {
      EXPECT_NEAR(velocities[k].z(), sum, 1e-12 * sum) << n;
      EXPECT_LE(velocities[k].head<2>().norm(), 1e-14 * sum * n);
    }
    const double thin = std::log(4 / std::sqrt(2 * kCore)) / (4 * kPi);
    if (n == 400) {
      EXPECT_NEAR(sum, thin, 0.01 * thin);
    }
  }
}

}  // namespace
}  // namespace haltere
