#include "haltere/dynamics/hinge_matrix/hinge_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "random_tree.h"

#include "haltere/dynamics/implicit_form.h"
#include "haltere/dynamics/misfits.h"
#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// What is wrong with a model, one text a problem.
std::vector<std::string> misfits_of(const Model& model) {
  std::vector<std::string> lines;
  for (const Problem& problem : find_misfits("hinge-matrix", model)) lines.push_back(problem.text());
  return lines;
}

std::string problem_of(const Model& model, const EquationsOptions& options = {}) {
  try {
    make_equations("hinge-matrix", model, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(HingeMatrix, TakesOneFreeBodyWithWingsOnSphericalJoints) {
  for (int n = 0; n < 5; ++n) {
    test::RandomTree random(n);
    EXPECT_THAT(misfits_of(random.insect(n, 0.5)), SizeIs(0));
  }
  EXPECT_THAT(find_misfits("recursive", test::RandomTree(1).tree(5)), SizeIs(0));
}

TEST(HingeMatrix, NamesTheJointThatItCannotHave) {
  test::RandomTree random(1);
  const Model insect = random.insect(2, 0);
  Model model = insect;
  model.joints[2].entry.kind = find_kind(joint_kinds(), "revolute");
  EXPECT_THAT(
      misfits_of(model),
      ElementsAre("joint 'hinge2': formulation hinge-matrix: wings hang on spherical joints, this one is of "
                  "kind revolute; use --formulation recursive or absolute"));
  EXPECT_THAT(problem_of(model), HasSubstr("joint 'hinge2'"));

  model = insect;
  model.joints[2].parent = {2};
  EXPECT_THAT(misfits_of(model),
              ElementsAre(HasSubstr("joint 'hinge2': formulation hinge-matrix: wings hang on the one "
                                    "free body 'body', this one on 'wing1'")));
  model = insect;
  model.joints[0].entry.kind = find_kind(joint_kinds(), "spherical");
  EXPECT_THAT(misfits_of(model),
              ElementsAre(HasSubstr("joint 'base': formulation hinge-matrix: the body must be free, "
                                    "but a joint of kind spherical holds it")));
  model = insect;
  model.joints[0].prescribed[4] = Expression(1);
  EXPECT_THAT(misfits_of(model),
              ElementsAre(HasSubstr("joint 'base': formulation hinge-matrix: the body must be free, "
                                    "but a part of its motion is prescribed or locked")));
  model = insect;
  model.joints.push_back(random.joint("loop", find_kind(joint_kinds(), "universal"), 2, 3));
  EXPECT_THAT(misfits_of(model),
              ElementsAre(HasSubstr("joint 'loop': formulation hinge-matrix: it closes a loop")));
}

TEST(HingeMatrix, NamesConstraintsAndEventsThatItCannotHave) {
  test::RandomTree random(1);
  Model model = random.insect(2, 0);
  model.constraints.push_back({"rod", {}, find_kind(constraint_kinds(), "distance"), {}});
  model.events.resize(2);
  model.events[0].name = "snaps";
  model.events[0].break_off = {1};
  model.events[1].name = "lands";
  model.events[1].lock = {0, 2};
  EXPECT_THAT(
      misfits_of(model),
      ElementsAre(
          HasSubstr("constraint 'rod'"),
          HasSubstr("event 'snaps': formulation hinge-matrix: joint "
                    "'hinge1' cannot break off"),
          HasSubstr("event 'lands': formulation hinge-matrix: joint 'base' of the free body cannot lock")));
}

TEST(HingeMatrix, HasTwoKindsOfCharts) {
  test::RandomTree random(1);
  Model model = random.insect(1, 0);
  EXPECT_EQ(problem_of(model, {.chart = "euler-xyz"}), "");
  EXPECT_THAT(problem_of(model, {.chart = "quaternion"}),
              HasSubstr("formulation hinge-matrix has no chart 'quaternion'; lie, or euler-"));
  model.bodies[2].chart = "quaternion";
  EXPECT_THAT(problem_of(model), HasSubstr("body 'wing1': formulation hinge-matrix has no chart"));
  EXPECT_EQ(problem_of(model, {.own_charts = false}), "");
}

TEST(HingeMatrix, HasNoImplicitForm) {
  test::RandomTree random(1);
  const Model model = random.insect(1, 0);
  EXPECT_THROW(make_equations("hinge-matrix", model)->make_implicit_form(), InputError);
  EXPECT_FALSE(has_implicit_form("hinge-matrix"));
  EXPECT_TRUE(has_implicit_form("absolute"));
}

TEST(HingeMatrix, SaysWhyAccelerationsAreNotDefined) {
  test::RandomTree random(1);
  Model model = random.insect(2, 0);
  for (Expression& moment : model.bodies[3].inertia) moment = Expression(0.0);
  model.bodies[3].mass = Expression(0.0);
  const auto equations = make_equations("hinge-matrix", model);
  const Eigen::VectorXd y = equations->calc_initial_state();
  Eigen::VectorXd ydot(y.size());
  EXPECT_EQ(equations->calc_ydot(0, y, ydot), Status::kSingular);
  EXPECT_THAT(equations->explain_failure(0, y), HasSubstr("has no inertia"));
}

// a speck on a large body: nothing is small by itself
TEST(HingeMatrix, DoesNotMindSmallWings) {
  test::RandomTree random(2);
  Model model = random.insect(1, 0);
  model.forces.clear();
  const double mass = 1e-12, length = 1e-6;
  model.bodies[2].mass = Expression(mass);
  for (Expression& x : model.bodies[2].center_of_mass) x = Expression(length * random.number());
  for (int i = 0; i < 6; ++i) model.bodies[2].inertia[i] = Expression(i < 3 ? mass * length * length : 0);
  for (Expression& x : model.joints[1].child_frame.position) x = Expression(length * random.number());
  for (auto& torque : model.joints[1].driven) torque.reset();
  std::array<Snapshot, 2> s;
  int i = 0;
  for (const char* formulation : {"recursive", "hinge-matrix"}) {
    const auto equations = make_equations(formulation, model);
    ASSERT_EQ(equations->observe(0, equations->calc_initial_state(), &s[i++]), Status::kOk);
  }
  // rounding: the hinge moves 1e6 times as far as the wing is long
  EXPECT_LE((s[0].vdot - s[1].vdot).lpNorm<Eigen::Infinity>(), 1e-8 * s[0].vdot.lpNorm<Eigen::Infinity>());
}

}  // namespace
}  // namespace haltere
