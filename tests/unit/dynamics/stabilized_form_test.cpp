#include "haltere/dynamics/stabilized_form.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "random_tree.h"

#include "haltere/dynamics/equations.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

/// A random tree whose joints are rows (`absolute`), at its start, as Y = (q, v, lambda, mu) and its rate.
struct Machine {
  explicit Machine(unsigned seed) : model(test::RandomTree(seed).insect(2, 0)) {
    equations = make_equations("absolute", model);
    const Sizes sizes = equations->sizes();
    const Eigen::VectorXd y = equations->calc_initial_state();
    Eigen::VectorXd ydot(y.size());
    EXPECT_EQ(equations->calc_ydot(0, y, ydot), Status::kOk);
    form = std::make_unique<StabilizedForm>(equations->make_implicit_form(), sizes);
    Y.setZero(form->size());
    Ydot = Y;
    Y.head(form->nq() + form->n()) = y.head(form->nq() + form->n());
    Ydot.head(form->nq() + form->n()) = ydot.head(form->nq() + form->n());
    Snapshot snapshot;
    EXPECT_EQ(equations->observe(0, y, &snapshot), Status::kOk);
    Y.segment(form->nq() + form->n(), form->m()) = snapshot.lambda;
  }
  Eigen::VectorXd calc(const Eigen::VectorXd& at, const Eigen::VectorXd& rate) {
    Eigen::VectorXd F(form->size());
    EXPECT_EQ(form->calc(0, at, rate, F), Status::kOk);
    return F;
  }

  Model model;
  std::unique_ptr<Equations> equations;
  std::unique_ptr<StabilizedForm> form;
  Eigen::VectorXd Y, Ydot;
};

// Accelerations and multipliers of the explicit equations leave nothing over: (source: the other formula of
// the program; tolerance: rounding of loads of some tens of newtons)
TEST(StabilizedForm, VanishesAlongTheMotion) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Machine machine(seed);
    ASSERT_GT(machine.form->m(), 0);
    EXPECT_LE(machine.calc(machine.Y, machine.Ydot).lpNorm<Eigen::Infinity>(), 1e-11);
  }
}

// Newton's correction against the same matrix by central differences, solved densely. (source: independent;
// tolerance: differences of 1e-6 leave 1e-9, times the condition of some thousands)
TEST(StabilizedForm, SolvesItsOwnDerivative) {
  constexpr double kDifference = 1e-6, c = 30;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Machine machine(seed);
    const int n = machine.form->size();
    Eigen::MatrixXd J(n, n);
    for (int j = 0; j < n; ++j) {
      const Eigen::VectorXd e = kDifference * Eigen::VectorXd::Unit(n, j);
      J.col(j) = (machine.calc(machine.Y + e, machine.Ydot + c * e) -
                  machine.calc(machine.Y - e, machine.Ydot - c * e)) /
                 (2 * kDifference);
    }
    ASSERT_TRUE(machine.form->factor(0, machine.Y, machine.Ydot, c));
    Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1, 1);
    const Eigen::VectorXd expected = solve_least_vector(J, x, 1e-14);
    machine.form->solve(x);
    EXPECT_LE((x - expected).lpNorm<Eigen::Infinity>(), 1e-5 * expected.lpNorm<Eigen::Infinity>()) << seed;
  }
}

}  // namespace
}  // namespace haltere
