// Equilibria and small motions about them, against closed forms, finite differences, other formulations and
// the nonlinear equations themselves.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scale_model.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/analysis/modes.h"
#include "haltere/analysis/root_locus.h"
#include "haltere/analysis/steady_state.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Complex = std::complex<double>;

/// A machine with its equilibrium and its modes there.
struct Study {
  explicit Study(const Model& original, const EquilibriumOptions& options = {}) {
    model = freeze_motions(original, &notes);
    equations = make_equations("recursive", model);
    equilibrium = find_equilibrium(options, equations->calc_initial_state(), equations.get());
  }
  ModeSet calc(const std::string& formulation = "recursive", const std::string& chart = "lie") {
    linear = linearize({formulation, chart, list_driven(model)}, equilibrium, equations.get());
    EXPECT_EQ(linear.failure, "") << model.name;
    return calc_modes(linear);
  }
  Model model;
  std::vector<std::string> notes;
  std::unique_ptr<Equations> equations;
  Equilibrium equilibrium;
  Linearization linear;
};

Model read(const std::string& text) {
  return read_model_text("haltere: 1\nname: test\n" + text, "test.yaml");
}

/// Without those that are neutral; the upper ones of pairs, by size.
std::vector<Complex> eigenvalues_of(const ModeSet& set) {
  std::vector<Complex> list;
  for (const Eigenmode& mode : set.modes)
    if (!mode.is_neutral) list.push_back(mode.eigenvalue);
  return list;
}

/// The same numbers, in any order.
void expect_near(std::vector<Complex> a, const std::vector<Complex>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (const Complex& expected : b) {
    const auto nearest = std::min_element(a.begin(), a.end(), [&](const Complex& x, const Complex& y) {
      return std::abs(x - expected) < std::abs(y - expected);
    });
    EXPECT_NEAR(std::abs(*nearest - expected), 0, tolerance * std::abs(expected))
        << *nearest << ' ' << expected;
    a.erase(nearest);
  }
}

// machine precision, times the size of F over the eigenvalue
constexpr double kRounding = 1e-12;

// -- closed forms

// m x" + c x' + k x = m g                                                               (source: analytic)
TEST(SmallMotions, OfASpringAndADamper) {
  Study study(read(R"(
gravity: [0, 0, -9.81]
bodies: {mass: {mass: 2 kg}}
joints: {slide: {kind: prismatic, child: mass, axis: z}}
forces: {spring: {kind: linear-spring, joint: slide, stiffness: 50 N/m, damping: 3 N*s/m}}
initial: {slide: 0.3 m}
)"));
  EXPECT_EQ(study.equilibrium.failure, "");
  EXPECT_NEAR(study.equilibrium.y[0], -2 * 9.81 / 50, 1e-14);
  const double decay = 3 / (2 * 2.), omega2 = 50 / 2.;
  expect_near(eigenvalues_of(study.calc()), {{-decay, std::sqrt(omega2 - decay * decay)}}, kRounding);
}

const char* const kDoublePendulum = R"(
parameters: {upper: 0 rad, lower: 0 rad}
gravity: [0, 0, -9.81]
bodies:
  one: {mass: 1 kg, center_of_mass: [0, 0, -0.5]}
  two: {mass: 1 kg, center_of_mass: [0, 0, -0.5]}
joints:
  a: {kind: revolute, child: one, axis: y}
  b: {kind: revolute, parent: one, child: two, parent_frame: [0, 0, -0.5], axis: y}
initial: {a: upper, b: lower}
)";

// two equal masses on equal threads: omega^2 = (2 -+ sqrt 2) g/l                        (source: analytic)
TEST(SmallMotions, OfADoublePendulum) {
  Study study(read(kDoublePendulum));
  const double slow = std::sqrt((2 - std::numbers::sqrt2) * 9.81 / 0.5),
               fast = std::sqrt((2 + std::numbers::sqrt2) * 9.81 / 0.5);
  const ModeSet hanging = study.calc();
  expect_near(eigenvalues_of(hanging), {{0, slow}, {0, fast}}, kRounding);
  EXPECT_FALSE(hanging.is_unstable());
  EXPECT_FALSE(hanging.is_stable());
}

/// I1, I3, mass, distance of the centre of mass from the tip: tilted, precessing and spinning.
struct Top {
  double I1 = 0.02, I3 = 0.01, m = 1, l = 0.1, g = 9.81;  // I1 about the tip
  Model read_with(double tilt, double turn, double spin) const {
    const double across = I1 - m * l * l;
    return read(fmt::format(R"(
gravity: [0, 0, -{}]
bodies: {{top: {{mass: {}, center_of_mass: [0, 0, {}], inertia: [{}, {}, {}]}}}}
joints: {{tip: {{kind: spherical, child: top}}}}
initial: {{tip: {{orientation: {{axis: y, angle: {} rad}}, angular_velocity: [{}, 0, {}]}}}}
)",
                            g, m, l, across, across, I3, tilt, spin * std::sin(tilt),
                            turn + spin * std::cos(tilt)));
  }
};

// a sleeping top: lambda = i (I3 s -+ sqrt(I3^2 s^2 - 4 I1 m g l)) / (2 I1), stable for large s   (analytic)
TEST(SmallMotions, OfASleepingTop) {
  const Top top;
  const double mgl = top.m * top.g * top.l, critical = std::sqrt(4 * top.I1 * mgl) / top.I3;
  for (const double spin : {0.7 * critical, 0.98 * critical, 1.02 * critical, 2 * critical}) {
    Study study(top.read_with(0, 0, spin));
    ASSERT_EQ(study.equilibrium.failure, "");
    const ModeSet set = study.calc();
    EXPECT_EQ(set.is_unstable(), spin < critical) << spin;
    const Complex root = std::sqrt(Complex(std::pow(top.I3 * spin, 2) - 4 * top.I1 * mgl));
    for (const double sign : {-1., 1.}) {
      const Complex expected = Complex(0, 1) * (top.I3 * spin + sign * root) / (2 * top.I1);
      double nearest = 1e9;
      for (const Eigenmode& mode : set.modes)
        nearest = std::min(nearest, std::abs(mode.eigenvalue - expected));
      EXPECT_NEAR(nearest, 0, 1e-10 * std::abs(expected)) << spin;
    }
  }
}

// nutation about steady precession, from the effective potential: omega^2 = -f'(theta)/I1          (analytic)
TEST(SmallMotions, OfATopThatPrecesses) {
  const Top top;
  const double theta = 0.7, turn = 3, c = std::cos(theta), s = std::sin(theta), mgl = top.m * top.g * top.l;
  // I1 turn^2 c - p turn + m g l = 0
  const double p = (top.I1 * turn * turn * c + mgl) / turn;
  const double spin = p / top.I3 - turn * c;
  Study study(top.read_with(theta, turn, spin));
  ASSERT_EQ(study.equilibrium.failure, "");
  EXPECT_NEAR(study.equilibrium.turn[2], turn, 1e-10);
  EXPECT_LT(study.equilibrium.moved, 1e-9);
  const double turn_slope = p / (top.I1 * s) - 2 * turn * c / s;
  const double slope = top.I1 * turn * turn * (c * c - s * s) + 2 * top.I1 * turn * turn_slope * s * c -
                       p * turn * c - p * turn_slope * s + mgl * c;
  const std::vector<Complex> found = eigenvalues_of(study.calc());
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(found.back().imag(), std::sqrt(-slope / top.I1), 1e-9);
  EXPECT_NEAR(found.back().real(), 0, 1e-9);
}

// a body that turns freely about its middle axis: lambda^2 = w^2 (I2 - I1)(I3 - I2)/(I1 I3) (analytic)
TEST(SmallMotions, OfABodyThatTurnsAboutItsMiddleAxis) {
  Study study(read(R"(
bodies: {nut: {mass: 1 kg, inertia: [1, 2, 2.5]}}
joints: {flight: {kind: free, child: nut}}
initial: {flight: {angular_velocity: [0, 15, 0], velocity: [1, 2, 3]}}
)"));
  ASSERT_EQ(study.equilibrium.failure, "");
  const ModeSet set = study.calc();
  const double growth = 15 * std::sqrt((2 - 1.) * (2.5 - 2) / (1 * 2.5));
  std::vector<double> real;
  for (const Complex& x : eigenvalues_of(set)) real.push_back(x.real());
  EXPECT_THAT(real, testing::Contains(testing::DoubleNear(growth, 1e-10)));
  EXPECT_THAT(real, testing::Contains(testing::DoubleNear(-growth, 1e-10)));
  EXPECT_EQ(set.count_growing(), 1);
}

// -- against the equations themselves

/// d(qdot, vdot)/d(dq, v) of a machine at rest, by central differences.
Eigen::MatrixXd differentiate(const Eigen::VectorXd& y, Equations* equations) {
  const Sizes sizes = equations->sizes();
  const int n = sizes.nv;
  const double h = 1e-5;
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  F.topRightCorner(n, n).setIdentity();
  Eigen::VectorXd ydot[2] = {Eigen::VectorXd::Zero(sizes.ny()), Eigen::VectorXd::Zero(sizes.ny())};
  for (int i = 0; i < 2 * n; ++i) {
    for (const int side : {0, 1}) {
      Eigen::VectorXd dq = Eigen::VectorXd::Zero(n), dv = dq, moved = y;
      (i < n ? dq[i] : dv[i - n]) = side == 0 ? -h : h;
      equations->shift(dq, dv, moved);
      equations->calc_ydot(0, moved, ydot[side]);
    }
    F.col(i).tail(n) = (ydot[1] - ydot[0]).segment(sizes.nq, n) / (2 * h);
  }
  return F;
}

TEST(SmallMotions, AreThoseOfFiniteDifferences) {
  for (const char* name : {"x-hale", "chain", "double-pendulum"}) {
    Study study(read_model(shipped_model(name)));
    ASSERT_EQ(study.equilibrium.failure, "") << name;
    const std::vector<Complex> found = eigenvalues_of(study.calc());
    const Eigen::VectorXcd expected =
        calc_eigenvalues(differentiate(study.equilibrium.y, study.equations.get()));
    for (const Complex& x : found) {
      const double nearest = (expected.array() - x).abs().minCoeff();
      // h^2 and rounding over h, on eigenvalues of up to 100/s
      EXPECT_NEAR(nearest, 0, 1e-6 * (1 + std::abs(x))) << name << ' ' << x;
    }
  }
}

// the stand holds the fuselage by six, the hinges the wings by six: twelve modes, none grows      (analytic)
TEST(SmallMotions, OfTheXHaleAreTwelve) {
  Study study(read_model(shipped_model("x-hale")));
  const ModeSet set = study.calc();
  EXPECT_EQ(set.modes.size(), 12U);
  for (const Eigenmode& mode : set.modes) EXPECT_TRUE(mode.is_oscillation());
}

TEST(SmallMotions, AreTheSameInEveryFormulation) {
  for (const char* name : {"x-hale", "bricard", "four-bar", "double-pendulum"}) {
    Study study(read_model(shipped_model(name)));
    ASSERT_EQ(study.equilibrium.failure, "") << name;
    const std::vector<Complex> expected = eigenvalues_of(study.calc());
    std::vector<std::string> charts{"lie", "quaternion", "euler-xyz", "euler-zyx"};
    if (std::string(name) == "bricard") charts.resize(2);  // its rods stand where these angles are singular
    for (const std::string& chart : charts) {
      SCOPED_TRACE(std::string(name) + " " + chart);
      // conditions of up to 1e5 between stiff and soft motions
      expect_near(eigenvalues_of(study.calc("absolute", chart)), expected, 1e-8);
    }
  }
}

/// Growth of a small disturbance along a growing mode, against the motion without it: from the nonlinear
/// equations by Runge-Kutta.
double measure_growth(const Study& study, const Eigenmode& mode, double time, int velocity) {
  const Sizes sizes = study.equations->sizes();
  const auto slope = [&](const Eigen::VectorXd& at) {
    Eigen::VectorXd ydot = Eigen::VectorXd::Zero(sizes.ny());
    EXPECT_EQ(study.equations->calc_ydot(0, at, ydot), Status::kOk);
    return ydot;
  };
  const auto move_on = [&](Eigen::VectorXd y) {
    const int steps = 2000;
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {
      const Eigen::VectorXd k1 = slope(y), k2 = slope(y + h / 2 * k1), k3 = slope(y + h / 2 * k2),
                            k4 = slope(y + h * k3);
      y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return y;
  };
  const Eigen::VectorXd& steady = study.equilibrium.y;
  Eigen::VectorXd y = steady;
  const double size = 1e-6;
  const Eigen::VectorXd scales = study.linear.scales;
  study.equations->shift(size * scales.cwiseProduct(mode.dq.real()),
                         size * scales.cwiseProduct(mode.dv.real()), y);
  const int i = sizes.nq + velocity;
  return std::log((move_on(y) - move_on(steady))[i] / (y - steady)[i]) / time;
}

TEST(SmallMotions, GrowAsTheNonlinearMachineDoes) {
  Study study(read_model_text(std::string("haltere: 1\nname: test\n") + kDoublePendulum, "test.yaml",
                              {.case_name = "", .set = {"upper=180 deg"}}));
  ASSERT_EQ(study.equilibrium.failure, "");
  const ModeSet set = study.calc();
  for (const Eigenmode& mode : set.modes) {
    if (!mode.grows()) continue;
    EXPECT_NEAR(measure_growth(study, mode, 1, 0), mode.eigenvalue.real(), 1e-4 * mode.eigenvalue.real());
  }
}

// a scooter that falls over and a bicycle that capsizes: rolling rows, suspensions, a steady motion
TEST(SmallMotions, OfVehiclesGrowAsTheNonlinearOnesDo) {
  for (const auto& [name, set] : {std::pair{"kick-scooter", "v=5"}, std::pair{"bicycle", "v=7"}}) {
    SCOPED_TRACE(name);
    Study study(read_model(shipped_model(name), {.case_name = "", .set = {set}}));
    ASSERT_EQ(study.equilibrium.failure, "");
    int growing = 0;
    for (const Eigenmode& mode : study.calc().modes) {
      if (!mode.grows()) continue;
      ++growing;
      ASSERT_FALSE(mode.is_oscillation());
      const auto& names = study.linear.velocities;
      const auto steer = std::find(names.begin(), names.end(), "joint.steer.rate");
      ASSERT_NE(steer, names.end());
      EXPECT_NEAR(measure_growth(study, mode, 1, static_cast<int>(steer - names.begin())),
                  mode.eigenvalue.real(), 1e-4 * mode.eigenvalue.real());
    }
    EXPECT_EQ(growing, 1);
  }
}

// -- wheels

/// The benchmark bicycle, its masses and moments as in [meijaard2007] table 1; x forward, y left, z up here.
Model read_bicycle(double v) {
  static const char* const kText = R"(
haltere: 1
name: bicycle
parameters: {v: 5 m/s, w: 1.02 m, c: 0.08 m, rR: 0.3 m, rF: 0.35 m, xB: 0.3 m, zB: 0.9 m, xH: 0.9 m, zH: 0.7 m}
gravity: [0, 0, -9.81]
bodies:
  frame: {mass: 85 kg, inertia: {xx: 9.2, yy: 11, zz: 2.8, xz: -2.4}}
  rear: {mass: 2 kg, inertia: [0.0603, 0.12, 0.0603]}
  fork: {mass: 4 kg, inertia: {xx: 0.05892, yy: 0.06, zz: 0.00708, xz: 0.00756}}
  front: {mass: 3 kg, inertia: [0.1405, 0.28, 0.1405]}
joints:
  base: {kind: free, child: frame}
  rear_axle: {kind: revolute, parent: frame, child: rear, parent_frame: [-xB, 0, rR - zB], axis: y}
  steer:
    kind: revolute
    parent: frame
    child: fork
    parent_frame: {position: [w + c - xB, 0, -zB], rotation: {axis: y, angle: -18 deg}}
    child_frame: {position: [w + c - xH, 0, -zH], rotation: {axis: y, angle: -18 deg}}
    axis: -z
  front_axle: {kind: revolute, parent: fork, child: front, parent_frame: [w - xH, 0, rF - zH], axis: y}
constraints:
  rear_contact: {kind: rolling, to: rear, radius: rR}
  front_contact: {kind: rolling, to: front, radius: rF}
initial:
  base: {position: [xB, 0, zB], velocity: [v, -0.1, 0], angular_velocity: [0.1, 0, 0]}
  rear_axle: {rate: v/rR}
  front_axle: {rate: v/rF}
)";
  return read_model_text(kText, "bicycle.yaml", {.case_name = "", .set = {fmt::format("v={}", v)}});
}

// benchmark bicycle: speeds where the weave becomes stable and where it capsizes   (source: paper,
// [meijaard2007] table 2 and section 6, to the digits that its authors give: 4.29238253634111
// and 6.02426201538837 m/s)
TEST(Bicycle, IsStableBetweenTheWeaveAndTheCapsizeSpeed) {
  const auto calc = [](double v) {
    Study study(read_bicycle(v));
    EXPECT_EQ(study.equilibrium.failure, "") << v;
    return LocusPoint{study.calc(), [](const Eigenmode&) { return std::string(); }};
  };
  const RootLocus locus = calc_root_locus({0, 2, 4, 5, 7, 10}, calc);
  std::vector<double> limits;
  for (const StabilityLimit& limit : locus.limits) limits.push_back(limit.value);
  // bisection ends where rounding decides, 1e-15 of an eigenvalue over its slope of about 1/m
  EXPECT_THAT(limits, testing::Contains(testing::DoubleNear(4.29238253634111, 1e-11)));
  EXPECT_THAT(limits, testing::Contains(testing::DoubleNear(6.02426201538837, 1e-11)));
}

/// M q" + v C1 q' + (g K0 + v^2 K2) q = 0 in lean and steer                  (source: paper, [meijaard2007]
/// (A))
std::vector<Complex> calc_benchmark(double v) {
  const Eigen::Matrix2d M{{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}},
      K0{{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}},
      K2{{0, 76.59734589573222}, {0, 2.65431523794604}},
      C1{{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}};
  Eigen::Matrix4d F = Eigen::Matrix4d::Zero();
  F.topRightCorner<2, 2>().setIdentity();
  F.bottomLeftCorner<2, 2>() = -M.inverse() * (9.81 * K0 + v * v * K2);
  F.bottomRightCorner<2, 2>() = -M.inverse() * (v * C1);
  const Eigen::VectorXcd values = calc_eigenvalues(F);
  return {values.begin(), values.end()};
}

TEST(Bicycle, HasTheEigenvaluesOfTheBenchmark) {
  for (const double v : {0., 1., 2., 3.5, 5., 7., 10.}) {
    Study study(read_bicycle(v));
    ASSERT_EQ(study.equilibrium.failure, "");
    const ModeSet set = study.calc();
    for (const Complex& expected : calc_benchmark(v)) {
      double nearest = 1e9;
      for (const Eigenmode& mode : set.modes)
        nearest = std::min(
            {nearest, std::abs(mode.eigenvalue - expected), std::abs(std::conj(mode.eigenvalue) - expected)});
      // matrices printed to 15 digits; at v = 0 all eigenvalues are real
      EXPECT_NEAR(nearest, 0, 1e-11 * (1 + std::abs(expected))) << v << ' ' << expected;
    }
  }
}

TEST(Bicycle, HasTheSameEigenvaluesInBothFormulations) {
  Study study(read_bicycle(5));
  const std::vector<Complex> expected = eigenvalues_of(study.calc());
  expect_near(eigenvalues_of(study.calc("absolute")), expected, 1e-8);
}

// an upright disc that rolls straight at rate w: lean'' = (m g r - (C + m r^2) C w^2/A)/(A + m r^2) lean
//                                                                                          (source: analytic)
TEST(RollingDisc, StandsUprightWhenItRollsFast) {
  const double m = 2, r = 0.4, A = m * r * r / 4, C = m * r * r / 2, g = 9.81;
  for (const double w : {0., 2., 8., 20.}) {
    Study study(read(fmt::format(R"(
gravity: [0, 0, -9.81]
bodies: {{disc: {{mass: {}, inertia: [{}, {}, {}]}}}}
joints: {{base: {{kind: free, child: disc}}}}
constraints: {{ground: {{kind: rolling, to: disc, axis: y, radius: {}}}}}
initial: {{base: {{position: [0, 0, {}], angular_velocity: [0, {}, 0], velocity: [{}, 0, 0]}}}}
)",
                                 m, A, C, A, r, r, w, w * r)));
    ASSERT_EQ(study.equilibrium.failure, "") << w;
    const Complex expected =
        std::sqrt(Complex((m * g * r - (C + m * r * r) * C * w * w / A) / (A + m * r * r)));
    const ModeSet set = study.calc();
    double nearest = 1e9;
    for (const Eigenmode& mode : set.modes) nearest = std::min(nearest, std::abs(mode.eigenvalue - expected));
    EXPECT_NEAR(nearest, 0, 1e-10 * std::abs(expected)) << w;
    EXPECT_EQ(set.is_unstable(), expected.real() > 1e-6) << w;
  }
}

// in a circle, leaning by t at the turn W: p = (m g r sin t - A W^2 sin t cos t)/(W cos t (C + m r^2)) is the
// angular velocity about the axis of the disc, from Newton and Euler about its centre (source: analytic)
TEST(RollingDisc, GoesRoundInACircle) {
  const double m = 1, r = 0.5, A = m * r * r / 4, C = m * r * r / 2, g = 9.81, t = 0.35, W = 1.5;
  const double p =
      (m * g * r * std::sin(t) - A * W * W * std::sin(t) * std::cos(t)) / (W * std::cos(t) * (C + m * r * r));
  const double spin = p + W * std::sin(t);
  for (const double wrong : {0., 0.05}) {  // the steady circle, and a guess beside it
    Study study(read(fmt::format(R"(
gravity: [0, 0, -9.81]
bodies: {{disc: {{mass: {}, inertia: [{}, {}, {}]}}}}
joints: {{base: {{kind: free, child: disc}}}}
constraints: {{ground: {{kind: rolling, to: disc, axis: x, radius: {}}}}}
initial:
  base:
    orientation: {{axis: y, angle: {} rad}}
    position: [0, 0, {}]
    angular_velocity: [{}, 0, {}]
    velocity: [0, {}, 0]
)",
                                 m, C, A, A, r, t + wrong, r * std::cos(t + wrong), spin * std::cos(t),
                                 W - spin * std::sin(t), -r * p)));
    ASSERT_EQ(study.equilibrium.failure, "");
    const Equilibrium& found = study.equilibrium;
    // what was found obeys the closed form with its own lean, turn and spin
    const Eigen::VectorXd& y = found.y;
    const Vector3<double> axis = rotation_of<double>(Vector4<double>(y.head<4>())).col(0);
    const double lean = std::asin(-axis[2]), turn = found.turn[2], own = axis.dot(y.segment<3>(7));
    EXPECT_NEAR(m * g * r * std::sin(lean) - A * turn * turn * std::sin(lean) * std::cos(lean),
                own * turn * std::cos(lean) * (C + m * r * r), 1e-11);
    EXPECT_GT(std::abs(turn), 1);
    if (wrong == 0) {
      EXPECT_NEAR(turn, W, 1e-12);
      EXPECT_NEAR(own, p, 1e-12);
    }
    const std::vector<Complex> expected = eigenvalues_of(study.calc());
    EXPECT_EQ(expected.size(), 1U);  // its wobble
    expect_near(eigenvalues_of(study.calc("absolute")), expected, 1e-8);
  }
}

// -- laws

// powers of two are exact                                                                (source: analytic)
TEST(SmallMotions, AreTheSameBitsInOtherUnits) {
  for (const char* name : {"x-hale", "bricard", "heavy-top"}) {
    const Model model = read_model(shipped_model(name));
    Study original(model);
    const ModeSet expected = original.calc();
    for (const UnitChange& change : {UnitChange{20, 0}, {-20, 0}, {0, 20}, {0, -20}}) {
      Model scaled = model;
      ModelScaler(change, &scaled).scale();
      Study study(scaled);
      const ModeSet set = study.calc();
      ASSERT_EQ(set.modes.size(), expected.modes.size()) << name;
      for (std::size_t i = 0; i < set.modes.size(); ++i)
        EXPECT_EQ(set.modes[i].eigenvalue, expected.modes[i].eigenvalue) << name;
    }
  }
}

class EveryShippedCase : public testing::TestWithParam<ModelCase> {};

TEST_P(EveryShippedCase, HasAnEquilibriumWithModesOrSaysWhyNot) {
  const Model read = GetParam().read();
  if (!make_environments(read).empty()) {  // there are no modes with wakes yet
    const std::unique_ptr<SteadyState> state = find_steady_state(read, {});
    // it falls, or is pushed for ever
    if ((GetParam().model == "fruit-fly" && GetParam().case_name.starts_with("free")) ||
        GetParam().case_name == "still-air") {
      EXPECT_THAT(state->equilibrium.failure, testing::HasSubstr("try"));
      return;
    }
    EXPECT_EQ(state->equilibrium.failure, "");
    EXPECT_THROW(linearize({}, state->equilibrium, state->equations.get()), InputError);
    return;
  }
  Study study(read);
  const Equilibrium& found = study.equilibrium;
  // nothing is steady for a skate on a slope: it slides down faster and faster along a blade that turns; nor
  // for an insect whose wings are pushed by a torque and held by nothing; a hawkmoth or a fly that does not
  // flap falls, and from rest it is not clear in which attitude
  const std::string &model = GetParam().model, &case_name = GetParam().case_name;
  if ((model == "skate" && case_name == "slope") ||
      (model == "hawkmoth" && case_name != "hover" && case_name != "gust") ||
      (model == "fruit-fly" && !read.surfaces.empty() && case_name != "hover-fixed-blade" &&
       !case_name.ends_with("-led")) ||
      (model == "insect-hinge" && !case_name.starts_with("roll") && case_name != "prescribed")) {
    EXPECT_THAT(found.failure, testing::HasSubstr("try"));
    return;
  }
  ASSERT_EQ(found.failure, "");
  EXPECT_LT(found.residual, 1e-9);
  const Sizes sizes = study.equations->sizes();
  if (sizes.nv == 0) {  // a fly that is held
    EXPECT_THAT(linearize({}, found, study.equations.get()).failure,
                testing::HasSubstr("nothing in this machine is free"));
    return;
  }
  Eigen::VectorXd ydot = Eigen::VectorXd::Zero(sizes.ny());
  ASSERT_EQ(study.equations->calc_ydot(0, found.y, ydot), Status::kOk);
  const Eigen::VectorXd scales = study.equations->calc_scales().segment(sizes.nq, sizes.nv);
  const Eigen::VectorXd left = (ydot.segment(sizes.nq, sizes.nv) - found.vdot).cwiseQuotient(scales);
  // forward dynamics knows nothing of how the equilibrium was found; accelerations are up to 1e4 of a scale
  EXPECT_NEAR(left.norm(), 0, 1e-6);
  const ModeSet set = study.calc();
  for (const Eigenmode& mode : set.modes) EXPECT_TRUE(std::isfinite(std::abs(mode.eigenvalue)));
}

INSTANTIATE_TEST_SUITE_P(SmallMotions, EveryShippedCase, testing::ValuesIn(list_shipped_cases()),
                         [](const auto& each) {
                           return to_test_name(each.param.model + "_" + each.param.case_name);
                         });

}  // namespace
}  // namespace haltere
