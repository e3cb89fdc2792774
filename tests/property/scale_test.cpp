// Laws of every shipped model: results do not depend on the units of length and mass (analytic: the same
// bits, since powers of two are exact), nor on how the world is turned (analytic: to rounding).
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scale_model.h"
#include "shipped_models.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/model/kind_info.h"
#include "haltere/model/lattices.h"
#include "haltere/model/quantity.h"
#include "haltere/model/surfaces.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

/// A wing over many bodies: evaluations are dear.
bool is_large_lattice(const Model& model) {
  return model.bodies.size() > 10 && !model.surfaces.empty() && is_lattice(model.surfaces.front());
}

/// A third of a second, or less for what lives in milliseconds.
/// Long enough for joints to break where they do.
double until_of(const Model& model) {
  const bool changes = std::any_of(model.events.begin(), model.events.end(),
                                   [](const EventSpec& event) { return event.changes_mode(); });
  // wings flap fast: a tenth of a period; an aircraft flies on for two steps of its air
  const double flight = is_large_lattice(model) ? 0.1 : 0.004;
  const double longest = changes ? 1 : model.surfaces.empty() ? 0.3 : flight;
  return std::min(longest, model.settings.until.value_or(0.3));
}

class EveryCase : public testing::TestWithParam<ModelCase> {
 protected:
  static MemorySink run_with(const Model& model, const std::string& integrator, double until,
                             double tolerance) {
    Settings settings;
    settings.integrator = integrator;
    settings.until = until;
    settings.every = until / 20;
    settings.tolerance = tolerance;
    // generalized-alpha stands for those that can be both, and chooses its steps
    if (find_integrator(integrator)->steps != StepChoice::kAdaptive && integrator != "generalized-alpha")
      settings.step = until / (model.surfaces.empty() ? 1000 : is_large_lattice(model) ? 16 : 200);
    MemorySink sink;
    RunOptions options = make_run_options(model, settings);
    options.channels = {"*"};
    run(model, options, {&sink});
    return sink;
  }
};

TEST_P(EveryCase, GivesTheSameBitsInOtherUnitsOfLengthAndMass) {
  const Model model = GetParam().read();
  for (const IntegratorInfo& method : integrators()) {
    const std::string integrator(method.name);
    const MemorySink original = run_with(model, integrator, until_of(model), 1e-9);
    ASSERT_EQ(original.summary().outcome, RunSummary::Outcome::kFinished);
    // each of both, up and down, apart and together
    for (const UnitChange& change : {UnitChange{20, 0}, {0, 20}, {-20, -20}}) {
      Model scaled = model;
      ModelScaler(change, &scaled).scale();
      const MemorySink other = run_with(scaled, integrator, until_of(model), 1e-9);
      ASSERT_EQ(other.rows(), original.rows());
      EXPECT_EQ(other.summary().evaluations, original.summary().evaluations) << integrator;
      for (const Channel& channel : make_channels(model)) {
        const double factor = change.factor(channel.unit);
        for (long row = 0; row < original.rows(); ++row)
          ASSERT_EQ(other.value(row, channel.name), factor * original.value(row, channel.name))
              << integrator << ", " << channel.name << ", row " << row << ", 1 m = 2^" << change.length
              << ", 1 kg = 2^" << change.mass;
      }
    }
  }
}

/// Bodies that a force or constraint leaves out are the world.
void name_the_world(const std::vector<KindInfo>& kinds, Entry* entry) {
  std::size_t i = 0;
  for (const FieldInfo& field : kinds[entry->kind].fields) {
    Value& value = entry->values[i++];
    if (field.type == FieldType::kBody && std::holds_alternative<std::monostate>(value)) value = BodyIndex{};
  }
}

/// The machine on a stage that is turned against the world, and gravity turned with it.
Model turn_world(Model model, const Vector4<double>& q) {
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  const Matrix3<double> R = rotation_of<double>(q);
  Vector3<double> g;
  for (int i = 0; i < 3; ++i) g[i] = resolver.calc(model.gravity[i]);
  g = (R * g).eval();
  for (int i = 0; i < 3; ++i) model.gravity[i] = Expression(g[i]);

  // body 1 becomes the stage; all others move up by one, and what hung on the world hangs on it
  const auto renumber = [](BodyIndex* body) { ++body->value; };
  for (JointSpec& joint : model.joints) {
    renumber(&joint.parent);
    renumber(&joint.child);
    for (Value& value : joint.entry.values)
      if (auto* c = std::get_if<CoordinateIndex>(&value)) ++c->joint;
  }
  for (Entry& force : model.forces) {
    name_the_world(force_kinds(), &force);
    for (Value& value : force.values) {
      if (auto* body = std::get_if<BodyIndex>(&value)) renumber(body);
      if (auto* c = std::get_if<CoordinateIndex>(&value)) ++c->joint;
    }
  }
  for (Entry& surface : model.surfaces)
    for (Value& value : surface.values)
      if (auto* body = std::get_if<BodyIndex>(&value)) renumber(body);
  for (Entry& constraint : model.constraints) {
    name_the_world(constraint_kinds(), &constraint);
    for (Value& value : constraint.values)
      if (auto* body = std::get_if<BodyIndex>(&value)) renumber(body);
  }
  for (Probe& probe : model.probes)
    if (owner_of(probe.quantity) != Owner::kMachine) ++probe.index;
  BodySpec stage;
  stage.name = "stage";
  model.bodies.insert(model.bodies.begin() + 1, stage);
  JointSpec weld;
  weld.entry.name = "stage";
  weld.entry.kind = find_kind(joint_kinds(), "weld");
  weld.child = BodyIndex{1};
  weld.parent_frame.rotation.form = RotationSpec::Form::kQuaternion;
  for (int i = 0; i < 4; ++i) weld.parent_frame.rotation.values.emplace_back(q[i]);
  model.joints.insert(model.joints.begin(), weld);
  return model;
}

/// Loads given in world axes would have to be turned, too: the cases that have some are left out.
std::vector<ModelCase> list_cases_without_world_loads() {
  std::vector<ModelCase> list = list_shipped_cases();
  std::erase_if(list, [](const ModelCase& c) {
    const Model model = c.read();
    // events that look at a body's place in the world would see another one
    const bool looks = std::any_of(model.probes.begin(), model.probes.end(), [](const Probe& probe) {
      return probe.quantity == Probe::Quantity::kBodyPosition ||
             probe.quantity == Probe::Quantity::kBodyEuler;
    });
    // so is the wind
    const bool blows = std::any_of(model.surfaces.begin(), model.surfaces.end(), [&](const Entry& surface) {
      const std::vector<double> parameters = model.calc_parameters();
      return std::visit([](const auto& kind) { return kind.wind[0].expression != nullptr; },
                        resolve<SurfaceKinds, double>(surface, Resolver<double>{parameters.data()}));
    });
    return (looks && !model.events.empty()) || blows ||
           std::any_of(model.forces.begin(), model.forces.end(), [](const Entry& force) {
             return force_kinds()[force.kind].name.starts_with("applied-");
           });
  });
  return list;
}

class EveryTurnedCase : public EveryCase {};

TEST_P(EveryTurnedCase, MovesTheSameInATurnedWorld) {
  const Model model = GetParam().read();
  const double until = until_of(model), tolerance = 1e-12;
  // third derivatives of a table jump at its points: long steps of a high order pass over them unseen
  const bool has_table = GetParam().model == "insect-hinge" && GetParam().case_name == "duality";
  // and the force of a plate's law where a wing turns its other side to the air: steps of one length meet it
  // alike, chosen ones do not
  const bool jumps = GetParam().model == "fruit-fly" && !model.surfaces.empty();
  const std::string method = jumps ? "rk4" : has_table ? "dopri5" : "dop853";
  const MemorySink original = run_with(model, method, until, tolerance);
  for (const Vector3<double>& turn : {Vector3<double>(0.3, -1.1, 0.7), {2, 1, -2}}) {
    const MemorySink turned =
        run_with(turn_world(model, quaternion_exp<double>(turn)), method, until, tolerance);
    ASSERT_EQ(turned.rows(), original.rows());
    const std::vector<Channel> channels = make_channels(model);
    for (const Channel& channel : channels) {
      const bool is_scalar =
          channel.quantity == Quantity::kJointPosition || channel.quantity == Quantity::kJointVelocity ||
          channel.quantity == Quantity::kJointAcceleration || channel.quantity == Quantity::kJointForce ||
          channel.quantity == Quantity::kJointOrientation ||
          channel.quantity == Quantity::kBodyAngularVelocity;
      if (!is_scalar) continue;
      double size = 1e-3;  // of all components together
      for (const Channel& other : channels)
        if (other.quantity == channel.quantity && other.index == channel.index)
          for (const double x : original.column(other.name)) size = std::max(size, std::abs(x));
      for (long row = 0; row < original.rows(); ++row)
        // solver: a different rounding leads to different steps, each good to the tolerance
        ASSERT_NEAR(turned.value(row, channel.name), original.value(row, channel.name),
                    1e4 * tolerance * size)
            << channel.name << ", row " << row;
    }
  }
}

std::string name_of_case(const testing::TestParamInfo<ModelCase>& test) {
  return to_test_name(test.param.model + (test.param.case_name.empty() ? "" : "_" + test.param.case_name));
}
/// Cases of one large machine that differ in numbers alone stand for each other.
std::vector<ModelCase> list_scaled_cases() {
  std::vector<ModelCase> list = list_shipped_cases();
  std::erase_if(list, [](const ModelCase& c) {
    return c.model == "x-hale-air" && c.case_name != "gust" && c.case_name != "gust-damage-12";
  });
  return list;
}
INSTANTIATE_TEST_SUITE_P(EveryModel, EveryCase, testing::ValuesIn(list_scaled_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(EveryModel, EveryTurnedCase, testing::ValuesIn(list_cases_without_world_loads()),
                         name_of_case);

}  // namespace
}  // namespace haltere
