#include "haltere/math/spatial.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "haltere/math/dual.h"
#include "haltere/math/jet.h"

namespace haltere {
namespace {

using V3 = Vector3<double>;
using V6 = Vector6<double>;
constexpr double kMachine = 32 * std::numeric_limits<double>::epsilon();  // machine: numbers of order one

struct Random {
  std::mt19937_64 generator{11};
  double number() { return std::uniform_real_distribution<double>(-1, 1)(generator); }
  V3 vector() { return {number(), number(), number()}; }
  V6 vector6() { return (V6() << vector(), vector()).finished(); }
  Transform<double> transform() {
    return {rotation_of<double>(Vector4<double>(number(), number(), number(), number())), vector()};
  }
};

TEST(Transform, ComposesLikeThePointsItMoves) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Transform<double> X_AB = random.transform(), X_BC = random.transform();
    const V3 p_CQ = random.vector();
    EXPECT_LE(((X_AB * X_BC) * p_CQ - X_AB * (X_BC * p_CQ)).norm(), kMachine);
  }
}

TEST(Transform, InverseLeadsBack) {
  Random random;
  const Transform<double> X = random.transform();
  const Transform<double> unit = X * X.inverse();
  EXPECT_LE((unit.R - Matrix3<double>::Identity()).norm(), kMachine);
  EXPECT_LE(unit.p.norm(), kMachine);
}

TEST(Shift, ThereAndBackIsNothing) {
  Random random;
  const V6 V = random.vector6(), A = random.vector6();
  const V3 p = random.vector(), w = V.head<3>();
  EXPECT_LE((shift_twist<double>(shift_twist<double>(V, p), -p) - V).norm(), kMachine);
  EXPECT_LE((shift_wrench<double>(shift_wrench<double>(V, p), -p) - V).norm(), kMachine);
  EXPECT_LE((shift_acceleration<double>(shift_acceleration<double>(A, w, p), w, -p) - A).norm(), kMachine);
}

TEST(Shift, KeepsThePower) {
  // law: wrench and twist shifted to the same point give the same power
  Random random;
  for (int i = 0; i < 20; ++i) {
    const V6 V = random.vector6(), F = random.vector6();
    const V3 p = random.vector();
    EXPECT_NEAR(shift_twist<double>(V, p).dot(shift_wrench<double>(F, p)), V.dot(F), kMachine);
  }
}

TEST(Shift, OfVelocityAndAccelerationAreDerivativesOfThePosition) {
  // a body turning by zyx angles while its origin moves; point Q fixed in it. Derivatives by jets.
  Random random;
  using Jetd = Jet<double>;
  const EulerSequence zyx;
  for (int trial = 0; trial < 10; ++trial) {
    const V3 angles = random.vector(), rates = random.vector(), accelerations = random.vector();
    const V3 p = random.vector(), v = random.vector(), a = random.vector(), p_BQ = random.vector();
    Vector3<Jetd> turn, origin, fixed;
    for (int i = 0; i < 3; ++i) {
      turn[i] = Jetd(angles[i], rates[i], accelerations[i]);
      origin[i] = Jetd(p[i], v[i], a[i]);
      fixed[i] = Jetd(p_BQ[i]);
    }
    const Transform<Jetd> X_WB{zyx.calc_R<Jetd>(turn), origin};
    const Vector3<Jetd> p_WQ = X_WB * fixed;

    const Matrix3<double> E = zyx.calc_E<double>(angles);
    const V3 w = E * rates, alpha = E * accelerations + zyx.calc_bias<double>(angles, rates);
    const V3 p_BoQ_W = zyx.calc_R<double>(angles) * p_BQ;
    const V6 V = shift_twist<double>((V6() << w, v).finished(), p_BoQ_W);
    const V6 A = shift_acceleration<double>((V6() << alpha, a).finished(), w, p_BoQ_W);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(V[3 + i], p_WQ[i].d1, kMachine);
      EXPECT_NEAR(A[3 + i], p_WQ[i].d2, 4 * kMachine);
      EXPECT_EQ(V[i], w[i]);
      EXPECT_EQ(A[i], alpha[i]);
    }
  }
}

}  // namespace
}  // namespace haltere
