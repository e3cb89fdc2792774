#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "count_allocations.h"
#include "formulations_of.h"
#include "random_tree.h"
#include "shipped_models.h"

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/integrator.h"
#include "haltere/io/model/model_reader.h"

namespace haltere {
namespace {

TEST(RightHandSide, AllocatesNothingInAnyCaseOfAnyShippedModel) {
  const std::vector<ModelCase> cases = list_shipped_cases();
  EXPECT_GE(cases.size(), 7u);  // or the folder was not found
  for (const ModelCase& c : cases) {
    const Model model = c.read();
    for (const FormulationInfo& formulation : formulations_of(model)) {
      const auto equations = make_equations(formulation.name, model);
      const Eigen::VectorXd y = equations->calc_initial_state();
      Eigen::VectorXd ydot(y.size());
      ASSERT_EQ(equations->calc_ydot(0, y, ydot), Status::kOk);  // sizes what depends on the number of rows
      const long before = allocations;
      const double end = model.settings.until.value_or(2);  // tables may
      for (const double t : {0.0, 0.1, 2.0})
        ASSERT_EQ(equations->calc_ydot(std::min(t, end), y, ydot), Status::kOk) << testing::PrintToString(c);
      EXPECT_EQ(allocations, before) << testing::PrintToString(c) << ' ' << formulation.name;
    }
  }
}

TEST(RightHandSide, AllocatesNothingInFluids) {
  test::RandomTree random(400);
  for (Model model : {random.insect(4, 0.4), random.loop(4)}) {
    for (std::size_t b = 1; b < model.bodies.size(); ++b) random.add_fluid(static_cast<int>(b), 0.1, &model);
    for (const FormulationInfo& formulation : formulations_of(model)) {
      // loops are not met at the start
      const auto equations =
          make_equations(formulation.name, model, {.stabilization = {Stabilization::Kind::kNone}});
      const Eigen::VectorXd y = equations->calc_initial_state();
      Eigen::VectorXd ydot(y.size());
      ASSERT_EQ(equations->calc_ydot(0, y, ydot), Status::kOk);  // sizes what depends on the fluids
      const long before = allocations;
      for (const double t : {0.0, 0.1}) ASSERT_EQ(equations->calc_ydot(t, y, ydot), Status::kOk);
      EXPECT_EQ(allocations, before) << formulation.name;
    }
  }
}

/// Once sizes are known and the tangent has been factored, a step asks for no memory: also where the tangent
/// is computed anew.
TEST(ImplicitMethods, AllocateNothingOnRealMachines) {
  for (const auto& [name, case_name] :
       {std::pair{"x-hale", "free"}, std::pair{"kick-scooter", "straight"}, std::pair{"andrews", ""}}) {
    const Model model = read_model(shipped_model(name), {.case_name = case_name, .set = {}});
    const double step = std::string(name) == "andrews" ? 1e-5 : 1e-3;
    for (const FormulationInfo& formulation : general_formulations())
      for (const char* method : {"newmark", "hht", "generalized-alpha", "ida-bdf"}) {
        const auto equations = make_equations(formulation.name, model);
        const IntegratorInfo& info = *find_integrator(method);
        const auto integrator = info.make(*equations, {.step = info.chooses_steps(step) ? 0 : step,
                                                       .tolerance = 1e-6,
                                                       .until = 1,
                                                       .parameter = info.parameter.otherwise});
        integrator->start(0, equations->calc_initial_state());
        const auto advance = [&](int n) {
          for (int i = 0; i < n; ++i) {
            const StepReport report = integrator->step(1);
            ASSERT_EQ(report.outcome, StepReport::Outcome::kOk) << report.message;
          }
        };
        advance(20);
        const long before = allocations;
        advance(40);
        EXPECT_EQ(allocations, before) << name << ' ' << formulation.name << ' ' << method;
      }
  }
}

/// Two wings that heave against each other above the ground, a fuselage below one; wakes that end and are joined.
constexpr const char* kWings = R"(haltere: 1
air:
  step: 0.05
  density: 1
  wind: [1, 0, 0]
  wake_age: 1
  coarsen_after: 0.3
  convection: CONVECTION
  planes: {ground: {point: [0, 0, -2], normal: z}}
bodies: {front: {mass: 1}, rear: {mass: 1}}
joints:
  front: {kind: prismatic, child: front, axis: z, prescribed: 0.1 m*sin(4 rad/s*t)}
  rear: {kind: prismatic, child: rear, axis: z, parent_frame: [2, 0, 0], prescribed: 0.1 m*sin(5 rad/s*t)}
surfaces:
  front:
    {kind: vortex-lattice, body: front, span_axis: y, chord_axis: x, upper: z, span: 4, chord: 1, chord_panels: 3,
     span_panels: 6, core: 0.02}
  rear:
    {kind: vortex-lattice, body: rear, span_axis: y, chord_axis: x, upper: z, span: 4, chord: 1, chord_panels: 3,
     span_panels: 6, core: 0.02, shedding: leading-edge}
  hull:
    {kind: vortex-body, body: front, nose: [0, 0, -0.8], axis: x, length: 2, radius: 0.3*sqrt(s*(2 - s)), length_panels: 6,
     around_panels: 6}
)";

/// Once wakes have the length that they will have, steps of the air ask for no memory.
TEST(LatticeAir, AllocatesNothingInAStep) {
  for (const std::string convection : {"euler", "heun"}) {
    std::string text = kWings;
    text.replace(text.find("CONVECTION"), 10, convection);
    const Model model = read_model_text(text, "wings.yaml");
    const auto equations = make_equations("recursive", model);
    const Eigen::VectorXd y = equations->calc_initial_state();
    Eigen::VectorXd ydot(y.size());
    equations->start_environments(0, y);
    const auto advance = [&](int n) {
      for (int i = 0; i < n; ++i) {
        const double t = equations->next_environment_time();
        ASSERT_EQ(equations->calc_ydot(t - 0.02, y, ydot), Status::kOk);
        ASSERT_EQ(equations->calc_ydot(t, y, ydot), Status::kOk);
        equations->advance_environments(t, y);
      }
    };
    advance(60);
    const long before = allocations;
    advance(20);
    EXPECT_EQ(allocations, before) << convection;
  }
}

}  // namespace
}  // namespace haltere
