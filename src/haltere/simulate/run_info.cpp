#include "haltere/simulate/run_info.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "haltere/math/instruction_set.h"
#include "haltere/simulate/version.h"

namespace haltere {
namespace {

constexpr double kFrames = 100;  // of a run, unless the user says otherwise; a choice

/// Bytes of the longest name, or text about what was set, that an event can have.
std::size_t calc_event_text(const Model& model) {
  constexpr std::size_t kNumber = 24;  // " = " and ten digits with their exponent, a blank, a comma
  std::size_t longest = 1;
  for (const EventSpec& event : model.events) {
    std::size_t size = sizeof(", the air is cleared, stop");
    for (const auto& [slot, value] : event.set) {
      const ParameterSpec& spec = model.parameters[slot];
      size += spec.name.size() + kNumber + to_string(spec.measure.dimension).size();
    }
    const auto add = [&](const std::string& name) {
      size += sizeof("constraint '' is removed, ") + name.size();
    };
    for (const auto* list : {&event.lock, &event.free, &event.break_off})
      for (const int j : *list) add(model.joints[j].name());
    for (const int c : event.remove) add(model.constraints[c].name);
    longest = std::max({longest, size, event.name.size()});
  }
  return longest;
}

}  // namespace

RunOptions complete(RunOptions options) {
  if (options.every <= 0) options.every = options.until > 0 ? options.until / 1000 : 1;
  if (!options.frames) options.frames = options.until > 0 ? options.until / kFrames : 1;
  const IntegratorInfo* method = find_integrator(options.integrator);
  if (method == nullptr)
    throw InputError({Problem{{}, "integrator", fmt::format("there is no '{}'", options.integrator), ""}});
  if (options.step <= 0 && !method->chooses_steps(0)) options.step = options.every;
  return options;
}

std::string describe_change(const Model& model, const Mode& from, const Mode& to) {
  std::string text;
  const auto add = [&](std::string_view thing, const std::string& name, std::string_view what) {
    text += fmt::format("{}{} '{}' {}", text.empty() ? "" : ", ", thing, name, what);
  };
  for (std::size_t j = 0; j < to.joints.size(); ++j) {
    if (to.joints[j] == from.joints[j]) continue;
    constexpr std::array<std::string_view, 4> kWords{"", "locks", "comes free", "breaks off"};
    add("joint", model.joints[j].name(), kWords[to.joints[j]]);
  }
  for (std::size_t c = 0; c < to.removed.size(); ++c)
    if (to.removed[c] && !from.removed[c]) add("constraint", model.constraints[c].name, "is removed");
  return text;
}

RunInfo make_run_info(const Model& model, const RunOptions& options) {
  const RunOptions all = complete(options);
  const std::vector<double> parameters = model.calc_parameters();
  RunInfo info;
  info.version = version();
  info.command = all.command;
  info.instruction_set = std::string(instruction_set());
  info.model_name = model.name;
  info.case_name = model.case_name;
  info.model_text = model.text;
  info.reference = model.reference;
  info.set = model.set;
  info.globs = all.channels.empty() ? model.outputs : all.channels;
  info.formulation = all.formulation;
  info.chart = all.chart;
  info.stabilization = all.stabilization;
  info.integrator = all.integrator;
  info.until = all.until;
  info.step = all.step;
  info.every = all.every;
  info.tolerance = all.tolerance;
  info.frames = all.frames.value_or(0);
  info.wake_stride = all.wake_stride;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) info.bodies.push_back(model.bodies[b].name);
  for (const Entry& surface : model.surfaces) info.surfaces.push_back(surface.name);
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    info.parameters.emplace_back(model.parameters[i].name, parameters[i]);
  info.event_text = calc_event_text(model);
  return info;
}

}  // namespace haltere
