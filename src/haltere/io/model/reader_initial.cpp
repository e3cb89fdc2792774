#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"
#include "haltere/model/quantity.h"

/// `initial`: the state at the start, joint by joint.
namespace haltere {
namespace {

class InitialReader {
 public:
  InitialReader(const YamlNode& node, int index, Reader* reader)
      : node_(node),
        thing_{"initial", node.key},
        index_(index),
        joint_(reader->model->joints[index]),
        reader_(reader) {}

  void read() {
    joint_.initial_mark = node_.key_source();
    if (joint_.nv() == 0) return reader_->refuse(node_, thing_, "the joint has no coordinate");
    if (joint_.locked && node_.is_map())
      for (const char* key : {"rate", "velocity", "angular_velocity", "body_angular_velocity"})
        if (const YamlNode* value = node_.find(key))
          reader_->refuse(*value, thing_, fmt::format("{}: the joint is locked", key),
                          "leave it out: an event that frees the joint starts from rest");
    if (!node_.is_map()) return read_short_form();
    reader_->check_keys(node_, thing_, fmt::format("the initial state of a {} joint", kind_name()),
                        list_keys());
    for (const Motion motion : {Motion::kAngle, Motion::kLength}) {
      read_values(motion, Quantity::kJointPosition, &joint_.initial_position);
      read_values(motion, Quantity::kJointVelocity, &joint_.initial_velocity);
    }
    read_orientation();
    read_turn();
  }

 private:
  std::string_view kind_name() const { return joint_kinds()[joint_.entry.kind].name; }
  bool turns() const { return joint_.nq() > joint_.nv(); }

  /// Coordinates of one motion, in order.
  std::vector<int> coordinates(Motion motion) const {
    std::vector<int> list;
    for (int k = 0; k < joint_.nv(); ++k)
      if (joint_.motion(k) == motion) list.push_back(k);
    return list;
  }

  std::vector<std::string> list_keys() const {
    std::vector<std::string> keys;
    for (const Motion motion : {Motion::kAngle, Motion::kLength})
      for (const Quantity quantity : {Quantity::kJointPosition, Quantity::kJointVelocity})
        if (!coordinates(motion).empty()) keys.emplace_back(word_of(motion, quantity));
    if (turns()) keys.insert(keys.end(), {"orientation", "angular_velocity", "body_angular_velocity"});
    return keys;
  }

  /// `hinge: 30 deg`
  void read_short_form() {
    const bool one = joint_.nv() == 1;
    if (!one || !node_.is_scalar())
      return reader_->refuse(
          node_, thing_,
          fmt::format("expected {}, not {}", one ? "a value or a map" : "a map", describe(node_)),
          fmt::format("with the keys {}", join(list_keys())));
    read_value(0, node_, word_of(joint_.motion(0), Quantity::kJointPosition),
               unit_of(joint_.motion(0), Quantity::kJointPosition), &joint_.initial_position);
  }

  static std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
  }

  /// A value for the only coordinate of the motion, or a list for several; ~ leaves one out.
  void read_values(Motion motion, Quantity quantity, std::vector<std::optional<Expression>>* out) {
    const std::string_view key = word_of(motion, quantity), unit = unit_of(motion, quantity);
    const YamlNode* value = node_.find(key);
    const std::vector<int> list = coordinates(motion);
    if (!value || list.empty()) return;
    if (list.size() == 1 && value->is_scalar()) return read_value(list[0], *value, key, unit, out);
    if (!value->is_sequence() || value->children.size() != list.size())
      return reader_->refuse(
          *value, thing_,
          list.size() == 1
              ? fmt::format("{}: expected one value, not {}", key, describe(*value))
              : fmt::format("{}: expected a list of {}, with ~ for what is not given", key, list.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!value->children[i].is_null()) read_value(list[i], value->children[i], key, unit, out);
  }

  void read_value(int k, const YamlNode& value, std::string_view key, std::string_view unit,
                  std::vector<std::optional<Expression>>* out) {
    if (refuse_prescribed(k, value, key)) return;
    const bool negate = reader_->coordinate_sign(value.copy, index_, k) < 0;
    (*out)[k] = reader_->read_quantity(value, thing_, key, unit, Rule::kAny, negate);
    if ((*out)[k] && unit == "rad") reader_->warn_of_degrees(value, thing_, key, *(*out)[k]);
  }

  bool refuse_prescribed(int k, const YamlNode& value, std::string_view key) {
    if (!joint_.prescribed[k]) return false;
    reader_->refuse(
        value, thing_,
        fmt::format("{}: the coordinate is prescribed, its motion at the start follows from its formula",
                    key),
        "remove this value, or `prescribed` of the joint");
    return true;
  }

  void read_orientation() {
    const YamlNode* orientation = node_.find("orientation");
    if (!orientation || !turns() || refuse_prescribed(0, *orientation, "orientation")) return;
    if (auto rotation = reader_->read_rotation(*orientation, thing_, "orientation"))
      joint_.initial_orientation = std::move(*rotation);
  }

  void read_turn() {
    const YamlNode* in_parent = node_.find("angular_velocity");
    const YamlNode* in_child = node_.find("body_angular_velocity");
    if (!turns() || (!in_parent && !in_child)) return;
    if (in_parent && in_child)
      return reader_->refuse(*in_child, thing_, "the angular velocity is given twice",
                             "in the parent's joint frame or in the child's, not both");
    const std::string_view key = in_parent ? "angular_velocity" : "body_angular_velocity";
    const YamlNode& value = in_parent ? *in_parent : *in_child;
    if (refuse_prescribed(0, value, key)) return;
    joint_.initial_turn_in_child = in_child != nullptr;
    if (auto w = reader_->read_vector(value, thing_, {key, "rad/s", Parity::kAxial}))
      std::move(w->begin(), w->end(), joint_.initial_velocity.begin());
  }

  const YamlNode& node_;
  Thing thing_;
  int index_;
  JointSpec& joint_;
  Reader* reader_;
};

}  // namespace

void Reader::read_initial(const YamlNode& section) {
  NameTable seen;
  for (const YamlNode& node : section.children) {
    const Thing thing{"initial", node.key};
    const auto found = joints.find(node.key);
    if (found == joints.end()) {
      YamlNode key = node;
      key.text = node.key;
      key.mark = node.key_mark;
      refuse_unknown(key, thing, "joint", node.key, joints);
    } else if (add_name(node, thing, 0, &seen) && !unknown_joints[found->second]) {
      InitialReader(node, found->second, this).read();
    }
  }
}

void Reader::lock_joints() {
  const Resolver<double> resolver{formulas.values().data()};
  for (JointSpec& joint : model->joints) {
    if (!joint.locked) continue;
    for (int k = 0; k < joint.nv(); ++k)
      joint.prescribed[k] = joint.initial_position[k].value_or(Expression());
    if (joint.nq() == joint.nv()) continue;
    joint.prescribed_sequence = EulerSequence{};
    const Vector3<double> angles =
        joint.prescribed_sequence->calc_angles(joint.initial_orientation.calc_R<double>(resolver));
    for (int k = 0; k < 3; ++k) joint.prescribed[k] = Expression(angles[k]);
  }
}

}  // namespace haltere
