#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "haltere/io/model/document.h"

/// One tree from the files of a model: `include`, `cases`, and what the command line sets. Nothing is
/// interpreted yet.
namespace haltere {

/// The keys of a model file, in the order of the documentation.
const std::vector<std::string>& top_level_keys();

class Assembler {
 public:
  Assembler(Sources* sources, ProblemList* problems) : sources_(sources), problems_(problems) {}

  /// The file (or the `model.yaml` of the folder) with its includes; these stay inside its folder.
  std::optional<YamlNode> read(const std::filesystem::path& path);
  /// A text that stands in no folder: it cannot include others.
  std::optional<YamlNode> read_text(const std::string& text, const std::string& file);

  /// The folder of the model; empty for a text.
  const std::filesystem::path& folder() const { return folder_; }

  /// Names of the cases: those of the file, then the files `cases/NAME.yaml`.
  std::vector<std::string> list_cases(const YamlNode& root) const;
  /// Merges the case over the model; all cases leave the tree.
  void apply_case(const std::string& name, YamlNode* root);

  /// Merges a text over the model, whatever made it.
  void apply_text(const std::string& text, YamlNode* root);

  /// `key=value` of the command line. What names an entry that only a repeated block will make is kept for
  /// later.
  void apply_settings(const std::vector<std::string>& settings, YamlNode* root);
  /// Those that were kept, after the blocks were repeated. `bind`: what happens to texts of repeated blocks.
  void apply_kept(const std::function<void(YamlNode*)>& bind, YamlNode* root);
  /// Some were, besides those of `initial`, where that does not count.
  bool has_kept(bool of_initial) const;

 private:
  struct Setting {
    std::string key;
    YamlNode value;
  };
  std::optional<YamlNode> parse(const std::string& text, const std::string& name);
  std::optional<YamlNode> read_file(const std::filesystem::path& path, const SourceMark& mark);
  bool add_include(const YamlNode& name, const std::filesystem::path& folder, YamlNode* included);
  bool add_includes(const std::filesystem::path& folder, YamlNode* root);
  std::optional<YamlNode> take_case(const std::string& name, YamlNode* root);
  std::optional<Setting> parse_setting(const std::string& text);
  void apply(Setting setting, bool keep, YamlNode* root);
  void refuse(const Setting& setting, std::string message, std::string hint);
  std::optional<std::vector<std::string>> find_path(const Setting& setting, YamlNode* root);
  YamlNode* find_entry(const Setting& setting, const std::vector<std::string>& parts, YamlNode* section);
  YamlNode* find_below(const Setting& setting, const std::string& part, YamlNode* place);
  static void write_out(const std::string& joint, YamlNode* root, YamlNode* initial);

  Sources* sources_;
  ProblemList* problems_;
  std::filesystem::path folder_;             // of the model; empty for a text
  std::vector<std::filesystem::path> open_;  // files that are being read, each included by the one before
  int n_includes_ = 0;
  std::vector<Setting> kept_;
};

}  // namespace haltere
