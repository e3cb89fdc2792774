#include "haltere/model/shapes.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "property/kinds.h"

#include "haltere/math/dense.h"
#include "haltere/model/joints.h"

/// Inertias of the primitives: laws for every kind, and numeric integration over the solid.
namespace haltere {
namespace {

// machine: sums of some hundred products of size one
constexpr double kRoundoff = 64 * std::numeric_limits<double>::epsilon();

template <class Kind>
class EveryShape : public ::testing::Test {
 protected:
  using Shape = typename Kind::template In<double>;
};
TYPED_TEST_SUITE(EveryShape, ToTypes<ShapeKinds>::type, KindName);

TYPED_TEST(EveryShape, HasTheInertiaOfARigidBody) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Matrix3<double> I = make_random<typename TestFixture::Shape>(&random).calc_inertia();
    EXPECT_EQ(I, I.transpose());
    const Vector3<double> moments = calc_symmetric_eigenvalues(I);
    EXPECT_GE(moments[0], -kRoundoff * I.trace());
    EXPECT_LE(moments[2], moments[0] + moments[1] + kRoundoff * I.trace());
    EXPECT_GT(I.trace(), 0);
  }
}

// exact: powers of two round nothing
TYPED_TEST(EveryShape, GrowsWithTheSquareOfItsSize) {
  Random random(2);
  auto shape = make_random<typename TestFixture::Shape>(&random);
  const Matrix3<double> I = shape.calc_inertia();
  for_each_field<typename TestFixture::Shape>([&](const auto& f) {
    if (f.unit == "m") shape.*f.member = 4 * (shape.*f.member);
  });
  EXPECT_EQ(shape.calc_inertia(), 16 * I);
}

TYPED_TEST(EveryShape, TurnsWithItsAxis) {
  Random random(3);
  auto shape = make_random<typename TestFixture::Shape>(&random);
  if constexpr (requires { shape.axis; }) {
    const Matrix3<double> I = shape.calc_inertia();
    const Matrix3<double> R = rotation_of<double>(Vector4<double>(0.3, -0.5, 0.7, 0.2));
    shape.axis = (R * shape.axis * 3).eval();  // its length says nothing
    EXPECT_LE((shape.calc_inertia() - R * I * R.transpose()).norm(), kRoundoff * I.norm());
  }
}

// -- numeric integration: points of the solid and their parts of the mass
using Points = std::vector<std::pair<Vector3<double>, double>>;

// Gauss-Legendre on [-1, 1], exact for polynomials up to degree 5
const std::array<std::pair<double, double>, 3> kGauss{
    {{-std::sqrt(0.6), 5.0 / 18}, {0, 8.0 / 18}, {std::sqrt(0.6), 5.0 / 18}}};  // weights add to 1

Matrix3<double> calc_inertia(const Points& points) {
  Matrix3<double> I = Matrix3<double>::Zero();
  double mass = 0;
  for (const auto& [p, m] : points) {
    I += m * (p.squaredNorm() * Matrix3<double>::Identity() - p * p.transpose());
    mass += m;
  }
  return I / mass;
}

Points make_box(const Vector3<double>& size) {
  Points points;
  for (const auto& [x, a] : kGauss)
    for (const auto& [y, b] : kGauss)
      for (const auto& [z, c] : kGauss)
        points.push_back({0.5 * size.cwiseProduct(Vector3<double>(x, y, z)), a * b * c});
  return points;
}

/// Radius from Gauss points, angle from four equal steps (exact for second powers), height from Gauss points.
Points make_cylinder(double radius, double length) {
  Points points;
  for (const auto& [x, a] : kGauss)
    for (const auto& [z, b] : kGauss)
      for (int k = 0; k < 4; ++k) {
        const double r = radius * (1 + x) / 2, phi = 0.3 + k * std::numbers::pi / 2;
        points.push_back({{r * std::cos(phi), r * std::sin(phi), length / 2 * z}, a * b * r});
      }
  return points;
}

/// The unit ball in spherical coordinates, stretched.
Points make_ellipsoid(const Vector3<double>& radii) {
  Points points;
  for (const auto& [x, a] : kGauss)
    for (const auto& [u, b] : kGauss)  // cosine of the polar angle
      for (int k = 0; k < 4; ++k) {
        const double r = (1 + x) / 2, s = std::sqrt(1 - u * u), phi = 0.3 + k * std::numbers::pi / 2;
        const Vector3<double> p(r * s * std::cos(phi), r * s * std::sin(phi), r * u);
        points.push_back({radii.cwiseProduct(p), a * b * r * r});
      }
  return points;
}

void expect_inertia(const Matrix3<double>& I, const Points& points) {
  const Matrix3<double> integrated = calc_inertia(points);
  EXPECT_LE((I - integrated).norm(), kRoundoff * integrated.norm());
}

TEST(Shapes, InertiaIsTheIntegralOverTheSolid) {
  expect_inertia(Box<double>{{0.2, 0.5, 1.1}}.calc_inertia(), make_box({0.2, 0.5, 1.1}));
  expect_inertia(Plate<double>{{0.2, 0.5, 0}}.calc_inertia(), make_box({0.2, 0.5, 0}));
  expect_inertia(Cylinder<double>{0.3, 0.8, {0, 0, 1}}.calc_inertia(), make_cylinder(0.3, 0.8));
  expect_inertia(Ellipsoid<double>{{0.2, 0.5, 1.1}}.calc_inertia(), make_ellipsoid({0.2, 0.5, 1.1}));
  expect_inertia(Sphere<double>{0.7}.calc_inertia(), make_ellipsoid({0.7, 0.7, 0.7}));
  expect_inertia(Rod<double>{0.8, {0, 0, 1}}.calc_inertia(), make_box({0, 0, 0.8}));
}

}  // namespace
}  // namespace haltere
