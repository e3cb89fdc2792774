// Laws of constraints and of the two formulations (analytic: equality, to rounding).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_tree.h"
#include "tolerance.h"

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/machine/constraint_set.h"
#include "haltere/math/dual.h"
#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

using test::RandomTree;

// machine: numbers of size one to ten through some hundred operations
constexpr double kRounding = 1e-11;

Expression parse_time(const std::string& text) {
  const Scope scope{[](std::string_view name) -> std::optional<Variable> {
                      if (name == "t") return Variable{Variable::Source::kLocal, 0, {}};
                      return std::nullopt;
                    },
                    [] { return std::vector<std::string>{"t"}; }};
  std::vector<TextProblem> problems;
  Expression e = Expression::parse(text, scope, std::nullopt, &problems);
  EXPECT_TRUE(problems.empty());
  return e;
}

/// One constraint of each kind between bodies 1 and 2, all that may be formulas of time being so.
void add_constraints(Model* model) {
  const auto moving = [](int i) {
    return std::vector<Expression>{parse_time("0.3 + 0.2*sin(2*t)"),
                                   parse_time("-0.1*t*t + " + std::to_string(i)), parse_time("0.5*cos(t)")};
  };
  const auto fixed = [] {
    return std::vector<Expression>{Expression(0.2), Expression(-0.4), Expression(0.7)};
  };
  Entry pin{"pin",
            {},
            find_kind(constraint_kinds(), "coincident"),
            {BodyIndex{1}, moving(1), BodyIndex{2}, fixed()}};
  Entry rod{"rod",
            {},
            find_kind(constraint_kinds(), "distance"),
            {BodyIndex{1}, moving(2), BodyIndex{2}, fixed(), parse_time("2 + sin(t)")}};
  Entry turn{
      "turn", {}, find_kind(constraint_kinds(), "orientation"), {BodyIndex{1}, BodyIndex{2}, moving(0)}};
  Entry wheel{
      "wheel",
      {},
      find_kind(constraint_kinds(), "rolling"),
      {BodyIndex{1}, moving(1), fixed(), BodyIndex{2}, fixed(), fixed(), Expression(0.8), Expression(0.3)}};
  Entry blade{
      "blade", {}, find_kind(constraint_kinds(), "no-slip"), {BodyIndex{1}, BodyIndex{2}, fixed(), fixed()}};
  model->constraints = {pin, rod, turn, wheel, blade};
  EXPECT_EQ(model->constraints.size(), constraint_kinds().size()) << "a new kind needs an entry here";
}

/// A body that moves: pose and twist, with their derivatives as the dual part in direction 0.
struct Motion6 {
  Transform<double> X;
  Vector6<double> V, A;
};

Motion6 make_motion(RandomTree* random) {
  Motion6 m;
  Vector4<double> q;
  for (int i = 0; i < 4; ++i) q[i] = random->number();
  m.X = {rotation_of<double>(q), {random->number(), random->number(), random->number()}};
  for (int i = 0; i < 6; ++i) m.V[i] = random->number();
  for (int i = 0; i < 6; ++i) m.A[i] = random->number();
  return m;
}

Dual along(double value, double rate) {
  Dual x(value);
  x.d[0] = rate;
  return x;
}

void place(const Motion6& m, int body, Scene<Dual>* scene) {
  const Matrix3<double> Rdot = skew<double>(Vector3<double>(m.V.head<3>())) * m.X.R;
  for (int i = 0; i < 3; ++i) {
    scene->X_WB[body].p[i] = along(m.X.p[i], m.V[3 + i]);
    for (int j = 0; j < 3; ++j) scene->X_WB[body].R(i, j) = along(m.X.R(i, j), Rdot(i, j));
  }
  for (int i = 0; i < 6; ++i) scene->V_WB[body][i] = along(m.V[i], m.A[i]);
}

class Constraints : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, Constraints, testing::Range(1, 41));

// dg/dt and its own derivative by dual numbers, for bodies anywhere: nothing is met; nonholonomic rows have
// no residual
TEST_P(Constraints, RowsAreTheDerivativesOfTheirResiduals) {
  RandomTree random(GetParam());
  Model model = random.tree(2, 0.5);
  model.joints[1].parent = {1};
  add_constraints(&model);
  const ConstraintSet<Dual> set(model, {}, 0);
  Scene<Dual> scene;
  scene.t = along(0.4, 1);
  scene.X_WB.resize(3);
  scene.V_WB.assign(3, Vector6<Dual>::Zero());
  std::array<Motion6, 3> motions{};
  motions[0].V.setZero();
  motions[0].A.setZero();
  for (int b = 1; b < 3; ++b) {
    motions[b] = make_motion(&random);
    place(motions[b], b, &scene);
  }
  std::vector<BodyRows<Dual>> sets;
  set.update_rows(scene, &sets);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const BodyRows<Dual>& rows = sets[s];
    EXPECT_EQ(rows.n, static_cast<int>(set.row_names[s].size()));
    const Motion6 &a = motions[rows.first.value], &b = motions[rows.second.value];
    for (int i = 0; i < rows.n; ++i) {
      Dual gdot = rows.b[i];
      double gddot = rows.bias[i].value;
      for (int k = 0; k < 6; ++k) {
        gdot += rows.G_A(i, k) * scene.V_WB[rows.first.value][k] +
                rows.G_B(i, k) * scene.V_WB[rows.second.value][k];
        gddot += rows.G_A(i, k).value * a.A[k] + rows.G_B(i, k).value * b.A[k];
      }
      if (set.is_holonomic[rows.start + i])
        EXPECT_NEAR(gdot.value, rows.g[i].d[0], kRounding) << set.names[s] << ' ' << set.row_names[s][i];
      else
        EXPECT_EQ(rows.g[i], Dual(0)) << set.names[s] << ' ' << set.row_names[s][i];
      EXPECT_NEAR(gddot, gdot.d[0], 10 * kRounding) << set.names[s] << ' ' << set.row_names[s][i];
    }
  }
}

// the joints of a tree, held by rows: the tree obeys them at all levels, and its coordinates are read back
TEST_P(Constraints, ATreeObeysTheRowsOfItsJoints) {
  RandomTree random(100 + GetParam());
  const Model model = random.tree(2 + GetParam() % 8, 0.3);
  Equations tree("recursive", model);
  Eigen::VectorXd y(tree.sizes().ny());
  for (double& x : y) x = random.number();
  Eigen::VectorXd unused(y.size());
  tree.normalize(y, unused);
  Snapshot s;
  ASSERT_EQ(tree.observe(0.3, y, &s), Status::kOk);
  const ConstraintSet<double> set(model, {}, 0);
  std::vector<BodyRows<double>> sets;
  set.update_rows(s.scene, &sets);
  for (const BodyRows<double>& rows : sets)
    for (int i = 0; i < rows.n; ++i) {
      const auto A = rows.G_A.row(i), B = rows.G_B.row(i);
      EXPECT_NEAR(rows.g[i], 0, kRounding);
      EXPECT_NEAR(A.dot(s.scene.V_WB[rows.first.value]) + B.dot(s.scene.V_WB[rows.second.value]) + rows.b[i],
                  0, kRounding);
      const double size = 1 + s.A_WB[rows.first.value].norm() + s.A_WB[rows.second.value].norm();
      EXPECT_NEAR(A.dot(s.A_WB[rows.first.value]) + B.dot(s.A_WB[rows.second.value]) + rows.bias[i], 0,
                  kRounding * size * 10);
    }
  Scene<double> read = s.scene;
  read.q.setZero();
  read.v.setZero();
  std::vector<double> turns;
  for (const HeldJoint<double>& joint : set.joints)
    for (const int i : joint.angles()) turns.push_back(s.scene.q[s.scene.q_of[joint.joint()] + i]);
  set.update_coordinates(turns.data(), &read);
  EXPECT_LE((read.v - s.scene.v).lpNorm<Eigen::Infinity>(), 100 * kRounding);
  for (const HeldJoint<double>& joint : set.joints) {
    const JointSpec& spec = model.joints[joint.joint()];
    for (int i = spec.nq() > spec.nv() ? 3 : 0; i < spec.nv(); ++i)
      EXPECT_NEAR(read.position({joint.joint(), i}), s.scene.position({joint.joint(), i}), kRounding);
    Vector6<double> vdot;
    joint.calc_vdot(s.scene, s.A_WB[spec.parent.value], s.A_WB[spec.child.value], vdot.data());
    for (int i = 0; i < spec.nv(); ++i)
      EXPECT_NEAR(vdot[i], s.vdot[s.scene.v_start[joint.joint()] + i],
                  1e-9 * (1 + s.vdot.lpNorm<Eigen::Infinity>()));
  }
}

// both formulations at the same state: accelerations, forces and reactions
TEST_P(Constraints, AbsoluteEqualsRecursive) {
  RandomTree random(200 + GetParam());
  Model model = random.tree(2 + GetParam() % 12, 0.2);
  for (JointSpec& joint : model.joints)
    for (int k = 0; k < joint.nv(); ++k)
      if (joint.mode(k) != CoordinateMode::kPrescribed) {
        if (joint.motion(k) != Motion::kTurn) joint.initial_position[k] = random.constant(-4, 4);
        joint.initial_velocity[k] = random.constant();
      }
  Eigen::VectorXd y;
  std::array<Snapshot, 4> s;
  int i = 0;
  for (const auto& [formulation, chart] :
       {std::pair{"recursive", "lie"}, std::pair{"absolute", "lie"}, std::pair{"absolute", "quaternion"},
        std::pair{"absolute", "euler-zxz"}}) {
    const auto equations = make_equations(formulation, model, {chart, {}});
    y = equations->calc_initial_state();
    ASSERT_EQ(equations->observe(0, y, &s[i]), Status::kOk) << equations->explain_failure(0, y);
    Eigen::VectorXd ydot(y.size());
    if (std::string_view(chart) != "euler-zxz") {
      ASSERT_EQ(equations->calc_ydot(0, y, ydot), Status::kOk);
    }
    ++i;
  }
  const double size = 1 + s[0].vdot.lpNorm<Eigen::Infinity>();
  double reaction = 1;
  for (const Vector6<double>& F : s[0].F_reaction) reaction = std::max(reaction, F.lpNorm<Eigen::Infinity>());
  for (i = 1; i < 4; ++i) {
    for (std::size_t b = 1; b < model.bodies.size(); ++b)
      EXPECT_LE((s[i].A_WB[b] - s[0].A_WB[b]).lpNorm<Eigen::Infinity>(), 1e-9 * size) << b;
    if (model.nv() > 0) {
      EXPECT_LE((s[i].vdot - s[0].vdot).lpNorm<Eigen::Infinity>(), 1e-9 * size);
      EXPECT_LE((s[i].tau - s[0].tau).lpNorm<Eigen::Infinity>(), 1e-9 * reaction);
    }
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      EXPECT_LE((s[i].F_reaction[j] - s[0].F_reaction[j]).lpNorm<Eigen::Infinity>(), 1e-9 * reaction) << j;
    EXPECT_NEAR(s[i].kinetic, s[0].kinetic, 1e-11 * (1 + s[0].kinetic));
    EXPECT_LE((s[i].angular_momentum - s[0].angular_momentum).norm(), 1e-10);
  }
}

/// A tree with constraints of every kind and a joint that closes a loop, some coordinates prescribed.
Model make_loops(RandomTree* random, int n_bodies) {
  Model model = random->tree(n_bodies, 0.2);
  add_constraints(&model);
  std::rotate(model.constraints.begin(), model.constraints.begin() + random->integer(0, 4),
              model.constraints.end());
  model.constraints.resize(random->integer(0, 3));
  model.joints.push_back(random->joint("loop", random->integer(0, static_cast<int>(joint_kinds().size()) - 1),
                                       random->integer(0, 1), n_bodies));
  random->prescribe(0.3, &model.joints.back());
  return model;
}

Eigen::VectorXd make_vector(Eigen::Index size, RandomTree* random) {
  Eigen::VectorXd x(size);
  for (double& value : x) value = random->number();
  return x;
}

/// The equations of such a machine at a state that obeys nothing.
struct LooseMachine {
  LooseMachine(const Model& model, const char* formulation, RandomTree* random)
      : equations(make_equations(formulation, model,
                                 {.chart = "lie", .stabilization = {Stabilization::Kind::kNone}})),
        sizes(equations->sizes()) {
    y = equations->calc_initial_state();
    y.head(sizes.nq + sizes.nv) += 0.5 * make_vector(sizes.nq + sizes.nv, random);
    Eigen::VectorXd unused(y.size());
    equations->normalize(y, unused);
    EXPECT_EQ(equations->calc_constraint_matrix(kTime, y, &A, &b), Status::kOk);
  }
  Eigen::VectorXd calc_g(ConstRef state) const {
    Eigen::VectorXd g(sizes.ng), gdot(sizes.na);
    EXPECT_EQ(equations->calc_drift(kTime, state, g, gdot), Status::kOk);
    return g;
  }

  static constexpr double kTime = 0.3;
  std::unique_ptr<Equations> equations;
  Sizes sizes;
  Eigen::VectorXd y, b;
  Eigen::MatrixXd A;
};

/// What has rows in a formulation; fluids make the mass matrix unsymmetric.
Model make_rows(const std::string& formulation, bool has_fluids, RandomTree* random, int seed) {
  Model model =
      formulation == "hinge-matrix" ? random->insect(1 + seed % 4, 0.4) : make_loops(random, 2 + seed % 6);
  for (std::size_t b = 1; b < model.bodies.size() && has_fluids; ++b)
    if (random->integer(0, 2) > 0) random->add_fluid(static_cast<int>(b), 0.1, &model);
  return model;
}
constexpr std::array<const char*, 3> kFormulations{"recursive", "absolute", "hinge-matrix"};

TEST_P(Constraints, TheMatrixOfTheRowsIsTheDerivativeOfTheirResiduals) {
  for (const char* formulation : kFormulations) {
    RandomTree random(300 + GetParam());
    const Model model = make_rows(formulation, false, &random, GetParam());
    const LooseMachine machine(model, formulation, &random);
    Eigen::VectorXd g(machine.sizes.ng), gdot(machine.sizes.na);
    ASSERT_EQ(machine.equations->calc_drift(LooseMachine::kTime, machine.y, g, gdot), Status::kOk);
    const Eigen::VectorXd v = machine.y.segment(machine.sizes.nq, machine.sizes.nv);
    EXPECT_LE((machine.A * v + machine.b - gdot).lpNorm<Eigen::Infinity>(),
              10 * kRounding * tolerance_scale())
        << formulation;
    // discretisation: central differences, h^2 times third derivatives; rounding over h
    const double h = 1e-5, tolerance = 1e-8 * tolerance_scale();
    Eigen::VectorXd dq = Eigen::VectorXd::Zero(machine.A.cols());
    const Eigen::VectorXd still = dq;
    for (int i = 0; i < dq.size(); ++i) {
      Eigen::VectorXd ahead = machine.y, behind = machine.y;
      dq[i] = h;
      machine.equations->shift(dq, still, ahead);
      machine.equations->shift(-dq, still, behind);
      dq[i] = 0;
      const Eigen::VectorXd slope = (machine.calc_g(ahead) - machine.calc_g(behind)) / (2 * h);
      const Eigen::VectorXd column = machine.A.col(i)(machine.equations->position_rows());
      EXPECT_LE((slope - column).lpNorm<Eigen::Infinity>(), tolerance) << formulation << ' ' << i;
    }
  }
}

TEST_P(Constraints, AChangeOfVelocityDoesToTheRowsWhatWasAskedFor) {
  for (const char* formulation : kFormulations) {
    RandomTree random(400 + GetParam());
    const Model model = make_rows(formulation, GetParam() % 2 == 0, &random, GetParam());
    const LooseMachine machine(model, formulation, &random);
    machine.calc_g(machine.y);
    // what can be asked for where rows are redundant
    const Eigen::VectorXd r = machine.A * make_vector(machine.A.cols(), &random);
    Eigen::VectorXd dv(machine.A.cols());
    machine.equations->calc_change(r, dv);
    // what is almost singular is passed over: docs/decisions/0010
    EXPECT_LE((machine.A * dv - r).lpNorm<Eigen::Infinity>(), 1e-9 * (1 + r.norm()) * tolerance_scale())
        << formulation;
  }
}

TEST_P(Constraints, ForcesMultipliersAndAccelerationsBalance) {
  for (const char* formulation : kFormulations) {
    RandomTree random(500 + GetParam());
    const Model model = make_rows(formulation, GetParam() % 2 == 0, &random, GetParam());
    const LooseMachine machine(model, formulation, &random);
    Eigen::MatrixXd M;
    Eigen::VectorXd f, ydot(machine.y.size());
    Snapshot s;
    ASSERT_EQ(machine.equations->calc_free_motion(LooseMachine::kTime, machine.y, &M, &f), Status::kOk);
    ASSERT_EQ(machine.equations->calc_ydot(LooseMachine::kTime, machine.y, ydot), Status::kOk);
    ASSERT_EQ(machine.equations->observe(LooseMachine::kTime, machine.y, &s), Status::kOk);
    const Eigen::VectorXd load = machine.A.transpose() * s.lambda,
                          vdot = ydot.segment(machine.sizes.nq, machine.sizes.nv);
    // machine: multipliers of rows that contradict each other are large and cancel; of rows between bodies
    // that cannot move against each other all entries of A are rounding
    const Eigen::VectorXd terms = machine.A.cwiseAbs().transpose() * s.lambda.cwiseAbs();
    const double size = 1 + f.lpNorm<Eigen::Infinity>() + terms.lpNorm<Eigen::Infinity>();
    const double rounding = 10 * kRounding * size + 1e-15 * s.lambda.lpNorm<1>();
    EXPECT_LE((M * vdot - f + load).lpNorm<Eigen::Infinity>(), rounding * tolerance_scale()) << formulation;
  }
}

}  // namespace
}  // namespace haltere
