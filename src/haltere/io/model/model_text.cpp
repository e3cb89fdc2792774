#include "haltere/io/model/model_text.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "haltere/io/model/assemble.h"

namespace haltere {
namespace {

/// Reads back as it is without quotes, in a list, too.
bool is_plain(const std::string& text) {
  const auto is_first = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  const auto is_part = [&](char c) {
    return is_first(c) || std::string_view("+-*/()^ ").find(c) != std::string_view::npos;
  };
  const std::string number = text.starts_with('-') ? text.substr(1) : text;
  if (text == "null" || text == "Null" || text == "NULL") return false;
  return !number.empty() && is_first(number[0]) && number.back() != ' ' &&
         std::all_of(number.begin(), number.end(), is_part);
}

std::string write_scalar(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\t") : std::string(1, c);
  }
  return quoted + '"';
}

/// In one line.
std::string write_flow(const YamlNode& node) {
  std::string text;
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "~";
    case YamlNode::Kind::kScalar:
      return write_scalar(node.text);
    case YamlNode::Kind::kSequence:
      for (const YamlNode& child : node.children) text += (text.empty() ? "" : ", ") + write_flow(child);
      return '[' + text + ']';
    case YamlNode::Kind::kMap:
      for (const YamlNode& child : node.children)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", write_scalar(child.key), write_flow(child));
      return '{' + text + '}';
  }
  return text;
}

/// An entry of a block; maps in lines of their own as long as they hold maps or lists, or are long.
std::string write_entry(const YamlNode& node, int indent) {
  constexpr std::size_t kLongest = 100;
  const std::string head = std::string(indent, ' ') + write_scalar(node.key) + ":";
  const std::string line = head + ' ' + write_flow(node);
  const bool is_block = node.is_map() && !node.children.empty() && (indent == 0 || line.size() > kLongest);
  if (!is_block) return line + '\n';
  std::string text = head + '\n';
  for (const YamlNode& child : node.children) text += write_entry(child, indent + 2);
  return text;
}

YamlNode make_scalar(const std::string& key, const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.key = key;
  node.text = text;
  return node;
}

void set_entry(const std::string& key, const std::string& text, YamlNode* map) {
  map->kind = YamlNode::Kind::kMap;
  std::erase_if(map->children, [&](const YamlNode& child) { return child.key == key && text.empty(); });
  if (text.empty()) return;
  if (YamlNode* child = map->find_any(key))
    *child = make_scalar(key, text);
  else
    map->children.push_back(make_scalar(key, text));
}

YamlNode* require_map(const std::string& key, YamlNode* root) {
  if (YamlNode* map = root->find_any(key)) return map;
  YamlNode map;
  map.kind = YamlNode::Kind::kMap;
  map.key = key;
  root->children.push_back(std::move(map));
  return &root->children.back();
}

}  // namespace

std::string make_model_text(const std::filesystem::path& path, const ReadOptions& options,
                            const ModelChanges& changes) {
  Sources sources;
  ProblemList problems;
  Assembler assembler(&sources, &problems);
  std::optional<YamlNode> root = assembler.read(path);
  if (!root) problems.throw_errors();
  assembler.apply_case(options.case_name, &*root);
  assembler.apply_settings(options.set, &*root);
  if (assembler.has_kept(changes.initial.empty()))
    problems.add({"--set", 0, 0}, "",
                 "an entry that only a repeated block makes cannot be set in a file that is written",
                 "change the block itself");
  problems.throw_errors();
  for (const auto& [name, text] : changes.parameters)
    set_entry(name, text, require_map("parameters", &*root));
  for (const auto& [key, text] : changes.simulation) set_entry(key, text, require_map("simulation", &*root));
  if (!changes.initial.empty())
    std::erase_if(root->children, [](const YamlNode& child) { return child.key == "initial"; });

  std::string text;
  for (std::size_t i = 0; i < changes.comment.size();) {
    const std::size_t end = std::min(changes.comment.find('\n', i), changes.comment.size());
    text += "# " + changes.comment.substr(i, end - i) + '\n';
    i = end + 1;
  }
  for (const YamlNode& child : root->children) text += write_entry(child, 0);
  return text + changes.initial;
}

}  // namespace haltere
