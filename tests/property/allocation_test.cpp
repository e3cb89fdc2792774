#include <filesystem>

#include <gtest/gtest.h>

#include "count_allocations.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model_reader.h"

namespace haltere {
namespace {

TEST(RightHandSide, AllocatesNothingInAnyCaseOfAnyShippedModel) {
  int models = 0;
  for (const auto& folder : std::filesystem::directory_iterator(HALTERE_SOURCE_DIR "/models")) {
    if (!folder.is_directory()) continue;
    std::vector<std::string> cases = list_cases(folder.path());
    cases.emplace_back();  // the model as it is
    for (const std::string& name : cases) {
      const Model model = read_model(folder.path(), {.case_name = name, .set = {}});
      const auto equations = make_equations("recursive", model);
      const Eigen::VectorXd y = equations->calc_initial_state();
      Eigen::VectorXd ydot(y.size());
      const long before = allocations;
      for (const double t : {0.0, 0.1, 2.0}) ASSERT_EQ(equations->calc_ydot(t, y, ydot), Status::kOk);
      EXPECT_EQ(allocations, before) << folder.path() << " case '" << name << "'";
      ++models;
    }
  }
  EXPECT_GE(models, 7);  // or the folder was not found
}

}  // namespace
}  // namespace haltere
