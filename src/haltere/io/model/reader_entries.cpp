#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/reader.h"

/// Entries with kinds: fields are read by their descriptions, no kind is known by name.
namespace haltere {
namespace {

constexpr int kMostCounted = 1000;  // of whole numbers in fields, as strips of a wing; a choice

std::vector<std::string> names_of(const std::vector<KindInfo>& kinds) {
  std::vector<std::string> names;
  for (const KindInfo& kind : kinds) names.emplace_back(kind.name);
  return names;
}

std::string_view describe(Motion motion) {
  switch (motion) {
    case Motion::kAngle:
      return "an angle";
    case Motion::kLength:
      return "a length";
    case Motion::kTurn:
      return "one component of an angular velocity, which has no angle";
  }
  return "";
}

/// Another kind that has the same fields to offer for this coordinate.
std::string suggest_kind(const std::vector<KindInfo>& kinds, Motion motion) {
  for (const KindInfo& kind : kinds)
    if (kind.motion == motion) return fmt::format("use a {}", kind.name);
  return "";
}

/// Another place for what a surface does not say.
std::string suggest_air(std::string_view field) {
  const std::vector<std::string>& keys = air_keys();
  if (std::find(keys.begin(), keys.end(), field) == keys.end()) return "";
  return fmt::format("give it here, or as `{}` in `air` for all surfaces", field);
}

}  // namespace

std::optional<int> Reader::read_kind(const YamlNode& node, const Thing& thing,
                                     const std::vector<KindInfo>& kinds) {
  const std::vector<std::string> names = names_of(kinds);
  const std::string known = fmt::format("one of {}", fmt::join(names, ", "));
  if (!node.is_map()) {
    refuse(node, thing, fmt::format("expected a map with `kind`, not {}", haltere::describe(node)), known);
    return std::nullopt;
  }
  const YamlNode* kind = node.find("kind");
  if (!kind) {
    refuse(node, thing, "`kind` is missing", known);
    return std::nullopt;
  }
  if (!read_word(*kind, thing, "kind")) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), kind->text);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  const std::string hint = problems->suggest(kind->text, names);
  refuse(*kind, thing, fmt::format("unknown kind {}", quote(kind->text)), hint.empty() ? known : hint);
  return std::nullopt;
}

bool Reader::read_fields(const YamlNode& node, const Thing& thing, const std::vector<KindInfo>& kinds,
                         const std::vector<std::string>& more, Entry* entry, const FieldValues& otherwise) {
  const KindInfo& kind = kinds[entry->kind];
  std::vector<std::string> keys{"kind"};
  for (const FieldInfo& field : kind.fields) keys.emplace_back(field.name);
  keys.insert(keys.end(), more.begin(), more.end());
  const std::size_t before = problems->size();
  check_keys(node, thing, fmt::format("a {}", kind.name), keys);

  // the coordinate first: the units of other fields may depend on it
  std::optional<Motion> motion;
  bool complete = problems->size() == before;
  entry->values.assign(kind.fields.size(), Value{});
  for (const bool coordinates : {true, false}) {
    for (std::size_t i = 0; i < kind.fields.size(); ++i) {
      const FieldInfo& field = kind.fields[i];
      if ((field.type == FieldType::kCoordinate) != coordinates) continue;
      const YamlNode* value = node.find(field.name);
      if (const auto given = otherwise.find(field.name); !value && given != otherwise.end()) {
        entry->values[i] = given->second;
        continue;
      }
      if (!value && field.need == Need::kRequired) {
        refuse(node, thing, fmt::format("{} is missing", field.name),
               &kinds == &surface_kinds() ? suggest_air(field.name) : "");
        complete = false;
      }
      if (!value) continue;
      complete &= read_field(*value, thing, field, motion.value_or(Motion::kAngle), &entry->values[i]);
      const auto* c = std::get_if<CoordinateIndex>(&entry->values[i]);
      if (!c) continue;
      motion = model->joints[c->joint].motion(c->coordinate);
      if (kind.motion && kind.motion != motion) {
        refuse(*value, thing,
               fmt::format("a {} cannot act on {}: the coordinate is {}", kind.name, quote(value->text),
                           describe(*motion)),
               suggest_kind(kinds, *motion));
        complete = false;
      }
    }
  }
  return complete;
}

bool Reader::read_field(const YamlNode& node, const Thing& thing, const FieldInfo& field, Motion motion,
                        Value* out) {
  const std::string_view unit = choose_unit(field.unit, motion);
  const auto store = [&](auto&& value) {
    if (value) *out = std::move(*value);
    return value.has_value();
  };
  const Level level = level_of(field.reads);
  // components that cannot be negative are sizes, and a field is where it is: the same in a mirror
  const std::optional<Parity> parity =
      field.rule == Rule::kAny && level != Level::kPlace ? std::optional(field.parity) : std::nullopt;
  switch (field.type) {
    case FieldType::kNumber:
      return store(read_quantity(node, thing, field.name, unit, field.rule));
    case FieldType::kCount:
      return store(read_count(node, thing, field));
    case FieldType::kMatrix:
      return store(read_matrix(node, thing, field));
    case FieldType::kVector:
      return store(read_vector(node, thing, {field.name, unit, parity, Level::kParameters, field.rule}));
    case FieldType::kFunction:
      return store(read_function(node, thing, field.name, unit, level));
    case FieldType::kVectorFunction:
      return store(read_vector(node, thing, {field.name, unit, parity, level, field.rule}));
    case FieldType::kBody: {
      const std::optional<int> body = read_body(node, thing, field.name);
      if (body) *out = BodyIndex{*body};
      return body.has_value();
    }
    case FieldType::kCoordinate:
      return store(read_coordinate(node, thing));
    case FieldType::kGains:
      return store(read_gains(node, thing, motion));
    case FieldType::kFlag:
      return store(read_flag(node, thing, field.name));
    case FieldType::kRows:
      return store(read_rows(node, thing, field));
    case FieldType::kGrid:
      return store(read_grid(node, thing, field));
    case FieldType::kBlocks:
      return store(read_blocks(node, thing, field));
    case FieldType::kWord: {
      const auto word = std::find(field.words.begin(), field.words.end(), node.text);
      if (node.is_scalar() && word != field.words.end()) {
        *out = static_cast<int>(word - field.words.begin());
        return true;
      }
      refuse(node, thing,
             fmt::format("{} is {}; must be one of {}", field.name, haltere::describe(node),
                         fmt::join(field.words, ", ")));
      return false;
    }
  }
  return false;
}

std::optional<int> Reader::read_count(const YamlNode& node, const Thing& thing, const FieldInfo& field) {
  const std::optional<int> count = formulas.calc_integer({node, thing, field.name});
  if (!count || (*count >= 1 && *count <= kMostCounted)) return count;
  refuse(node, thing, fmt::format("{} is {}; must lie between 1 and {}", field.name, *count, kMostCounted));
  return std::nullopt;
}

/// Three rows of three; what turns a polar vector into an axial one, or back, changes its sign in a mirror
/// where one of the same kind does not.
std::optional<std::vector<Expression>> Reader::read_matrix(const YamlNode& node, const Thing& thing,
                                                           const FieldInfo& field) {
  std::vector<Expression> entries;
  bool complete = node.is_sequence() && node.children.size() == 3;
  if (!complete)
    refuse(node, thing, fmt::format("{}: expected three rows, not {}", field.name, haltere::describe(node)),
           "write it as [[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
  for (std::size_t i = 0; complete && i < 3; ++i) {
    const YamlNode& row = node.children[i];
    if (!row.is_sequence() || row.children.size() != 3) {
      refuse(row, thing,
             fmt::format("{}: expected a row of three numbers, not {}", field.name, haltere::describe(row)));
      return std::nullopt;
    }
    for (std::size_t j = 0; j < 3; ++j) {
      const YamlNode& child = row.children[j];
      const bool negate = mirror_sign(child.copy, static_cast<int>(i), field.parity) *
                              mirror_sign(child.copy, static_cast<int>(j), Parity::kAxial) <
                          0;
      auto entry = read_quantity(child, thing, field.name, field.unit, field.rule, negate);
      complete &= entry.has_value();
      if (entry) entries.push_back(std::move(*entry));
    }
  }
  if (!complete) return std::nullopt;
  return entries;
}

std::optional<std::vector<Expression>> Reader::read_rows(const YamlNode& node, const Thing& thing,
                                                         const FieldInfo& field) {
  if (!node.is_sequence()) {
    refuse(node, thing,
           fmt::format("{}: expected a list of rows, not {}", field.name, haltere::describe(node)),
           "a row has three numbers, [0, 0, 0.2 m]");
    return std::nullopt;
  }
  std::vector<Expression> entries;
  bool complete = true;
  for (const YamlNode& row : node.children) {
    if (!row.is_sequence() || row.children.size() != 3) {
      refuse(row, thing,
             fmt::format("{}: expected a row of three numbers, not {}", field.name,
                         row.is_sequence() ? fmt::format("a list of {}", row.children.size())
                                           : haltere::describe(row)));
      return std::nullopt;
    }
    for (const YamlNode& child : row.children) {
      auto entry = read_quantity(child, thing, field.name, field.unit, field.rule);
      complete &= entry.has_value();
      if (entry) entries.push_back(std::move(*entry));
    }
  }
  if (!complete) return std::nullopt;
  return entries;
}

/// Points of a table; their image in a mirrored copy.
std::optional<std::shared_ptr<const PointGrid>> Reader::read_grid(const YamlNode& node, const Thing& thing,
                                                                  const FieldInfo& field) {
  const std::optional<std::string> file = read_word(node, thing, field.name);
  if (!file) return std::nullopt;
  TextProblem problem{-1, "there are no files here", ""};
  std::shared_ptr<const PointGrid> grid =
      find_grid ? find_grid(*file, node.mark.source(), &problem) : nullptr;
  if (!grid) {
    if (!problem.message.empty())
      refuse(node, thing, fmt::format("{}: {}", field.name, problem.message), problem.hint);
    return std::nullopt;
  }
  if (!node.copy || !node.copy->is_mirrored()) return grid;
  PointGrid image = *grid;
  for (Vector3<double>& point : image.points)
    for (int i = 0; i < 3; ++i) point[i] *= mirror_sign(node.copy, i, field.parity);
  return std::make_shared<const PointGrid>(std::move(image));
}

std::optional<std::vector<Block>> Reader::read_blocks(const YamlNode& node, const Thing& thing,
                                                      const FieldInfo& field) {
  if (!node.is_map()) {
    refuse(node, thing,
           fmt::format("{}: expected a map of names, not {}", field.name, haltere::describe(node)));
    return std::nullopt;
  }
  std::vector<Block> blocks;
  bool complete = true;
  for (const YamlNode& child : node.children) {
    if (child.is_null()) continue;
    std::optional<Block> block = read_block(child, thing, field);
    complete &= block.has_value();
    if (block) blocks.push_back(std::move(*block));
  }
  if (!complete) return std::nullopt;
  return blocks;
}

std::optional<Block> Reader::read_block(const YamlNode& node, const Thing& thing, const FieldInfo& field) {
  const std::string where = fmt::format("{}.{}", field.name, node.key);
  if (!node.is_map()) {
    refuse(node, thing, fmt::format("{}: expected a map, not {}", where, haltere::describe(node)));
    return std::nullopt;
  }
  std::vector<std::string> keys;
  for (const FieldInfo& own : field.fields) keys.emplace_back(own.name);
  const std::size_t before = problems->size();
  check_keys(node, thing, fmt::format("`{}`", where), keys);
  bool complete = problems->size() == before;
  Block block{node.key, {}};
  for (const FieldInfo& own : field.fields) {
    block.values.emplace_back();
    const YamlNode* value = node.find(own.name);
    if (value) {
      complete &= read_field(*value, thing, own, Motion::kAngle, &block.values.back());
    } else if (own.need == Need::kRequired) {
      refuse(node, thing, fmt::format("{}: {} is missing", where, own.name));
      complete = false;
    }
  }
  if (!complete) return std::nullopt;
  return block;
}

/// A gain must turn the signal into the force of the coordinate; radians count only where both sides state
/// them.
void Reader::check_gain(const YamlNode& node, const Thing& thing, const Measure& signal, const Measure& gain,
                        Motion motion) {
  if (signal.kind != Measure::Kind::kExact || gain.kind != Measure::Kind::kExact) return;
  const Dimension expected = unit_of(is_rotary(motion) ? "N m" : "N").dimension / signal.dimension;
  const bool strict = signal.is_strict && gain.is_strict;
  if (strict ? gain.dimension == expected : gain.dimension.without_angle() == expected.without_angle())
    return;
  refuse(node, thing,
         fmt::format("the gain of {} is measured in {}; expected {}", quote(node.key),
                     to_string(gain.dimension), to_string(expected)));
}

std::optional<std::vector<SignalGain>> Reader::read_gains(const YamlNode& node, const Thing& thing,
                                                          Motion motion) {
  if (!node.is_map()) {
    refuse(node, thing, fmt::format("gains: expected a map, not {}", haltere::describe(node)),
           "write it as gains: {signal: gain}");
    return std::nullopt;
  }
  std::vector<SignalGain> gains;
  bool complete = true;
  for (const YamlNode& child : node.children) {
    if (child.is_null()) continue;
    const std::string name = child.copy ? child.copy->mirror(child.key) : child.key;
    const std::optional<Variable> signal = formulas.find_local(name);
    const std::optional<Expression> gain = formulas.read({child, thing, "gain"});
    complete &= signal && gain;
    if (!signal)
      problems->add(child.key_source(), thing.text(), fmt::format("unknown signal {}", quote(name)),
                    problems->full() ? "" : problems->suggest(name, formulas.similar_locals(name)));
    if (!signal || !gain) continue;
    check_gain(child, thing, signal->measure, gain->measure(), motion);
    gains.push_back({signal->slot, *gain});
  }
  if (!complete) return std::nullopt;
  return gains;
}

}  // namespace haltere
