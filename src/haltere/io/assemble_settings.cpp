#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "haltere/io/assemble.h"
#include "haltere/math/text.h"

namespace haltere {
namespace {

const std::string kSetFile = "--set";

/// A value of the command line stands in no line of a file.
void place_on_command_line(Node* node) {
  node->mark = node->key_mark = {&kSetFile, 0, 0};
  node->text_column = 0;
  for (Node& child : node->children) place_on_command_line(&child);
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

std::vector<std::string> keys_of(const Node* map) {
  std::vector<std::string> keys;
  if (map)
    for (const Node& child : map->children) keys.push_back(child.key);
  return keys;
}

/// Collections whose entries the file must have already: a new one would lack most of what it needs.
bool has_fixed_entries(const std::string& key) {
  return key == "parameters" || key == "bodies" || key == "joints" || key == "constraints" ||
         key == "forces" || key == "surfaces" || key == "signals" || key == "events" || key == "measures";
}

/// The item of a list that a part of the key names.
Node* find_item(const std::string& part, Node* list) {
  std::size_t i = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), i);
  const bool number = error == std::errc() && end == part.data() + part.size();
  return number && i < list->children.size() ? &list->children[i] : nullptr;
}

/// The entry of a map, made if it is not there.
Node* make_child(const std::string& key, Node* map) {
  if (Node* child = map->find_any(key)) return child;
  map->kind = Node::Kind::kMap;
  Node child;
  child.key = key;
  child.mark = child.key_mark = {&kSetFile, 0, 0};
  map->children.push_back(std::move(child));
  return &map->children.back();
}

void replace(Node value, Node* place) {
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
  std::optional<Node> node = parse_document(value, &kSetFile, problems_);
  if (!node) return std::nullopt;
  place_on_command_line(&*node);
  sources_->text += fmt::format("\n# ---- --set {}\n", text.substr(0, text.find('\n')));
  return Setting{text.substr(0, equals), std::move(*node)};
}

void Assembler::apply_settings(const std::vector<std::string>& settings, Node* root) {
  for (const std::string& text : settings)
    if (std::optional<Setting> setting = parse_setting(text)) apply(std::move(*setting), true, root);
}

void Assembler::apply_kept(Node* root) {
  for (Setting& setting : std::exchange(kept_, {})) apply(std::move(setting), false, root);
}

void Assembler::apply(Setting setting, bool keep, Node* root) {
  const auto refuse = [&](std::string message, std::string hint) {
    problems_->add({kSetFile, 0, 0}, setting.key, std::move(message), std::move(hint));
  };
  std::vector<std::string> parts = split(setting.key);
  Node* parameters = root->find_any("parameters");
  if (parts.size() == 1 && parameters && parameters->find_any(parts[0]))
    parts.insert(parts.begin(), "parameters");
  const std::vector<std::string>& known = top_level_keys();
  if (std::find(known.begin(), known.end(), parts[0]) == known.end()) {
    std::vector<std::string> candidates = keys_of(parameters);
    candidates.insert(candidates.end(), known.begin(), known.end());
    refuse("there is no such parameter or key", problems_->suggest(parts[0], candidates));
    return;
  }

  if (parts[0] == "include" || parts[0] == "cases") {
    refuse("this key cannot be set", "choose a case with --case");
    return;
  }

  Node* place = make_child(parts[0], root);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Node* next = place->is_sequence()                    ? find_item(parts[i], place)
                 : i == 1 && has_fixed_entries(parts[0]) ? place->find_any(parts[i])
                 : place->is_scalar()                    ? nullptr
                                                         : make_child(parts[i], place);
    if (!next && keep && i == 1) {
      kept_.push_back(std::move(setting));
      return;
    }
    if (!next) {
      refuse(fmt::format("'{}' has no entry {}", place->key, quote(parts[i])),
             problems_->suggest(parts[i], keys_of(place)));
      return;
    }
    place = next;
  }
  replace(std::move(setting.value), place);
}

}  // namespace haltere
