// What a lattice obeys whatever it does: sections that oscillate, circulation that is kept, bits that no thread changes.
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "haltere/aero/lattice/vortex_air.h"
#include "haltere/math/threads.h"

namespace haltere {
namespace {

using Complex = std::complex<double>;
using Vector = Vector3<double>;
using Motion = VortexAir::Motion;

constexpr double kPi = std::numbers::pi;

VortexAir::Settings make_stream(const Vector& stream, double core) {
  VortexAir::Settings settings;
  settings.density = 1;
  settings.core = core;
  settings.wind = [stream](double, const Vector&) { return stream; };
  return settings;
}

// -- a section in two dimensions, chord 1, in a stream of 1

/// Theodorsen's function at k, [theodorsen1935], from the series of Bessel's functions by quadrature in another
/// program with 25 digits.
struct Frequency {
  double k, F, G;
};
constexpr Frequency kSlow{0.1, 0.831924105, -0.172302229}, kMedium{0.3, 0.664971130, -0.179319131},
    kFast{0.5, 0.597936064, -0.150709503};

/// x(t) = mean + drift t + Re(a exp(i w t)) + second harmonic, by least squares over the last period: a and the mean.
struct Harmonic {
  Complex a;
  double mean;
};
Harmonic fit(const std::vector<double>& t, const std::vector<double>& x, double w) {
  const auto n = static_cast<Eigen::Index>(t.size());
  Eigen::MatrixXd A(n, 6);
  Eigen::VectorXd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double s = t[static_cast<std::size_t>(i)], middle = t[t.size() / 2];
    A.row(i) << 1, s - middle, std::cos(w * s), -std::sin(w * s), std::cos(2 * w * s), std::sin(2 * w * s);
    b[i] = x[static_cast<std::size_t>(i)];
  }
  const Eigen::VectorXd c = A.colPivHouseholderQr().solve(b);
  return {{c[2], c[3]}, c[0]};
}

/// Coefficients of rho U^2 b: lift, nose-up moment about mid chord over b, and the mean thrust.
struct Response {
  Complex lift, moment;
  double thrust;
};

constexpr double kSpan = 1e6, kHalf = 0.5;

/// It moves down by h and turns nose up by a about mid chord, both amplitudes; the last of three periods.
Response oscillate(int rows, double k, LatticeLoad load, double h, double a) {
  const double w = k / kHalf, step = 1. / rows, period = 2 * kPi / w;
  const auto move = [&](double t) {
    Motion motion;
    // it comes up within the first period, so that where the wake begins shows less
    const double up = t < period ? std::pow(std::sin(kPi / 2 * t / period), 2) : 1,
                 up_rate = t < period ? kPi / 2 / period * std::sin(kPi * t / period) : 0;
    const double x_t = up * std::cos(w * t), v_t = up_rate * std::cos(w * t) - up * w * std::sin(w * t);
    const double z = -h * x_t, speed = -h * v_t, turn = a * x_t, rate = a * v_t;
    for (int i = 0; i <= rows; ++i)
      for (const double y : {-kSpan / 2, kSpan / 2}) {
        const double x = static_cast<double>(i) / rows - kHalf;
        motion.corners.emplace_back(kHalf + x * std::cos(turn), y, z - x * std::sin(turn));
        motion.velocities.emplace_back(-rate * x * std::sin(turn), 0, speed - rate * x * std::cos(turn));
      }
    return std::vector{motion};
  };
  LatticeSpec spec{.rows = rows, .columns = 1};
  spec.wake_is_free = false;
  VortexAir air(make_stream({1, 0, 0}, 0), {spec});
  air.start(0, step, move(0));
  const int steps = static_cast<int>(std::lround(period / step));  // of a period
  std::vector<double> times, lifts, moments, thrusts;
  for (int n = 1; n <= 3 * steps; ++n) {
    air.advance(n * step, move(n * step));
    if (n <= 2 * steps) continue;
    Vector force = Vector::Zero(), moment = Vector::Zero();
    for (const PointForce& f : air.calc_forces(0, load)) {
      force += f.force;
      moment += (f.point - Vector(kHalf, 0, -h * std::cos(w * n * step))).cross(f.force);
    }
    times.push_back(n * step);
    lifts.push_back(force.z() / (kHalf * kSpan));
    moments.push_back(moment.y() / (kHalf * kHalf * kSpan));
    thrusts.push_back(-force.x() / (kHalf * kSpan));
  }
  return {fit(times, lifts, w).a, fit(times, moments, w).a, fit(times, thrusts, w).mean};
}

/// [theodorsen1935], of h/b and of a turn about mid chord.
Response calc_theodorsen(const Frequency& f, double h, double a) {
  const Complex i(0, 1), C(f.F, f.G), k = f.k, down = h / kHalf;
  const Complex circulatory = 2 * kPi * C * (i * k * down + a + 0.5 * i * k * a);
  return {-kPi * k * k * down + kPi * i * k * a + circulatory,
          0.5 * circulatory - kPi * (0.5 * i * k * a - 0.125 * k * k * a), 0};
}

// analytic. The force of j-edge belongs to the middle of the step
TEST(OscillatingLattice, HasTheLiftOfTheodorsensSectionByTheLoadWithTheShedEdge) {
  for (const Frequency& f : {kSlow, kMedium, kFast}) {
    const double h = 0.01, step = 1 / 8.;
    const Complex exact = calc_theodorsen(f, h, 0).lift,
                  ours = oscillate(8, f.k, LatticeLoad::kJEdge, h, 0).lift *
                         std::polar(1., f.k / kHalf * step / 2);
    EXPECT_LE(std::abs(ours / exact - 1.), 5e-3) << f.k;
  }
}

// analytic [garrick1936]: pi k^2 |C|^2 (h/b)^2; the suction of eight rows, in steps of a panel: 0.2 %
TEST(OscillatingLattice, PullsAsGarricksSection) {
  const double h = 0.01;
  const double exact =
      kPi * kSlow.k * kSlow.k * (kSlow.F * kSlow.F + kSlow.G * kSlow.G) * h * h / kHalf / kHalf;
  EXPECT_NEAR(oscillate(8, kSlow.k, LatticeLoad::kJ, h, 0).thrust, exact, 2e-3 * exact);
}

// analytic: lift and moment of the default load are of the second order in the rows, heaving and pitching, and their limit
// is Theodorsen's; that the wake began three periods ago leaves 1e-4
TEST(OscillatingLattice, ConvergesWithTheSquareOfItsRowsByTheDefaultLoad) {
  for (const auto& [h, a] : {std::pair{1e-3, 0.}, std::pair{0., 1e-3}}) {
    const Response exact = calc_theodorsen(kMedium, h, a);
    std::vector<Complex> lift, moment;
    for (const int rows : {8, 16, 32}) {
      const Response ours = oscillate(rows, kMedium.k, LatticeLoad::kQ, h, a);
      lift.push_back(ours.lift / exact.lift);
      moment.push_back(ours.moment / exact.moment);
    }
    for (const std::vector<Complex>& ratio : {lift, moment}) {
      EXPECT_NEAR(std::log2(std::abs(ratio[0] - ratio[1]) / std::abs(ratio[1] - ratio[2])), 2, 0.15) << h;
      EXPECT_LE(std::abs(ratio[2] + (ratio[2] - ratio[1]) / 3. - 1.), 2e-4) << h;
    }
    EXPECT_LT(std::abs(moment[0] - 1.), 0.009);  // independent: 0.9 % at 8 rows, of a section that does both
  }
}

// -- laws

/// A rough flight: a pitched wing that flaps, sheds from all edges where its spec says so.
struct Treatment {
  std::string name;
  std::function<void(VortexAir::Settings*, LatticeSpec*)> choose;
};

std::vector<Treatment> list_treatments() {
  using Settings = VortexAir::Settings;
  return {{"plain", [](Settings*, LatticeSpec*) {}},
          {"prescribed", [](Settings*, LatticeSpec* w) { w->wake_is_free = false; }},
          {"edge", [](Settings*, LatticeSpec* w) { w->layout = LatticeLayout::kEdge; }},
          {"ended", [](Settings* s, LatticeSpec*) { s->limits.age = 1.1; }},
          {"coarser", [](Settings* s, LatticeSpec*) { s->limits.coarsen = 0.3; }},
          {"both", [](Settings* s, LatticeSpec*) { s->limits = {.age = 1.7, .coarsen = 0.3}; }},
          {"heun", [](Settings* s, LatticeSpec*) { s->convection = Convection::kHeun; }},
          {"growing cores", [](Settings* s, LatticeSpec*) { s->core_growth = 1e-3; }},
          {"far field", [](Settings* s, LatticeSpec*) { s->far_field = 1e-4; }},
          {"tip", [](Settings*, LatticeSpec* w) { w->sheds_tip = true; }},
          {"leading edge", [](Settings*, LatticeSpec* w) { w->sheds_leading = true; }},
          {"critical angle",
           [](Settings*, LatticeSpec* w) {
             w->sheds_leading = true;
             w->critical_angle = 0.2;
           }},
          {"critical suction",
           [](Settings*, LatticeSpec* w) {
             w->sheds_leading = true;
             w->critical_suction = 0.1;
           }},
          {"above a plane", [](Settings* s, LatticeSpec*) {
             s->planes = ImagePlanes({{Vector(0, 0, -1.5), Vector::UnitZ()}});
           }}};
}

std::vector<Motion> flap(double t, int rows, int columns) {
  Motion motion;
  const double angle = 0.5 * std::sin(2 * t), rate = std::cos(2 * t);
  for (int i = 0; i <= rows; ++i)
    for (int j = 0; j <= columns; ++j) {
      const double x = static_cast<double>(i) / rows, y = 3. * j / columns;
      const Vector place(x, y * std::cos(angle), y * std::sin(angle) - 0.25 * x);
      motion.corners.push_back(place);
      motion.velocities.emplace_back(0, -rate * y * std::sin(angle), rate * y * std::cos(angle));
    }
  return {motion};
}

VortexAir fly(const Treatment& treatment, int steps, int rows = 3, int columns = 6) {
  VortexAir::Settings settings = make_stream({1, 0, 0.1}, 0.1);
  LatticeSpec spec{.rows = rows, .columns = columns};
  treatment.choose(&settings, &spec);
  VortexAir air(settings, {spec});
  air.start(0, 0.1, flap(0, rows, columns));
  for (int k = 1; k <= steps; ++k) air.advance(0.1 * k, flap(0.1 * k, rows, columns));
  return air;
}

/// Of all lines of a wing and its wake: sum Gamma l, and of the lengths of its terms.
std::pair<Vector, double> sum_vorticity(const VortexAir& air) {
  VortexLines lines;
  const Lattice& l = air.lattice(0);
  const Wake& wake = air.wake(0);
  add_rings(
      l.rows(), l.columns(), [&](int i, int j) { return l.ring_node(i, j); },
      [&](int i, int j) { return air.circulation(0, i, j); }, &lines);
  add_rings(
      wake.rows(), wake.columns(), [&](int i, int j) { return wake.node(i, j); },
      [&](int i, int j) { return wake.circulation(i, j); }, &lines);
  Vector sum = Vector::Zero();
  double size = 0;
  for (const VortexLines::Node& node : lines.nodes()) {
    const Vector part = node.circulation * Vector(node.dx, node.dy, node.dz);
    sum += part;
    size += part.norm();
  }
  return {sum, size};
}

// analytic (Kelvin, Helmholtz): what began without vorticity has none as a whole, sum Gamma l = 0; machine: 1e-13
TEST(LatticeLaws, CirculationIsKeptByEveryTreatmentOfWakes) {
  for (const Treatment& treatment : list_treatments()) {
    const VortexAir air = fly(treatment, 40);
    const auto [sum, size] = sum_vorticity(air);
    EXPECT_GT(size, 0.1) << treatment.name;
    EXPECT_LE(sum.norm(), 1e-13 * size) << treatment.name;
    const int rows = air.wake(0).rows();
    if (treatment.name == "plain") {
      EXPECT_EQ(rows, 40);
    } else if (treatment.name == "ended") {
      EXPECT_LE(rows, 13);
    } else if (treatment.name == "coarser") {
      EXPECT_LE(rows, 20);
    }
  }
}

/// For as long as it lives.
struct ThreadLimit {
  explicit ThreadLimit(int n) { set_n_threads(n); }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ~ThreadLimit() { set_n_threads(0); }
};

// analytic: each sum has one order, whoever computes it. 30 x 60 rings have lines enough for a tree and for threads
TEST(LatticeLaws, FlightsHaveTheSameBitsOnAnyNumberOfThreads) {
  for (const double tolerance : {0., 1e-4}) {
    const auto go = [&](int threads) {
      const ThreadLimit limit(threads);
      return fly({"", [&](VortexAir::Settings* s, LatticeSpec*) { s->far_field = tolerance; }}, 30, 3, 60);
    };
    const VortexAir one = go(1);
    EXPECT_EQ(one.far_error() > 0, tolerance > 0);
    const VortexAir three = go(3);
    EXPECT_EQ(three.wake(0).nodes(), one.wake(0).nodes());
    for (int j = 0; j < 60; ++j) EXPECT_EQ(three.circulation(0, 1, j), one.circulation(0, 1, j)) << j;
  }
}

// analytic: lengths times s, velocities and circulations with them: forces times s^4 in the same time; s a power of two,
// so that a wing of 2 mm and one of 16 m have the same bits
TEST(LatticeLaws, WingsOfMillimetresAndMetresHaveTheSameBits) {
  const auto go = [](double s) {
    VortexAir::Settings settings = make_stream(s * Vector(1, 0, 0.1), s * 0.1);
    VortexAir air(settings, {{.rows = 3, .columns = 6}});
    const auto motion = [&](double t) {
      std::vector<Motion> motions = flap(t, 3, 6);
      for (Vector& corner : motions[0].corners) corner *= s;
      for (Vector& velocity : motions[0].velocities) velocity *= s;
      return motions;
    };
    air.start(0, 0.1, motion(0));
    for (int k = 1; k <= 20; ++k) air.advance(0.1 * k, motion(0.1 * k));
    return air;
  };
  const double small = std::ldexp(1, -10), large = 8;  // spans of 2.9 mm and 24 m
  const VortexAir a = go(small), b = go(large);
  for (const LatticeLoad load :
       {LatticeLoad::kQ, LatticeLoad::kJ, LatticeLoad::kJEdge, LatticeLoad::kBernoulli}) {
    const std::vector<PointForce> of_a = a.calc_forces(0, load), of_b = b.calc_forces(0, load);
    for (std::size_t i = 0; i < of_a.size(); ++i)
      EXPECT_EQ(of_b[i].force, std::pow(large / small, 4) * of_a[i].force);
  }
}

}  // namespace
}  // namespace haltere
