#include "haltere/io/model/assemble.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/merge.h"
#include "haltere/io/model/tables.h"

namespace haltere {
namespace {

namespace fs = std::filesystem;

constexpr int kMostIncludes = 200;  // against files that include each other without end; a choice

std::vector<std::string> keys_of(const YamlNode& map) {
  std::vector<std::string> keys;
  for (const YamlNode& child : map.children) keys.push_back(child.key);
  return keys;
}

/// Files `cases/NAME.yaml` beside the model, sorted.
std::vector<std::string> list_case_files(const fs::path& folder) {
  std::vector<std::string> names;
  if (folder.empty()) return names;
  std::error_code error;
  for (fs::directory_iterator file(folder / "cases", error), end; !error && file != end;
       file.increment(error))
    if (file->path().extension() == ".yaml") names.push_back(file->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

const std::vector<std::string>& top_level_keys() {
  static const std::vector<std::string> keys{
      "haltere",  "name",        "reference", "include",    "parameters", "gravity", "air",    "bodies",
      "joints",   "constraints", "forces",    "surfaces",   "states",     "signals", "events", "initial",
      "measures", "outputs",     "report",    "simulation", "trim",       "cases"};
  return keys;
}

std::optional<YamlNode> Assembler::parse(const std::string& text, const std::string& name) {
  if (!sources_->add(name, text, problems_)) return std::nullopt;
  std::optional<YamlNode> root = parse_document(text, &sources_->names.back(), problems_);
  if (root && !root->is_map()) {
    problems_->add(root->mark.source(), "", fmt::format("expected a map of keys, not {}", describe(*root)),
                   "start the file with `haltere: 1`");
    return std::nullopt;
  }
  return root;
}

std::optional<YamlNode> Assembler::read_text(const std::string& text, const std::string& file) {
  std::optional<YamlNode> root = parse(text, file);
  if (!root) return std::nullopt;
  if (const std::optional<YamlNode> include = root->take("include"))
    problems_->add(include->key_source(), "", "a text without a folder cannot include files");
  return root;
}

std::optional<YamlNode> Assembler::read(const fs::path& path) {
  std::error_code error;
  fs::path file = path;
  if (fs::is_directory(path, error)) {
    file = path / "model.yaml";
    if (!fs::exists(file, error)) {
      problems_->add({path.string(), 0, 0}, "", "the folder has no model.yaml");
      return std::nullopt;
    }
  }
  folder_ = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return read_file(file, {file.string(), 0, 0});
}

std::optional<YamlNode> Assembler::read_file(const fs::path& path, const SourceMark& mark) {
  const std::optional<std::string> text = read_text_file(path, mark, problems_);
  if (!text) return std::nullopt;
  std::optional<YamlNode> root = parse(*text, path.string());
  if (!root) return std::nullopt;
  std::error_code error;
  open_.push_back(fs::canonical(path, error));
  const bool complete = add_includes(path.has_parent_path() ? path.parent_path() : fs::path("."), &*root);
  open_.pop_back();
  if (!complete) return std::nullopt;
  return root;
}

/// The files under `include`, the later over the earlier, and the including file over all of them.
bool Assembler::add_includes(const fs::path& folder, YamlNode* root) {
  const std::optional<YamlNode> include = root->take("include");
  if (!include || include->is_null()) return true;
  YamlNode included;
  included.kind = YamlNode::Kind::kMap;
  included.mark = root->mark;
  bool complete = true;
  if (include->is_sequence())
    for (const YamlNode& name : include->children) complete &= add_include(name, folder, &included);
  else
    complete = add_include(*include, folder, &included);
  merge_over(std::move(*root), &included);
  *root = std::move(included);
  return complete;
}

bool Assembler::add_include(const YamlNode& name, const fs::path& folder, YamlNode* included) {
  const auto refuse = [&](std::string message, std::string hint = {}) {
    problems_->add(name.mark.source(), "include", std::move(message), std::move(hint));
    return false;
  };
  if (!name.is_scalar()) return refuse(fmt::format("expected the name of a file, not {}", describe(name)));
  const fs::path path = folder / name.text;
  if (climbs(name.text) || !lies_in(path, folder_))
    return refuse(fmt::format("{} lies outside the folder of the model", quote(name.text)),
                  "included files must lie beside the model or below it");
  std::error_code error;
  if (std::find(open_.begin(), open_.end(), fs::weakly_canonical(path, error)) != open_.end())
    return refuse(fmt::format("{} includes itself", quote(name.text)));
  if (++n_includes_ > kMostIncludes)
    return refuse(fmt::format("more than {} files are included", kMostIncludes));
  std::optional<YamlNode> root = read_file(path, name.mark.source());
  if (!root) return false;
  merge_over(std::move(*root), included);
  return true;
}

// -- cases

std::vector<std::string> Assembler::list_cases(const YamlNode& root) const {
  std::vector<std::string> names;
  if (const YamlNode* cases = root.find("cases"); cases && cases->is_map()) names = keys_of(*cases);
  for (std::string& name : list_case_files(folder_))
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  return names;
}

/// The case as a map of overrides, from the file of the model or from its own.
std::optional<YamlNode> Assembler::take_case(const std::string& name, YamlNode* root) {
  const std::vector<std::string> files = list_case_files(folder_);
  const bool has_file = std::find(files.begin(), files.end(), name) != files.end();
  YamlNode* cases = root->find_any("cases");
  std::optional<YamlNode> overrides = cases ? cases->take(name) : std::nullopt;
  if (overrides && has_file) {
    problems_->add(overrides->key_source(), fmt::format("case '{}'", name),
                   fmt::format("it stands here and in cases/{}.yaml", name), "remove one of them");
  } else if (has_file) {
    const fs::path path = folder_ / "cases" / (name + ".yaml");
    const std::optional<std::string> text = read_text_file(path, {path.string(), 0, 0}, problems_);
    if (text) overrides = parse(*text, path.string());
  }
  return overrides;
}

void Assembler::apply_case(const std::string& name, YamlNode* root) {
  if (!name.empty()) {
    const std::vector<std::string> names = list_cases(*root);
    std::optional<YamlNode> overrides = take_case(name, root);
    if (overrides && overrides->is_map()) {
      for (const std::string_view key : {"cases", "include"})
        if (const std::optional<YamlNode> child = overrides->take(key))
          problems_->add(child->key_source(), fmt::format("case '{}'", name),
                         fmt::format("a case cannot have the key '{}'", key));
      merge_over(std::move(*overrides), root);
    } else if (overrides && !overrides->is_null()) {
      problems_->add(overrides->mark.source(), fmt::format("case '{}'", name),
                     fmt::format("expected a map of keys, not {}", describe(*overrides)));
    } else if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string known =
          names.empty() ? "the model has none" : fmt::format("cases are: {}", fmt::join(names, ", "));
      const YamlNode* place = root->find("cases");
      problems_->add(place ? place->key_source() : SourceMark{*root->mark.file, 1, 1}, "",
                     fmt::format("unknown case {}; {}", quote(name), known), problems_->suggest(name, names));
    }
  }
  const std::optional<YamlNode> cases = root->take("cases");
  if (!cases || cases->is_null()) return;
  if (!cases->is_map())
    problems_->add(cases->mark.source(), "cases",
                   fmt::format("expected a map of names, not {}", describe(*cases)));
  for (const YamlNode& overrides : cases->children)
    for (const YamlNode& child : overrides.children)
      if (overrides.is_map() &&
          std::find(top_level_keys().begin(), top_level_keys().end(), child.key) == top_level_keys().end())
        problems_->add(child.key_source(), fmt::format("case '{}'", overrides.key),
                       fmt::format("unknown key {}", quote(child.key)),
                       problems_->suggest(child.key, top_level_keys()));
}

void Assembler::apply_text(const std::string& text, YamlNode* root) {
  if (std::optional<YamlNode> over = parse(text, "text laid over the model"))
    merge_over(std::move(*over), root);
}

}  // namespace haltere
