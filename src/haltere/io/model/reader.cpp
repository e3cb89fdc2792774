#include "haltere/io/model/reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"

namespace haltere {
namespace {

/// Names for "did you mean"; a machine of a hundred thousand links would take too long to search.
std::vector<std::string> names_of(const NameTable& table) {
  constexpr std::size_t kMost = 10'000;
  std::vector<std::string> names;
  if (table.size() > kMost) return names;
  for (const auto& [name, index] : table) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

int mirror_sign(const Copy* copy, int axis, std::optional<Parity> parity) {
  if (!copy || !copy->is_mirrored() || !parity) return 1;
  const bool normal = axis == copy->normal;
  return normal == (*parity == Parity::kPolar) ? -1 : 1;
}

std::string name_in(const YamlNode& node) {
  return node.copy ? node.copy->mirror(node.text) : node.text;
}

std::string_view choose_unit(std::string_view units, Motion motion) {
  const std::size_t bar = units.find(" | ");
  if (bar == std::string_view::npos) return units;
  return is_rotary(motion) ? units.substr(0, bar) : units.substr(bar + 3);
}

// -- complaints

void Reader::refuse(const YamlNode& node, const Thing& thing, std::string message, std::string hint) {
  if (node.is_sequence() && is_cut_at_comma(node)) hint = kCommaHint;
  problems->add(node.mark.source(), thing.text(), std::move(message), std::move(hint));
}

void Reader::refuse_unknown(const YamlNode& node, const Thing& thing, std::string_view what,
                            const std::string& name, const NameTable& known) {
  std::string message = fmt::format("unknown {} {}", what, quote(name));
  if (name != node.text && node.copy && node.copy->is_mirrored())
    message += fmt::format(", the mirror image of {}", quote(node.text));
  refuse(node, thing, std::move(message), problems->full() ? "" : problems->suggest(name, names_of(known)));
}

void Reader::check_keys(const YamlNode& map, const Thing& thing, std::string_view where,
                        const std::vector<std::string>& known) {
  for (const YamlNode& child : map.children)
    if (std::find(known.begin(), known.end(), child.key) == known.end())
      problems->add(
          child.key_source(), thing.text(), fmt::format("unknown key {} in {}", quote(child.key), where),
          is_cut_at_comma(child.key) ? std::string(kCommaHint) : problems->suggest(child.key, known));
}

bool Reader::add_name(const YamlNode& entry, const Thing& thing, int index, NameTable* known) {
  if (!is_name(entry.key)) {
    problems->add(entry.key_source(), thing.text(),
                  "a name has letters, digits and _, and starts with a letter");
    return false;
  }
  if (known->emplace(entry.key, index).second) return true;
  problems->add(entry.key_source(), thing.text(), "there are two of this name", "rename one of them");
  return false;
}

// -- single values

Dimension Reader::dimension_of(std::string_view unit) {
  const auto found = dimensions.find(unit);
  if (found != dimensions.end()) return found->second;
  return dimensions.emplace(unit, unit_of(unit).dimension).first->second;
}

std::optional<Expression> Reader::read_quantity(const YamlNode& node, const Thing& thing,
                                                std::string_view what, std::string_view unit, Rule rule,
                                                bool negate) {
  std::optional<Expression> formula =
      formulas.read({node, thing, what, Level::kParameters, dimension_of(unit), negate});
  if (!formula || rule == Rule::kAny) return formula;
  const double value = formulas.calc(*formula);
  if (value > 0 || (value == 0 && rule == Rule::kNotNegative)) return formula;
  refuse(node, thing, fmt::format("{} is {}", what, format_quantity(value, unit)),
         rule == Rule::kPositive ? "must be positive" : "must not be negative");
  return std::nullopt;
}

void Reader::warn_of_degrees(const YamlNode& node, const Thing& thing, std::string_view what,
                             const Expression& angle) {
  const double value = formulas.calc(angle);
  constexpr double kTurn = 2 * std::numbers::pi * (1 + 1e-9);  // 2*pi is meant as it stands
  if (std::abs(value) <= kTurn || angle.measure().kind == Measure::Kind::kExact) return;
  problems->warn(node.mark.source(), thing.text(),
                 fmt::format("{} is {:.6g} rad, {:.3g} turns: without a unit an angle is in radians", what,
                             value, value / (2 * std::numbers::pi)),
                 "write deg behind it, or rad if that is meant");
}

std::optional<Expression> Reader::read_function(const YamlNode& node, const Thing& thing,
                                                std::string_view what, std::string_view unit, Level level,
                                                bool negate) {
  return formulas.read({node, thing, what, level, dimension_of(unit), negate});
}

std::optional<std::string> Reader::read_word(const YamlNode& node, const Thing& thing,
                                             std::string_view what) {
  if (node.is_scalar()) return node.text;
  refuse(node, thing, fmt::format("{}: expected a word, not {}", what, describe(node)));
  return std::nullopt;
}

std::optional<bool> Reader::read_flag(const YamlNode& node, const Thing& thing, std::string_view what) {
  if (node.is_scalar() && (node.text == "true" || node.text == "false")) return node.text == "true";
  refuse(node, thing, fmt::format("{} is {}; must be true or false", what, describe(node)));
  return std::nullopt;
}

std::optional<EulerSequence> Reader::read_sequence(const YamlNode& node, const Thing& thing) {
  const std::optional<EulerSequence> sequence =
      node.is_scalar() ? EulerSequence::parse(node.text) : std::nullopt;
  if (!sequence)
    refuse(node, thing, fmt::format("{} is no sequence of three axes", describe(node)),
           "write it as zyx, with neighbours that differ");
  return sequence;
}

std::optional<int> Reader::read_body(const YamlNode& node, const Thing& thing, std::string_view what) {
  const std::optional<std::string> word = read_word(node, thing, what);
  if (!word) return std::nullopt;
  const std::string name = name_in(node);
  const auto found = bodies.find(name);
  if (found != bodies.end()) return found->second;
  refuse_unknown(node, thing, what == "body" ? "body" : fmt::format("{} body", what), name, bodies);
  return std::nullopt;
}

std::optional<int> Reader::read_joint(const YamlNode& node, const std::string& name, const Thing& thing) {
  const auto found = joints.find(name);
  if (found != joints.end()) return found->second;
  refuse_unknown(node, thing, "joint", name, joints);
  return std::nullopt;
}

std::optional<CoordinateIndex> Reader::read_coordinate(const YamlNode& node, const Thing& thing) {
  if (!read_word(node, thing, "joint")) return std::nullopt;
  const std::string text = name_in(node);
  const std::size_t dot = text.rfind('.');
  const std::string name = text.substr(0, dot);
  const std::optional<int> joint = read_joint(node, name, thing);
  if (!joint) return std::nullopt;
  if (unknown_joints[*joint]) return std::nullopt;  // said already
  const int nv = model->joints[*joint].nv();
  int k = nv == 1 ? 0 : -1;
  if (dot != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + dot + 1, end, k);
    if (error != std::errc() || rest != end) k = -1;
  }
  if (k >= 0 && k < nv) return CoordinateIndex{*joint, k};
  refuse(node, thing,
         nv == 0
             ? fmt::format("joint '{}' has no coordinate", name)
             : fmt::format("{} does not name one of the {} coordinates of joint '{}'", quote(text), nv, name),
         nv > 1 ? fmt::format("write {0}.0 to {0}.{1}", name, nv - 1) : "");
  return std::nullopt;
}

// -- three components

std::optional<std::vector<Expression>> Reader::find_direction(const YamlNode& node,
                                                              std::optional<Parity> parity) const {
  if (!node.is_scalar()) return std::nullopt;
  const bool minus = node.text.starts_with('-');
  const std::string_view letter = std::string_view(node.text).substr(minus ? 1 : 0);
  if (letter.size() != 1 || letter[0] < 'x' || letter[0] > 'z') return std::nullopt;
  const int axis = letter[0] - 'x';
  std::vector<Expression> components(3);
  components[axis] = Expression((minus ? -1.0 : 1.0) * mirror_sign(node.copy, axis, parity));
  return components;
}

std::optional<std::vector<Expression>> Reader::read_vector(const YamlNode& node, const Thing& thing,
                                                           const VectorRequest& request) {
  if (request.unit.empty())
    if (auto direction = find_direction(node, request.parity)) return direction;
  if (!node.is_sequence() || node.children.size() != 3) {
    const std::string found =
        node.is_sequence() ? fmt::format("a list of {}", node.children.size()) : describe(node);
    refuse(node, thing, fmt::format("{}: expected a list of three components, not {}", request.what, found),
           request.unit.empty() ? "or one of x, y, z, -x, -y, -z" : "");
    return std::nullopt;
  }
  std::vector<Expression> components;
  for (int i = 0; i < 3; ++i) {
    const YamlNode& child = node.children[i];
    const bool negate = mirror_sign(child.copy, i, request.parity) < 0;
    std::optional<Expression> component =
        request.level == Level::kParameters
            ? read_quantity(child, thing, request.what, request.unit, request.rule, negate)
            : read_function(child, thing, request.what, request.unit, request.level, negate);
    if (component) components.push_back(std::move(*component));
  }
  if (components.size() != 3) return std::nullopt;
  return components;
}

}  // namespace haltere
