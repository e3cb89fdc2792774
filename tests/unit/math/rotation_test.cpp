#include "haltere/math/rotation.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "haltere/math/dual.h"
#include "haltere/math/jet.h"

namespace haltere {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;
// machine: entries of order one, products of three matrices
constexpr double kMachine = 16 * kEps;

using V3 = Vector3<double>;
using V4 = Vector4<double>;
using M3 = Matrix3<double>;
using Jetd = Jet<double>;

const std::vector<std::string> kSequences{"xyz", "xzy", "yxz", "yzx", "zxy", "zyx",
                                          "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

class Random {
 public:
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  V3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  V4 quaternion() { return V4(number(-1, 1), number(-1, 1), number(-1, 1), number(-1, 1)).normalized(); }

 private:
  std::mt19937_64 generator_{7};
};

// the neutral point, one 1e-8 away from it, and random ones
std::vector<V3> list_vectors(double size) {
  Random random;
  std::vector<V3> vectors{V3::Zero(), V3(1e-8, -2e-8, 3e-8), V3(0, 0, 9.99e-3), V3(0, 1.001e-2, 0)};
  for (int i = 0; i < 20; ++i) vectors.push_back(random.vector(size));
  return vectors;
}

double distance(const M3& a, const M3& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST(Rotation, SkewIsTheCrossProduct) {
  const V3 a(1, -2, 3), b(4, 5, -6);
  EXPECT_EQ((skew<double>(a) * b - a.cross(b)).norm(), 0);  // exact: small integers
}

TEST(Rotation, AboutAnAxisTurnsTheNextAxisTowardsTheOneAfter) {
  // source: analytic, right-hand rule
  for (int i = 0; i < 3; ++i) {
    const M3 R = rotation_about<double>(i, kPi / 2);
    EXPECT_LE((R * V3::Unit((i + 1) % 3) - V3::Unit((i + 2) % 3)).norm(), kMachine);
    EXPECT_EQ((R * V3::Unit(i) - V3::Unit(i)).norm(), 0);
  }
}

TEST(Rotation, OfAQuaternionIsOrthogonalForAnyLength) {
  Random random;
  for (int i = 0; i < 50; ++i) {
    const V4 q = random.quaternion();
    const M3 R = rotation_of<double>(q);
    EXPECT_LE(distance(R * R.transpose(), M3::Identity()), kMachine);
    EXPECT_NEAR(R.determinant(), 1, kMachine);
    EXPECT_LE(distance(rotation_of<double>(q * 3.7), R), kMachine);
    EXPECT_LE(distance(rotation_of<double>(-q), R), 0);
  }
}

TEST(Rotation, OfAProductIsTheProductOfRotations) {
  Random random;
  for (int i = 0; i < 50; ++i) {
    const V4 a = random.quaternion(), b = random.quaternion();
    EXPECT_LE(distance(rotation_of<double>(multiply<double>(a, b)),
                       rotation_of<double>(a) * rotation_of<double>(b)),
              kMachine);
  }
}

TEST(Rotation, QuaternionOfARotationComesBackWithPositiveScalarPart) {
  Random random;
  std::vector<V4> quaternions{V4(1, 0, 0, 0), V4(0, 1, 0, 0),        V4(0, 0, 1, 0),
                              V4(0, 0, 0, 1), V4(1e-9, 0.6, 0, 0.8), V4(-1e-9, -0.6, 0.8, 0)};
  for (int i = 0; i < 50; ++i) quaternions.push_back(random.quaternion());
  for (const V4& q : quaternions) {
    const V4 found = quaternion_of<double>(rotation_of<double>(q));
    EXPECT_GE(found[0], 0);
    EXPECT_NEAR(found.norm(), 1, kMachine);
    EXPECT_LE(std::min((found - q).norm(), (found + q).norm()), kMachine);
  }
}

// source: analytic (Rodrigues)
TEST(Rotation, ExponentialTurnsAboutItsVectorByItsLength) {
  for (const V3& r : list_vectors(3)) {
    const M3 R = rotation_of<double>(quaternion_exp<double>(r));
    const double a = r.norm();
    M3 expected = M3::Identity();
    if (a > 0) {
      const M3 K = skew<double>(r / a);
      expected += std::sin(a) * K + 2 * std::pow(std::sin(a / 2), 2) * K * K;
    }
    EXPECT_LE(distance(R, expected), kMachine);
    EXPECT_NEAR(quaternion_exp<double>(r).norm(), 1, kMachine);
  }
}

TEST(Rotation, ExponentialOfParallelVectorsAdds) {
  for (const V3& r : list_vectors(1)) {
    const V4 product = multiply<double>(quaternion_exp<double>(r), quaternion_exp<double>(r * 2.5));
    EXPECT_LE((product - quaternion_exp<double>(r * 3.5)).norm(), kMachine);
  }
}

TEST(Rotation, LogarithmUndoesTheExponential) {
  for (const V3& r : list_vectors(1.7)) {
    const V4 q = quaternion_exp<double>(r);
    // machine, relative: small angles keep all their digits
    EXPECT_LE((quaternion_log<double>(q) - r).norm(), 16 * kEps * r.norm());
    EXPECT_LE((quaternion_log<double>(-2 * q) - r).norm(), 16 * kEps * r.norm()) << "any length, either sign";
  }
  // half a turn; source: analytic
  EXPECT_NEAR(quaternion_log<double>(V4(0, 0, 1, 0)).y(), kPi, kMachine);
}

TEST(Rotation, ExponentialIsSmoothAtZero) {
  // derivatives at 0: dq/dr = (0, 1/2 I); source: analytic
  const Vector3<Dual> r(Dual(0, 0), Dual(0, 1), Dual(0, 2));
  const Vector4<Dual> q = quaternion_exp<Dual>(r);
  const Vector3<Dual> back = quaternion_log<Dual>(q);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(q[0].d[i], 0);
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(q[1 + i].d[j], i == j ? 0.5 : 0);
      EXPECT_EQ(back[i].d[j], i == j ? 1 : 0);
    }
  }
}

TEST(Rotation, ExponentialAndLogarithmHaveNoJumpWhereTheirSeriesEnd) {
  // both sides of |r| = 0.01 (exponential) and tan(|r|/2) = 0.01 (logarithm), in value and slope
  for (const double a : {0.01, 2 * std::atan(0.01)})
    for (const double side : {-1e-12, 1e-12}) {
      const Dual angle(a + side, 0);
      const Vector4<Dual> q = quaternion_exp<Dual>(Vector3<Dual>(angle, 0.0, 0.0));
      EXPECT_NEAR(q[1].value, std::sin(angle.value / 2), kEps * 0.01);  // machine
      EXPECT_NEAR(q[1].d[0], 0.5 * std::cos(angle.value / 2), kEps);    // machine
      const Dual back = quaternion_log<Dual>(q)[0];
      EXPECT_NEAR(back.value, angle.value, 4 * kEps * 0.01);  // machine
      EXPECT_NEAR(back.d[0], 1, 100 * kEps);                  // machine, after a cancellation in d(sin/a)
    }
}

TEST(Rotation, QuaternionRateIsTheTimeDerivative) {
  // R(q + qdot dt): dR/dt = [w x] R for w in the outer frame; exact derivative by dual numbers
  Random random;
  for (int i = 0; i < 20; ++i) {
    const V4 q = random.quaternion();
    const V3 w = random.vector(2);
    const V4 qdot = quaternion_rate<double>(q, w);
    Vector4<Dual> moving;
    for (int k = 0; k < 4; ++k) moving[k] = Dual(q[k]) + Dual(0, 0) * qdot[k];
    const Matrix3<Dual> R = rotation_of<Dual>(moving);
    const M3 expected = skew<double>(w) * rotation_of<double>(q);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(R(r, c).d[0], expected(r, c), 4 * kMachine);
    EXPECT_NEAR(q.dot(qdot), 0, kMachine) << "the length is kept";
  }
}

TEST(Rotation, QuaternionRateTurnsTheGivenWay) {
  // at the identity, w = (0, 0, 2) gives qdot = (0, 0, 0, 1); source: analytic
  EXPECT_EQ((quaternion_rate<double>(V4(1, 0, 0, 0), V3(0, 0, 2)) - V4(0, 0, 0, 1)).norm(), 0);
  // outer-frame axes: after a quarter turn about x, w = (0, 0, w) still turns about the outer z
  const double s = std::sqrt(0.5);
  const V4 q(s, s, 0, 0);
  const V4 product = multiply<double>(V4(0, 0, 0, 1), q);
  EXPECT_LE((quaternion_rate<double>(q, V3(0, 0, 2)) - product).norm(), kMachine);
}

TEST(EulerSequence, ReadsLettersAndDigits) {
  for (const std::string& name : kSequences) {
    ASSERT_TRUE(EulerSequence::parse(name)) << name;
    EXPECT_EQ(EulerSequence::parse(name)->name(), name);
  }
  EXPECT_EQ(EulerSequence::parse("ZYX")->name(), "zyx");
  EXPECT_EQ(EulerSequence::parse("321")->name(), "zyx");
  EXPECT_EQ(EulerSequence::parse("231")->name(), "yzx");
  EXPECT_EQ(EulerSequence::parse("zYx")->name(), "zyx");
  for (const char* wrong :
       {"", "zy", "zyxz", "zzx", "zyy", "xxx", "zya", "420", "z2x", "-zy", "\xff\xff\xff"})
    EXPECT_FALSE(EulerSequence::parse(wrong)) << wrong;
}

// angles at the neutral point, 1e-8 away, near and at the singularity, and random
std::vector<V3> list_angles(bool is_proper) {
  const double singular = is_proper ? 0 : kPi / 2;
  std::vector<V3> angles{V3::Zero(), V3(1e-8, 2e-8, -1e-8), V3(0.3, singular, 0.4), V3(-2, singular, 1)};
  for (const double gap : {1e-15, 1e-12, 1e-8, 1e-4})
    angles.emplace_back(0.7, singular + (is_proper ? gap : -gap), -1.2);
  if (is_proper) angles.emplace_back(0.5, kPi, -0.2);
  if (!is_proper) angles.emplace_back(0.5, -kPi / 2, -0.2);
  Random random;
  for (int i = 0; i < 40; ++i) angles.push_back(random.vector(3));
  return angles;
}

TEST(EulerSequence, AnglesGiveTheRotationBackEverywhere) {
  for (const std::string& name : kSequences) {
    const EulerSequence sequence = *EulerSequence::parse(name);
    const bool is_proper = name[0] == name[2];
    for (const V3& angles : list_angles(is_proper)) {
      const M3 R = sequence.calc_R<double>(angles);
      const V3 found = sequence.calc_angles(R);
      EXPECT_LE(distance(sequence.calc_R<double>(found), R), kMachine)
          << name << " at " << angles.transpose();
      EXPECT_GE(found[1], is_proper ? 0 : -kPi / 2) << name;
      EXPECT_LE(found[1], is_proper ? kPi : kPi / 2) << name;
    }
  }
}

TEST(EulerSequence, AnglesWithinTheirRangeComeBackThemselves) {
  Random random;
  for (const std::string& name : kSequences) {
    const EulerSequence sequence = *EulerSequence::parse(name);
    const bool is_proper = name[0] == name[2];
    for (int i = 0; i < 20; ++i) {
      const double middle = is_proper ? random.number(0.3, 2.8) : random.number(-1.3, 1.3);
      const V3 angles(random.number(-3, 3), middle, random.number(-3, 3));
      // machine, divided by the distance 0.27 from the singularity
      EXPECT_LE((sequence.calc_angles(sequence.calc_R<double>(angles)) - angles).norm(), 4 * kMachine)
          << name;
    }
    EXPECT_EQ(sequence.calc_angles(M3::Identity()).norm(), 0) << name;
  }
}

TEST(EulerSequence, RatesGiveTheAngularVelocityAndItsDerivative) {
  // law: dR/dt = [w x] R with w = E rates, and dw/dt = E accelerations + bias; derivatives by jets
  Random random;
  for (const std::string& name : kSequences) {
    const EulerSequence sequence = *EulerSequence::parse(name);
    for (const V3& angles : list_angles(name[0] == name[2])) {
      const V3 rates = random.vector(2), accelerations = random.vector(3);
      Vector3<Jetd> moving;
      for (int i = 0; i < 3; ++i) moving[i] = Jetd(angles[i], rates[i], accelerations[i]);
      const Matrix3<Jetd> R = sequence.calc_R<Jetd>(moving);
      M3 value, d1, d2;
      for (int i = 0; i < 9; ++i) {
        value(i) = R(i).value;
        d1(i) = R(i).d1;
        d2(i) = R(i).d2;
      }
      const M3 E = sequence.calc_E<double>(angles);
      const V3 w = E * rates, alpha = E * accelerations + sequence.calc_bias<double>(angles, rates);
      const M3 W = skew<double>(w);
      // machine: rates of order two, squared
      EXPECT_LE(distance(d1, W * value), 10 * kMachine) << name;
      EXPECT_LE(distance(d2, (skew<double>(alpha) + W * W) * value), 40 * kMachine) << name;
    }
  }
}

TEST(EulerSequence, BiasIsTheRateOfTheAxes) {
  // law: bias = (dE/dt) rates; derivative of E by dual numbers
  Random random;
  for (const std::string& name : kSequences) {
    const EulerSequence sequence = *EulerSequence::parse(name);
    for (const V3& angles : list_angles(name[0] == name[2])) {
      const V3 rates = random.vector(2);
      Vector3<Dual> moving;
      for (int i = 0; i < 3; ++i) moving[i] = Dual(angles[i]) + Dual(0, 0) * rates[i];
      const Vector3<Dual> w = sequence.calc_E<Dual>(moving) * rates.cast<Dual>();
      const V3 bias = sequence.calc_bias<double>(angles, rates);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(w[i].d[0], bias[i], 20 * kMachine) << name;
    }
  }
}

}  // namespace
}  // namespace haltere
