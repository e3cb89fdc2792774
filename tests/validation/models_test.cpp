#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "haltere/io/model_reader.h"
#include "haltere/simulate/run.h"

/// Every value in models/*/expected.yaml, in every formulation that exists. The source of each number stands
/// there.
namespace haltere {
namespace {

struct Expectation {
  std::string case_name, channel, source;
  double t = 0, value = 0, tolerance = 0;
};

std::vector<Expectation> read_expectations(const std::filesystem::path& file) {
  std::vector<Expectation> list;
  for (const YAML::Node& node : YAML::LoadFile(file.string())) {
    Expectation e;
    e.case_name = node["case"] ? node["case"].as<std::string>() : "";
    e.channel = node["channel"].as<std::string>();
    e.t = node["at"]["t"].as<double>();
    e.value = node["value"].as<double>();
    const YAML::Node tolerance = node["tolerance"];
    e.tolerance = tolerance["absolute"] ? tolerance["absolute"].as<double>()
                                        : tolerance["relative"].as<double>() * std::abs(e.value);
    e.source = node["source"]["kind"].as<std::string>();
    if (tolerance["reason"].as<std::string>().empty())
      throw std::runtime_error("a tolerance without a reason");
    list.push_back(e);
  }
  return list;
}

std::vector<std::string> models_with_expectations() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HALTERE_SOURCE_DIR "/models"))
    if (std::filesystem::exists(entry.path() / "expected.yaml"))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The last row of a run that ends at t; the first one for t = 0.
MemorySink run_to(const Model& model, double t, std::string_view formulation) {
  Settings settings;
  settings.formulation = std::string(formulation);
  if (t > 0) settings.until = t;
  settings.every = t > 0 ? t : *model.settings.until;
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, settings), {&sink});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  return sink;
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
  const std::vector<Expectation> list = read_expectations(folder / "expected.yaml");
  ASSERT_FALSE(list.empty());
  const std::set<std::string> sources{"analytic", "paper", "peer", "independent"};
  std::map<std::pair<std::string, double>, std::vector<const Expectation*>> runs;
  for (const Expectation& e : list) {
    EXPECT_TRUE(sources.count(e.source)) << "source '" << e.source << "' is no validation";
    runs[{e.case_name, e.t}].push_back(&e);
  }
  for (const FormulationInfo& formulation : formulations())
    for (const auto& [key, expectations] : runs) {
      const Model model = read_model(folder, {.case_name = key.first, .set = {}});
      EXPECT_TRUE(model.warnings.empty());
      const MemorySink sink = run_to(model, key.second, formulation.name);
      const long row = key.second > 0 ? sink.rows() - 1 : 0;
      for (const Expectation* e : expectations)
        EXPECT_NEAR(sink.value(row, e->channel), e->value, e->tolerance)
            << e->channel << " at t = " << e->t << " s, case '" << e->case_name << "', " << formulation.name;
    }
}

}  // namespace
}  // namespace haltere
