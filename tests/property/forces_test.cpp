#include "haltere/model/forces.h"

#include <limits>
#include <string>
#include <vector>

#include "property/kinds.h"

/// The laws of haltere/model/forces/force.h, for every kind of force: in a machine at rest, nearly at rest
/// and moving.
namespace haltere {
namespace {

// machine: sums of some thirty products, against the sum of their sizes
constexpr double kRoundoff = 64 * std::numeric_limits<double>::epsilon();

constexpr int kBodies = 3;  // the world and two others

/// Three formulas of time, and one of time and signals, for the fields that take formulas.
struct Formulas {
  std::vector<Expression> of_time;
  Expression of_signals;

  Formulas() {
    const Scope scope{[](std::string_view name) -> std::optional<Variable> {
                        if (name == "t") return Variable{Variable::Source::kLocal, 0, {}};
                        if (name == "a") return Variable{Variable::Source::kLocal, 1, {}};
                        if (name == "b") return Variable{Variable::Source::kLocal, 2, {}};
                        return std::nullopt;
                      },
                      [] {
                        return std::vector<std::string>{"t", "a", "b"};
                      }};
    std::vector<TextProblem> problems;
    for (const std::string text : {"0.3 + 0.5*sin(2*t)", "t^2 - 0.4", "exp(-t)"})
      of_time.push_back(Expression::parse(text, scope, std::nullopt, &problems));
    of_signals = Expression::parse("0.7*cos(t) + a*b", scope, std::nullopt, &problems);
    EXPECT_TRUE(problems.empty());
  }
};
const Formulas& formulas() {
  static const Formulas f;
  return f;
}

/// Random numbers for one element, each body it names another than the one before.
struct Draw : Random {
  using Random::Random;
  int body = 0;
};

// -- random fields of force kinds
void fill(Rule, Draw*, Function<Dual>* out) {
  *out = {&formulas().of_signals, nullptr};
}
void fill(Rule, Draw* random, VectorFunction<Dual>* out) {
  const int first = random->pick(3);
  for (int i = 0; i < 3; ++i) (*out)[i] = {&formulas().of_time[(first + i) % 3], nullptr};
}
void fill(Rule, Draw* random, Gains<Dual>* out) {
  *out = {{1, random->next()}, {2, random->next()}};
}
void fill(Rule, Draw* random, BodyIndex* out) {
  random->body = (random->body + 1 + random->pick(kBodies - 1)) % kBodies;
  *out = {random->body};
}
void fill(Rule, Draw* random, CoordinateIndex* out) {
  const int joint = random->pick(2);
  *out = {joint, joint == 0 ? 0 : random->pick(2)};
}
template <class Enum>
requires std::is_enum_v<Enum>
void fill(Rule, Draw* random, Enum* out) {
  *out = static_cast<Enum>(random->pick(static_cast<int>(Words<Enum>::kNames.size())));
}

template <class Kind>
Kind make_force(Draw* random) {
  Kind kind;
  for_each_field<Kind>([&](const auto& f) { fill(f.rule, random, &(kind.*f.member)); });
  return kind;
}

Dual moving(double value, double rate) {
  Dual x(value);
  x.d[0] = rate;
  return x;
}

/// Bodies, coordinates and signals in random motion; direction 0 of the duals is d/dt. There are two joints,
/// one of one and one of two coordinates; that they do not move these bodies is no matter to a force law.
Scene<Dual> make_scene(double speed, Draw* random) {
  Scene<Dual> scene;
  scene.t = moving(random->next(0, 3), 1);
  for (int b = 0; b < kBodies; ++b) {
    const Vector3<double> w = b == 0 ? Vector3<double>::Zero() : Vector3<double>(speed * random->vector());
    const Vector3<double> v = b == 0 ? Vector3<double>::Zero() : Vector3<double>(speed * random->vector());
    const Vector3<double> p = b == 0 ? Vector3<double>::Zero() : random->vector();
    const Matrix3<double> R = b == 0 ? Matrix3<double>::Identity()
                                     : rotation_of<double>(Vector4<double>(random->next(), random->next(),
                                                                           random->next(), random->next()));
    const Matrix3<double> Rdot = skew<double>(w) * R;
    Transform<Dual> X;
    for (int i = 0; i < 3; ++i) {
      X.p[i] = moving(p[i], v[i]);
      for (int j = 0; j < 3; ++j) X.R(i, j) = moving(R(i, j), Rdot(i, j));
    }
    Vector6<Dual> V;
    for (int i = 0; i < 3; ++i) {
      V[i] = moving(w[i], random->next());
      V[3 + i] = moving(v[i], random->next());
    }
    scene.X_WB.push_back(X);
    scene.V_WB.push_back(V);
  }
  for (int i = 0; i < 3; ++i) scene.gravity[i] = Dual(random->next());
  scene.q.resize(3);
  scene.v.resize(3);
  for (int i = 0; i < 3; ++i) {
    const double v = speed * random->next();
    scene.q[i] = moving(random->next(), v);
    scene.v[i] = moving(v, random->next());
  }
  scene.q_of = scene.v_start = {0, 1};
  scene.locals = {scene.t, moving(random->next(), random->next()), moving(random->next(), random->next())};
  return scene;
}

Loads<Dual> make_loads() {
  Loads<Dual> loads;
  loads.F_B_W.assign(kBodies, Vector6<Dual>::Zero());
  loads.tau = VectorX<Dual>::Zero(3);
  return loads;
}

template <class Kind>
class EveryForce : public ::testing::Test {
 protected:
  /// f(account, scene, loads) for many random elements in many random scenes.
  template <class F>
  static void for_each_sample(F&& f) {
    Draw random(1);
    for (const double speed : {0.0, 1e-8, 1.0})
      for (int i = 0; i < 20; ++i) {
        const auto force = make_force<typename Kind::template In<Dual>>(&random);
        const Scene<Dual> scene = make_scene(speed, &random);
        Loads<Dual> loads = make_loads();
        const Account<Dual> account = force.add_load(scene, &loads);
        f(account, scene, loads);
      }
  }
};
TYPED_TEST_SUITE(EveryForce, ToTypes<ForceKinds>::type, KindName);

// analytic: power = - d(potential)/dt - dissipation + input, or the audit of every run is wrong
TYPED_TEST(EveryForce, PowerIsAccountedFor) {
  this->for_each_sample([](const Account<Dual>& a, const Scene<Dual>&, const Loads<Dual>&) {
    const double rate = a.potential.d[0];
    const double size =
        std::abs(a.power.value) + std::abs(rate) + a.dissipation.value + std::abs(a.input.value);
    EXPECT_NEAR(a.power.value, -rate - a.dissipation.value + a.input.value, kRoundoff * size);
  });
}

TYPED_TEST(EveryForce, DissipationIsNotNegative) {
  this->for_each_sample([](const Account<Dual>& a, const Scene<Dual>&, const Loads<Dual>&) {
    EXPECT_GE(a.dissipation.value, 0);
  });
}

// analytic: power of the wrenches on the bodies and of the generalised forces
TYPED_TEST(EveryForce, PowerIsThatOfItsLoads) {
  this->for_each_sample([](const Account<Dual>& a, const Scene<Dual>& scene, const Loads<Dual>& loads) {
    double power = 0, size = 0;
    const auto add = [&](const Dual& f, const Dual& v) {
      power += f.value * v.value;
      size += std::abs(f.value * v.value);
    };
    for (int b = 0; b < kBodies; ++b)
      for (int i = 0; i < 6; ++i) add(loads.F_B_W[b][i], scene.V_WB[b][i]);
    for (int i = 0; i < 3; ++i) add(loads.tau[i], scene.v[i]);
    EXPECT_NEAR(a.power.value, power, kRoundoff * size);
  });
}

// tangents of implicit methods are made of them, and machines start at rest
TYPED_TEST(EveryForce, HasDerivativesAtRestAndInMotion) {
  this->for_each_sample([](const Account<Dual>& a, const Scene<Dual>&, const Loads<Dual>& loads) {
    for (const Vector6<Dual>& F : loads.F_B_W)
      for (const Dual& x : F) EXPECT_TRUE(isfinite(x));  // it and its derivatives
    for (const Dual& x : loads.tau) EXPECT_TRUE(isfinite(x));
    for (const Dual& x : {a.potential, a.dissipation, a.input, a.power}) EXPECT_TRUE(isfinite(x));
  });
}

TYPED_TEST(EveryForce, LoadsAreAdded) {
  Draw random(2);
  const auto force = make_force<typename TypeParam::template In<Dual>>(&random);
  const Scene<Dual> scene = make_scene(1, &random);
  Loads<Dual> once = make_loads(), twice = make_loads();
  force.add_load(scene, &once);
  force.add_load(scene, &twice);
  force.add_load(scene, &twice);
  double largest = 0;
  for (int b = 0; b < kBodies; ++b)
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(twice.F_B_W[b][i].value, 2 * once.F_B_W[b][i].value);  // doubling is exact
      largest = std::max(largest, std::abs(once.F_B_W[b][i].value));
    }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(twice.tau[i].value, 2 * once.tau[i].value);
    largest = std::max(largest, std::abs(once.tau[i].value));
  }
  EXPECT_GT(largest, 0);
}

}  // namespace
}  // namespace haltere
