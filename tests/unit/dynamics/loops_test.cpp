#include "haltere/dynamics/recursive/loops.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "random_tree.h"

#include "haltere/math/dense.h"

/// Expected values: the mass matrix and the rows as dense matrices, solved by Eigen   (source: independent)
namespace haltere {
namespace {

// rounding times the condition of A M^-1 A^T, some thousands for these chains
constexpr double kRounding = 1e-10;

/// A chain whose end is tied to the world, at a random state that need not meet the loop.
struct Chain {
  explicit Chain(unsigned seed) : random(seed), model(random.loop(3)), q(system.free_q.size()), v(9) {
    for (double& x : q) x = random.number();
    for (double& x : v) x = random.number();
    EXPECT_EQ(system.nv, 9);
  }
  /// Accelerations of the tree alone, and the factors of the loop.
  void update() {
    const std::vector<double> turns(system.constraints.n_turns);
    update_kinematics<double>(system, 0, q.data(), v.data(), &scene, &work);
    update_scene<double>(system, work, turns.data(), &scene);
    for (Vector6<double>& F : loads.F_B_W) F.setZero();
    add_loads<double>(machine, scene, &loads);
    take_loads<double>(system, &scene, &loads, &work);
    ASSERT_EQ(calc_hybrid_dynamics<double>(system, &work), Status::kOk);
    loops.factor(system, scene, &work);
    calc_mass_matrix<double>(system, work, &M);
    A.setZero(system.constraints.n_rows, system.nv);
    for (const BodyRows<double>& rows : work.rows)
      for (const auto& [body, G] : {std::pair{rows.first, &rows.G_A}, std::pair{rows.second, &rows.G_B}}) {
        if (body.value == 0) continue;
        Eigen::MatrixXd J;
        calc_body_jacobian<double>(system, work, body, &J);
        A.middleRows(rows.start, rows.n) += G->topRows(rows.n) * J.leftCols(system.nv);
      }
  }

  test::RandomTree random;
  Model model;
  Machine<double> machine{model, {}};
  RecursiveSystem<double> system{machine};
  RecursiveWorkspace<double> work{system};
  Scene<double> scene = make_scene<double>(model);
  BodyLoads<double> loads{machine};
  Loops loops{system};
  std::vector<double> q, v;
  Eigen::MatrixXd M, A;
};

// dv = M^-1 A^T (A M^-1 A^T)^-1 r: the least in the sense of kinetic energy
TEST(Loops, FindTheLeastChangeOfVelocities) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Chain chain(seed);
    chain.update();
    const Eigen::MatrixXd answers = solve_least(chain.M, chain.A.transpose(), 1e-14);
    const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(chain.A.rows(), -1, 1);
    const Eigen::VectorXd expected = answers * solve_least_vector(chain.A * answers, r, 1e-14);
    const Eigen::VectorXd dv = chain.loops.calc_change(chain.system, chain.work, r);
    EXPECT_LE((dv - expected).lpNorm<Eigen::Infinity>(), kRounding * expected.lpNorm<Eigen::Infinity>());
  }
}

// M vdot = M vdot_tree - A^T lambda, and what is wanted of the rows is what they get.
TEST(Loops, GiveRowsTheAccelerationThatIsWanted) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Chain chain(seed);
    const int n = chain.system.constraints.n_rows;
    Eigen::VectorXd vdot[2], wanted[2] = {Eigen::VectorXd::Zero(n), Eigen::VectorXd::LinSpaced(n, 1, 2)};
    for (int i = 0; i < 2; ++i) {
      chain.update();
      const Eigen::VectorXd tree = chain.work.vdot.head(chain.system.nv);
      chain.loops.solve(chain.system, wanted[i], &chain.work);
      vdot[i] = chain.work.vdot.head(chain.system.nv);
      const Eigen::VectorXd pull = chain.A.transpose() * chain.loops.lambda();
      EXPECT_LE((chain.M * (vdot[i] - tree) + pull).lpNorm<Eigen::Infinity>(),
                kRounding * pull.lpNorm<Eigen::Infinity>());
    }
    const Eigen::VectorXd gained = chain.A * (vdot[1] - vdot[0]);
    EXPECT_LE((gained - wanted[1]).lpNorm<Eigen::Infinity>(), kRounding);
  }
}

}  // namespace
}  // namespace haltere
