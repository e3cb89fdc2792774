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
    const auto equations = make_equations("recursive", model);
    const Eigen::VectorXd y = equations->calc_initial_state();
    Eigen::VectorXd ydot(y.size());
    const long before = allocations;
    for (const double t : {0.0, 0.1, 2.0}) ASSERT_EQ(equations->calc_ydot(t, y, ydot), Status::kOk);
    EXPECT_EQ(allocations, before) << testing::PrintToString(c);
  }
}

}  // namespace
}  // namespace haltere
