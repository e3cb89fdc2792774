#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/io/model/problem_list.h"

/// A YAML file as a tree of our own, every node with its place; nothing is interpreted here.
namespace haltere {

struct Copy;  // see expand.h

/// A place in a file whose name outlives it (it belongs to the Sources).
struct Mark {
  const std::string* file = nullptr;
  int line = 0;    // from 1; 0: the file as a whole
  int column = 0;  // from 1

  SourceMark source() const { return {file ? *file : std::string(), line, column}; }
};

struct YamlNode {
  enum class Kind { kNull, kScalar, kMap, kSequence };
  Kind kind = Kind::kNull;
  bool quoted = false;
  Mark mark;
  int text_column = 0;  // where the text starts in the line, if it stands there as it is; else 0
  std::string text;     // of a scalar
  std::string key;      // of an entry of a map
  Mark key_mark;
  std::vector<YamlNode> children;  // of a map or a sequence, in the order of the file
  const Copy* copy = nullptr;      // what makes this copy of a repeated or mirrored block different

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_map() const { return kind == Kind::kMap; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  /// The entry of a map; nothing where it is missing or null.
  const YamlNode* find(std::string_view name) const;
  YamlNode* find_any(std::string_view name);  // null ones too
  /// Takes the entry out of a map; nothing where it is missing.
  std::optional<YamlNode> take(std::string_view name);
  /// The place of the byte `offset` of the text.
  SourceMark mark_at(int offset) const;
  SourceMark key_source() const { return key_mark.source(); }
};

/// "a list", "a map", "'text'": for messages.
std::string describe(const YamlNode& node);

/// A formula, or a part of this node, whose brackets do not match because it is not in quotes: inside [ ] and
/// { } a comma ends an entry.
bool is_cut_at_comma(const YamlNode& node);
bool is_cut_at_comma(std::string_view unquoted);
inline constexpr std::string_view kCommaHint =
    "inside [ ] and { } a comma ends an entry: put a formula that contains commas into quotes";

/// What is read at most: of one file, of all files of a model with their tables, how deep blocks nest, how
/// many values a file has and how long they are together (aliases counted as often as they are used).
/// Choices, far above any model, that keep time and memory bounded whatever a file says.
inline constexpr std::size_t kLargestFile = 4 << 20;
inline constexpr std::size_t kLargestModel = 32 << 20;
inline constexpr int kDeepestNesting = 64;
inline constexpr std::size_t kMostNodes = 1'000'000;
inline constexpr std::size_t kMostText = 64 << 20;

/// The files of one model: their names (Marks point to them) and their texts, for the record.
struct Sources {
  std::deque<std::string> names;
  std::string text;
  bool is_full = false;

  /// Takes one more file, or returns false: the model is too large, which is a Problem of the first file that
  /// makes it so.
  bool add(const std::string& name, std::string_view file, ProblemList* problems);
};

/// The text of a regular file; problems stand at `mark` (of the include), or at the file itself.
std::optional<std::string> read_text_file(const std::filesystem::path& path, const SourceMark& mark,
                                          ProblemList* problems);

/// One YAML document. Nothing where the text cannot be read at all; duplicate keys are reported and reading
/// goes on.
std::optional<YamlNode> parse_document(std::string_view text, const std::string* file, ProblemList* problems);

}  // namespace haltere
