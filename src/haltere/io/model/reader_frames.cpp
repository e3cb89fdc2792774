#include <fmt/format.h>

#include "haltere/io/model/reader.h"

/// Rotations and frames as files give them.
namespace haltere {
namespace {

const char* const kRotationForms =
    "write {sequence: zyx, angles: [...]}, {axis: z, angle: 30 deg} or {quaternion: [w, x, y, z]}";

/// The angles of an Euler sequence; in a mirror the angle about the normal stays, the others change sign.
std::optional<RotationSpec> read_euler(const YamlNode& node, const Thing& thing, Reader* reader) {
  RotationSpec rotation;
  rotation.form = RotationSpec::Form::kEuler;
  const std::optional<EulerSequence> sequence = reader->read_sequence(*node.find("sequence"), thing);
  const YamlNode* angles = node.find("angles");
  if (!angles || !angles->is_sequence() || angles->children.size() != 3) {
    reader->refuse(angles ? *angles : node, thing, "a sequence needs three `angles`", kRotationForms);
    return std::nullopt;
  }
  if (!sequence) return std::nullopt;
  rotation.sequence = *sequence;
  for (int i = 0; i < 3; ++i) {
    const YamlNode& angle = angles->children[i];
    const bool negate = mirror_sign(angle.copy, sequence->axes[i], Parity::kAxial) < 0;
    if (auto value = reader->read_quantity(angle, thing, "angles", "rad", Rule::kAny, negate)) {
      reader->warn_of_degrees(angle, thing, "angles", *value);
      rotation.values.push_back(std::move(*value));
    }
  }
  if (rotation.values.size() != 3) return std::nullopt;
  return rotation;
}

std::optional<RotationSpec> read_axis_angle(const YamlNode& node, const Thing& thing, Reader* reader) {
  RotationSpec rotation;
  rotation.form = RotationSpec::Form::kAxisAngle;
  const YamlNode* angle = node.find("angle");
  if (!angle) {
    reader->refuse(node, thing, "an axis needs an `angle`", kRotationForms);
    return std::nullopt;
  }
  auto axis = reader->read_vector(*node.find("axis"), thing, {"axis", "", Parity::kAxial});
  auto value = reader->read_quantity(*angle, thing, "angle", "rad");
  if (!axis || !value) return std::nullopt;
  reader->warn_of_degrees(*angle, thing, "angle", *value);
  rotation.values = std::move(*axis);
  rotation.values.push_back(std::move(*value));
  return rotation;
}

/// w, x, y, z; the vector part is axial.
std::optional<RotationSpec> read_quaternion(const YamlNode& node, const Thing& thing, Reader* reader) {
  RotationSpec rotation;
  rotation.form = RotationSpec::Form::kQuaternion;
  if (!node.is_sequence() || node.children.size() != 4) {
    reader->refuse(node, thing,
                   fmt::format("a quaternion has four components w, x, y, z, not {}", describe(node)));
    return std::nullopt;
  }
  double largest = 0;
  for (int i = 0; i < 4; ++i) {
    const YamlNode& child = node.children[i];
    const bool negate = i > 0 && mirror_sign(child.copy, i - 1, Parity::kAxial) < 0;
    auto value = reader->read_quantity(child, thing, "quaternion", "", Rule::kAny, negate);
    if (!value) return std::nullopt;
    largest = std::max(largest, std::abs(reader->formulas.calc(*value)));
    rotation.values.push_back(std::move(*value));
  }
  if (largest == 0) {
    reader->refuse(node, thing, "the quaternion is zero", "the identity is [1, 0, 0, 0]");
    return std::nullopt;
  }
  return rotation;
}

}  // namespace

std::optional<RotationSpec> Reader::read_rotation(const YamlNode& node, const Thing& thing,
                                                  std::string_view what) {
  if (node.is_sequence() && node.children.size() == 4) return read_quaternion(node, thing, this);
  if (!node.is_map()) {
    refuse(node, thing, fmt::format("{}: expected a rotation, not {}", what, describe(node)), kRotationForms);
    return std::nullopt;
  }
  if (node.find("sequence")) {
    check_keys(node, thing, "a rotation by a sequence", {"sequence", "angles"});
    return read_euler(node, thing, this);
  }
  if (node.find("axis")) {
    check_keys(node, thing, "a rotation about an axis", {"axis", "angle"});
    return read_axis_angle(node, thing, this);
  }
  if (const YamlNode* quaternion = node.find("quaternion")) {
    check_keys(node, thing, "a rotation by a quaternion", {"quaternion"});
    return read_quaternion(*quaternion, thing, this);
  }
  check_keys(node, thing, "a rotation", {"sequence", "angles", "axis", "angle", "quaternion"});
  refuse(node, thing, fmt::format("{}: a rotation needs `sequence`, `axis` or `quaternion`", what),
         kRotationForms);
  return std::nullopt;
}

void Reader::read_frame(const YamlNode& node, const Thing& thing, std::string_view what, FrameSpec* out) {
  const YamlNode* position = &node;
  if (node.is_map()) {
    check_keys(node, thing, what, {"position", "rotation"});
    position = node.find("position");
    if (const YamlNode* rotation = node.find("rotation"))
      if (auto spec = read_rotation(*rotation, thing, "rotation")) out->rotation = std::move(*spec);
  }
  if (!position) return;
  auto p = read_vector(*position, thing, {node.is_map() ? "position" : what, "m", Parity::kPolar});
  if (p) std::move(p->begin(), p->end(), out->position.begin());
}

}  // namespace haltere
