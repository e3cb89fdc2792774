#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"
#include "haltere/model/quantity.h"

/// `states:`, what a model remembers. Names and kinds come first: states are the first of the probes. Their formulas are
/// read with the signals, which they may read and which may read them; a loop of states is no mistake.
namespace haltere {
namespace {

const StateKindInfo* find_state_kind(std::string_view name) {
  const auto kinds = state_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const StateKindInfo& k) { return k.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

Dimension per_second(const Dimension& dimension) {
  return dimension / unit_of("s").dimension;
}

/// The measure of the state, by one of the field.
Measure measure_by(const StateField& field, Measure measure) {
  if (field.measured == StateField::Measured::kAsStateRate)
    measure.dimension = measure.dimension * unit_of("s").dimension;
  return measure;
}

/// What the field is to have; nothing where the state may have any dimension.
std::optional<Dimension> expect(const StateField& field, const Measure& state) {
  if (field.measured == StateField::Measured::kByUnit) return unit_of(field.unit).dimension;
  if (state.kind != Measure::Kind::kExact) return std::nullopt;
  return field.measured == StateField::Measured::kAsState ? state.dimension : per_second(state.dimension);
}

std::vector<std::string> list_keys(const StateKindInfo& kind) {
  std::vector<std::string> keys{"kind", "unit"};
  for (const StateField& field : kind.fields) keys.emplace_back(field.name);
  return keys;
}

}  // namespace

/// `derivative: ...` alone says its kind.
std::optional<StateKind> Reader::read_state_kind(const YamlNode& node, const Thing& thing) {
  const YamlNode* word = node.find("kind");
  if (!word && node.find("derivative")) return StateKind::kDerivative;
  std::vector<std::string> names;
  for (const StateKindInfo& kind : state_kinds()) names.emplace_back(kind.name);
  const std::string all = fmt::format("one of {}", fmt::join(names, ", "));
  if (!word) {
    refuse(node, thing, "kind is missing", all + "; `derivative: ...` needs none");
    return std::nullopt;
  }
  if (const StateKindInfo* found = find_state_kind(word->text)) return found->kind;
  const auto similar = find_similar(word->text, names);
  refuse(*word, thing, fmt::format("there is no kind {}", quote(word->text)),
         similar ? fmt::format("did you mean '{}'?", *similar) : all);
  return std::nullopt;
}

void Reader::read_state_kinds(const YamlNode& section, const YamlNode& signals) {
  for (const YamlNode& signal : signals.children) signal_names.insert(signal.key);
  NameTable names;
  int first = 0, delay = 0;
  for (const YamlNode& node : section.children) {
    const Thing thing{"state", node.key};
    if (!add_name(node, thing, static_cast<int>(model->states.size()), &names)) continue;
    if (is_reserved_name(node.key))
      problems->add(node.key_source(), thing.text(), "a function or constant has this name", "rename it");
    if (formulas.find_parameter(node.key))
      problems->add(node.key_source(), thing.text(), "a parameter has this name, too", "rename one of them");
    if (signal_names.contains(node.key))
      problems->add(node.key_source(), thing.text(), "a signal has this name, too", "rename one of them");
    if (!node.is_map()) {
      refuse(node, thing, fmt::format("expected a map, not {}", describe(node)),
             "as {derivative: ..., initial: ...} or {kind: integral, of: ...}");
      continue;
    }
    const std::optional<StateKind> kind = read_state_kind(node, thing);
    if (!kind) {
      unknown_states.insert(node.key);
      continue;
    }
    StateSpec state;
    state.name = node.key;
    state.mark = node.key_source();
    state.kind = *kind;
    const int order = state.info().order;
    state.slot = order == 0 ? delay++ : first;
    first += order;
    const std::string probe = "state." + node.key;
    probes.emplace(probe, static_cast<int>(model->probes.size()));
    model->probes.push_back({Quantity::kState, static_cast<int>(model->states.size()), 0, probe});
    model->states.push_back(std::move(state));
    state_nodes.push_back({&node, false});
  }
}

std::optional<int> Reader::find_state(std::string_view name) const {
  const auto found =
      probes.find(name.starts_with("state.") ? std::string(name) : "state." + std::string(name));
  return found == probes.end() ? std::nullopt : std::optional(found->second);
}

/// What its numbers say; where they do not, its formula, unless that reads signals, which may be about to be read.
Measure Reader::measure_of_state(int index) {
  StateNode& state = state_nodes[index];
  StateSpec& spec = model->states[index];
  if (state.is_measured) return spec.measure;
  state.is_measured = true;  // formulas that need each other's dimension leave it open
  const YamlNode& node = *state.node;
  const Thing thing{"state", node.key};
  if (const YamlNode* unit = node.find("unit")) {
    TextProblem problem;
    const std::optional<std::string> word = read_word(*unit, thing, "unit");
    if (const auto parsed = parse_unit(word.value_or(""), &problem))
      spec.measure = {Measure::Kind::kExact, parsed->dimension};
    else
      problems->add(unit->mark_at(problem.offset), thing.text(), "unit: " + problem.message, problem.hint);
  }
  for (const bool of_motion : {false, true})
    for (const StateField& field : spec.info().fields) {
      const YamlNode* given = node.find(field.name);
      if (spec.measure.kind == Measure::Kind::kExact || field.of_motion != of_motion || !given ||
          field.measured == StateField::Measured::kByUnit || (of_motion && reads_signals(*given)))
        continue;
      const auto value = read_state_field(index, field, std::nullopt);
      if (value && value->measure().kind == Measure::Kind::kExact)
        spec.measure = measure_by(field, value->measure());
    }
  return spec.measure;
}

bool Reader::reads_signals(const YamlNode& node) const {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  const std::string& text = node.text;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::string name = text.substr(i, end - i);
    if (signal_names.contains(name) || (node.copy && signal_names.contains(node.copy->mirror(name))))
      return true;
    i = std::max(end, i + 1);
  }
  return false;
}

std::optional<Expression> Reader::read_state_field(int index, const StateField& field,
                                                   const std::optional<Dimension>& dimension) {
  const YamlNode& node = *state_nodes[index].node;
  const YamlNode* given = node.find(field.name);
  if (!given) return std::nullopt;
  const Level level = field.of_motion ? Level::kSignals : Level::kParameters;
  return formulas.read({*given, {"state", node.key}, field.name, level, dimension, false});
}

/// Once all signals have been read.
void Reader::read_state(int index) {
  const YamlNode& node = *state_nodes[index].node;
  const Thing thing{"state", node.key};
  const Measure measure = measure_of_state(index);
  StateSpec& state = model->states[index];
  const StateKindInfo& kind = state.info();
  check_keys(node, thing, fmt::format("a state of the kind {}", kind.name), list_keys(kind));
  for (const StateField& field : kind.fields) {
    if (field.required && !node.find(field.name))
      refuse(node, thing, fmt::format("{} is missing", field.name), std::string(field.meaning));
    auto& value = state.at(field.key);
    value = read_state_field(index, field, expect(field, measure));
    if (field.key == StateKey::kOf && value && state.measure.kind != Measure::Kind::kExact &&
        value->measure().kind == Measure::Kind::kExact)
      state.measure = measure_by(field, value->measure());
  }
  if (!state.at(StateKey::kOf)) state.at(StateKey::kOf) = Expression(0);  // said already
}

}  // namespace haltere
