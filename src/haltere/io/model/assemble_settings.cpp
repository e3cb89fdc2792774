#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/assemble.h"

namespace haltere {
namespace {

const std::string kSetFile = "--set";

/// A value of the command line stands in no line of a file.
void place_on_command_line(YamlNode* node) {
  node->mark = node->key_mark = {&kSetFile, 0, 0};
  node->text_column = 0;
  for (YamlNode& child : node->children) place_on_command_line(&child);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::vector<std::string> keys_of(const YamlNode* map) {
  std::vector<std::string> keys;
  if (map)
    for (const YamlNode& child : map->children) keys.push_back(child.key);
  return keys;
}

/// Sections that are maps of entries by name.
bool has_entries(const std::string& key) {
  static const std::vector<std::string> keys{"parameters", "bodies",   "joints", "constraints",
                                             "forces",     "surfaces", "states", "signals",
                                             "events",     "measures", "initial"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Makes others when it is repeated or mirrored.
bool is_block(const YamlNode& entry) {
  return entry.key.find('{') != std::string::npos || entry.find("repeat") || entry.find("mirror");
}

/// "there are a, b, c, ..."
std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  if (names.empty()) return "";
  const std::span<const std::string> shown(names.data(), std::min(names.size(), kMost));
  return fmt::format("there {} {}{}", names.size() == 1 ? "is" : "are", fmt::join(shown, ", "),
                     names.size() > kMost ? ", ..." : "");
}

/// The item of a list that a part of the key names; the one behind the last is made.
YamlNode* find_item(const std::string& part, YamlNode* list) {
  std::size_t i = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), i);
  const bool number = error == std::errc() && end == part.data() + part.size();
  if (!number || i > list->children.size()) return nullptr;
  if (i == list->children.size()) list->children.emplace_back();
  return &list->children[i];
}

/// The entry of a map, made if it is not there.
YamlNode* make_child(const std::string& key, YamlNode* map) {
  if (YamlNode* child = map->find_any(key)) return child;
  map->kind = YamlNode::Kind::kMap;
  YamlNode child;
  child.key = key;
  child.mark = child.key_mark = {&kSetFile, 0, 0};
  map->children.push_back(std::move(child));
  return &map->children.back();
}

void replace(YamlNode value, YamlNode* place) {
  value.key = place->key;
  value.key_mark = {&kSetFile, 0, 0};
  *place = std::move(value);
}

}  // namespace

std::optional<Assembler::Setting> Assembler::parse_setting(const std::string& text) {
  const SourceMark mark{kSetFile, 0, 0};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    problems_->add(mark, "", fmt::format("{} is not of the form key=value", quote(text)));
    return std::nullopt;
  }
  const std::string value = text.substr(equals + 1);
  std::optional<YamlNode> node = parse_document(value, &kSetFile, problems_);
  if (!node) return std::nullopt;
  place_on_command_line(&*node);
  sources_->text += fmt::format("\n# ---- --set {}\n", text.substr(0, text.find('\n')));
  return Setting{text.substr(0, equals), std::move(*node)};
}

void Assembler::apply_settings(const std::vector<std::string>& settings, YamlNode* root) {
  for (const std::string& text : settings)
    if (std::optional<Setting> setting = parse_setting(text)) apply(std::move(*setting), true, root);
}

void Assembler::apply_kept(const std::function<void(YamlNode*)>& bind, YamlNode* root) {
  for (Setting& setting : std::exchange(kept_, {})) {
    bind(&setting.value);
    apply(std::move(setting), false, root);
  }
}

bool Assembler::has_kept(bool of_initial) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const Setting& setting) {
    return of_initial || !setting.key.starts_with("initial.");
  });
}

void Assembler::refuse(const Setting& setting, std::string message, std::string hint) {
  problems_->add({kSetFile, 0, 0}, setting.key, std::move(message), std::move(hint));
}

/// `k` is a parameter, or a key of the file.
std::optional<std::vector<std::string>> Assembler::find_path(const Setting& setting, YamlNode* root) {
  std::vector<std::string> parts = split(setting.key);
  YamlNode* parameters = root->find_any("parameters");
  if (parts.size() == 1 && parameters && parameters->find_any(parts[0]))
    parts.insert(parts.begin(), "parameters");
  const std::vector<std::string>& known = top_level_keys();
  if (parts[0] == "include" || parts[0] == "cases") {
    refuse(setting, "this key cannot be set", "choose a case with --case");
    return std::nullopt;
  }
  if (std::find(known.begin(), known.end(), parts[0]) != known.end()) return parts;
  std::vector<std::string> candidates = keys_of(parameters);
  candidates.insert(candidates.end(), known.begin(), known.end());
  std::string hint;
  for (const YamlNode& section : root->children)
    if (has_entries(section.key) && section.find(parts[0]) && hint.empty())
      hint = fmt::format("did you mean '{}.{}'?", section.key, setting.key);
  if (hint.empty()) hint = problems_->suggest(parts[0], candidates);
  if (hint.empty() && parameters) hint = "in parameters " + list_names(keys_of(parameters));
  refuse(setting, "there is no such parameter or key", std::move(hint));
  return std::nullopt;
}

/// The entry of a section. A new one is given as a whole, so that a slip of the pen makes none; `initial`
/// names joints, which must be there.
YamlNode* Assembler::find_entry(const Setting& setting, const std::vector<std::string>& parts,
                                YamlNode* section) {
  if (YamlNode* entry = section->find_any(parts[1])) return entry;
  if (section->is_scalar() || section->is_sequence()) {
    refuse(setting, fmt::format("'{}' is no map of names", section->key), "");
    return nullptr;
  }
  const std::vector<std::string> names = keys_of(section);
  std::string hint = problems_->suggest(parts[1], names);
  if (parts.size() > 2 && parts[0] != "initial") {
    if (hint.empty())
      hint = fmt::format("{}{}a new one is given as a whole: --set '{}.{}={{...}}'", list_names(names),
                         names.empty() ? "" : "; ", parts[0], parts[1]);
    refuse(setting, fmt::format("'{}' has no entry {}", parts[0], quote(parts[1])), std::move(hint));
    return nullptr;
  }
  if (parts[0] != "initial")
    problems_->warn({kSetFile, 0, 0}, setting.key,
                    fmt::format("is new: '{}' of the file has no '{}'", parts[0], parts[1]), std::move(hint));
  return make_child(parts[1], section);
}

/// `hinge: 30 deg` is short for the angle or the position of its joint.
void Assembler::write_out(const std::string& joint, YamlNode* root, YamlNode* initial) {
  const YamlNode* joints = root->find("joints");
  const YamlNode* entry = joints ? joints->find(joint) : nullptr;
  const YamlNode* kind = entry ? entry->find("kind") : nullptr;
  YamlNode value = std::move(*initial);
  *initial = YamlNode();
  initial->kind = YamlNode::Kind::kMap;
  initial->key = value.key;
  initial->mark = value.mark;
  initial->key_mark = value.key_mark;
  initial->copy = value.copy;
  value.key = kind && kind->text == "prismatic" ? "position" : "angle";
  initial->children.push_back(std::move(value));
}

/// What a part of the key names below an entry; made where a map lacks it.
YamlNode* Assembler::find_below(const Setting& setting, const std::string& part, YamlNode* place) {
  YamlNode* next = nullptr;
  if (place->is_sequence())
    next = find_item(part, place);
  else if (!place->is_scalar())
    next = make_child(part, place);
  if (!next)
    refuse(setting, fmt::format("'{}' has no entry {}", place->key, quote(part)),
           place->is_scalar() ? fmt::format("it is a single value, {}", describe(*place))
                              : fmt::format("it is a list of {}, counted from 0", place->children.size()));
  return next;
}

void Assembler::apply(Setting setting, bool keep, YamlNode* root) {
  const std::optional<std::vector<std::string>> parts = find_path(setting, root);
  if (!parts) return;
  YamlNode* place = make_child(parts->front(), root);
  std::size_t next = 1;
  if (parts->size() > 1 && has_entries(parts->front())) {
    const std::string& name = (*parts)[1];
    YamlNode* entry = place->find_any(name);
    const bool has_blocks = std::any_of(place->children.begin(), place->children.end(), is_block);
    const bool makes_block = name.find('{') != std::string::npos || is_block(setting.value);
    // a short form waits for the kind of its joint, what is not here for the copies of blocks
    const bool is_short = entry && entry->is_scalar() && parts->size() > 2 && parts->front() == "initial";
    if (keep && (is_short || (!entry && has_blocks && !makes_block))) {
      kept_.push_back(std::move(setting));
      return;
    }
    if (is_short) write_out(name, root, entry);
    if (!entry) entry = find_entry(setting, *parts, place);
    place = entry;
    ++next;
  }
  for (; place && next < parts->size(); ++next) place = find_below(setting, (*parts)[next], place);
  if (place) replace(std::move(setting.value), place);
}

}  // namespace haltere
