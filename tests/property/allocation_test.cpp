#include <gtest/gtest.h>

#include "count_allocations.h"
#include "shipped_models.h"

#include "haltere/dynamics/equations.h"

namespace haltere {
namespace {

TEST(RightHandSide, AllocatesNothingInAnyCaseOfAnyShippedModel) {
  const std::vector<ModelCase> cases = list_shipped_cases();
  EXPECT_GE(cases.size(), 7u);  // or the folder was not found
  for (const ModelCase& c : cases) {
    const Model model = c.read();
    for (const FormulationInfo& formulation : formulations()) {
      const auto equations = make_equations(formulation.name, model);
      const Eigen::VectorXd y = equations->calc_initial_state();
      Eigen::VectorXd ydot(y.size());
      ASSERT_EQ(equations->calc_ydot(0, y, ydot), Status::kOk);  // sizes what depends on the number of rows
      const long before = allocations;
      for (const double t : {0.0, 0.1, 2.0}) ASSERT_EQ(equations->calc_ydot(t, y, ydot), Status::kOk);
      EXPECT_EQ(allocations, before) << testing::PrintToString(c) << ' ' << formulation.name;
    }
  }
}

}  // namespace
}  // namespace haltere
