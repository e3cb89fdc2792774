#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"
#include "haltere/model/quantity.h"

/// Probes and signals: what formulas may read of the state. Locals are numbered t, probes, signals, so that
/// all probes are collected before the first signal is read.
namespace haltere {
namespace {

constexpr int kMostSignals = 200;  // of signals that each need the next: they are read by recursion; a choice

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

std::optional<int> find_letter(std::string_view word, std::string_view letters) {
  const std::size_t i = word.size() == 1 ? letters.find(word[0]) : std::string_view::npos;
  return i == std::string_view::npos ? std::nullopt : std::optional(static_cast<int>(i));
}

/// Every name that a probe of this joint may have.
std::vector<std::string> list_joint_probes(const JointSpec& joint) {
  std::vector<std::string> names;
  for (int k = 0; k < joint.nv(); ++k) {
    for (const QuantityInfo& q : coordinate_quantities(joint.motion(k)))
      if (q.readable) names.push_back(name_coordinate(joint, q.quantity, k));
  }
  return names;
}

/// The same of a body, or of the machine.
std::vector<std::string> list_probes(std::string_view prefix, std::span<const QuantityInfo> quantities) {
  std::vector<std::string> names;
  for (const QuantityInfo& q : quantities)
    for (const char component : q.components)
      if (q.readable) names.push_back(fmt::format("{}{}.{}", prefix, q.word, component));
  return names;
}

bool is_of_joint(const Probe& probe) {
  return owner_of(probe.quantity) == Owner::kJoint;
}

std::string_view unit_of_probe(const Probe& probe, const Model& model) {
  const std::span<const QuantityInfo> table =
      is_of_joint(probe) ? coordinate_quantities(model.joints[probe.index].motion(probe.component))
      : owner_of(probe.quantity) == Owner::kBody ? body_quantities()
                                                 : machine_quantities();
  const QuantityInfo* info = find_quantity(table, probe.quantity);
  return info ? info->unit : "";
}

bool looks_like_probe(std::string_view name) {
  return name.starts_with("body.") || name.starts_with("joint.") || name.starts_with("system.");
}

/// Names with dots in the text of a formula.
std::vector<std::string_view> find_dotted_names(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    if (looks_like_probe(text.substr(i, end - i))) names.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return names;
}

/// The coordinate of a joint that `joint.NAME.WORD[.K]` names.
std::optional<Probe> find_coordinate(const JointSpec& joint, const std::vector<std::string_view>& parts,
                                     Probe probe) {
  for (int k = 0; k < joint.nv(); ++k) {
    if (joint.nv() > 1 ? parts.size() != 4 || parts[3] != fmt::to_string(k) : parts.size() != 3) continue;
    const QuantityInfo* info = find_quantity(coordinate_quantities(joint.motion(k)), parts[2]);
    if (!info || !info->readable) continue;
    probe.quantity = info->quantity;
    probe.component = k;
    return probe;
  }
  return std::nullopt;
}

/// The body or joint is misspelt: the same quantity of those that there are.
std::vector<std::string> list_same_quantity(std::string_view name, const std::vector<std::string_view>& parts,
                                            const NameTable& table) {
  constexpr std::size_t kMost = 10'000;  // a longer list would take too long to search
  std::vector<std::string> list;
  const std::string_view rest = name.substr(std::min(name.size(), parts[0].size() + 1 + parts[1].size()));
  for (const auto& [known, index] : table)
    if (list.size() < kMost && known != "world")
      list.push_back(fmt::format("{}.{}{}", parts[0], known, rest));
  std::sort(list.begin(), list.end());
  return list;
}

/// Signals in any order; a formula has its signals read first, so that slots are in the order of dependence.
class SignalReader {
 public:
  SignalReader(const YamlNode& section, Reader* reader) : reader_(reader) {
    for (const YamlNode& node : section.children) {
      if (!reader->add_name(node, {"signal", node.key}, static_cast<int>(items_.size()), &places_)) continue;
      items_.push_back({&node});
      if (reader->formulas.find_parameter(node.key))
        reader->problems->add(node.key_source(), Thing{"signal", node.key}.text(),
                              "a parameter has this name, too", "rename one of them");
    }
  }

  void read_all() {
    for (Item& item : items_) read(&item);
  }

  bool has(std::string_view name) const { return places_.contains(std::string(name)); }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const Item& item : items_) list.push_back(item.node->key);
    return list;
  }

  std::optional<Variable> find(std::string_view name) {
    const auto found = places_.find(std::string(name));
    if (found == places_.end()) return std::nullopt;
    Item& item = items_[found->second];
    if (item.reading) {
      report_cycle(item);
      return Variable{Variable::Source::kLocal, 0, {Measure::Kind::kAny, {}}, 0};
    }
    read(&item);
    return item.variable;
  }

 private:
  struct Item {
    const YamlNode* node = nullptr;
    bool reading = false;
    bool done = false;
    Variable variable{Variable::Source::kLocal, 0, {Measure::Kind::kAny, {}}, 0};
  };

  void read(Item* item) {
    if (item->done) return;
    item->reading = true;
    path_.push_back(item);
    const Thing thing{"signal", item->node->key};
    Model* model = reader_->model;
    SignalSpec signal{item->node->key, item->node->key_source(), {}};
    if (path_.size() > kMostSignals) {
      reader_->refuse(*item->node, thing,
                      fmt::format("more than {} signals depend on each other in a row", kMostSignals));
    } else if (const YamlNode* formula = find_formula(*item->node, thing)) {
      if (auto value = reader_->formulas.read({*formula, thing, "formula", Level::kSignals})) {
        if (value->measure().kind == Measure::Kind::kExact) item->variable.measure = value->measure();
        signal.value = std::move(*value);
      }
    }
    path_.pop_back();
    item->reading = false;
    item->done = true;
    item->variable.slot = 1 + static_cast<int>(model->probes.size() + model->signals.size());
    model->signals.push_back(std::move(signal));
  }

  /// The formula itself, or the `value` of a map (which may be repeated or mirrored).
  const YamlNode* find_formula(const YamlNode& node, const Thing& thing) {
    if (!node.is_map()) return &node;
    reader_->check_keys(node, thing, "a signal", {"value"});
    const YamlNode* value = node.find("value");
    if (!value) reader_->refuse(node, thing, "value is missing");
    return value;
  }

  void report_cycle(const Item& start) {
    std::string names;
    for (auto item = std::find(path_.begin(), path_.end(), &start); item != path_.end(); ++item)
      names += fmt::format("'{}' needs ", (*item)->node->key);
    reader_->refuse(*path_.back()->node, {"signal", path_.back()->node->key},
                    fmt::format("signals need each other: {}'{}'", names, start.node->key));
  }

  Reader* reader_;
  std::vector<Item> items_;
  NameTable places_;
  std::vector<const Item*> path_;
};

}  // namespace

std::optional<Probe> Reader::find_probe(std::string_view name) const {
  const std::vector<std::string_view> parts = split_words(name);
  const auto find_component = [&](const QuantityInfo* q, int index) -> std::optional<Probe> {
    if (!q || !q->readable) return std::nullopt;
    const auto c = find_letter(parts.back(), q->components);
    return c ? std::optional(Probe{q->quantity, index, *c, std::string(name)}) : std::nullopt;
  };
  if (parts[0] == "system")
    return find_component(find_quantity(machine_quantities(), name.substr(0, name.rfind('.'))), 0);
  if (parts.size() < 3) return std::nullopt;
  if (parts[0] == "body") {
    const auto body = bodies.find(std::string(parts[1]));
    if (body == bodies.end() || parts.size() != 4) return std::nullopt;
    return find_component(find_quantity(body_quantities(), parts[2]), body->second);
  }
  const auto found = joints.find(std::string(parts[1]));
  if (parts[0] != "joint" || found == joints.end()) return std::nullopt;
  const JointSpec& joint = model->joints[found->second];
  const Probe probe{Probe::Quantity::kJointPosition, found->second, 0, std::string(name)};
  if (unknown_joints[found->second]) return probe;  // said already
  return find_coordinate(joint, parts, probe);
}

void Reader::collect_probes(const YamlNode& node) {
  const auto add = [&](std::string_view text) {
    if (text.find('.') == std::string_view::npos) return;
    for (const std::string_view found : find_dotted_names(text)) {
      std::string name = node.copy ? node.copy->mirror(found) : std::string(found);
      if (probes.contains(name)) continue;
      std::optional<Probe> probe = find_probe(name);
      if (!probe) continue;
      const bool euler = probe->quantity == Probe::Quantity::kBodyEuler;
      if (euler && !model->bodies[probe->index].euler) {
        refuse(node, {"body", model->bodies[probe->index].name},
               fmt::format("{} needs a sequence of angles", quote(name)), "give the body one: `euler: zyx`");
        model->bodies[probe->index].euler = EulerSequence{};
      }
      probes.emplace(std::move(name), static_cast<int>(model->probes.size()));
      model->probes.push_back(std::move(*probe));
    }
  };
  add(node.key);
  if (node.is_scalar()) add(node.text);
  for (const YamlNode& child : node.children) collect_probes(child);
}

std::optional<Variable> Reader::find_local(std::string_view name) {
  if (const std::optional<int> state = find_state(name))
    return Variable{Variable::Source::kLocal, 1 + *state, measure_of_state(*state), 0};
  if (unknown_states.contains(name))  // said already
    return Variable{Variable::Source::kLocal, 0, {Measure::Kind::kAny, {}}, 0};
  const auto found = probes.find(std::string(name));
  if (found == probes.end()) return std::nullopt;
  const Probe& probe = model->probes[found->second];
  Measure measure{Measure::Kind::kAny, {}};
  if (!is_of_joint(probe) || !unknown_joints[probe.index])
    measure = {Measure::Kind::kExact, dimension_of(unit_of_probe(probe, *model))};
  return Variable{Variable::Source::kLocal, 1 + found->second, measure, 0};
}

std::vector<std::string> Reader::list_similar_probes(std::string_view name) const {
  const std::vector<std::string_view> parts = split_words(name);
  if (parts[0] == "system") return list_probes("", machine_quantities());
  const NameTable& table = parts[0] == "body" ? bodies : joints;
  const auto found = table.find(std::string(parts[1]));
  if (found == table.end()) return list_same_quantity(name, parts, table);
  if (parts[0] == "joint") return list_joint_probes(model->joints[found->second]);
  return list_probes(fmt::format("body.{}.", parts[1]), body_quantities());
}

void Reader::read_signals(const YamlNode& section) {
  SignalReader reader(section, this);
  formulas.find_local = [&](std::string_view name) {
    const std::optional<Variable> local = find_local(name);
    return local ? local : reader.find(name);
  };
  std::vector<std::string> names = reader.names();
  for (const StateSpec& state : model->states) names.push_back(state.name);
  formulas.similar_locals = [this, names](std::string_view name) {
    return looks_like_probe(name) ? list_similar_probes(name) : names;
  };
  formulas.find_filter = [this](std::string_view name) -> std::optional<Variable> {
    const std::optional<int> state = find_state(name);
    if (!state || model->states[*state].kind != StateKind::kFilter2) return std::nullopt;
    return Variable{Variable::Source::kLocal, 1 + *state, measure_of_state(*state), 0};
  };
  reader.read_all();
  for (std::size_t i = 0; i < state_nodes.size(); ++i) read_state(static_cast<int>(i));

  // from now on all of them have a slot
  std::unordered_map<std::string, Variable> slots;
  for (const SignalSpec& signal : model->signals)
    if (const auto variable = reader.find(signal.name)) slots.emplace(signal.name, *variable);
  formulas.find_local = [this, slots](std::string_view name) -> std::optional<Variable> {
    if (auto local = find_local(name)) return local;
    const auto found = slots.find(std::string(name));
    return found == slots.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace haltere
