#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "haltere/io/reader.h"
#include "haltere/math/text.h"

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
  EventReader(const Node& node, Reader* reader) : node_(node), thing_{"event", node.key}, reader_(reader) {}

  EventSpec read() {
    event_.name = node_.key;
    event_.mark = node_.key_source();
    if (!node_.is_map()) {
      reader_->refuse(node_, thing_, fmt::format("expected a map, not {}", describe(node_)),
                      "write it as {at: 5 s, set: {k: 0}} or {when: formula, stop: true}");
      return event_;
    }
    reader_->check_keys(node_, thing_, "an event", {"at", "when", "crosses", "direction", "set", "stop"});
    read_time();
    if (const Node* set = node_.find("set")) read_set(*set);
    if (const Node* stop = node_.find("stop"))
      event_.stop = reader_->read_flag(*stop, thing_, "stop").value_or(false);
    return std::move(event_);
  }

 private:
  void read_time() {
    const Node* at = node_.find("at");
    const Node* when = node_.find("when");
    if (!at == !when)
      return reader_->refuse(node_, thing_,
                             at ? "it has both `at` and `when`" : "it has neither `at` nor `when`",
                             "`at` is a time, `when` a formula that passes zero");
    if (at) {
      event_.at = reader_->read_quantity(*at, thing_, "at", "s", Rule::kNotNegative);
      for (const std::string_view key : {"crosses", "direction"})
        if (const Node* extra = node_.find(key))
          reader_->refuse(*extra, thing_, fmt::format("`{}` belongs to `when`, not to `at`", key));
      return;
    }
    read_when(*when);
    read_direction();
  }

  void read_when(const Node& when) {
    event_.when = reader_->formulas.read({when, thing_, "when", Level::kSignals});
    if (event_.when && is_comparison(when.text)) {
      reader_->refuse(when, thing_,
                      fmt::format("when: {} is 0 or 1 and does not pass zero", quote(when.text)),
                      "write the difference, or use `crosses`");
    }
    const Node* crosses = node_.find("crosses");
    if (!event_.when || !crosses) return;
    if (!reader_->formulas.read({*crosses, thing_, "crosses", Level::kSignals})) return;
    // the two together; a difference in dimension shows here
    Node difference = *crosses;
    difference.text = fmt::format("({}) - ({})", when.text, crosses->text);
    difference.text_column = 0;
    event_.when = reader_->formulas.read({difference, thing_, "crosses", Level::kSignals});
  }

  void read_direction() {
    const Node* node = node_.find("direction");
    if (!node) return;
    static const std::vector<std::string> words{"both", "rising", "falling"};
    const auto word = std::find(words.begin(), words.end(), node->text);
    if (!node->is_scalar() || word == words.end())
      return reader_->refuse(
          *node, thing_, fmt::format("direction is {}; must be rising, falling or both", describe(*node)));
    event_.direction = static_cast<EventSpec::Direction>(word - words.begin());
  }

  void read_set(const Node& set) {
    if (!set.is_map() || set.children.empty())
      return reader_->refuse(set, thing_, fmt::format("set: expected a map, not {}", describe(set)),
                             "write it as set: {parameter: value}");
    for (const Node& child : set.children)
      if (!child.is_null()) read_assignment(child);
  }

  void read_assignment(const Node& child) {
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

  const Node& node_;
  Thing thing_;
  Reader* reader_;
  EventSpec event_;
};

}  // namespace

void Reader::read_events(const Node& section) {
  NameTable names;
  for (const Node& node : section.children)
    if (add_name(node, {"event", node.key}, 0, &names))
      model->events.push_back(EventReader(node, this).read());
}

}  // namespace haltere
