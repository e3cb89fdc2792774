#include "haltere/aero/blade_element.h"

#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "haltere/aero/gauss.h"
#include "haltere/math/dual.h"
#include "haltere/math/rotation.h"

namespace haltere {
namespace {

// machine: sums of some hundred products, against the sum of their sizes
constexpr double kRoundoff = 512 * std::numeric_limits<double>::epsilon();

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double next() { return std::uniform_real_distribution<double>(-1, 1)(generator_); }
  Vector3<double> vector() { return {next(), next(), next()}; }

 private:
  std::mt19937 generator_;
};

/// Formulas of `locals`, in this order.
Expression parse(const std::string& text, const std::vector<std::string>& locals) {
  const Scope scope{[&](std::string_view name) -> std::optional<Variable> {
                      for (std::size_t i = 0; i < locals.size(); ++i)
                        if (locals[i] == name)
                          return Variable{Variable::Source::kLocal, static_cast<int>(i), {}};
                      return std::nullopt;
                    },
                    [&] { return locals; }};
  std::vector<TextProblem> problems;
  Expression e = Expression::parse(text, scope, std::nullopt, &problems);
  EXPECT_TRUE(problems.empty()) << text;
  return e;
}

/// A wing somewhere on body 1 of a scene with the world and one body.
struct Wing {
  Vector3<double> root{0.1, -0.2, 0.3}, span_axis{0.6, 0, 0.8}, chord_axis{0, -1, 0};
  double span = 0.7, density = 1.2, center_of_pressure = 0.3, rotational_lift = 0;
  double coefficient = 0.9, point = 0.55;
  int points = 6;
  Coefficients coefficients = Coefficients::kPorez;
  StripVelocity velocity = StripVelocity::kSpatial;
  LiftDirection direction = LiftDirection::kUnit;
  AddedMass added_mass = AddedMass::kKirchhoff;
  std::string chord = "0.3 - 0.2*s", sweep, lift, drag, moment;
  Vector3<double> upper = Vector3<double>::Zero();
  bool mirrored = false;
  std::vector<std::string> wind;
  mutable std::deque<Expression> formulas;  // that the loads point to

  template <class T>
  BladeLoads<T> make() const {
    const auto function = [&](const std::string& text, const std::vector<std::string>& locals) {
      formulas.push_back(parse(text, locals));
      return Function<T>(&formulas.back(), nullptr);
    };
    BladeElement<T> b;
    b.body = {1};
    b.root = root.cast<T>();
    b.span_axis = span_axis.cast<T>();
    b.chord_axis = chord_axis.cast<T>();
    b.span = T(span);
    b.density = T(density);
    b.chord = function(chord, {"s"});
    if (!sweep.empty()) b.sweep = function(sweep, {"s"});
    b.points = points;
    b.coefficients = coefficients;
    b.center_of_pressure = T(center_of_pressure);
    b.rotational_lift = T(rotational_lift);
    b.velocity = velocity;
    b.lift_direction = direction;
    b.added_mass = added_mass;
    b.added_mass_coefficient = T(coefficient);
    b.added_mass_point = T(point);
    if (!lift.empty()) b.lift = function(lift, {"alpha"});
    if (!drag.empty()) b.drag = function(drag, {"alpha"});
    if (!moment.empty()) b.moment = function(moment, {"alpha"});
    b.upper = upper.cast<T>();
    b.mirrored = mirrored;
    for (std::size_t i = 0; i < wind.size(); ++i) b.wind[i] = function(wind[i], {"t", "x", "y", "z"});
    return BladeLoads<T>(b);
  }
};

/// Pose, twist and acceleration of the body; direction 0 of a dual is d/dt.
struct Motion6 {
  double t = 0.4;
  Matrix3<double> R;
  Vector3<double> p, w, v, alpha, a;

  explicit Motion6(Random* random)
      : R(rotation_of<double>(
            Vector4<double>(random->next(), random->next(), random->next(), random->next()).normalized())),
        p(random->vector()),
        w(random->vector()),
        v(random->vector()),
        alpha(random->vector()),
        a(random->vector()) {}

  Vector6<double> A() const {
    Vector6<double> A;
    A << alpha, a;
    return A;
  }
  template <class T>
  Scene<T> make_scene() const {
    const auto moving = [](double value, double rate) {
      T x(value);
      if constexpr (std::is_same_v<T, Dual>) x.d[0] = rate;
      return x;
    };
    const Matrix3<double> Rdot = skew<double>(w) * R;
    Scene<T> scene;
    scene.t = moving(t, 1);
    scene.X_WB.resize(2);
    scene.V_WB.assign(2, Vector6<T>::Zero());
    for (int i = 0; i < 3; ++i) {
      scene.X_WB[1].p[i] = moving(p[i], v[i]);
      for (int j = 0; j < 3; ++j) scene.X_WB[1].R(i, j) = moving(R(i, j), Rdot(i, j));
      scene.V_WB[1][i] = moving(w[i], alpha[i]);
      scene.V_WB[1][3 + i] = moving(v[i], a[i]);
    }
    return scene;
  }
};

template <class T>
struct Loaded {
  Loads<T> loads;
  Account<T> account;

  Loaded(const BladeLoads<T>& blade, const Scene<T>& scene) {
    loads.F_B_W.assign(2, Vector6<T>::Zero());
    account = blade.add_load(scene, &loads);
  }
  /// All that the air does to the body with the acceleration A.
  Vector6<T> total(const Vector6<T>& A) const {
    Vector6<T> F = loads.F_B_W[1];
    for (const auto& added : loads.added) F -= added.K * A;
    return F;
  }
};

Vector6<double> values(const Vector6<Dual>& x) {
  return x.unaryExpr([](const Dual& d) { return d.value; });
}

// analytic: n points are exact for polynomials of degree 2 n - 1
TEST(GaussRule, IntegratesPolynomialsExactly) {
  for (const int n : {1, 2, 3, 6, 17, 64}) {
    const GaussRule rule = make_gauss_rule(n);
    for (int degree = 0; degree < 2 * n; ++degree) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += rule.weights[i] * std::pow(rule.points[i], degree);
      EXPECT_NEAR(sum, 1.0 / (degree + 1), 1e-14)
          << n << " points, degree " << degree;  // rounding of n products
    }
  }
}

// analytic: a plate that moves along its normal has drag alone, C_D = 1.92 + 1.55; along its chord 1.92
// - 1.55
TEST(BladeElement, HasTheCoefficientsOfItsLaw) {
  Wing wing;
  wing.root.setZero();
  wing.span_axis = {1, 0, 0};
  wing.chord_axis = {0, -1, 0};  // towards -y; normal along z
  wing.chord = "0.3";
  wing.added_mass = AddedMass::kNone;
  Random random(1);
  Motion6 motion(&random);
  motion.R.setIdentity();
  motion.w.setZero();
  const double area = 0.3 * 0.7, pressure = 0.5 * 1.2 * area;
  for (const double speed : {1e-12, 1.0, 1e6}) {
    motion.v = {0, 0, speed};
    EXPECT_NEAR(Loaded(wing.make<double>(), motion.make_scene<double>()).loads.F_B_W[1][5],
                -pressure * 3.47 * speed * speed, 1e-14 * speed * speed);
    motion.v = {0, speed, 0};
    EXPECT_NEAR(Loaded(wing.make<double>(), motion.make_scene<double>()).loads.F_B_W[1][4],
                -pressure * 0.37 * speed * speed, 1e-14 * speed * speed);
    // at 45 deg the lift coefficient is 1.8: down and forward, leading edge first and sinking -> lift up
    motion.v = {0, speed / std::sqrt(2), -speed / std::sqrt(2)};
    const Vector6<double> F = Loaded(wing.make<double>(), motion.make_scene<double>()).loads.F_B_W[1];
    EXPECT_NEAR(F[5], pressure * (1.8 + 1.92) / std::sqrt(2) * speed * speed, 1e-14 * speed * speed);
    EXPECT_NEAR(F[4], pressure * (1.8 - 1.92) / std::sqrt(2) * speed * speed, 1e-14 * speed * speed);
  }
}

// source: paper, the two formulas of [dickinson1999] at angles that show each of their numbers: a plate of 1
// m2 that moves with 1 m/s in air of 2 kg/m3 has forces that are the coefficients
TEST(BladeElement, HasTheCoefficientsOfDickinson) {
  constexpr double kDegree = std::numbers::pi / 180;
  Wing wing;
  wing.root.setZero();
  wing.span_axis = {1, 0, 0};
  wing.chord_axis = {0, -1, 0};
  wing.span = 1;
  wing.chord = "1";
  wing.density = 2;
  wing.coefficients = Coefficients::kDickinson;
  wing.added_mass = AddedMass::kNone;
  Random random(11);
  Motion6 motion(&random);
  motion.R.setIdentity();
  motion.w.setZero();
  for (const double alpha : {20 * kDegree, 45 * kDegree, 100 * kDegree}) {
    const Vector3<double> v(0, std::cos(alpha), -std::sin(alpha)), up(0, std::sin(alpha), std::cos(alpha));
    motion.v = v;
    const Vector3<double> f =
        Loaded(wing.make<double>(), motion.make_scene<double>()).loads.F_B_W[1].tail<3>();
    EXPECT_NEAR(f.dot(up), 0.225 + 1.58 * std::sin(2.13 * alpha - 7.2 * kDegree), 1e-14);
    EXPECT_NEAR(-f.dot(v), 1.92 - 1.55 * std::cos(2.04 * alpha - 9.82 * kDegree), 1e-14);
  }
}

/// A wing of 1 m2 in air of 2 kg/m3 along the y axis to the left of a body whose nose is x: with 1 m/s its
/// forces are its coefficients.
Wing make_plain_wing() {
  Wing wing;
  wing.root.setZero();
  wing.span_axis = {0, 1, 0};
  wing.chord_axis = {-1, 0, 0};
  wing.span = 1;
  wing.chord = "1";
  wing.density = 2;
  wing.velocity = StripVelocity::kSection;
  wing.added_mass = AddedMass::kNone;
  return wing;
}

/// Level flight with the speed 1 m/s and this angle of attack, upper side z.
Motion6 make_flight(double alpha) {
  Random random(12);
  Motion6 motion(&random);
  motion.R.setIdentity();
  motion.w.setZero();
  motion.alpha.setZero();
  motion.v = {std::cos(alpha), 0, -std::sin(alpha)};
  return motion;
}

Vector6<double> calc_load(const Wing& wing, const Motion6& motion) {
  return Loaded(wing.make<double>(), motion.make_scene<double>()).loads.F_B_W[1];
}
double calc_lift(const Wing& wing, double alpha) {
  const Vector3<double> up(std::sin(alpha), 0, std::cos(alpha));
  return calc_load(wing, make_flight(alpha)).tail<3>().dot(up);
}

// analytic: the law itself, 0.4 + 5 alpha, on both sides of 0 and of pi/2
TEST(BladeElement, LiftOfACamberedSectionHasTheSignOfItsAngle) {
  Wing wing = make_plain_wing();
  wing.lift = "0.4 + 5*alpha";
  wing.drag = "0.01 + 0.2*(alpha - 0.1)^2";
  for (const double alpha : {-3.0, -1.7, -0.2, -1e-4, 0.0, 1e-4, 0.2, 1.7, 3.0}) {
    EXPECT_NEAR(calc_lift(wing, alpha), 0.4 + 5 * alpha, 1e-14) << alpha;
    const Motion6 motion = make_flight(alpha);
    EXPECT_NEAR(-calc_load(wing, motion).tail<3>().dot(motion.v), 0.01 + 0.2 * (alpha - 0.1) * (alpha - 0.1),
                1e-14);
  }
}

// analytic: slopes at alpha = 0 are those of the law; nothing is divided by a speed
TEST(BladeElement, DerivativesOfACamberedSectionAreThoseOfItsLaw) {
  Wing wing = make_plain_wing();
  wing.lift = "0.4 + 5*alpha";
  wing.drag = "0";
  wing.moment = "-0.1 + alpha";
  wing.center_of_pressure = 0;
  Motion6 motion = make_flight(0);
  motion.a = {0, 0, -1};  // d/dt: the speed to the lower side, so that d alpha/dt = 1
  const Loaded<Dual> flying(wing.make<Dual>(), motion.make_scene<Dual>());
  EXPECT_NEAR(flying.loads.F_B_W[1][5].d[0], 5, 1e-14);
  EXPECT_NEAR(flying.loads.F_B_W[1][3].d[0], 0.4, 1e-14);  // the lift turns forward
  EXPECT_NEAR(flying.loads.F_B_W[1][1].d[0], -1, 1e-14);   // nose up is -y
  motion.v.setZero();
  const Loaded<Dual> resting(wing.make<Dual>(), motion.make_scene<Dual>());
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(resting.loads.F_B_W[1][k].value, 0);
    EXPECT_EQ(resting.loads.F_B_W[1][k].d[0], 0);
  }
}

// analytic: alpha is in (-pi, pi]; a wing that goes straight backwards has pi, whatever the sign of a zero
TEST(BladeElement, AngleOfAttackOfReversedFlowIsPi) {
  const Wing wing = make_plain_wing();
  SurfaceLoad load;
  for (const double zero : {0.0, -0.0}) {
    Motion6 motion = make_flight(0);
    motion.v = {-1, zero, zero};
    for (const char* lift : {"", "alpha"}) {
      Wing with_law = wing;
      with_law.lift = lift;
      with_law.make<double>().observe(motion.make_scene<double>(), Vector6<double>::Zero(), &load);
      EXPECT_EQ(load.strips[0].alpha, std::numbers::pi) << lift;
    }
  }
}

// analytic: drawn by hand, the right wing is the left one with its span the other way round; span x chord
// then points down, and `upper` puts it right. A copy in a mirror has the image of the original's upper side.
TEST(BladeElement, BothWingsOfACamberedPairLiftUp) {
  Wing left = make_plain_wing();
  left.lift = "0.4 + 5*alpha";
  left.moment = "-0.1";
  Wing right = left;
  right.span_axis = {0, -1, 0};
  EXPECT_NEAR(calc_lift(left, 0), 0.4, 1e-15);
  EXPECT_NEAR(calc_lift(right, 0), -0.4, 1e-15);
  Wing mirrored = right;
  mirrored.mirrored = true;
  right.upper = {0.2, 0, 1};
  for (const double alpha : {-0.1, 0.0, 0.1}) {
    const Vector6<double> F = calc_load(left, make_flight(alpha)), G = calc_load(right, make_flight(alpha));
    for (const int k : {1, 3, 5}) EXPECT_NEAR(F[k], G[k], 1e-15);
    for (const int k : {0, 2, 4}) EXPECT_NEAR(F[k], -G[k], 1e-15);
    const Vector6<double> H = calc_load(mirrored, make_flight(alpha));
    for (int k = 0; k < 6; ++k) EXPECT_EQ(H[k], G[k]);
  }
  left.upper = {0, 0, -1};
  EXPECT_NEAR(calc_lift(left, 0), -0.4, 1e-15);
}

// analytic: laws of plates are the same on both sides, by name or by formula, wherever their upper side is
TEST(BladeElement, APlateHasNoUpperSide) {
  Random random(13);
  for (const Coefficients law : {Coefficients::kPorez, Coefficients::kDickinson})
    for (int i = 0; i < 20; ++i) {
      Wing wing;
      wing.coefficients = law;
      const Motion6 motion(&random);
      const Vector6<double> F = calc_load(wing, motion);
      wing.upper = wing.span_axis.cross(wing.chord_axis);
      EXPECT_EQ(calc_load(wing, motion), F);
      wing.upper = -wing.upper;
      EXPECT_EQ(calc_load(wing, motion), F);
      const std::string lift = law == Coefficients::kPorez ? "1.8*sin(2*abs(alpha))"
                                                           : "0.225 + 1.58*sin(2.13*abs(alpha) - 7.2*pi/180)";
      wing.lift = "(alpha < 0 ? -1 : 1)*(" + lift + ")";
      const Vector6<double> G = calc_load(wing, motion);
      for (int k = 0; k < 6; ++k) EXPECT_NEAR(G[k], F[k], kRoundoff * F.norm());
    }
}

// analytic: M = rho/2 c^2 V^2 C_M, nose up; about the centre of pressure, so that it adds to that of the lift
TEST(BladeElement, MomentTurnsTheNoseUp) {
  Wing wing = make_plain_wing();
  wing.chord = "2";
  wing.center_of_pressure = 0;
  wing.lift = "0";
  wing.drag = "0";
  wing.moment = "0.1 + alpha";
  for (const double alpha : {-0.3, 0.0, 0.3})
    EXPECT_NEAR(calc_load(wing, make_flight(alpha))[1], -4 * (0.1 + alpha), 1e-14);  // nose up is -y
  SurfaceLoad load;
  wing.make<double>().observe(make_flight(0.3).make_scene<double>(), Vector6<double>::Zero(), &load);
  EXPECT_NEAR(load.moment[1], -4 * 0.4, 1e-14);
}

// analytic: thin-aerofoil theory (Theodorsen 1935, NACA report 496, with C(k) = 1 and without angular
// acceleration, whose own inertia pi rho b^4/8 is not part of a strip): Kirchhoff's load with the lift in the
// middle of the chord, a the axis behind it in half chords,
//   L = pi rho b^2 (h'' + U a') + 2 pi rho U b w,   w = h' + U a + b (1/2 - a) a'
//   M = -pi rho b^3 U (1/2 - a) a' + pi rho b^3 a h'' + 2 pi rho U b^2 (a + 1/2) w
TEST(BladeElement, KirchhoffWithLiftInTheMiddleIsTheodorsensLoad) {
  constexpr double kPi = std::numbers::pi;
  const double b = 0.4, U = 3, rho = 1.2, span = 1;
  const double small = 1e-7;  // squares of it are left out in the theory
  for (const double a : {0.0, -0.5, 0.3}) {
    Wing wing = make_plain_wing();
    wing.density = rho;
    wing.chord = fmt::format("{}", 2 * b);
    wing.root = {b * (1 + a), 0, 0};  // the origin is the axis
    wing.center_of_pressure = 0.5;
    wing.rotational_lift = kPi * (0.75 - 0.5);
    wing.lift = "2*pi*sin(alpha)";
    wing.drag = "0";
    wing.added_mass = AddedMass::kKirchhoff;
    wing.coefficient = kPi / 4;
    wing.point = 0.5;
    for (int term = 0; term < 4; ++term) {
      const double pitch = small * (term == 0), plunge = small * (term == 1), rate = small * (term == 2),
                   heave = small * (term == 3);
      Motion6 motion = make_flight(0);
      motion.R << std::cos(pitch), 0, -std::sin(pitch), 0, 1, 0, std::sin(pitch), 0, std::cos(pitch);
      motion.v = {U, 0, -plunge};
      motion.w = {0, -rate, 0};
      motion.alpha.setZero();
      motion.a = {0, 0, -heave};
      const Loaded<double> loaded(wing.make<double>(), motion.make_scene<double>());
      const Vector6<double> F = loaded.total(motion.A());
      const double w = plunge + U * pitch + b * (0.5 - a) * rate;
      const double lift = kPi * rho * b * b * (heave + U * rate) + 2 * kPi * rho * U * b * w;
      const double moment = kPi * rho * b * b * b * (a * heave - U * (0.5 - a) * rate) +
                            2 * kPi * rho * U * b * b * (a + 0.5) * w;
      EXPECT_NEAR(F[5] / small, lift / small * span, 1e-5) << a << ' ' << term;
      EXPECT_NEAR(-F[1] / small, moment / small * span, 1e-5) << a << ' ' << term;
    }
  }
}

// the four lanes, the scalars and formulas of alpha say the same
TEST(BladeElement, FastAndGeneralPathsAgree) {
  Random random(2);
  for (const StripVelocity velocity : {StripVelocity::kSection, StripVelocity::kSpatial})
    for (const LiftDirection direction : {LiftDirection::kUnit, LiftDirection::kProjected})
      for (const int points : {1, 4, 6, 9})
        for (int i = 0; i < 10; ++i) {
          const Motion6 motion(&random);
          Wing wing;
          wing.velocity = velocity;
          wing.direction = direction;
          wing.points = points;
          wing.rotational_lift = 1.3;
          const Loaded<double> fast(wing.make<double>(), motion.make_scene<double>());
          const Loaded<Dual> general(wing.make<Dual>(), motion.make_scene<Dual>());
          wing.lift = "1.8*sin(2*alpha)";
          wing.drag = "1.92 - 1.55*cos(2*alpha)";
          const Loaded<double> formulas(wing.make<double>(), motion.make_scene<double>());
          const Vector6<double> F = fast.loads.F_B_W[1];
          for (int k = 0; k < 6; ++k) {
            EXPECT_NEAR(F[k], general.loads.F_B_W[1][k].value, kRoundoff * F.norm());
            EXPECT_NEAR(F[k], formulas.loads.F_B_W[1][k], kRoundoff * F.norm());
          }
          EXPECT_NEAR(fast.account.power, general.account.power.value, kRoundoff * F.norm() * 3);
        }
}

// at rest nothing acts, and derivatives are finite: loads are quadratic in the speed
TEST(BladeElement, RestsInPeace) {
  Random random(3);
  for (const Coefficients law : {Coefficients::kPorez, Coefficients::kDickinson})
    for (const StripVelocity velocity : {StripVelocity::kSection, StripVelocity::kSpatial}) {
      Wing wing;
      wing.coefficients = law;
      wing.velocity = velocity;
      Motion6 motion(&random);
      motion.v.setZero();
      motion.w.setZero();
      const Loaded<Dual> loaded(wing.make<Dual>(), motion.make_scene<Dual>());
      for (int k = 0; k < 6; ++k) {
        EXPECT_EQ(loaded.loads.F_B_W[1][k].value, 0);
        EXPECT_EQ(loaded.loads.F_B_W[1][k].d[0], 0);
      }
      // along the span alone: no angle of attack, the drag of alpha = 0 for a velocity in space
      motion.v = motion.R * wing.span_axis;
      const Loaded<Dual> along(wing.make<Dual>(), motion.make_scene<Dual>());
      EXPECT_TRUE(values(along.loads.F_B_W[1]).allFinite());
    }
}

// analytic: in still air the carried air gives back what was put in, with either bias
TEST(BladeElement, CarriedAirConservesEnergy) {
  Random random(4);
  for (const AddedMass added : {AddedMass::kKirchhoff, AddedMass::kPrinted})
    for (int i = 0; i < 50; ++i) {
      Wing wing;
      wing.added_mass = added;
      wing.density = 1;
      const Motion6 motion(&random);
      const Loaded<Dual> loaded(wing.make<Dual>(), motion.make_scene<Dual>());
      const Vector6<double> V = values(motion.make_scene<Dual>().V_WB[1]);
      wing.added_mass = AddedMass::kNone;
      const Loaded<double> steady(wing.make<double>(), motion.make_scene<double>());
      Vector6<double> F = values(loaded.total(motion.A().cast<Dual>())) - steady.loads.F_B_W[1];
      EXPECT_NEAR(F.dot(V), -loaded.account.potential.d[0], kRoundoff * F.norm() * V.norm() * 4);
      EXPECT_GE(loaded.account.potential.value, 0);
    }
}

// analytic: the load of Kirchhoff is minus the rate of the momentum that the air has, a vector in space:
//   f = -dP/dt,   m_Bo = -dL_Bo/dt - v x P,   (L; P) = K (w; v)
TEST(BladeElement, KirchhoffsLoadIsTheRateOfMomentum) {
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    Wing wing;
    const Motion6 motion(&random);
    const Scene<Dual> scene = motion.make_scene<Dual>();
    const Loaded<Dual> loaded(wing.make<Dual>(), scene);
    const Vector6<Dual> momentum = loaded.loads.added.at(0).K * scene.V_WB[1];
    wing.added_mass = AddedMass::kNone;
    const Loaded<double> steady(wing.make<double>(), motion.make_scene<double>());
    const Vector6<double> F = values(loaded.total(motion.A().cast<Dual>())) - steady.loads.F_B_W[1];
    const Vector6<double> rate = momentum.unaryExpr([](const Dual& x) { return x.d[0]; });
    const Vector3<double> moment =
        rate.head<3>() + motion.v.cross(Vector3<double>(values(momentum).tail<3>()));
    const double size = rate.norm() + moment.norm();
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(F[k], -moment[k], kRoundoff * size);
      EXPECT_NEAR(F[3 + k], -rate[3 + k], kRoundoff * size);
    }
  }
}

// analytic (Galilei): what moves with the air, however it gathers speed, feels as in still air
TEST(BladeElement, UniformWindCarriesEverythingAlong) {
  Random random(6);
  for (const AddedMass added : {AddedMass::kKirchhoff, AddedMass::kPrinted, AddedMass::kNone}) {
    Wing wing;
    wing.added_mass = added;
    wing.rotational_lift = 0.7;
    Motion6 motion(&random);
    const Loaded<double> still(wing.make<double>(), motion.make_scene<double>());
    const Vector6<double> expected = still.total(motion.A());
    wing.wind = {"2 + 3*t^2", "-1", "sin(t)"};
    motion.v += Vector3<double>(2 + 3 * motion.t * motion.t, -1, std::sin(motion.t));
    motion.a += Vector3<double>(6 * motion.t, 0, std::cos(motion.t));
    const Loaded<double> blown(wing.make<double>(), motion.make_scene<double>());
    const Vector6<double> F = blown.total(motion.A());
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(F[k], expected[k], kRoundoff * 20 * expected.norm());
  }
}

// analytic: in a wind that depends on the place the load is that of the velocity against the air where the
// strip is; one strip sees a uniform wind of that velocity, which changes as the field does along its way
TEST(BladeElement, WindIsThatOfTheStripsPlace) {
  Random random(7);
  Wing wing;
  wing.points = 1;
  wing.center_of_pressure = wing.point;  // one place for all terms
  const Motion6 motion(&random);
  wing.wind = {"0", "0", "0"};
  Vector3<double> P_B(wing.root + wing.span_axis * wing.span / 2 +
                      wing.chord_axis * wing.point * (0.3 - 0.2 * 0.35));
  const Vector3<double> x = motion.p + motion.R * P_B, xdot = motion.v + motion.w.cross(motion.R * P_B);
  wing.wind = {"3*x*t", "y*z", "0.5 - x^2"};
  const Loaded<double> field(wing.make<double>(), motion.make_scene<double>());
  const double t = motion.t;
  const Vector3<double> W(3 * x[0] * t, x[1] * x[2], 0.5 - x[0] * x[0]);
  const Vector3<double> rate(3 * x[0] + 3 * xdot[0] * t, xdot[1] * x[2] + x[1] * xdot[2],
                             -2 * x[0] * xdot[0]);
  wing.wind.clear();
  for (int i = 0; i < 3; ++i)
    wing.wind.push_back(fmt::format("{:.17g} + {:.17g}*(t - {:.17g})", W[i], rate[i], t));
  const Loaded<double> uniform(wing.make<double>(), motion.make_scene<double>());
  const Vector6<double> expected = uniform.total(motion.A()), F = field.total(motion.A());
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(F[k], expected[k], kRoundoff * 10 * expected.norm());
}

// analytic: circulation does no work, and a wing that turns its nose up is lifted
TEST(BladeElement, RotationLiftsAndDoesNoWork) {
  Wing wing, without;
  wing.rotational_lift = 1.5;
  for (Wing* w : {&wing, &without}) {
    w->root.setZero();
    w->span_axis = {1, 0, 0};
    w->chord_axis = {0, -1, 0};
    w->chord = "0.3";
    w->center_of_pressure = 0;
    w->added_mass = AddedMass::kNone;
  }
  Random random(8);
  Motion6 motion(&random);
  motion.R.setIdentity();
  motion.v = {0, 2, 0};
  motion.w = {0.5, 0, 0};  // y towards z: nose up
  const Loaded<double> with(wing.make<double>(), motion.make_scene<double>());
  const Loaded<double> none(without.make<double>(), motion.make_scene<double>());
  const Vector6<double> F = with.loads.F_B_W[1] - none.loads.F_B_W[1];
  EXPECT_NEAR(F[5], 1.2 * 1.5 * 0.3 * 0.3 * 0.7 * 0.5 * 2, 1e-15);  // rho C_R c^2 span w_s V
  EXPECT_NEAR(with.account.power, none.account.power, 1e-15);
}

// terms and strips add up to the whole load
TEST(BladeElement, TermsAndStripsAddUp) {
  Random random(9);
  for (const bool windy : {false, true})
    for (const AddedMass added : {AddedMass::kKirchhoff, AddedMass::kPrinted, AddedMass::kNone}) {
      Wing wing;
      wing.added_mass = added;
      wing.rotational_lift = 0.4;
      if (windy) wing.wind = {"x*t", "1", "y"};
      const Motion6 motion(&random);
      const BladeLoads<double> blade = wing.make<double>();
      const Scene<double> scene = motion.make_scene<double>();
      const Loaded<double> loaded(blade, scene);
      const Vector6<double> F = loaded.total(motion.A());
      SurfaceLoad load;
      blade.observe(scene, motion.A(), &load);
      Vector3<double> strips = Vector3<double>::Zero();
      for (const AirLoad& strip : load.strips) strips += strip.force();
      ASSERT_EQ(load.strips.size(), 6U);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(load.total.force()[k], F[3 + k], kRoundoff * F.norm());
        EXPECT_NEAR(strips[k], F[3 + k], kRoundoff * F.norm());
        EXPECT_NEAR(load.moment[k], F[k], kRoundoff * F.norm());
      }
      EXPECT_NEAR(load.total.power, F.dot(scene.V_WB[1]), kRoundoff * F.norm() * 4);
      EXPECT_EQ(load.energy, loaded.account.potential);
    }
}

// analytic: a leading edge that lies 0.2 chords back puts every point of each strip 0.2 chords back
TEST(BladeElement, SweepMovesItsStripsBack) {
  Random random(10);
  for (const bool windy : {false, true})
    for (const AddedMass added : {AddedMass::kKirchhoff, AddedMass::kPrinted, AddedMass::kNone}) {
      Wing straight;
      straight.added_mass = added;
      straight.rotational_lift = 0.4;
      if (windy) straight.wind = {"x*t", "1", "y"};
      Wing swept = straight;
      swept.sweep = "0.2*(0.3 - 0.2*s)";
      straight.center_of_pressure += 0.2;
      straight.point += 0.2;
      const Motion6 motion(&random);
      const Loaded<double> expected(straight.make<double>(), motion.make_scene<double>());
      const Loaded<double> ours(swept.make<double>(), motion.make_scene<double>());
      const Vector6<double> F = expected.total(motion.A()), G = ours.total(motion.A());
      for (int k = 0; k < 6; ++k) EXPECT_NEAR(G[k], F[k], kRoundoff * F.norm());
      EXPECT_NEAR(ours.account.potential, expected.account.potential, kRoundoff);
    }
}

// every channel of a wing reads its own number, and no other
TEST(BladeElement, ChannelsReadTermsAndStrips) {
  SurfaceLoad load;
  load.strips.resize(2);
  double next = 1;
  std::map<std::string, double> expected;
  const auto fill = [&](const std::string& prefix, AirLoad* air) {
    const std::array<std::string, AirLoad::kTerms> terms{"lift", "drag", "added_mass", "rotation"};
    for (int term = 0; term < AirLoad::kTerms; ++term)
      for (int i = 0; i < 3; ++i)
        expected[prefix + terms[term] + '.' + "xyz"[i]] = air->terms[term][i] = next++;
    air->alpha = next++;
    air->power = next++;
  };
  fill("", &load.total);
  for (int k = 0; k < 2; ++k) {
    const std::string prefix = fmt::format("strip.{}.", k + 1);
    fill(prefix, &load.strips[k]);
    expected[prefix + "alpha"] = load.strips[k].alpha;
    expected[prefix + "power"] = load.strips[k].power;
  }
  BladeElement<double> blade;
  blade.points = 2;
  std::map<std::string, double> found;
  for (const SurfaceChannel& channel : list_channels(blade))
    found[channel.name] = channel.read(load, channel.part);
  EXPECT_EQ(found, expected);
}

// analytic: a wing of 1 mm and one of 1 km are the same in units of their own; powers of two change no bit
TEST(BladeElement, HasNoSizeOfItsOwn) {
  for (const int power : {-20, 20}) {
    const double k = std::ldexp(1, power);
    Random random(10);
    Motion6 motion(&random);
    Wing wing;
    wing.rotational_lift = 0.4;
    const Loaded<double> one(wing.make<double>(), motion.make_scene<double>());
    wing.root *= k;
    wing.span *= k;
    wing.chord = fmt::format("{0:.17g}*0.3 - 0.2*s", k);
    motion.p *= k;
    motion.v *= k;
    const Loaded<double> other(wing.make<double>(), motion.make_scene<double>());
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(other.loads.F_B_W[1][i], one.loads.F_B_W[1][i] * std::ldexp(1, power * (i < 3 ? 5 : 4)));
  }
}

}  // namespace
}  // namespace haltere
