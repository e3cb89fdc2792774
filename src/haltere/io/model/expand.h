#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "haltere/io/model/document.h"

/// `repeat` and `mirror`: one entry of a collection becomes many.
namespace haltere {

class Formulas;

struct Index {
  std::string name;
  int value = 0;
};

/// What makes one copy of a block different from the text that it was made from. The reader gives indices to
/// formulas and reflects geometry; `{i}` in texts has been replaced already.
struct Copy {
  std::vector<Index> indices;
  std::string from, to;  // mirrored: the part of names that changes
  int normal = -1;       // mirrored: axis normal to the plane, 0 to 2

  bool is_mirrored() const { return normal >= 0; }
  /// The name of the mirror image.
  std::string mirror(std::string_view name) const;
};

/// No more entries, and bytes in memory, than this come from all repeated blocks of a model together;
/// choices.
inline constexpr long kMostEntries = 200'000;
inline constexpr double kMostCopied = 1U << 30U;

class Expander {
 public:
  /// The copies must outlive the nodes.
  Expander(Formulas* formulas, std::deque<Copy>* copies, ProblemList* problems)
      : formulas_(formulas), copies_(copies), problems_(problems) {}

  /// Every entry of the map becomes its copies; a mirrored one stands right behind its original. `{...}` is
  /// replaced in all names and texts.
  void expand(std::string_view thing, YamlNode* collection);
  /// The node with `{...}` replaced.
  void bind(std::string_view thing, const Copy* copy, YamlNode* node);

 private:
  struct Range {
    std::string index;
    int first = 0, last = -1;
  };
  struct Block;

  bool read_repeat(Block* block);
  bool read_range(const YamlNode& node, Block* block);
  bool read_mirror(Block* block);
  void add_copies(const Block& block, std::vector<YamlNode>* entries);
  void add_copy(const Block& block, bool is_first, bool is_last, const Copy* copy,
                std::vector<YamlNode>* entries);
  void add_mirrored(const Block& block, const YamlNode& original, const Copy* copy,
                    std::vector<YamlNode>* entries);
  bool replace_braces(const std::string& thing, const YamlNode& place, const Copy* copy, std::string* text);

  Formulas* formulas_;
  std::deque<Copy>* copies_;
  ProblemList* problems_;
  long n_entries_ = 0;
  double copied_ = 0;  // bytes
  bool too_many_ = false;
};

}  // namespace haltere
