#include <Eigen/LU>
#include <gtest/gtest.h>

#include "random_tree.h"

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/recursive/workspace.h"

/// Laws of the recursion on random trees of every joint kind. All expected values are analytic: one algorithm
/// against the definition, or against another algorithm.
namespace haltere {
namespace {

using test::RandomTree;

// rounding grows with the condition of the tree; 1e-12 of the largest entry is what the project promises
constexpr double kRelative = 1e-12;

/// A system with workspace at a random state.
template <class T>
struct MovingTree {
  explicit MovingTree(const Model& model)
      : machine(model, std::vector<T>{}),
        system(machine),
        work(system),
        scene(make_scene<T>(model)),
        loads(machine),
        q(system.free_q.size()),
        v(system.free_v.size()) {
    for (Node<T>& node : system.nodes) node.loaded = true;  // tests put loads on any body
  }

  void randomize(RandomTree* random) {
    for (T& x : q) x = T(random->number());
    for (T& x : v) x = T(random->number());
  }
  void update(T t) {
    update_kinematics<T>(system, t, q.data(), v.data(), &scene, &work);
    update_scene<T>(system, work, nullptr, &scene);  // no joint closes a loop
    add_loads<T>(machine, scene, &loads);
    take_loads<T>(system, &scene, &loads, &work);
  }

  Machine<T> machine;
  RecursiveSystem<T> system;
  RecursiveWorkspace<T> work;
  Scene<T> scene;
  BodyLoads<T> loads;
  std::vector<T> q, v;
};

class RandomTrees : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrees, ::testing::Range(1, 41));

TEST_P(RandomTrees, InverseAfterForwardDynamicsIsTheIdentity) {
  RandomTree random(GetParam());
  const Model model = random.tree(2 + GetParam() % 12);
  MovingTree<double> m(model);
  m.randomize(&random);
  m.update(0.3);
  for (int i = 0; i < m.system.nv; ++i) m.loads.tau[i] = random.number();
  ASSERT_EQ(calc_hybrid_dynamics<double>(m.system, &m.work), Status::kOk);
  const Eigen::VectorXd vdot = m.work.vdot, tau = m.loads.tau;
  Eigen::VectorXd back;
  std::vector<Vector6<double>> F;
  calc_inverse_dynamics<double>(m.system, vdot, &m.work, &back, &F);
  const double scale = vdot.size() ? std::max(1.0, vdot.lpNorm<Eigen::Infinity>()) : 1;
  EXPECT_LE((back - tau).lpNorm<Eigen::Infinity>(), kRelative * scale);
}

/// M_ff vdot_f = f_f from the full mass matrix and inverse dynamics, prescribed accelerations being known.
TEST_P(RandomTrees, HybridDynamicsEqualsThePartitionedFullSystem) {
  RandomTree random(100 + GetParam());
  const Model model = random.tree(2 + GetParam() % 12, 0.4);
  MovingTree<double> m(model);
  m.randomize(&random);
  m.update(0.7);
  for (int i = 0; i < m.system.nv; ++i) m.loads.tau[i] = random.number();
  ASSERT_EQ(calc_hybrid_dynamics<double>(m.system, &m.work), Status::kOk);
  const Eigen::VectorXd vdot = m.work.vdot;

  Eigen::VectorXd known = vdot, bias;
  for (const int i : m.system.free_v) known[i] = 0;
  std::vector<Vector6<double>> F;
  calc_inverse_dynamics<double>(m.system, known, &m.work, &bias, &F);
  Eigen::MatrixXd M;
  calc_mass_matrix<double>(m.system, m.work, &M);
  const Eigen::MatrixXd M_ff = M(m.system.free_v, m.system.free_v);
  const Eigen::VectorXd f = (m.loads.tau - bias)(m.system.free_v);
  const Eigen::VectorXd residual = M_ff * vdot(m.system.free_v) - f;
  if (residual.size() == 0) return;
  EXPECT_LE(residual.lpNorm<Eigen::Infinity>(),
            kRelative * std::max(1.0, (M_ff.cwiseAbs() * vdot(m.system.free_v).cwiseAbs()).maxCoeff()));
}

TEST_P(RandomTrees, MassMatrixIsSymmetricPositiveAndGivesTheKineticEnergy) {
  RandomTree random(200 + GetParam());
  const Model model = random.tree(2 + GetParam() % 8);
  Equations equations("recursive", model);
  MovingTree<double> m(model);
  m.randomize(&random);
  m.update(0);
  Eigen::MatrixXd M;
  calc_mass_matrix<double>(m.system, m.work, &M);
  if (M.size() == 0) return;
  EXPECT_LE((M - M.transpose()).cwiseAbs().maxCoeff(), kRelative * M.cwiseAbs().maxCoeff());
  const Eigen::Map<const Eigen::VectorXd> v(m.v.data(), static_cast<int>(m.v.size()));
  Eigen::VectorXd y = Eigen::VectorXd::Zero(equations.sizes().ny());
  for (std::size_t i = 0; i < m.q.size(); ++i) y[static_cast<int>(i)] = m.q[i];
  y.segment(equations.sizes().nq, equations.sizes().nv) = v;
  Snapshot snapshot;
  ASSERT_EQ(equations.observe(0, y, &snapshot), Status::kOk);
  const double energy = 0.5 * v.dot(M * v);
  EXPECT_NEAR(snapshot.kinetic, energy, kRelative * energy);
}

/// The twist of every body is J v, and equals the derivative of its pose by dual numbers.
TEST_P(RandomTrees, BodyJacobianIsTheDerivativeOfThePose) {
  RandomTree random(300 + GetParam());
  const Model model = random.tree(2 + GetParam() % 8);
  MovingTree<double> m(model);
  m.randomize(&random);
  m.update(0);
  std::vector<double> qdot(m.q.size());
  calc_qdot<double>(m.system, m.scene, qdot.data());
  MovingTree<Dual> d(model);
  for (std::size_t i = 0; i < m.q.size(); ++i) {
    d.q[i] = m.q[i];
    d.q[i].d[0] = qdot[i];
  }
  for (std::size_t i = 0; i < m.v.size(); ++i) d.v[i] = m.v[i];
  d.update(0.0);
  for (int k = 1; k < static_cast<int>(model.bodies.size()); ++k) {
    Eigen::MatrixXd J;
    calc_body_jacobian<double>(m.system, m.work, {k}, &J);
    const Vector6<double> V = J * m.scene.v;
    const NodeState<Dual>& s = d.work.nodes[k];
    const Vector3<Dual> p = s.p_WJ.eigen() + s.R_WJ.eigen() * d.system.nodes[k].p_JB;
    const Matrix3<Dual> R = s.R_WJ.eigen() * d.system.nodes[k].R_JB;
    const Matrix3<double> R0 = R.unaryExpr([](const Dual& x) { return x.value; });
    const Matrix3<double> Rdot = R.unaryExpr([](const Dual& x) { return x.d[0]; });
    const Matrix3<double> expected = skew<double>(V.head<3>());
    EXPECT_LE((Rdot * R0.transpose() - expected).cwiseAbs().maxCoeff(), 1e-12 * std::max(1.0, V.norm()));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(p[i].d[0], V[3 + i], 1e-12 * std::max(1.0, V.norm()));
  }
}

/// Accelerations of the bodies are the time derivatives of their twists along the motion (prescribed ones
/// included).
TEST_P(RandomTrees, AccelerationsAreDerivativesOfTwists) {
  RandomTree random(400 + GetParam());
  const Model model = random.tree(2 + GetParam() % 8, 0.3);
  MovingTree<double> m(model);
  m.randomize(&random);
  m.update(0.2);
  ASSERT_EQ(calc_hybrid_dynamics<double>(m.system, &m.work), Status::kOk);
  std::vector<double> qdot(m.q.size());
  calc_qdot<double>(m.system, m.scene, qdot.data());
  MovingTree<Dual> d(model);
  for (std::size_t i = 0; i < m.q.size(); ++i) {
    d.q[i] = m.q[i];
    d.q[i].d[0] = qdot[i];
  }
  for (std::size_t i = 0; i < m.v.size(); ++i) {
    d.v[i] = m.v[i];
    d.v[i].d[0] = m.work.vdot[m.system.free_v[i]];
  }
  d.update(Dual(0.2, 0));
  for (std::size_t k = 1; k < model.bodies.size(); ++k) {
    const Vector6<double> A = m.work.nodes[k].A.eigen();
    const double tolerance = 1e-11 * std::max(1.0, A.norm());  // rounding through the chain of dual products
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(d.work.nodes[k].w[i].d[0], A[i], tolerance);
      EXPECT_NEAR(d.work.nodes[k].v[i].d[0], A[3 + i], tolerance);
    }
  }
}

TEST_P(RandomTrees, DualNumbersGiveTheDerivativesOfTheAccelerations) {
  RandomTree random(500 + GetParam());
  const Model model = random.tree(2 + GetParam() % 6, 0.2);
  MovingTree<double> m(model);
  m.randomize(&random);
  if (m.v.empty()) return;
  const int which = random.integer(0, static_cast<int>(m.v.size()) - 1);
  MovingTree<Dual> d(model);
  for (std::size_t i = 0; i < m.q.size(); ++i) d.q[i] = m.q[i];
  for (std::size_t i = 0; i < m.v.size(); ++i) d.v[i] = m.v[i];
  d.v[which].d[0] = 1;
  d.q.back().d[1] = 1;
  d.update(0.1);
  ASSERT_EQ(calc_hybrid_dynamics<Dual>(d.system, &d.work), Status::kOk);
  const auto accelerations = [&](double dv, double dq) {
    MovingTree<double> x(model);
    x.q = m.q;
    x.v = m.v;
    x.v[which] += dv;
    x.q.back() += dq;
    x.update(0.1);
    EXPECT_EQ(calc_hybrid_dynamics<double>(x.system, &x.work), Status::kOk);
    return Eigen::VectorXd(x.work.vdot);
  };
  // central differences: error h^2 and rounding / h balance near 1e-9 relative
  const double h = 1e-5;
  const Eigen::VectorXd by_v = (accelerations(h, 0) - accelerations(-h, 0)) / (2 * h);
  const Eigen::VectorXd by_q = (accelerations(0, h) - accelerations(0, -h)) / (2 * h);
  const double scale = std::max({1.0, by_v.lpNorm<Eigen::Infinity>(), by_q.lpNorm<Eigen::Infinity>(),
                                 m.work.vdot.lpNorm<Eigen::Infinity>()});
  for (int i = 0; i < m.system.nv; ++i) {
    EXPECT_NEAR(d.work.vdot[i].d[0], by_v[i], 1e-6 * scale);
    EXPECT_NEAR(d.work.vdot[i].d[1], by_q[i], 1e-6 * scale);
  }
}

/// Unsymmetric added matrices: the general recursion against the full system M vdot + K-part = f.
TEST_P(RandomTrees, AddedMatricesAreSolvedForWithTheAccelerations) {
  RandomTree random(600 + GetParam());
  const Model model = random.tree(2 + GetParam() % 8, 0.3);
  MovingTree<double> m(model);
  m.randomize(&random);
  m.update(0.4);
  for (int k = 1; k < static_cast<int>(model.bodies.size()); ++k) {
    Matrix6<double> K;
    for (int i = 0; i < 36; ++i) K(i) = 0.1 * random.number();
    m.loads.added.push_back({{k}, K});
  }
  take_loads<double>(m.system, &m.scene, &m.loads, &m.work);
  ASSERT_EQ(calc_hybrid_dynamics<double>(m.system, &m.work), Status::kOk);
  const Eigen::VectorXd vdot = m.work.vdot;
  Eigen::VectorXd tau;
  std::vector<Vector6<double>> F;
  calc_inverse_dynamics<double>(m.system, vdot, &m.work, &tau, &F);
  Eigen::VectorXd known = vdot, bias;
  for (const int i : m.system.free_v) known[i] = 0;
  const double scale = std::max(1.0, vdot.size() ? vdot.lpNorm<Eigen::Infinity>() : 0);
  for (const int i : m.system.free_v) EXPECT_NEAR(tau[i], m.loads.tau[i], 1e-11 * scale);
  calc_inverse_dynamics<double>(m.system, known, &m.work, &bias, &F);
  Eigen::MatrixXd M;
  calc_mass_matrix<double>(m.system, m.work, &M);
  const Eigen::VectorXd product = M(m.system.free_v, m.system.free_v) * vdot(m.system.free_v);
  for (std::size_t i = 0; i < m.system.free_v.size(); ++i) {
    const int c = m.system.free_v[i];
    EXPECT_NEAR(product[static_cast<int>(i)], m.loads.tau[c] - bias[c], 1e-11 * scale);
  }
}

/// A load on a body that K A produces must equal -K times the body's true acceleration at its origin.
TEST(AddedMatrix, ActsOnTheClassicalAccelerationOfTheBodyOrigin) {
  RandomTree random(7);
  Model model = random.tree(3);
  MovingTree<double> m(model);
  m.randomize(&random);
  m.update(0);
  Matrix6<double> K;
  for (int i = 0; i < 36; ++i) K(i) = 0.1 * random.number();
  m.loads.added.push_back({{3}, K});
  take_loads<double>(m.system, &m.scene, &m.loads, &m.work);
  ASSERT_EQ(calc_hybrid_dynamics<double>(m.system, &m.work), Status::kOk);
  const Eigen::VectorXd vdot = m.work.vdot;
  // the same acceleration with the load given explicitly
  const NodeState<double>& s = m.work.nodes[3];
  const Vector3<double> p_JB_W = s.R_WJ.eigen() * m.system.nodes[3].p_JB;
  const Vector6<double> A_WB = shift_acceleration<double>(s.A.eigen(), s.w.eigen(), p_JB_W);
  const Vector6<double> F_B = -K * A_WB;
  MovingTree<double> e(model);
  e.q = m.q;
  e.v = m.v;
  e.update(0);
  e.work.F_J_W[3] = e.work.F_J_W[3] + Spatial<double>::of(shift_wrench<double>(F_B, -p_JB_W));
  ASSERT_EQ(calc_hybrid_dynamics<double>(e.system, &e.work), Status::kOk);
  EXPECT_LE((e.work.vdot - vdot).lpNorm<Eigen::Infinity>(), 1e-11 * vdot.lpNorm<Eigen::Infinity>());
}

}  // namespace
}  // namespace haltere
