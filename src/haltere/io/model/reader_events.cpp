#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"

namespace haltere {
namespace {

/// A comparison outside all brackets: the formula is 0 or 1 and does not pass zero.
bool is_comparison(const std::string& text) {
  int depth = 0;
  bool found = false;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == '?') return false;
    found |= depth == 0 && (c == '<' || c == '>' || c == '=');
  }
  return found;
}

class EventReader {
 public:
  EventReader(const YamlNode& node, Reader* reader)
      : node_(node), thing_{"event", node.key}, reader_(reader) {}

  EventSpec read() {
    event_.name = node_.key;
    event_.mark = node_.key_source();
    if (!node_.is_map()) {
      reader_->refuse(node_, thing_, fmt::format("expected a map, not {}", describe(node_)),
                      "write it as {at: 5 s, set: {k: 0}} or {when: formula, stop: true}");
      return event_;
    }
    reader_->check_keys(
        node_, thing_, "an event",
        {"at", "when", "crosses", "direction", "set", "lock", "free", "break", "remove", "air", "stop"});
    read_time();
    if (const YamlNode* set = node_.find("set")) read_set(*set);
    read_joint_names("lock", &event_.lock);
    read_joint_names("free", &event_.free);
    read_joint_names("break", &event_.break_off);
    read_names("remove", "constraint", reader_->constraints, &event_.remove);
    check_joints();
    read_air();
    if (const YamlNode* stop = node_.find("stop"))
      event_.stop = reader_->read_flag(*stop, thing_, "stop").value_or(false);
    return std::move(event_);
  }

 private:
  void read_time() {
    const YamlNode* at = node_.find("at");
    const YamlNode* when = node_.find("when");
    if (!at == !when)
      return reader_->refuse(node_, thing_,
                             at ? "it has both `at` and `when`" : "it has neither `at` nor `when`",
                             "`at` is a time, `when` a formula that passes zero");
    if (at) {
      event_.at = reader_->read_quantity(*at, thing_, "at", "s", Rule::kNotNegative);
      for (const std::string_view key : {"crosses", "direction"})
        if (const YamlNode* extra = node_.find(key))
          reader_->refuse(*extra, thing_, fmt::format("`{}` belongs to `when`, not to `at`", key));
      return;
    }
    read_when(*when);
    read_direction();
  }

  void read_when(const YamlNode& when) {
    event_.when = reader_->formulas.read({when, thing_, "when", Level::kSignals});
    if (event_.when && is_comparison(when.text)) {
      reader_->refuse(when, thing_,
                      fmt::format("when: {} is 0 or 1 and does not pass zero", quote(when.text)),
                      "write the difference, or use `crosses`");
    }
    const YamlNode* crosses = node_.find("crosses");
    if (!event_.when || !crosses) return;
    if (!reader_->formulas.read({*crosses, thing_, "crosses", Level::kSignals})) return;
    // the two together; a difference in dimension shows here
    YamlNode difference = *crosses;
    difference.text = fmt::format("({}) - ({})", when.text, crosses->text);
    difference.text_column = 0;
    event_.when = reader_->formulas.read({difference, thing_, "crosses", Level::kSignals});
  }

  void read_direction() {
    const auto place = find_word("direction", {"both", "rising", "falling"}, "rising, falling or both");
    if (place) event_.direction = static_cast<EventSpec::Direction>(*place);
  }

  void read_air() {
    const auto place = find_word("air", {"keep", "clear"}, "keep or clear");
    if (!place) return;
    event_.air = static_cast<EventSpec::Air>(*place);
    event_.air_mark = node_.find("air")->key_source();
  }

  /// Which of the words stands there; nothing where the key is missing or has none of them.
  std::optional<int> find_word(std::string_view key, const std::vector<std::string>& words,
                               std::string_view choice) {
    const YamlNode* node = node_.find(key);
    if (!node) return std::nullopt;
    const auto word = std::find(words.begin(), words.end(), node->text);
    if (node->is_scalar() && word != words.end()) return static_cast<int>(word - words.begin());
    reader_->refuse(*node, thing_, fmt::format("{} is {}; must be {}", key, describe(*node), choice));
    return std::nullopt;
  }

  void read_set(const YamlNode& set) {
    if (!set.is_map() || set.children.empty())
      return reader_->refuse(set, thing_, fmt::format("set: expected a map, not {}", describe(set)),
                             "write it as set: {parameter: value}");
    for (const YamlNode& child : set.children)
      if (!child.is_null()) read_assignment(child);
  }

  void read_assignment(const YamlNode& child) {
    // as in formulas: a parameter has a mirror image only where the file gives one
    Formulas& formulas = reader_->formulas;
    std::optional<Variable> variable;
    if (child.copy) variable = formulas.find_parameter(child.copy->mirror(child.key));
    if (!variable) variable = formulas.find_parameter(child.key);
    if (!variable) {
      std::vector<std::string> names;
      for (const ParameterSpec& p : formulas.parameters()) names.push_back(p.name);
      reader_->problems->add(child.key_source(), thing_.text(),
                             fmt::format("set: unknown parameter {}", quote(child.key)),
                             reader_->problems->suggest(child.key, names));
      return;
    }
    const ParameterSpec& parameter = formulas.parameters()[variable->slot];
    if (parameter.structural) {
      reader_->problems->add(
          child.key_source(), thing_.text(),
          fmt::format("set: the parameter '{}' decides how many blocks there are", parameter.name),
          "it cannot change during a run");
      return;
    }
    std::optional<Dimension> dimension;
    if (parameter.measure.kind == Measure::Kind::kExact && parameter.measure.is_strict)
      dimension = parameter.measure.dimension;
    if (auto value = formulas.read({child, thing_, child.key, Level::kParameters, dimension}))
      event_.set.emplace_back(variable->slot, std::move(*value));
  }

  // -- what the event does to joints and constraints

  /// A name, or a list of names.
  void read_names(std::string_view key, std::string_view what, const NameTable& known,
                  std::vector<int>* out) {
    const YamlNode* list = node_.find(key);
    if (!list) return;
    std::vector<const YamlNode*> items;
    if (list->is_scalar()) items.push_back(list);
    if (list->is_sequence())
      for (const YamlNode& child : list->children) items.push_back(&child);
    if (items.empty())
      return reader_->refuse(*list, thing_,
                             fmt::format("{}: expected the name of a {} or a list of names, not {}", key,
                                         what, describe(*list)));
    for (const YamlNode* item : items) {
      if (!reader_->read_word(*item, thing_, key)) continue;
      const std::string name = name_in(*item);
      const auto found = known.find(name);
      if (found == known.end())
        reader_->refuse_unknown(*item, thing_, what, name, known);
      else if (std::find(out->begin(), out->end(), found->second) == out->end())
        out->push_back(found->second);
    }
  }

  void read_joint_names(std::string_view key, std::vector<int>* out) {
    read_names(key, "joint", reader_->joints, out);
  }

  void refuse_joint(const char* key, int joint, std::string message, std::string hint = {}) {
    reader_->refuse(*node_.find(key), thing_,
                    fmt::format("{}: joint '{}' {}", key, reader_->model->joints[joint].name(), message),
                    std::move(hint));
  }

  void check_joints() {
    const auto contains = [](const std::vector<int>& list, int j) {
      return std::find(list.begin(), list.end(), j) != list.end();
    };
    const std::vector<JointSpec>& joints = reader_->model->joints;
    for (const int j : event_.lock) {
      if (reader_->unknown_joints[j]) continue;
      if (joints[j].nv() == 0) refuse_joint("lock", j, "has no coordinate to lock");
      if (contains(event_.free, j) || contains(event_.break_off, j))
        refuse_joint("lock", j, "is freed or broken by the same event");
    }
    for (const int j : event_.free)
      if (contains(event_.break_off, j)) refuse_joint("free", j, "is broken by the same event");
    for (const int j : event_.break_off)
      if (!reader_->unknown_joints[j] && joints[j].nv() == 6)
        refuse_joint("break", j, "holds nothing that could break");
  }

  const YamlNode& node_;
  Thing thing_;
  Reader* reader_;
  EventSpec event_;
};

}  // namespace

/// A joint comes free of a lock, or of a motion that a formula prescribes.
void Reader::check_freed() {
  for (const EventSpec& event : model->events)
    for (const int j : event.free) {
      const JointSpec& joint = model->joints[j];
      bool held = joint.locked;
      for (const auto& formula : joint.prescribed) held |= formula.has_value();
      for (const EventSpec& other : model->events)
        held |= std::find(other.lock.begin(), other.lock.end(), j) != other.lock.end();
      if (!held)
        problems->add(event.mark, fmt::format("event '{}'", event.name),
                      fmt::format("free: joint '{}' is free already", joint.name()),
                      "`locked: true` of the joint, another event or `prescribed` must hold it first");
    }
}

void Reader::read_events(const YamlNode& section) {
  NameTable names;
  for (const YamlNode& node : section.children)
    if (add_name(node, {"event", node.key}, 0, &names))
      model->events.push_back(EventReader(node, this).read());
  check_freed();
}

}  // namespace haltere
