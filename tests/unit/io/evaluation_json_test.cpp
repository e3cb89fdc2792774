#include "haltere/io/result/evaluation_json.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/io/model/model_reader.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// a mass of 2 kg on a spring of 3 N/m, 0.5 m from its rest
constexpr const char* kSpring = R"(haltere: 1
bodies: {mass: {mass: 2 kg}}
joints: {slide: {kind: prismatic, child: mass, axis: x}}
forces: {spring: {kind: linear-spring, joint: slide, stiffness: 3 N/m}}
initial: {slide: 0.5 m}
)";

// two arms with a rod between their tips
constexpr const char* kLoop = R"(haltere: 1
bodies:
  a: {mass: 1 kg, inertia: [1, 1, 1]}
  b: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  left: {kind: revolute, child: a, axis: y}
  right: {kind: revolute, child: b, axis: y}
constraints:
  tips: {kind: distance, from: a, from_point: [1, 0, 0], to: b, to_point: [0, 0, 1], distance: sqrt(2)}
)";

TEST(Evaluation, IsThatOfTheStart) {
  const Model model = read_model_text(kSpring, "spring.yaml");
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  const Evaluation e = evaluate_start(equations.get());
  // analytic: M = m, f = -k x; machine precision
  EXPECT_EQ(e.M(0, 0), 2);
  EXPECT_EQ(e.f[0], -1.5);
  EXPECT_EQ(e.vdot[0], -0.75);
  EXPECT_THAT(e.rows, IsEmpty());
  EXPECT_THAT(e.notes, IsEmpty());
}

TEST(Evaluation, IsThatOfAnyStateAndTime) {
  const Model model = read_model_text(kSpring, "spring.yaml");
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  Eigen::VectorXd y = equations->calc_initial_state();
  y[0] = -2;
  y[1] = 4;
  const Evaluation e = evaluate(7, y, equations.get());
  EXPECT_EQ(e.t, 7);
  EXPECT_EQ(e.vdot[0], 3);  // analytic: -k x / m
  EXPECT_EQ(e.v[0], 4);
}

TEST(Evaluation, SaysWhichConstraintAStateDoesNotObey) {
  const Model model = read_model_text(kLoop, "loop.yaml");
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  EXPECT_THAT(evaluate_start(equations.get()).notes, IsEmpty());
  Eigen::VectorXd y = equations->calc_initial_state();
  y[0] += 0.1;
  const Evaluation e = evaluate(0, y, equations.get());
  ASSERT_EQ(e.notes.size(), 1U);
  EXPECT_THAT(e.notes[0], HasSubstr("positions of the state do not obey the constraints: "));
  EXPECT_THAT(e.notes[0], HasSubstr("tips"));
}

TEST(EvaluationJson, NamesWhatItLists) {
  const Model model = read_model_text(kLoop, "loop.yaml");
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  const StateNames names(*equations);
  EXPECT_THAT(names.q, ElementsAre("joint.left.angle", "joint.right.angle"));
  EXPECT_EQ(names.unit("joint.left.angle"), "rad");
  const std::string text = make_evaluation_json(model, "recursive", names, evaluate_start(equations.get()));
  for (const char* part : {"\"joint.left.rate\"", "\"tips\"", "\"multipliers\"", "\"vdot\""})
    EXPECT_THAT(text, HasSubstr(part));
}

}  // namespace
}  // namespace haltere
