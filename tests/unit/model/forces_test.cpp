#include "haltere/model/forces.h"

#include <gtest/gtest.h>

namespace haltere {
namespace {

/// World and one body at `p`, moving with `v`.
template <class T>
Scene<T> make_scene(const Vector3<T>& p, const Vector3<T>& v) {
  Scene<T> scene;
  scene.X_WB.resize(2);
  scene.X_WB[1].p = p;
  scene.V_WB.assign(2, Vector6<T>::Zero());
  scene.V_WB[1].template tail<3>() = v;
  scene.locals = {T(0)};
  return scene;
}

template <class T>
Loads<T> make_loads() {
  Loads<T> loads;
  loads.F_B_W.assign(2, Vector6<T>::Zero());
  return loads;
}

TEST(SpringDamper, PullsAlongItsLine) {
  SpringDamper<double> spring;
  spring.to = {1};
  spring.stiffness = 10;
  spring.damping = 2;
  spring.rest_length = 3;
  Loads<double> loads = make_loads<double>();
  const Account<double> account = spring.add_load(make_scene<double>({3, 4, 0}, {1, 0, 7}), &loads);
  // analytic: l = 5, e = (3, 4, 0)/5, dl/dt = 0.6; f = -10 * 2 - 2 * 0.6 = -21.2
  EXPECT_NEAR(loads.F_B_W[1][3], -12.72, 1e-14);  // machine, of numbers of size 10
  EXPECT_NEAR(loads.F_B_W[1][4], -16.96, 1e-14);
  EXPECT_EQ(loads.F_B_W[0].tail<3>(), -loads.F_B_W[1].tail<3>());
  EXPECT_DOUBLE_EQ(account.potential, 20);
  EXPECT_NEAR(account.dissipation, 0.72, 1e-15);
}

TEST(SpringDamper, WhoseEndsMeetAtRestIsRegular) {
  SpringDamper<Dual> spring;
  spring.to = {1};
  spring.stiffness = 10;
  spring.damping = 2;
  Vector3<Dual> p = Vector3<Dual>::Zero();
  p[0].d[0] = 1;
  Loads<Dual> loads = make_loads<Dual>();
  const Account<Dual> account = spring.add_load(make_scene<Dual>(p, {Dual(0), Dual(3), Dual(0)}), &loads);
  // analytic: the limit along the motion is f = -k p - c v
  EXPECT_EQ(loads.F_B_W[1][4].value, -6);
  EXPECT_EQ(loads.F_B_W[1][3].d[0], -10);
  EXPECT_EQ(account.dissipation.value, 18);
  EXPECT_TRUE(isfinite(account.potential));
}

TEST(SpringDamper, OfSomeLengthHasNoDirectionWhereItsEndsMeet) {
  SpringDamper<double> spring;
  spring.to = {1};
  spring.stiffness = 10;
  spring.rest_length = 1;
  Loads<double> loads = make_loads<double>();
  spring.add_load(make_scene<double>({0, 0, 0}, {0, 0, 0}), &loads);
  EXPECT_FALSE(loads.F_B_W[1].allFinite());
}

}  // namespace
}  // namespace haltere
