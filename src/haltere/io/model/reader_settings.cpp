#include <fmt/format.h>

#include "haltere/io/model/reader.h"

namespace haltere {

void Reader::read_outputs(const YamlNode& node) {
  const Thing thing{"outputs", ""};
  if (!node.is_sequence())
    return refuse(node, thing, fmt::format("expected a list of channels, not {}", describe(node)));
  for (const YamlNode& child : node.children)
    if (const auto glob = read_word(child, thing, "channel")) {
      model->settings.marks[fmt::format("outputs.{}", model->outputs.size())] = child.mark.source();
      model->outputs.push_back(*glob);
    }
}

void Reader::read_simulation(const YamlNode& node) {
  const Thing thing{"simulation", ""};
  if (!node.is_map()) return refuse(node, thing, fmt::format("expected a map, not {}", describe(node)));
  check_keys(node, thing, "simulation",
             {"until", "step", "every", "tolerance", "integrator", "formulation", "chart", "stabilization",
              "drift", "balance", "frames", "wake_stride"});
  for (const YamlNode& child : node.children) model->settings.marks[child.key] = child.mark.source();
  const auto read_number = [&](std::string_view key, std::string_view unit, std::optional<double>* out,
                               Rule rule = Rule::kPositive) {
    const YamlNode* value = node.find(key);
    if (!value) return;
    if (const auto formula = read_quantity(*value, thing, key, unit, rule)) *out = formulas.calc(*formula);
  };
  Settings& settings = model->settings;
  read_number("until", "s", &settings.until, Rule::kNotNegative);
  read_number("step", "s", &settings.step);
  read_number("every", "s", &settings.every);
  read_number("tolerance", "", &settings.tolerance);
  read_number("drift", "", &settings.drift);
  read_number("balance", "", &settings.balance);
  read_number("frames", "s", &settings.frames, Rule::kNotNegative);
  read_number("wake_stride", "", &settings.wake_stride);
  if (const YamlNode* word = node.find("integrator"))
    settings.integrator = read_word(*word, thing, "integrator");
  if (const YamlNode* word = node.find("formulation"))
    settings.formulation = read_word(*word, thing, "formulation");
  if (const YamlNode* word = node.find("chart")) settings.chart = read_word(*word, thing, "chart");
  if (const YamlNode* word = node.find("stabilization"))
    settings.stabilization = read_word(*word, thing, "stabilization");
}

}  // namespace haltere
