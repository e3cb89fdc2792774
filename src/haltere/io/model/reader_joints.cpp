#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"
#include "haltere/model/joints.h"

namespace haltere {
namespace {

const std::vector<std::string> kJointKeys{"parent", "child",      "parent_frame", "child_frame",
                                          "driven", "prescribed", "locked"};

std::string_view position_unit(Motion motion) {
  return is_rotary(motion) ? "rad" : "m";
}

/// The columns of S_FM at zero coordinates, in the parent's joint frame.
std::vector<Vector6<double>> calc_directions(const Entry& entry, const Resolver<double>& resolver) {
  return std::visit(
      [](const auto& joint) {
        using Joint = std::decay_t<decltype(joint)>;
        std::array<double, 8> q{};
        if (Joint::nq > Joint::nv) q[0] = 1;  // the identity quaternion
        const Matrix3<double> R = joint.calc_alignment().R;
        std::vector<Vector6<double>> directions;
        if constexpr (Joint::nv > 0) {
          const auto S = joint.calc_S_FM(q.data());
          for (int k = 0; k < Joint::nv; ++k) {
            Vector6<double> d;
            d << R * S.col(k).template head<3>(), R * S.col(k).template tail<3>();
            directions.push_back(d);
          }
        }
        return directions;
      },
      resolve<JointKinds, double>(entry, resolver));
}

/// Which coordinates of a mirrored joint run against those of the mirror image of its original.
std::array<int, 6> calc_mirror_signs(const Copy& copy, const Entry& original, const Entry& image,
                                     const Resolver<double>& resolver) {
  std::array<int, 6> signs{1, 1, 1, 1, 1, 1};
  if (original.kind != image.kind) return signs;  // `with` made it another joint
  const auto a = calc_directions(original, resolver), b = calc_directions(image, resolver);
  for (std::size_t k = 0; k < a.size(); ++k) {
    double product = 0;
    for (int i = 0; i < 3; ++i)
      product += mirror_sign(&copy, i, Parity::kAxial) * a[k][i] * b[k][i] +
                 mirror_sign(&copy, i, Parity::kPolar) * a[k][3 + i] * b[k][3 + i];
    if (product < 0) signs[k] = -1;
  }
  return signs;
}

/// `prescribed: {sequence: xyz, angles: [...]}`, for free joints with `position: [...]` beside it.
void read_prescribed_rotation(const YamlNode& node, const Thing& thing, Reader* reader, JointSpec* joint) {
  const bool has_rotation = joint->nq() > joint->nv();
  if (!has_rotation)
    return reader->refuse(node, thing,
                          "only a joint with three rotations can be prescribed by a sequence of angles");
  std::vector<std::string> keys{"sequence", "angles"};
  if (joint->nv() > 3) keys.emplace_back("position");
  reader->check_keys(node, thing, "a prescribed rotation", keys);
  const YamlNode* sequence = node.find("sequence");
  const YamlNode* angles = node.find("angles");
  if (!sequence || !angles || !angles->is_sequence() || angles->children.size() != 3)
    return reader->refuse(node, thing, "prescribed: expected `sequence` and three `angles`",
                          "write it as {sequence: zyx, angles: [...]}");
  joint->prescribed_sequence = reader->read_sequence(*sequence, thing);
  if (!joint->prescribed_sequence) return;
  for (int i = 0; i < 3; ++i) {
    const YamlNode& angle = angles->children[i];
    const bool negate = mirror_sign(angle.copy, joint->prescribed_sequence->axes[i], Parity::kAxial) < 0;
    joint->prescribed[i] =
        reader->read_function(angle, thing, "prescribed", "rad", Level::kPrescribed, negate);
  }
  const YamlNode* position = joint->nv() > 3 ? node.find("position") : nullptr;
  if (!position) return;
  if (!position->is_sequence() || position->children.size() != 3)
    return reader->refuse(*position, thing,
                          "position: expected a list of three, with ~ for what is not prescribed");
  for (int i = 0; i < 3; ++i) {
    const YamlNode& x = position->children[i];
    const bool negate = mirror_sign(x.copy, i, Parity::kPolar) < 0;
    if (!x.is_null())
      joint->prescribed[3 + i] = reader->read_function(x, thing, "position", "m", Level::kPrescribed, negate);
  }
}

/// One formula per coordinate: a scalar for one coordinate, else a list with ~ for those without.
/// Calls read(k, node) for each that is given.
template <class Read>
void for_each_coordinate(const YamlNode& node, const Thing& thing, std::string_view what,
                         const JointSpec& joint, Reader* reader, Read read) {
  const int nv = joint.nv();
  if (nv == 0) return reader->refuse(node, thing, fmt::format("{}: the joint has no coordinate", what));
  if (nv == 1 && node.is_scalar()) return read(0, node);
  if (!node.is_sequence() || static_cast<int>(node.children.size()) != nv)
    return reader->refuse(
        node, thing,
        nv == 1 ? fmt::format("{}: expected one formula, not {}", what, describe(node))
                : fmt::format("{}: expected a list of {} formulas, with ~ where there is none", what, nv));
  for (int k = 0; k < nv; ++k)
    if (!node.children[k].is_null()) read(k, node.children[k]);
}

void read_prescribed_motion(const YamlNode& node, const Thing& thing, int index, Reader* reader,
                            JointSpec* joint) {
  if (node.is_map()) return read_prescribed_rotation(node, thing, reader, joint);
  for_each_coordinate(node, thing, "prescribed", *joint, reader, [&](int k, const YamlNode& formula) {
    if (joint->motion(k) == Motion::kTurn)
      return reader->refuse(formula, thing, "prescribed: three rotations have no angles of their own",
                            "name them: {sequence: zyx, angles: [...]}");
    const bool negate = reader->coordinate_sign(formula.copy, index, k) < 0;
    joint->prescribed[k] = reader->read_function(formula, thing, "prescribed",
                                                 position_unit(joint->motion(k)), Level::kPrescribed, negate);
  });
}

void read_locked(const YamlNode& node, const Thing& thing, Reader* reader, JointSpec* joint) {
  joint->locked = reader->read_flag(node, thing, "locked").value_or(false);
  if (!joint->locked) return;
  if (joint->nv() == 0)
    reader->refuse(node, thing, "locked: the joint has no coordinate");
  else if (std::any_of(joint->prescribed.begin(), joint->prescribed.end(),
                       [](const auto& p) { return p.has_value(); }))
    reader->refuse(node, thing, "locked: its motion is prescribed", "leave one of the two out");
}

void read_body_pair(const YamlNode& node, const Thing& thing, Reader* reader, JointSpec* joint) {
  const YamlNode* parent = node.find("parent");
  joint->parent.value = parent ? reader->read_body(*parent, thing, "parent").value_or(-1) : 0;
  const YamlNode* child = node.find("child");
  joint->child.value = child ? reader->read_body(*child, thing, "child").value_or(-1) : -1;
  if (!child) reader->refuse(node, thing, "child is missing", "name the body that the joint moves");
}

}  // namespace

int Reader::coordinate_sign(const Copy* copy, int joint, int coordinate) const {
  if (!copy || !copy->is_mirrored()) return 1;
  // rotations and translations of spherical and free joints are vectors in the joint frame
  if (model->joints[joint].nq() > model->joints[joint].nv())
    return mirror_sign(copy, coordinate % 3, coordinate < 3 ? Parity::kAxial : Parity::kPolar);
  return mirror_signs[joint][coordinate];
}

void Reader::read_joint_kinds(const YamlNode& section) {
  const std::vector<KindInfo>& kinds = joint_kinds();
  std::vector<std::string> names;
  for (const KindInfo& kind : kinds) names.emplace_back(kind.name);
  for (const YamlNode& node : section.children) {
    const Thing thing{"joint", node.key};
    if (!add_name(node, thing, static_cast<int>(model->joints.size()), &joints)) continue;
    std::optional<int> kind = read_kind(node, thing, kinds);
    // a misspelt kind is read as what it most likely means, so that the rest of the entry is looked at, too
    const YamlNode* word = node.find("kind");
    if (!kind && word)
      if (const auto similar = find_similar(word->text, names)) kind = find_kind(joint_kinds(), *similar);
    JointSpec joint;
    joint.entry = {node.key, node.key_source(), kind.value_or(0), {}};
    joint.parent.value = joint.child.value = -1;
    joint.prescribed.resize(joint.nv());
    joint.driven.resize(joint.nv());
    joint.initial_position.resize(joint.nv());
    joint.initial_velocity.resize(joint.nv());
    joint_nodes.push_back(&node);
    unknown_joints.push_back(!kind);
    mirror_signs.push_back({1, 1, 1, 1, 1, 1});
    model->joints.push_back(std::move(joint));
  }
}

void Reader::read_joints() {
  for (std::size_t i = 0; i < joint_nodes.size(); ++i) {
    const int index = static_cast<int>(i);
    const YamlNode& node = *joint_nodes[i];
    if (!node.is_map()) continue;
    const Thing thing{"joint", node.key};
    JointSpec& joint = model->joints[i];
    read_body_pair(node, thing, this, &joint);
    if (unknown_joints[index]) continue;
    const bool complete = read_fields(node, thing, joint_kinds(), kJointKeys, &joint.entry);
    if (node.copy && node.copy->is_mirrored() && complete && index > 0)
      mirror_signs[index] = calc_mirror_signs(*node.copy, model->joints[index - 1].entry, joint.entry,
                                              Resolver<double>{formulas.values().data()});
    if (const YamlNode* frame = node.find("parent_frame"))
      read_frame(*frame, thing, "parent_frame", &joint.parent_frame);
    if (const YamlNode* frame = node.find("child_frame"))
      read_frame(*frame, thing, "child_frame", &joint.child_frame);
  }
}

void Reader::read_prescribed() {
  for (std::size_t i = 0; i < joint_nodes.size(); ++i) {
    const YamlNode& node = *joint_nodes[i];
    if (!node.is_map() || unknown_joints[i]) continue;
    const Thing thing{"joint", node.key};
    JointSpec& joint = model->joints[i];
    if (const YamlNode* prescribed = node.find("prescribed"))
      read_prescribed_motion(*prescribed, thing, static_cast<int>(i), this, &joint);
    if (const YamlNode* locked = node.find("locked")) read_locked(*locked, thing, this, &joint);
  }
}

void Reader::read_driven() {
  for (std::size_t i = 0; i < joint_nodes.size(); ++i) {
    const int index = static_cast<int>(i);
    const YamlNode& node = *joint_nodes[i];
    const YamlNode* driven = node.find("driven");
    if (!driven || unknown_joints[i]) continue;
    const Thing thing{"joint", node.key};
    JointSpec& joint = model->joints[i];
    for_each_coordinate(*driven, thing, "driven", joint, this, [&](int k, const YamlNode& formula) {
      if (joint.prescribed[k])
        return refuse(formula, thing, fmt::format("coordinate {} is both driven and prescribed", k),
                      "`driven` gives its force, `prescribed` its motion");
      const bool negate = coordinate_sign(formula.copy, index, k) < 0;
      joint.driven[k] = read_function(formula, thing, "driven", choose_unit("N m | N", joint.motion(k)),
                                      Level::kSignals, negate);
    });
  }
}

}  // namespace haltere
