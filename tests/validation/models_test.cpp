#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tolerance.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/expectations.h"
#include "haltere/io/model_reader.h"

/// Every value in models/*/expected.yaml, in every formulation that exists. The source of each number stands
/// there.
namespace haltere {
namespace {

std::vector<std::string> models_with_expectations() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HALTERE_SOURCE_DIR "/models"))
    if (std::filesystem::exists(entry.path() / "expected.yaml"))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class ShippedModel : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ShippedModel, ::testing::ValuesIn(models_with_expectations()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(ShippedModel, GivesWhatIsExpectedOfIt) {
  const std::filesystem::path folder = std::filesystem::path(HALTERE_SOURCE_DIR "/models") / GetParam();
  std::vector<Expectation> list = read_expectations(folder / "expected.yaml");
  ASSERT_FALSE(list.empty());
  for (Expectation& e : list) e.tolerance *= tolerance_scale();
  for (const FormulationInfo& formulation : formulations())
    for (const Comparison& c : compare_with_expectations(folder, list, std::string(formulation.name)))
      EXPECT_TRUE(c.passes()) << c.expected.mark.line << ": " << c.expected.quantity() << ", case '"
                              << c.expected.case_name << "', " << formulation.name << ": expected "
                              << c.expected.value << ", ours is off by " << c.ours - c.expected.value << ' '
                              << c.verdict();
}

TEST_P(ShippedModel, HasNoWarnings) {
  const std::filesystem::path folder = std::filesystem::path(HALTERE_SOURCE_DIR "/models") / GetParam();
  EXPECT_TRUE(read_model(folder).warnings.empty());
}

}  // namespace
}  // namespace haltere
