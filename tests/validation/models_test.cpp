#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/misfits.h"
#include "haltere/io/model/expectations.h"
#include "haltere/io/model/model_reader.h"

/// Every value in models/*/expected.yaml, in every formulation that can do it. The source of each number
/// stands there.
namespace haltere {
namespace {

std::vector<std::string> list_models_with_expectations() {
  std::vector<std::string> names = list_shipped_models();
  std::erase_if(names, [](const std::string& name) {
    return !std::filesystem::exists(shipped_model(name) / "expected.yaml");
  });
  return names;
}

class ShippedModel : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ShippedModel, ::testing::ValuesIn(list_models_with_expectations()),
                         [](const auto& test) { return to_test_name(test.param); });

/// A case may hold what a formulation needs free; small motions with their air are known in `recursive` alone.
std::vector<Expectation> those_that_fit(const FormulationInfo& formulation,
                                        const std::filesystem::path& folder, std::vector<Expectation> list) {
  std::map<std::pair<std::string, bool>, bool> fits;
  for (const Expectation& e : list)
    if (!fits.contains({e.case_name, e.is_limit()})) {
      const Model model = read_model(folder, {.case_name = e.case_name, .set = {}});
      const bool has_air = e.is_limit() && !model.surfaces.empty();
      fits[{e.case_name, e.is_limit()}] =
          find_misfits(formulation.name, model).empty() && (!has_air || formulation.name == "recursive");
    }
  std::erase_if(list, [&](const Expectation& e) { return !fits[{e.case_name, e.is_limit()}]; });
  return list;
}

TEST_P(ShippedModel, GivesWhatIsExpectedOfIt) {
  const std::filesystem::path folder = shipped_model(GetParam());
  std::vector<Expectation> list = read_expectations(folder / "expected.yaml");
  ASSERT_FALSE(list.empty());
  for (Expectation& e : list) e.tolerance *= tolerance_scale();
  for (const FormulationInfo& formulation : formulations())
    for (const Comparison& c : compare_with_expectations(folder, those_that_fit(formulation, folder, list),
                                                         {std::string(formulation.name)}))
      EXPECT_TRUE(c.passes()) << c.expected.mark.line << ": " << c.expected.quantity() << ", case '"
                              << c.expected.case_name << "', " << formulation.name << ": expected "
                              << c.expected.value << ", ours is off by " << c.ours - c.expected.value << ' '
                              << c.verdict();
}

// published inertias that belong to no rigid body are computed as given
TEST_P(ShippedModel, HasNoWarningsButOfPublishedInertias) {
  for (const Problem& warning : read_model(shipped_model(GetParam())).warnings)
    EXPECT_TRUE(GetParam() == "kick-scooter" &&
                warning.message.find("no rigid body has this inertia") != std::string::npos)
        << warning.message;
}

}  // namespace
}  // namespace haltere
