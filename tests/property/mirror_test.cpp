// Every shipped model beside its mirror image in one file: the image moves as the mirror shows it (analytic,
// to rounding).
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "shipped_models.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

/// The same tree with every name of `names` preceded by `here_`, in texts and in keys that are names: those
/// of entries, and of probes. Other keys are those of fields, which a body may be called after.
YAML::Node rename(const YAML::Node& node, const std::regex& names, bool is_section = true) {
  const auto renamed = [&](const std::string& text) { return std::regex_replace(text, names, "here_$1"); };
  YAML::Node result;
  switch (node.Type()) {
    case YAML::NodeType::Map:
      for (const auto& child : node) {
        const std::string key = child.first.as<std::string>();
        const bool is_name = is_section || key.find('.') != std::string::npos;
        result[is_name ? renamed(key) : key] =
            key == "kind" ? child.second : rename(child.second, names, false);
      }
      return result;
    case YAML::NodeType::Sequence:
      for (const auto& child : node) result.push_back(rename(child, names, false));
      return result;
    case YAML::NodeType::Scalar:
      return YAML::Node(renamed(node.as<std::string>()));
    default:
      return node;
  }
}

/// The model with its mirror image; `normal` of the plane, across which gravity does not pull.
std::string add_mirror_image(const std::string& file, const std::string& normal) {
  YAML::Node root = YAML::LoadFile(file);
  for (const char* section : {"signals", "measures", "trim", "cases", "outputs", "report"})
    root.remove(section);
  const std::vector<const char*> sections{"bodies",   "joints",  "constraints", "forces",
                                          "surfaces", "initial", "events"};
  std::string names;
  for (const char* section : sections)
    for (const auto& entry : root[section]) {
      const std::string key = entry.first.as<std::string>();
      names += (names.empty() ? "" : "|") + key.substr(0, key.find('{'));  // link{i}
    }
  for (const char* section : sections) {
    if (!root[section]) continue;
    YAML::Node both;
    for (const auto& entry : rename(root[section], std::regex("\\b(" + names + ")(?![A-Za-z_])"))) {
      YAML::Node value;
      if (entry.second.IsMap())
        value = YAML::Clone(entry.second);
      else
        value["angle"] = entry.second.as<std::string>();  // initial: {pivot: 30 deg}
      value["mirror"]["plane"] = normal;
      value["mirror"]["from"] = "here_";
      value["mirror"]["to"] = "there_";
      both[entry.first.as<std::string>()] = value;
    }
    root[section] = both;
  }
  YAML::Emitter out;
  out << root;
  return out.c_str();
}

class EveryMirror : public testing::TestWithParam<std::string> {};

TEST_P(EveryMirror, TheImageMovesAsTheMirrorShowsIt) {
  const std::string file = shipped_model(GetParam()) / "model.yaml";
  const Model alone = read_model(shipped_model(GetParam()));
  const std::vector<double> parameters = alone.calc_parameters();
  const bool upright =
      Resolver<double>{parameters.data()}.calc(alone.gravity[1]) == 0;  // gravity not along y
  const int axis = upright ? 1 : 2;
  const Model model = read_model_text(add_mirror_image(file, upright ? "y" : "z"), "mirrored.yaml");
  Settings settings;
  settings.until = std::min(model.surfaces.empty() ? 0.3 : 0.02, model.settings.until.value_or(0.3));
  settings.every = *settings.until / 6;
  settings.tolerance = 1e-10;
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, settings), {&sink});
  ASSERT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;

  int compared = 0;
  for (const BodySpec& body : model.bodies) {
    if (!body.name.starts_with("here_")) continue;
    const std::string image = "there_" + body.name.substr(5);
    for (const std::string quantity : {"position", "velocity", "acceleration", "angular_velocity"})
      for (int i = 0; i < 3; ++i) {
        const bool axial = quantity == "angular_velocity";
        const double sign = (i == axis) != axial ? -1 : 1;
        const std::string end = "." + quantity + "." + std::string(1, static_cast<char>('x' + i));
        for (long row = 0; row < sink.rows(); ++row) {
          const double original = sink.value(row, "body." + body.name + end);
          // machine: some hundred steps of the same numbers but for their signs
          ASSERT_NEAR(sink.value(row, "body." + image + end), sign * original,
                      1e-9 * (1 + std::abs(original)))
              << body.name << end << ", row " << row;
          ++compared;
        }
      }
  }
  EXPECT_GT(compared, 0);
}

/// The image of a pair of wings is in the same place, and the same air: they would fly through each other.
std::vector<std::string> list_alone() {
  std::vector<std::string> names = list_shipped_models();
  for (const char* name : {"flapping-pair", "typical-section", "x-hale-air"}) std::erase(names, name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(EveryModel, EveryMirror, testing::ValuesIn(list_alone()),
                         [](const auto& test) { return to_test_name(test.param); });

}  // namespace
}  // namespace haltere
