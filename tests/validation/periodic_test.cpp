// Periodic orbits and their multipliers, against closed forms, laws, series and other coordinates.
#include <cmath>
#include <complex>
#include <numbers>

#include <Eigen/LU>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scale_model.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/analysis/floquet.h"
#include "haltere/io/model/model_reader.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
// solver: orbits are found with dop853 at 1e-12; over one period its errors stay within a hundred times that
constexpr double kSolver = 1e-10;
// differences of flows (see Shooting): 1e-12 of rounding over the difference, times the size of the map
constexpr double kDifferences = 1e-9;

Model read(const std::string& text, const std::vector<std::string>& set = {}) {
  return read_model_text("haltere: 1\nname: test\n" + text, "test.yaml", {.case_name = "", .set = set});
}

OrbitRequest make_request(const Model& model) {
  OrbitRequest request;
  request.trim = *model.trim;
  request.drift = find_drifting(model, request.trim.targets);
  request.method.tolerance = 1e-12;
  return request;
}

PeriodicOrbit find(const Model& model) {
  PeriodicOrbit orbit = find_orbit(make_request(model), model);
  EXPECT_EQ(orbit.failure, "");
  EXPECT_LT(orbit.residual, 1e-10);
  return orbit;
}

/// All of them, of pairs both.
std::vector<Complex> multipliers_of(const FloquetSet& set) {
  std::vector<Complex> list;
  for (const FloquetMode& mode : set.modes) {
    list.push_back(mode.multiplier);
    if (mode.is_pair) list.push_back(std::conj(mode.multiplier));
  }
  return list;
}

Complex product_of(const std::vector<Complex>& list) {
  Complex product = 1;
  for (const Complex& x : list) product *= x;
  return product;
}

std::string problem_of(const OrbitRequest& request, const Model& model) {
  try {
    find_orbit(request, model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// -- a linear oscillator

const char* const kOscillator = R"(
parameters: {m: 2 kg, c: 0.7 N*s/m, k: 30 N/m, f: 3 N, w: 5 rad/s}
bodies: {mass: {mass: m}}
joints: {slide: {kind: prismatic, child: mass, axis: x, driven: f*cos(w*t)}}
forces: {spring: {kind: linear-spring, joint: slide, stiffness: k, damping: c}}
initial: {slide: {position: 1 m, velocity: -2 m/s}}
trim: {period: 2*pi/w}
)";

// x = a cos(w t - phi), multipliers exp(lambda T)                                        (source: analytic)
TEST(PeriodicOrbit, OfALinearOscillator) {
  const double m = 2, c = 0.7, k = 30, f = 3, w = 5, period = 2 * kPi / w;
  const double a = f / std::hypot(k - m * w * w, c * w), phi = std::atan2(c * w, k - m * w * w);
  const PeriodicOrbit orbit = find(read(kOscillator));
  EXPECT_NEAR(orbit.y[0], a * std::cos(phi), kSolver * a);
  EXPECT_NEAR(orbit.y[1], a * w * std::sin(phi), kSolver * a * w);
  const FloquetSet set = calc_floquet(orbit);
  ASSERT_EQ(set.modes.size(), 1);
  EXPECT_TRUE(set.modes[0].is_pair);
  const Complex lambda(-c / (2 * m), std::sqrt(k / m - c * c / (4 * m * m)));
  const Complex expected = std::exp(lambda * period);
  EXPECT_NEAR(set.modes[0].multiplier.real(), expected.real(), kDifferences);
  EXPECT_NEAR(set.modes[0].multiplier.imag(), std::abs(expected.imag()), kDifferences);
  EXPECT_NEAR(set.modes[0].exponent.real(), lambda.real(), kDifferences / period);
  EXPECT_TRUE(set.is_stable());
  EXPECT_EQ(set.verdict(), "stable");
}

// the same by a method with equal steps, of fourth order: its error is that of 400 steps, (2 pi/400)^4/120,
// times some periods of ringing
TEST(PeriodicOrbit, OfALinearOscillatorWithEqualSteps) {
  const Model model = read(kOscillator);
  OrbitRequest request = make_request(model);
  request.method.integrator = "rk4";
  request.method.step = 2 * kPi / 5 / 400;
  const PeriodicOrbit orbit = find_orbit(request, model);
  ASSERT_EQ(orbit.failure, "");
  EXPECT_LT(orbit.residual, 1e-10);
  EXPECT_EQ(orbit.steps, 400);
  EXPECT_DOUBLE_EQ(orbit.step, 2 * kPi / 5 / 400);
  EXPECT_NEAR(orbit.y[0], find(model).y[0], 1e-8);
}

// -- Mathieu's equation: a pendulum on a shaken pivot

/// Hangs (or stands) on a pivot that goes up and down as -z cos(w t).
Model read_shaken(bool stands, double z, double w) {
  return read(fmt::format(R"(
gravity: [0, 0, -9.81]
bodies:
  pivot: {{mass: 1 kg}}
  bob: {{mass: 1 kg, center_of_mass: [0, 0, {}]}}
joints:
  shaker: {{kind: prismatic, child: pivot, axis: z, prescribed: -({} m)*cos(({} rad/s)*t)}}
  swing: {{kind: revolute, parent: pivot, child: bob, axis: y}}
initial: {{swing: {{angle: 0.01, rate: 0.02}}}}
trim: {{period: 2*pi/({} rad/s)}}
)",
                          stands ? 1 : -1, z, w, w));
}

/// mu + 1/mu of y" + (a - 2 q cos 2x) y = 0 over the period pi, by Hill's determinant: 2 - 4 D(0) sin^2(pi
/// sqrt(a)/2).                                                           [whittaker1927] art. 19.42
constexpr int kMost = 200;  // rows each way
double calc_trace(double a, double q) {
  Eigen::MatrixXd D = Eigen::MatrixXd::Identity(2 * kMost + 1, 2 * kMost + 1);
  for (int n = -kMost; n <= kMost; ++n)
    for (const int k : {n - 1, n + 1})
      if (std::abs(k) <= kMost) D(n + kMost, k + kMost) = q / (4. * n * n - a);
  const double s = a > 0 ? std::pow(std::sin(kPi * std::sqrt(a) / 2), 2)
                         : -std::pow(std::sinh(kPi * std::sqrt(-a) / 2), 2);
  return 2 - 4 * D.determinant() * s;
}

// (source: analytic, Hill's determinant)
TEST(Floquet, OfAPendulumOnAShakenPivotIsThatOfMathieusEquation) {
  struct Case {
    bool stands;
    double z, w;
    bool stable;
  };
  const double own = std::sqrt(9.81);
  // slow shaking; resonance at twice its own frequency; a pendulum that stands because it is shaken, and one
  // that is not shaken enough
  for (const Case& c : {Case{false, 0.05, 3.1 * own, true}, Case{false, 0.1, 2 * own, false},
                        Case{true, 0.2, 10 * own, true}, Case{true, 0.2, 5 * own, false}}) {
    const PeriodicOrbit orbit = find(read_shaken(c.stands, c.z, c.w));
    EXPECT_NEAR(orbit.y[0], 0, kSolver);
    const FloquetSet set = calc_floquet(orbit);
    const std::vector<Complex> mu = multipliers_of(set);
    ASSERT_EQ(mu.size(), 2);
    const double a = (c.stands ? -1 : 1) * 4 * 9.81 / (c.w * c.w), q = 2 * c.z;
    // of the determinant are left out the products q^2/(4 n^2)^2 of neighbours, n > kMost, twice; four times
    const double truncated = q * q / (6. * kMost * kMost * kMost);
    EXPECT_NEAR((mu[0] + mu[1]).real(), calc_trace(a, q), kDifferences + truncated) << c.z << ' ' << c.w;
    // nothing damps: the flow keeps areas                                              (source: Liouville)
    EXPECT_NEAR(std::abs(product_of(mu) - 1.), 0, kDifferences);
    EXPECT_EQ(set.is_unstable(), !c.stable) << c.z << ' ' << c.w;
    EXPECT_FALSE(set.is_stable());
    for (const FloquetMode& mode : set.modes) {
      EXPECT_GE(mode.change, 0);
      EXPECT_LT(mode.change, kDifferences) << "half the steps";
    }
  }
}

// -- a pendulum that is pushed, far from linear

const char* const kPushed = R"(
parameters: {push: 9 N*m, w: 4 rad/s, up: -1}
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 1 kg, center_of_mass: [0, 0, up]}}
joints: {pivot: {kind: revolute, child: bob, axis: y, driven: push*cos(w*t)}}
forces: {friction: {kind: rotary-spring, joint: pivot, damping: 0.8 N*m*s/rad}}
initial: {pivot: {angle: 0.1, rate: 0.3}}
trim: {period: 2*pi/w}
)";

// the divergence of the flow is -c/I: the product of the multipliers is exp(-c T/I)      (source: Liouville)
TEST(Floquet, AreasShrinkAsFrictionSays) {
  const PeriodicOrbit orbit = find(read(kPushed));
  EXPECT_GT(std::abs(orbit.y[0]) + std::abs(orbit.y[1]), 0.5);  // far from rest
  const Complex product = product_of(multipliers_of(calc_floquet(orbit)));
  EXPECT_NEAR(product.real(), std::exp(-0.8 * orbit.period), kDifferences);
  EXPECT_NEAR(product.imag(), 0, kDifferences);
}

// a pendulum balanced by what pushes it: no run would ever find this
TEST(PeriodicOrbit, UnstableOnesAreFound) {
  const Model model = read(kPushed, {"up=1", "push=2", "initial.pivot=0"});
  const PeriodicOrbit orbit = find(model);
  EXPECT_LT(std::abs(orbit.y[0]), 0.5);
  const FloquetSet set = calc_floquet(orbit);
  EXPECT_EQ(set.count_growing(), 1);
  EXPECT_THAT(set.verdict(), HasSubstr("unstable: 1 of 2 multipliers grows"));
  // small motions about the upright pendulum: s = -c/2 + sqrt(c^2/4 + g), to a few per cent for small pushes
  //                                                                                        (source: analytic)
  EXPECT_NEAR(set.modes[0].exponent.real(), -0.4 + std::sqrt(0.16 + 9.81), 0.05);
  EXPECT_NEAR(set.time_to_double(), std::numbers::ln2 / set.modes[0].exponent.real(), 1e-12);
}

// gravity lies in the mirror, the axis too: angles change their sign, and half a period later so does the
// push
TEST(PeriodicOrbit, HalfAPeriodAndAMirrorGiveTheSame) {
  const Model model = read(kPushed, {"up=1", "push=2", "initial.pivot=0"});
  const PeriodicOrbit whole = find(model);
  OrbitRequest request = make_request(model);
  request.trim.mirror = 0;
  const PeriodicOrbit half = find_orbit(request, model);
  ASSERT_EQ(half.failure, "");
  EXPECT_TRUE(half.is_mirrored);
  EXPECT_LT(half.residual, 1e-10);
  // an unstable motion multiplies what is left by its multiplier, about 70
  EXPECT_NEAR(half.y[0], whole.y[0], kSolver);
  EXPECT_NEAR(half.y[1], whole.y[1], 4 * kSolver);
  const std::vector<Complex> a = multipliers_of(calc_floquet(whole)), b = multipliers_of(calc_floquet(half));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(std::abs(a[i] - b[i]), 0, kDifferences * std::abs(a[0]));
}

TEST(PeriodicOrbit, AllFormulationsAgree) {
  const Model model = read(kPushed);
  const PeriodicOrbit tree = find(model);
  OrbitRequest request = make_request(model);
  request.method.formulation = "absolute";
  const PeriodicOrbit absolute = find_orbit(request, model);
  ASSERT_EQ(absolute.failure, "");
  EXPECT_NEAR(absolute.y[0], tree.y[0], kSolver);
  EXPECT_NEAR(absolute.y[1], tree.y[1], 4 * kSolver);
}

// the same pendulum as a bob that slides in a plane and is held by a rod: constraints are on the way
TEST(PeriodicOrbit, WithConstraintsIsThatWithout) {
  const char* const kJointed = R"(
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 0 kg}, bob: {mass: 1 kg}}
joints:
  pivot: {kind: revolute, child: arm, axis: y}
  tip: {kind: weld, parent: arm, child: bob, parent_frame: [0, 0, -1]}
forces: {pull: {kind: applied-force, body: bob, force: ['2 N*cos(4 rad/s*t)', 0, 0]}}
initial: {pivot: {angle: 0.1, rate: 0.3}}
trim: {period: pi/2}
)";
  const char* const kHeld = R"(
gravity: [0, 0, -9.81]
bodies: {slider: {mass: 0 kg}, bob: {mass: 1 kg}}
joints:
  across: {kind: prismatic, child: slider, axis: x}
  along: {kind: prismatic, parent: slider, child: bob, axis: z}
constraints: {rod: {kind: distance, to: bob, distance: 1 m}}
forces: {pull: {kind: applied-force, body: bob, force: ['2 N*cos(4 rad/s*t)', 0, 0]}}
initial: {across: -0.1, along: -1}
trim: {period: pi/2}
)";
  const PeriodicOrbit a = find(read(kJointed)), b = find(read(kHeld));
  EXPECT_NEAR(b.y[0], -std::sin(a.y[0]), kSolver);
  EXPECT_NEAR(b.y[2], -std::cos(a.y[0]) * a.y[1], 4 * kSolver);
  std::vector<Complex> x = multipliers_of(calc_floquet(a)), y = multipliers_of(calc_floquet(b));
  ASSERT_EQ(x.size(), 2);
  ASSERT_EQ(y.size(), 2);
  EXPECT_NEAR(std::abs((x[0] + x[1]) - (y[0] + y[1])), 0, kDifferences);
  EXPECT_NEAR(std::abs(product_of(y) - 1.), 0, kDifferences);
}

// -- a body that is free in space, held up by a force

const char* const kFlyer = R"(
parameters: {lift: 5 N, w: 20 rad/s, c: 0.3 N*s/m, d: 0.01 N*m*s}
gravity: [0, 0, -9.81]
bodies: {body: {mass: 0.3 kg, inertia: [1e-3, 2e-3, 2.5e-3]}}
joints: {base: {kind: free, child: body}}
forces:
  lift: {kind: applied-force, body: body, point: [0, 0, 1 cm], force: [0, 0, lift*(1 + 0.4*cos(w*t))]}
  drag: {kind: applied-force, body: body, force: [-c*body.body.velocity.x, -c*body.body.velocity.y, -c*body.body.velocity.z]}
  damping: {kind: applied-torque, body: body, torque: [-d*body.body.angular_velocity.x, -d*body.body.angular_velocity.y, -d*body.body.angular_velocity.z]}
initial: {base: {position: [1, 2, 3], velocity: [0.1, 0.2, 0.3], orientation: {axis: z, angle: 0.4}}}
trim: {period: 2*pi/w, parameters: [lift], mean: {body.body.velocity.z: 0}}
)";

TEST(PeriodicOrbit, AFreeBodyIsHeldUpByItsWeight) {
  const PeriodicOrbit orbit = find(read(kFlyer));
  // over a period drag does nothing, if nothing advances                                 (source: analytic)
  EXPECT_NEAR(orbit.parameters[0], 0.3 * 9.81, 1e-9 * 0.3 * 9.81);
  ASSERT_EQ(orbit.targets.size(), 1);
  EXPECT_NEAR(orbit.targets[0].reached, 0, 1e-11);
  // places and heading that nothing notices stay those of the start
  EXPECT_NEAR(orbit.y[4], 1, 1e-9);
  EXPECT_NEAR(orbit.y[5], 2, 1e-9);
  EXPECT_NEAR(orbit.y[6], 3, 1e-9);
  const FloquetSet set = calc_floquet(orbit);
  EXPECT_THAT(set.neutral, UnorderedElementsAre("joint.base.position.3", "joint.base.position.4",
                                                "joint.base.position.5", "heading about (0, 0, 1)"));
  // vertical speed decays by drag alone: exp(-c T/m)                                     (source: analytic)
  const double expected = std::exp(-0.3 / 0.3 * orbit.period);
  double nearest = 1;
  for (const Complex& mu : multipliers_of(set)) nearest = std::min(nearest, std::abs(mu - expected));
  EXPECT_LT(nearest, kDifferences);
}

// a machine that flaps two wings with passive tips; its drag and lift are formulas
const char* const kFlapper = R"(
parameters: {A: 60 deg, w: 100 rad/s, k: 2e-5, c: 2e-3 N*s/m, d: 1e-6 N*m*s, kt: 2e-4 N*m/rad, ct: 5e-7 N*m*s/rad}
gravity: [0, 0, -9.81]
bodies:
  thorax: {mass: 3 g, inertia: [1e-7, 1.5e-7, 1.2e-7]}
  right: {mass: 0.1 g, center_of_mass: [0, -2 cm, 0], inertia: [1e-8, 1e-9, 1e-8]}
  left: {mass: 0.1 g, center_of_mass: [0, 2 cm, 0], inertia: [1e-8, 1e-9, 1e-8]}
  rtip: {mass: 0.05 g, center_of_mass: [0, 0, -5 mm], inertia: [2e-9, 2e-9, 2e-10]}
  ltip: {mass: 0.05 g, center_of_mass: [0, 0, -5 mm], inertia: [2e-9, 2e-9, 2e-10]}
joints:
  base: {kind: free, child: thorax}
  right: {kind: revolute, parent: thorax, child: right, parent_frame: [0, 0, 5 mm], axis: z, prescribed: A*cos(w*t)}
  left: {kind: revolute, parent: thorax, child: left, parent_frame: [0, 0, 5 mm], axis: z, prescribed: -A*cos(w*t)}
  rtip: {kind: revolute, parent: right, child: rtip, parent_frame: [0, -3 cm, 0], axis: y}
  ltip: {kind: revolute, parent: left, child: ltip, parent_frame: [0, 3 cm, 0], axis: y}
forces:
  rs: {kind: rotary-spring, joint: rtip, stiffness: kt, damping: ct}
  ls: {kind: rotary-spring, joint: ltip, stiffness: kt, damping: ct}
  rlift: {kind: applied-force, body: right, point: [0, -2 cm, 0], axes: body, force: [0, 0, 1e-3 N*(k/2e-5)*(joint.right.rate/50 rad*1 s)^2]}
  llift: {kind: applied-force, body: left, point: [0, 2 cm, 0], axes: body, force: [0, 0, 1e-3 N*(k/2e-5)*(joint.left.rate/50 rad*1 s)^2]}
  rdrag: {kind: applied-force, body: right, point: [0, -2 cm, 0], force: [-c*body.right.velocity.x, -c*body.right.velocity.y, -c*body.right.velocity.z]}
  ldrag: {kind: applied-force, body: left, point: [0, 2 cm, 0], force: [-c*body.left.velocity.x, -c*body.left.velocity.y, -c*body.left.velocity.z]}
  damp: {kind: applied-torque, body: thorax, axes: body, torque: [-d*body.thorax.angular_velocity.x, -d*body.thorax.angular_velocity.y, -d*body.thorax.angular_velocity.z]}
trim: {period: 2*pi/w, parameters: k, mean: {body.thorax.velocity.z: 0}, mirror: x}
)";

// hover from wings straight and a body at rest: half a period and a mirror, and a whole one. Independent runs
// of the solver, each to 1e-10 of what comes back, times multipliers of about one
TEST(PeriodicOrbit, AFlapperHoversByHalvesAsByWholePeriods) {
  const Model model = read(kFlapper, {"k=1e-4"});
  OrbitRequest request = make_request(model);
  const PeriodicOrbit half = find_orbit(request, model);
  request.trim.mirror.reset();
  const PeriodicOrbit whole = find_orbit(request, model);
  ASSERT_EQ(half.failure, "");
  ASSERT_EQ(whole.failure, "");
  EXPECT_LT(half.residual, 1e-10);
  EXPECT_LT(whole.residual, 1e-10);
  const int k = *model.find_parameter("k");
  EXPECT_NEAR(half.parameters[k], whole.parameters[k], kSolver * whole.parameters[k]);
  EXPECT_NEAR(half.targets[0].reached, 0, kSolver);
  const FloquetSet a = calc_floquet(half), b = calc_floquet(whole);
  EXPECT_THAT(a.neutral, UnorderedElementsAre("joint.base.position.3", "joint.base.position.4",
                                              "joint.base.position.5", "heading about (0, 0, 1)"));
  EXPECT_EQ(a.neutral, b.neutral);
  ASSERT_EQ(a.modes.size(), b.modes.size());
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    EXPECT_NEAR(std::abs(a.modes[i].multiplier - b.modes[i].multiplier), 0, 1e2 * kDifferences);
    EXPECT_LT(a.modes[i].change, kDifferences);
  }
  EXPECT_TRUE(a.is_unstable());
}

// told in other units of length and mass the answer has the same bits (source: law, no threshold has a unit)
TEST(PeriodicOrbit, DoesNotDependOnUnits) {
  const Model model = read(kFlyer);
  const PeriodicOrbit orbit = find(model);
  for (const UnitChange& change : {UnitChange{20, 0}, UnitChange{-11, 20}}) {
    Model scaled = model;
    ModelScaler(change, &scaled).scale();
    const PeriodicOrbit same = find(scaled);
    EXPECT_EQ(same.iterations, orbit.iterations);
    EXPECT_EQ(same.parameters[0], orbit.parameters[0]);
    for (int i = 4; i < 7; ++i) EXPECT_EQ(same.y[i], std::ldexp(orbit.y[i], change.length));
    const std::vector<Complex> a = multipliers_of(calc_floquet(orbit)),
                               b = multipliers_of(calc_floquet(same));
    EXPECT_EQ(a, b);
  }
}

// a mean velocity that is asked for lets its position advance: (v.x) = 0.3 m/s
TEST(PeriodicOrbit, WhatHasASpeedMayAdvance) {
  Model model = read(kFlyer, {"trim.mean={body.body.velocity.z: 0, body.body.velocity.x: 0.3}",
                              "forces.lift.force=[thrust + 0.2 N*sin(w*t), 0, lift*(1 + 0.4*cos(w*t))]",
                              "parameters={lift: 5 N, w: 20 rad/s, c: 0.3 N*s/m, d: 0.01 N*m*s, thrust: 0 N}",
                              "trim.parameters=[lift, thrust]", "forces.lift.point=[0, 0, 0]"});
  const PeriodicOrbit orbit = find(model);
  // drag is linear                                                                       (source: analytic)
  EXPECT_NEAR(orbit.parameters[*model.find_parameter("thrust")], 0.3 * 0.3, 1e-9);
  EXPECT_NEAR(orbit.targets[1].reached, 0.3, 1e-10);
}

// -- steady motions

// F = c v; the speed comes back as exp(-c t/m), the place does not                       (source: analytic)
TEST(SteadyTrim, ADriveIsFoundForASpeed) {
  const Model model = read(R"(
parameters: {drive: 0 N}
bodies: {block: {mass: 2 kg}}
joints: {slide: {kind: prismatic, child: block, axis: x, driven: drive}}
forces: {drag: {kind: linear-spring, joint: slide, damping: 3 N*s/m}}
trim: {parameters: drive, mean: {joint.slide.velocity: 1.5 m/s}}
)");
  const PeriodicOrbit steady = find(model);
  EXPECT_EQ(steady.period, 0);
  EXPECT_NEAR(steady.parameters[0], 4.5, 1e-10);
  EXPECT_NEAR(steady.y[1], 1.5, 1e-10);
  const FloquetSet set = calc_floquet(steady);
  EXPECT_THAT(set.neutral, ElementsAre("joint.slide.position"));
  ASSERT_EQ(set.modes.size(), 1);
  EXPECT_NEAR(set.modes[0].exponent.real(), -1.5, 1e-9);
}

// m g l sin(angle) = torque for an angle of 30 degrees                                   (source: analytic)
TEST(SteadyTrim, ATorqueIsFoundForAnAngle) {
  const Model model = read(R"(
parameters: {torque: 1 N*m}
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 1 kg, center_of_mass: [0, 0, 1]}}
joints: {pivot: {kind: revolute, child: bob, axis: y, driven: torque}}
initial: {pivot: 0.2}
trim: {parameters: torque, mean: {joint.pivot.angle: 30 deg}}
)");
  const PeriodicOrbit steady = find(model);
  EXPECT_NEAR(steady.parameters[0], -9.81 * 0.5, 1e-9);
  const FloquetSet set = calc_floquet(steady);
  EXPECT_EQ(set.count_growing(), 1);
  EXPECT_NEAR(set.modes[0].exponent.real(), std::sqrt(9.81 * std::cos(kPi / 6)), 1e-8);
}

// at 5 m/s, on wheels that roll without slip; the motion comes out of an initial speed of another size
// (source: paper [meijaard2007] table 2)
TEST(SteadyTrim, ABicycleHasItsPublishedEigenvalues) {
  const Model model = read_model(shipped_model("bicycle"));
  OrbitRequest request;
  TrimSpec::Target& speed = request.trim.targets.emplace_back();
  std::vector<TextProblem> problems;
  ChannelFormulas(model).read("body.frame.velocity.x", std::nullopt, {}, &speed.mean, &problems);
  ASSERT_TRUE(problems.empty());
  speed.value = Expression(5.0);
  request.drift = find_drifting(model, request.trim.targets);
  for (const char* name : {"joint.rear_axle.angle", "joint.front_axle.angle"}) {
    const CoordinateSelection named = select_coordinates(model, name, "");
    for (std::size_t i = 0; i < request.drift.size(); ++i)
      if (named.positions[i]) request.drift[i] = true;
  }
  const PeriodicOrbit steady = find_orbit(request, model);
  ASSERT_EQ(steady.failure, "");
  const FloquetSet set = calc_floquet(steady);
  EXPECT_EQ(set.neutral.size(), 5);
  EXPECT_THAT(set.neutral, ::testing::Contains("heading about (0, 0, 1)"));
  // differences of accelerations of size 1e2 over 1e-4, extrapolated: 1e-9
  for (const Complex& expected : {Complex(-14.07838969279822, 0), Complex(-0.32286642900409, 0),
                                  Complex(-0.77534188219585, 4.46486771378823)}) {
    double nearest = 1;
    for (const FloquetMode& mode : set.modes) nearest = std::min(nearest, std::abs(mode.exponent - expected));
    EXPECT_NEAR(nearest, 0, 1e-8) << expected;
  }
}

// -- walks, failures, wrong questions

TEST(PeriodicOrbit, AWalkInAParameterEndsWhereTheModelIs) {
  const Model model = read(kPushed, {"push=6"});
  OrbitRequest request = make_request(model);
  request.continue_in = {*model.find_parameter("push"), 0.5};
  const PeriodicOrbit walked = find_orbit(request, model);
  ASSERT_EQ(walked.failure, "");
  EXPECT_EQ(walked.walked.front(), 0.5);
  EXPECT_EQ(walked.walked.back(), 6);
  EXPECT_EQ(walked.parameters[*model.find_parameter("push")], 6);
  EXPECT_LT(walked.residual, 1e-10);
}

TEST(PeriodicOrbit, WhatCannotBeMetIsNamed) {
  const Model falling = read(kFlyer, {"trim.parameters=[]"});
  const PeriodicOrbit orbit = find_orbit(make_request(falling), falling);
  EXPECT_THAT(orbit.failure, HasSubstr("no periodic motion was found"));
  EXPECT_THAT(orbit.failure, HasSubstr("the mean of body.body.velocity.z is"));
  EXPECT_THAT(orbit.failure, HasSubstr("try"));
}

TEST(PeriodicOrbit, APeriodThatIsNotThatOfTheMachineIsWrongInput) {
  const Model model = read(kPushed, {"trim.period=1.1"});
  EXPECT_THAT(problem_of(make_request(model), model), HasSubstr("the equations do not repeat after"));
}

TEST(PeriodicOrbit, AMirrorInWhichTheMachineLooksDifferentIsWrongInput) {
  Model model = read(kPushed, {"joints.pivot.driven=push*(0.1 + cos(w*t))"});
  OrbitRequest request = make_request(model);
  request.trim.mirror = 0;
  EXPECT_THAT(problem_of(request, model), HasSubstr("does not move as its mirror image"));
  model = read(kPushed, {"joints.pivot.axis=[0, 1, 1]"});
  request.trim.mirror = 1;
  EXPECT_THAT(problem_of(request, model), HasSubstr("neither in the mirror nor normal to it"));
}

TEST(PeriodicOrbit, AMethodThatCannotRepeatItsStepsIsRefused) {
  const Model model = read(kPushed);
  OrbitRequest request = make_request(model);
  request.method.integrator = "cvode-adams";
  EXPECT_THAT(problem_of(request, model), HasSubstr("chooses its steps anew"));
}

// a spring notices where its joint is: a mean speed of it is no motion that comes back
TEST(PeriodicOrbit, WhatIsHeldCannotAdvance) {
  const Model model =
      read(kOscillator, {"parameters.f=3", "trim.parameters=f", "trim.mean={joint.slide.velocity: 0.2}"});
  const PeriodicOrbit orbit = find_orbit(make_request(model), model);
  EXPECT_THAT(orbit.failure, HasSubstr("joint.slide.position cannot advance"));
}

// a body that nothing holds, at rest: its map has double eigenvalues 1 and one vector for each pair; nothing
// grows (source: analytic)
TEST(Floquet, DoubleEigenvaluesDoNotGrow) {
  const Model model = read(
      "bodies: {a: {mass: 1 kg, inertia: [1, 1, 1]}, b: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
      "joints: {base: {kind: free, child: a}, hinge: {kind: spherical, parent: a, child: b}}\n"
      "trim: {period: 1 s}\n");
  const FloquetSet set = calc_floquet(find(model));
  EXPECT_FALSE(set.is_unstable()) << set.verdict();
}

TEST(SteadyTrim, WhatIsDrivenInTimeIsNotSteady) {
  Model model = read(kOscillator);
  OrbitRequest request = make_request(model);
  request.trim.period.reset();
  EXPECT_THAT(problem_of(request, model), HasSubstr("the equations depend on the time: nothing is steady"));
}

TEST(PeriodicOrbit, AFallIsNotPeriodicInAShortTime) {
  const Model model = read(
      "gravity: [0, 0, -9.81]\nbodies: {a: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
      "joints: {base: {kind: free, child: a}}\ntrim: {period: 1e-6 s}\n");
  EXPECT_THAT(find_orbit(make_request(model), model).failure, HasSubstr("no periodic motion was found"));
}

}  // namespace
}  // namespace haltere
