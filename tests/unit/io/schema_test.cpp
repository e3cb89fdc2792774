#include "haltere/io/catalog/schema.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "source_folder.h"
#include "unit/io/schema_validator.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/model/kind_info.h"

namespace haltere {
namespace {

const SchemaValidator& validator() {
  static const SchemaValidator v(make_schema());
  return v;
}

bool accepts(const std::string& yaml) {
  return validator().accepts(to_json(YAML::Load(yaml)));
}

/// A whole model: what is given, and what every model needs.
std::string with_head(const std::string& rest) {
  return "haltere: 1\nname: test\n" + rest;
}

constexpr const char* kPendulum = R"(
bodies: {bob: {mass: 1 kg, center_of_mass: [0, 0, -1 m], inertia: [0.1, 0.1, 0.1]}}
joints: {pin: {kind: revolute, child: bob, axis: y}}
)";

TEST(Schema, UsesOnlyWhatTheseTestsUnderstand) {
  accepts(with_head(kPendulum));
  EXPECT_THAT(validator().unknown(), ::testing::IsEmpty());
}

TEST(Schema, AcceptsEveryShippedModel) {
  int n = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_path("models"))) {
    const std::filesystem::path& file = entry.path();
    if (file.filename() != "model.yaml" && file.parent_path().filename() != "cases") continue;
    if (file.extension() != ".yaml") continue;
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    EXPECT_TRUE(accepts(text.str())) << file;
    ++n;
  }
  EXPECT_GE(n, 7);  // the models that ship with the first version
}

// the schema must not be narrower than the reader: every form that a file may take
TEST(Schema, AcceptsWhatTheReaderAccepts) {
  const std::vector<std::string> texts{kPendulum,
                                       R"(
parameters: {m: 1 kg, n: 3, k: 2*m}
gravity: [0, 0, -9.81 m/s^2]
bodies:
  "link{i}":
    repeat: {i: 1..n, first: {mass: 2*m}, last: {euler: zyx}}
    mass: m
    shape: {kind: box, size: [0.1, 0.1, 0.2 m]}
joints:
  "hinge{i}":
    repeat: {i: 1..n, first: {kind: free, child: "link{i}"}}
    kind: universal
    parent: "link{i-1}"
    child: "link{i}"
    axis: -x
    second_axis: [0, 1, 0]
    parent_frame: {position: [0, 0, 1 m], rotation: {axis: z, angle: 30 deg}}
    child_frame: [0, 0, -0.5]
initial:
  hinge1: {orientation: {sequence: 321, angles: [10 deg, 0, 0]}, angular_velocity: [0, 0, 1], position: [0, ~, 1]}
  hinge2: {angle: [0.1, 0], rate: [0, 1 rad/s]}
outputs: ["body.*.position.*", t]
)",
                                       R"(
parameters: {k: 3 N/m, side: 1}
bodies:
  trunk: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1, xy: 0.1}, euler: zxz}
  wing_right:
    mirror: {plane: y, from: right, to: left, with: {mass: 0.2 kg}}
    mass: 0.1
    inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
joints:
  fly: {kind: free, child: trunk}
  root_right:
    mirror: {plane: y, from: right, to: left}
    kind: spherical
    parent: trunk
    child: wing_right
    parent_frame: {rotation: {quaternion: [1, 0, 0, 0]}}
    prescribed: {sequence: zxy, angles: [0.1*sin(t*(3 rad/s)), 0, 0]}
forces:
  tether: {kind: spring-damper, to: trunk, from_point: [0, 0, 0.1*sin(t*(3 rad/s))], stiffness: k, damping: 0.1, rest_length: 1 cm}
  push: {kind: applied-force, body: trunk, force: [0, 0, height], axes: body}
signals:
  height: body.trunk.position.z*(1 N/m)
  fast: {value: body.trunk.velocity.x}
events:
  later: {at: 1 s, set: {k: 2*k}}
  down: {when: body.trunk.position.z, crosses: -1 m, direction: falling, stop: true}
simulation: {until: 2 s, step: 1e-3, every: 0.01 s, tolerance: 1e-8, integrator: rk4, formulation: recursive}
cases:
  soft: {parameters: {k: 1 N/m}, forces: {push: ~}}
  nothing: ~
)",
                                       R"(
bodies: {cart: {mass: 1, inertia: {kind: sphere, radius: 0.1}}, arm: {mass: 1, inertia: {kind: cylinder, radius: 1, length: 1, axis: x}}}
joints:
  rail: {kind: planar, child: cart, driven: [~, "2 N", ~], prescribed: [0.1*sin(t*(3 rad/s)), ~, ~]}
  pin: {kind: revolute, parent: cart, child: arm, driven: -joint.pin.rate*(1 N*m*s/rad), child_frame: ~}
forces:
  control: {kind: feedback, joint: rail.1, gains: {joint.rail.position.1: -3, joint.rail.velocity.1: -1}, offset: 1 N}
initial: {pin: 30 deg, rail: {position: [~, 1], rate: 2}}
)"};
  for (const std::string& text : texts) {
    EXPECT_NO_THROW(read_model_text(with_head(text), "test.yaml")) << text;
    EXPECT_TRUE(accepts(with_head(text))) << text;
  }
}

TEST(Schema, AcceptsPartsOfAModelInIncludedAndIncludingFiles) {
  EXPECT_TRUE(accepts("joints: {pin: {axis: x}}"));
  EXPECT_TRUE(
      accepts(with_head("include: [base.yaml]\njoints: {pin: {axis: x}}\nforces: {spring: {stiffness: 2}}")));
}

TEST(Schema, RejectsWhatAnEditorShouldUnderline) {
  for (const char* text : {
           "bodys: {}",
           "gravity: [0, 1]",
           "joints: {pin: {kind: revolut, child: bob}}",
           "joints: {pin: {kind: revolute}}",
           "joints: {pin: {child: bob}}",
           "joints: {pin: {kind: weld, child: bob, axis: x}}",
           "joints: {pin: {kind: revolute, child: bob, axis: w}}",
           "joints: {pin: {kind: revolute, child: bob, axes: x}}",
           "bodies: {bob: {mass: -1}}",
           "bodies: {bob: {weight: 1}}",
           "bodies: {bob: {inertia: {kind: box, radius: 1}}}",
           "forces: {k: {kind: rotary-spring, stiffness: 1}}",
           "forces: {k: {kind: rotary-spring, joint: pin, stiffness: -120}}",
           "forces: {f: {kind: applied-force, body: bob, force: [0, 0, 1], axes: both}}",
           "events: {e: {at: 1, stop: maybe}}",
           "simulation: {until: 0}",
           "cases: {c: {bodys: {}}}",
       })
    EXPECT_FALSE(accepts(with_head(text))) << text;
}

/// The schema of a field of a kind.
const SchemaValidator::Json* find_field(const char* room, std::string_view kind, std::string_view field) {
  for (const auto& choice : validator().schema().at("$defs").at(room).at("allOf")) {
    if (choice.at("if").at("properties").at("kind").at("const") != kind) continue;
    const auto& properties = choice.at("then").at("properties");
    const auto found = properties.find(std::string(field));
    return found == properties.end() ? nullptr : &*found;
  }
  return nullptr;
}

void expect_fields_of(const std::vector<KindInfo>& kinds, const char* room) {
  for (const KindInfo& kind : kinds) {
    ASSERT_TRUE(find_field(room, kind.name, "kind")) << kind.name;
    for (const FieldInfo& field : kind.fields) {
      const auto* schema = find_field(room, kind.name, field.name);
      ASSERT_TRUE(schema) << kind.name << ' ' << field.name;
      EXPECT_THAT(schema->at("description").template get<std::string>(),
                  ::testing::HasSubstr(std::string(field.unit)));
    }
  }
}

TEST(Schema, DescribesEveryFieldOfEveryKindWithItsUnit) {
  expect_fields_of(joint_kinds(), "joint");
  expect_fields_of(force_kinds(), "force");
  expect_fields_of(constraint_kinds(), "constraint");
  expect_fields_of(surface_kinds(), "surface");
  expect_fields_of(shape_kinds(), "shape");
}

}  // namespace
}  // namespace haltere
