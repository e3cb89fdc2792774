#include "haltere/model/joints.h"

#include <array>
#include <limits>
#include <numbers>
#include <vector>

#include <Eigen/LU>

#include "property/kinds.h"

#include "haltere/math/dense.h"

/// The laws of haltere/model/joints/joint.h, for every kind of joint: neutral, 1e-8 away, and at random.
namespace haltere {
namespace {

// machine: numbers of size one through some ten operations
constexpr double kRoundoff = 32 * std::numeric_limits<double>::epsilon();

template <class Kind>
class EveryJoint : public ::testing::Test {
 protected:
  using J = typename Kind::template In<double>;
  using JointD = typename Kind::template In<Dual>;
  static constexpr int nq = J::nq, nv = J::nv;

  struct Point {
    std::array<double, nq> q;
    std::array<double, nv> v;
  };

  static std::array<double, nq> neutral() {
    std::array<double, nq> q{};
    if constexpr (nq > nv) q[0] = 1;  // a quaternion comes first
    return q;
  }

  /// Neutral, 1e-8 away and at random; the quaternions are not of unit length.
  static std::vector<Point> points() {
    Random random(1);
    std::vector<Point> points;
    for (const double distance : {0.0, 1e-8, 1.0, 1.0, 1.0}) {
      Point point{neutral(), {}};
      for (double& x : point.q) x += distance * random.next();
      for (double& x : point.v) x = random.next();
      points.push_back(point);
    }
    return points;
  }

  /// The same joint in both scalars.
  static void make(unsigned seed, J* joint, JointD* dual) {
    Random a(seed), b(seed);
    *joint = make_random<J>(&a);
    *dual = make_random<JointD>(&b);
  }

  /// Positions that move with v: the derivative in direction 0 is d/dt.
  static std::array<Dual, nq> moving(const J& joint, const Point& point) {
    std::array<double, nq> qdot{};
    joint.calc_qdot(point.q.data(), point.v.data(), qdot.data());
    std::array<Dual, nq> q;
    for (int i = 0; i < nq; ++i) {
      q[i] = point.q[i];
      q[i].d[0] = qdot[i];
    }
    return q;
  }

  static Vector6<double> calc_V(const J& joint, const Point& point) {
    Vector6<double> V = Vector6<double>::Zero();
    const Eigen::MatrixXd S = joint.calc_S_FM(point.q.data());
    for (int k = 0; k < nv; ++k) V += S.col(k) * point.v[k];
    return V;
  }
};

TYPED_TEST_SUITE(EveryJoint, ToTypes<JointKinds>::type, KindName);

template <class M>
auto derivative(const M& x) {
  return x.unaryExpr([](const Dual& a) { return a.d[0]; }).template cast<double>().eval();
}
template <class M>
auto value(const M& x) {
  return x.unaryExpr([](const Dual& a) { return a.value; }).template cast<double>().eval();
}

// analytic: V_FM = S_FM v with Rdot = [w] R, pdot = v; holds only if qdot = N(q) v is right too
TYPED_TEST(EveryJoint, SubspaceIsDerivativeOfPose) {
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(2, &joint, &dual);
  for (const auto& point : this->points()) {
    const auto q = this->moving(joint, point);
    const Transform<Dual> X = dual.calc_X_FM(q.data());
    const Matrix3<double> W = derivative(X.R) * value(X.R).transpose();
    const Vector6<double> V = this->calc_V(joint, point);
    EXPECT_LE((W - skew<double>(V.template head<3>())).norm(), kRoundoff);
    EXPECT_LE((derivative(X.p) - V.template tail<3>()).norm(), kRoundoff);
  }
}

// analytic: dV_FM/dt = S_FM vdot + bias, at vdot = 0
TYPED_TEST(EveryJoint, BiasIsDerivativeOfSubspace) {
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(3, &joint, &dual);
  for (const auto& point : this->points()) {
    const auto q = this->moving(joint, point);
    const Eigen::Matrix<Dual, 6, Eigen::Dynamic> S = dual.calc_S_FM(q.data());
    Vector6<double> Vdot = Vector6<double>::Zero();
    for (int k = 0; k < TestFixture::nv; ++k) Vdot += derivative(S.col(k)) * point.v[k];
    EXPECT_LE((Vdot - joint.calc_bias(point.q.data(), point.v.data())).norm(), kRoundoff);
  }
}

TYPED_TEST(EveryJoint, PoseIsARotationAndATranslation) {
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(4, &joint, &dual);
  for (const auto& point : this->points()) {
    const Matrix3<double> R = joint.calc_X_FM(point.q.data()).R;
    EXPECT_LE((R * R.transpose() - Matrix3<double>::Identity()).norm(), kRoundoff);
    EXPECT_GT(R.determinant(), 0);
  }
}

TYPED_TEST(EveryJoint, FramesCoincideInTheNeutralPosition) {
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(5, &joint, &dual);
  const Transform<double> X = joint.calc_X_FM(this->neutral().data());
  EXPECT_EQ(X.R, Matrix3<double>::Identity());
  EXPECT_EQ(X.p, Vector3<double>::Zero());
}

// 1e-3: the random axes of this seed are further apart than that; dependent columns give about 1e-16
TYPED_TEST(EveryJoint, SubspaceHasFullColumnRank) {
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(6, &joint, &dual);
  for (const auto& point : this->points()) {
    const Eigen::MatrixXd S = joint.calc_S_FM(point.q.data());
    if (S.cols() == 0) continue;
    EXPECT_GT(calc_singular_values(S).minCoeff(), 1e-3);
  }
}

TYPED_TEST(EveryJoint, PositionsFollowTheirVelocities) {
  constexpr int first = TestFixture::nq - TestFixture::nv;  // see Motion
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(7, &joint, &dual);
  for (const auto& point : this->points()) {
    const auto q = this->moving(joint, point);
    for (int k = 0; k < TestFixture::nv; ++k) {
      if (TestFixture::J::kMotions[k] == Motion::kTurn) continue;
      EXPECT_EQ(q[first + k].d[0], point.v[k]);
    }
  }
}

TYPED_TEST(EveryJoint, MotionsAreWhatTheySay) {
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(8, &joint, &dual);
  for (const auto& point : this->points()) {
    const Eigen::MatrixXd S = joint.calc_S_FM(point.q.data());
    for (int k = 0; k < TestFixture::nv; ++k) {
      const bool rotary = is_rotary(TestFixture::J::kMotions[k]);
      EXPECT_NEAR(S.col(k).template segment<3>(rotary ? 0 : 3).norm(), 1, kRoundoff);  // unit speed
      EXPECT_EQ(S.col(k).template head<3>().norm() > 0, rotary);
    }
  }
}

TYPED_TEST(EveryJoint, OneOfItsMotionsIsAlongItsAxis) {
  typename TestFixture::J joint;
  typename TestFixture::JointD dual;
  this->make(9, &joint, &dual);
  const Matrix3<double> R = joint.calc_alignment().R;
  EXPECT_LE((R * R.transpose() - Matrix3<double>::Identity()).norm(), kRoundoff);
  EXPECT_GT(R.determinant(), 0);
  if constexpr (requires { joint.axis; }) {
    const Eigen::MatrixXd S = joint.calc_S_FM(this->neutral().data());
    double nearest = 1;
    for (int k = 0; k < TestFixture::nv; ++k)
      for (const int part : {0, 3})
        nearest =
            std::min(nearest, (R * S.col(k).template segment<3>(part) - unit<double>(joint.axis)).norm());
    EXPECT_LE(nearest, kRoundoff);
  }
}

TEST(AlignZ, CarriesZToAnyAxis) {
  Random random(10);
  std::vector<Vector3<double>> axes;
  for (int i = 0; i < 3; ++i)
    for (const double sign : {1.0, -1.0}) {
      axes.push_back(sign * Vector3<double>::Unit(i));
      axes.push_back(sign * (Vector3<double>::Unit(i) + 1e-8 * random.vector()));
    }
  for (int i = 0; i < 20; ++i) axes.push_back(random.vector());
  for (const Vector3<double>& axis : axes) {
    const Matrix3<double> R = align_z<double>(axis).R;
    EXPECT_LE((R.col(2) - unit<double>(axis)).norm(), kRoundoff);
    EXPECT_LE((R * R.transpose() - Matrix3<double>::Identity()).norm(), kRoundoff);
    EXPECT_GT(R.determinant(), 0);
  }
}

TEST(AlignZ, IsAPermutationForCoordinateAxes) {
  for (int k = 0; k < 3; ++k) {
    const Matrix3<double> R = align_z<double>(Vector3<double>::Unit(k)).R;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(R.col(i), Vector3<double>::Unit((k + 1 + i) % 3));
  }
}

// analytic: the third column is axis/|axis|, and its derivative is the part of the change normal to the axis
TEST(AlignZ, FollowsTheDerivativeOfTheAxis) {
  Vector3<Dual> axis(0.0, 0.0, 2.0);
  const Vector3<double> change(0.5, -1, 3);
  for (int i = 0; i < 3; ++i) axis[i].d[0] = change[i];
  EXPECT_LE((derivative(align_z<Dual>(axis).R.col(2)) - Vector3<double>(0.25, -0.5, 0)).norm(), kRoundoff);
}

}  // namespace
}  // namespace haltere
