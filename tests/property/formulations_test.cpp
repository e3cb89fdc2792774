#include <algorithm>
#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "random_tree.h"
#include "scale_model.h"
#include "tolerance.h"

#include "haltere/dynamics/equations.h"

/// All formulations of one machine are the same machine: accelerations, loads, powers and energies, with
/// fluids whose matrices have no symmetry. Expected values are analytic: one algorithm against another.
namespace haltere {
namespace {

using test::RandomTree;

void set_state(RandomTree* random, Model* model) {
  for (JointSpec& joint : model->joints)
    for (int k = 0; k < joint.nv(); ++k)
      if (joint.mode(k) != CoordinateMode::kPrescribed) {
        if (joint.motion(k) != Motion::kTurn) joint.initial_position[k] = random->constant(-2, 2);
        joint.initial_velocity[k] = random->constant();
      }
}

/// What the equations of a formulation say of a scene.
struct Seen {
  Snapshot snapshot;
  Eigen::VectorXd work;  // rates
};
Seen look(std::string_view formulation, std::string_view chart, const Model& model,
          const Scene<double>& scene) {
  const auto equations = make_equations(
      formulation, model, {.chart = std::string(chart), .stabilization = {Stabilization::Kind::kNone}});
  const Eigen::VectorXd y = equations->calc_state(scene);
  Eigen::VectorXd ydot(y.size());
  Seen seen;
  EXPECT_EQ(equations->calc_ydot(scene.t, y, ydot), Status::kOk) << equations->explain_failure(scene.t, y);
  EXPECT_EQ(equations->observe(scene.t, y, &seen.snapshot), Status::kOk);
  seen.work = ydot.segment(equations->sizes().nq + equations->sizes().nv, equations->sizes().nz);
  return seen;
}

double calc_size(const std::vector<Vector6<double>>& list) {
  double size = 1;
  for (const Vector6<double>& x : list) size = std::max(size, x.lpNorm<Eigen::Infinity>());
  return size;
}

void expect_same(const Model& model, const Seen& a, const Seen& b, double tolerance,
                 const std::string& what) {
  const Snapshot &s = a.snapshot, &other = b.snapshot;
  const double close = tolerance * tolerance_scale();
  const double size = calc_size(s.A_WB), load = calc_size(s.F_reaction);
  for (std::size_t k = 1; k < model.bodies.size(); ++k)
    EXPECT_LE((s.A_WB[k] - other.A_WB[k]).lpNorm<Eigen::Infinity>(), close * size) << what << ", body " << k;
  EXPECT_LE((s.vdot - other.vdot).lpNorm<Eigen::Infinity>(), close * size) << what;
  EXPECT_LE((s.tau - other.tau).lpNorm<Eigen::Infinity>(), close * load) << what;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    EXPECT_LE((s.F_reaction[j] - other.F_reaction[j]).lpNorm<Eigen::Infinity>(), close * load)
        << what << ", joint " << j;
  EXPECT_NEAR(s.kinetic, other.kinetic, close * (1 + s.kinetic)) << what;
  EXPECT_NEAR(s.potential, other.potential, close * (1 + std::abs(s.potential))) << what;
  for (std::size_t i = 0; i < model.forces.size(); ++i)
    EXPECT_NEAR(s.forces[i].power, other.forces[i].power, close * size * load) << what << ", force " << i;
  ASSERT_EQ(a.work.size(), b.work.size());
  EXPECT_LE((a.work - b.work).lpNorm<Eigen::Infinity>(), close * size * load) << what;
}

class Formulations : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Formulations, testing::Range(1, 41));

// rounding through trees of a dozen bodies
TEST_P(Formulations, AgreeOnTreesInFluids) {
  RandomTree random(GetParam());
  Model model = random.tree(2 + GetParam() % 10, 0.2);
  set_state(&random, &model);
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    if (random.integer(0, 2) > 0) random.add_fluid(static_cast<int>(b), 0.1, &model);
  if (model.nv() == 0) return;
  const Scene<double> scene = calc_initial_scene(model, {});
  const Seen expected = look("recursive", "lie", model, scene);
  for (const char* chart : {"lie", "quaternion"})
    expect_same(model, expected, look("absolute", chart, model, scene), 1e-9, chart);
}

// fluids that weigh more than the bodies: their sum is indefinite, and the accelerations are defined all the
// same
TEST_P(Formulations, AgreeInHeavyFluids) {
  RandomTree random(100 + GetParam());
  Model model = random.insect(1 + GetParam() % 4, 0.3);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) random.add_fluid(static_cast<int>(b), 3, &model);
  const Scene<double> scene = calc_initial_scene(model, {});
  const Seen expected = look("recursive", "lie", model, scene);
  // matrices that are nearly singular lose digits, in each formulation others
  for (const char* formulation : {"absolute", "hinge-matrix"})
    expect_same(model, expected, look(formulation, "lie", model, scene), 1e-7, formulation);
}

TEST_P(Formulations, AgreeOnLoopsInFluids) {
  RandomTree random(200 + GetParam());
  const int n = 3 + GetParam() % 5;
  Model model = random.loop(n);
  for (int b = 1; b <= n; ++b) random.add_fluid(b, 0.1, &model);
  const Scene<double> scene = calc_initial_scene(model, {});
  const Seen expected = look("recursive", "lie", model, scene);
  ASSERT_EQ(expected.snapshot.lambda.size(), 4);
  const Seen other = look("absolute", "lie", model, scene);
  expect_same(model, expected, other, 1e-9, "absolute");
  EXPECT_LE((expected.snapshot.lambda - other.snapshot.lambda.tail(4)).lpNorm<Eigen::Infinity>(),
            1e-9 * (1 + expected.snapshot.lambda.lpNorm<Eigen::Infinity>()) * tolerance_scale());
}

TEST_P(Formulations, AgreeOnInsects) {
  RandomTree random(300 + GetParam());
  Model model = random.insect(1 + GetParam() % 4, 0.4);
  if (GetParam() % 3 > 0)
    for (std::size_t b = 1; b < model.bodies.size(); ++b) random.add_fluid(static_cast<int>(b), 0.1, &model);
  const Scene<double> scene = calc_initial_scene(model, {});
  const Seen expected = look("recursive", "lie", model, scene);
  for (const char* chart : {"lie", "euler-zyx", "euler-zxz"})
    expect_same(model, expected, look("hinge-matrix", chart, model, scene), 1e-10, chart);
  expect_same(model, expected, look("absolute", "lie", model, scene), 1e-10, "absolute");
}

// the same bits, since powers of two are exact                                             (source: analytic)
TEST_P(Formulations, GiveTheSameBitsInOtherUnitsInFluids) {
  RandomTree random(600 + GetParam());
  Model model = random.insect(1 + GetParam() % 4, 0.4);
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    random.add_fluid(static_cast<int>(b), GetParam() % 2 ? 0.1 : 2, &model);
  for (const FormulationInfo& formulation : formulations()) {
    const auto look_at = [&](const Model& m) {
      return look(formulation.name, "lie", m, calc_initial_scene(m, {}));
    };
    const Seen original = look_at(model);
    for (const UnitChange& change : {UnitChange{20, 0}, {0, 20}, {-20, -20}}) {
      Model scaled = model;
      ModelScaler(change, &scaled).scale();
      const Seen other = look_at(scaled);
      const auto expect_equal = [&](const Vector6<double>& x, const Vector6<double>& y, const char* turn,
                                    const char* shift) {
        EXPECT_EQ(Vector3<double>(x.head<3>()), change.factor(turn) * y.head<3>()) << formulation.name;
        EXPECT_EQ(Vector3<double>(x.tail<3>()), change.factor(shift) * y.tail<3>()) << formulation.name;
      };
      for (std::size_t b = 1; b < model.bodies.size(); ++b)
        expect_equal(other.snapshot.A_WB[b], original.snapshot.A_WB[b], "rad/s2", "m/s2");
      for (std::size_t j = 0; j < model.joints.size(); ++j)
        expect_equal(other.snapshot.F_reaction[j], original.snapshot.F_reaction[j], "N m", "N");
      EXPECT_EQ(other.work, change.factor("W") * original.work) << formulation.name;
    }
  }
}

// the power of a fluid is what it does to the body: d/dt of the energy is that of all elements
//                                                                                          (source: analytic)
TEST_P(Formulations, PowersOfFluidsCloseTheBalance) {
  RandomTree random(500 + GetParam());
  Model model = random.insect(1 + GetParam() % 3, 0.4);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) random.add_fluid(static_cast<int>(b), 0.1, &model);
  for (const FormulationInfo& formulation : formulations()) {
    const auto equations =
        make_equations(formulation.name, model, {.stabilization = {Stabilization::Kind::kNone}});
    const Eigen::VectorXd y = equations->calc_initial_state();
    Eigen::VectorXd ydot(y.size());
    ASSERT_EQ(equations->calc_ydot(0, y, ydot), Status::kOk);
    const double h = 1e-4;
    const auto energy = [&](double dt) {
      Snapshot s;
      EXPECT_EQ(equations->observe(dt, y + dt * ydot, &s), Status::kOk);
      return s.kinetic + s.potential;
    };
    const double rate = (energy(h) - energy(-h)) / (2 * h);
    const Sizes sizes = equations->sizes();
    const double work = ydot.segment(sizes.nq + sizes.nv, sizes.nz).sum();
    // discretisation: h^2 times third derivatives
    EXPECT_NEAR(rate, work, 1e-5 * (1 + std::abs(work))) << formulation.name;
  }
}

}  // namespace
}  // namespace haltere
