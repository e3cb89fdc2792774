// What formulas read of a machine is what its channels record, for every quantity that the tables of quantity.h
// call readable.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "haltere/io/model/model_reader.h"
#include "haltere/model/quantity.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

// joints of every kind of coordinate, nothing symmetric, all of it in motion
constexpr const char* kMachine = R"(haltere: 1
gravity: [0.3, 0, -9.81]
bodies:
  trunk: {mass: 2 kg, center_of_mass: [0.1, 0.2, 0.3], inertia: [0.5, 0.7, 0.9], euler: zyx}
  arm: {mass: 1 kg, center_of_mass: [0, 0.1, -0.4], inertia: [0.2, 0.3, 0.4], euler: zxz}
  sledge: {mass: 0.5 kg, center_of_mass: [0.1, 0, 0], inertia: [0.2, 0.3, 0.4], euler: xyz}
joints:
  float: {kind: free, child: trunk}
  elbow: {kind: revolute, parent: trunk, child: arm, axis: y}
  rail: {kind: prismatic, parent: arm, child: sledge, axis: x}
initial:
  elbow: {angle: 0.4, rate: 0.7}
  rail: {position: 0.2, velocity: -0.3}
  float: {position: [0.1, 0.2, 0.3], angular_velocity: [0.5, 0.6, -0.7], velocity: [0.1, 0.2, 0.3]}
simulation: {until: 0.2 s, integrator: rk4, step: 10 ms}
signals:
)";

/// Their names as channels have them.
std::vector<std::string> list_readable(const Model& model) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& prefix, const QuantityInfo& q) {
    if (!q.readable) return;
    const std::string name = prefix + std::string(q.word);
    if (q.components.empty()) names.push_back(name);
    for (const char component : q.components) names.push_back(fmt::format("{}.{}", name, component));
  };
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    for (const QuantityInfo& q : body_quantities()) add(fmt::format("body.{}.", model.bodies[b].name), q);
  for (const QuantityInfo& q : machine_quantities()) add("", q);
  for (const JointSpec& joint : model.joints)
    for (int k = 0; k < joint.nv(); ++k)
      for (const QuantityInfo& q : coordinate_quantities(joint.motion(k)))
        if (q.readable) names.push_back(name_coordinate(joint, q.quantity, k));
  return names;
}

// analytic: one quantity, computed by `probes.cpp` for formulas and by `channels.cpp` for rows
TEST(Quantities, ThatFormulasReadAreThoseOfTheChannels) {
  const std::vector<std::string> names = list_readable(read_model_text(kMachine, "machine.yaml"));
  std::string text = kMachine;
  for (std::size_t i = 0; i < names.size(); ++i) text += fmt::format("  s{}: {}\n", i, names[i]);
  const Model model = read_model_text(text, "machine.yaml");
  MemorySink sink;
  RunOptions options = make_run_options(model, {});
  options.channels = {"*"};
  ASSERT_EQ(run(model, options, {&sink}).outcome, RunSummary::Outcome::kFinished);
  const std::size_t last = sink.rows() - 1;
  ASSERT_GT(names.size(), 60U);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = sink.value(last, names[i]);
    EXPECT_NE(value, 0) << names[i] << ": shows nothing";
    // machine: sums of some ten products of numbers up to ten
    EXPECT_NEAR(sink.value(last, fmt::format("signal.s{}", i)), value, 1e-13) << names[i];
  }
}

}  // namespace
}  // namespace haltere
