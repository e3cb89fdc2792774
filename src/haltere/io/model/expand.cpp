#include "haltere/io/model/expand.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/formulas.h"
#include "haltere/io/model/merge.h"

namespace haltere {

/// An entry of a collection with its `repeat` and `mirror` taken out.
struct Expander::Block {
  std::string thing;  // "joint 'hinge{i}'"
  YamlNode entry;
  std::optional<YamlNode> repeat, mirror;
  std::vector<Range> ranges;  // the last one runs fastest
  std::optional<YamlNode> first, last, with;
  std::string from, to;
  int normal = -1;
};

namespace {

/// The entry of a map, out of it; nothing where it is missing or null.
std::optional<YamlNode> take_block(std::string_view key, YamlNode* map) {
  std::optional<YamlNode> node = map->is_map() ? map->take(key) : std::nullopt;
  if (node && node->is_null()) node.reset();
  return node;
}

void set_copy(const Copy* copy, YamlNode* node) {
  node->copy = copy;
  for (YamlNode& child : node->children) set_copy(copy, &child);
}

/// Bytes in memory, about.
double calc_weight(const YamlNode& node) {
  double weight = static_cast<double>(sizeof(YamlNode) + node.text.size() + node.key.size());
  for (const YamlNode& child : node.children) weight += calc_weight(child);
  return weight;
}

/// A piece of a node's text as a node of its own.
YamlNode make_part(const YamlNode& node, std::size_t offset, std::size_t length) {
  YamlNode part;
  part.kind = YamlNode::Kind::kScalar;
  part.mark = node.mark;
  part.copy = node.copy;
  part.text = node.text.substr(offset, length);
  if (node.text_column > 0) {
    part.text_column = node.text_column + static_cast<int>(offset);
    part.mark.column = part.text_column;
  }
  return part;
}

}  // namespace

std::string Copy::mirror(std::string_view name) const {
  std::string image(name);
  if (!is_mirrored()) return image;
  for (std::size_t i = image.find(from); i != std::string::npos; i = image.find(from, i + to.size()))
    image.replace(i, from.size(), to);
  return image;
}

void Expander::expand(std::string_view thing, YamlNode* collection) {
  std::vector<YamlNode> entries;
  entries.reserve(collection->children.size());
  for (YamlNode& child : collection->children) {
    if (child.is_null()) continue;  // removed by a case
    Block block;
    block.thing = fmt::format("{} '{}'", thing, child.key);
    block.entry = std::move(child);
    block.repeat = take_block("repeat", &block.entry);
    block.mirror = take_block("mirror", &block.entry);
    if (read_repeat(&block) && read_mirror(&block)) add_copies(block, &entries);
  }
  collection->children = std::move(entries);
}

void Expander::bind(std::string_view thing, const Copy* copy, YamlNode* node) {
  node->copy = copy;
  const std::string name(thing);
  if (node->key.find('{') != std::string::npos) {
    YamlNode key = make_part(*node, 0, 0);
    key.mark = node->key_mark;
    key.text_column = 0;
    replace_braces(name, key, copy, &node->key);
  }
  if (node->is_scalar() && node->text.find('{') != std::string::npos) {
    const YamlNode place = make_part(*node, 0, node->text.size());
    if (replace_braces(name, place, copy, &node->text)) node->text_column = 0;
  }
  for (YamlNode& child : node->children) bind(thing, copy, &child);
}

/// `wing{i-1}_{n}` -> `wing2_8`; true where something was replaced.
bool Expander::replace_braces(const std::string& thing, const YamlNode& place, const Copy* copy,
                              std::string* text) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t open = text->find('{'); open != std::string::npos; open = text->find('{', done)) {
    const std::size_t close = text->find('}', open);
    if (close == std::string::npos) {
      problems_->add(place.mark.source(), thing, fmt::format("{}: a brace is not closed", quote(*text)));
      return false;
    }
    YamlNode part = make_part(place, 0, 0);
    part.text = text->substr(open + 1, close - open - 1);
    part.copy = copy;
    if (place.text_column > 0) part.text_column = place.text_column + static_cast<int>(open) + 1;
    const std::string what = fmt::format("{{{}}}", part.text);
    const std::optional<int> value = formulas_->calc_integer({part, {thing, ""}, what});
    if (!value) return false;
    result += text->substr(done, open - done) + std::to_string(*value);
    done = close + 1;
  }
  *text = result + text->substr(done);
  return true;
}

// -- repeat

bool Expander::read_range(const YamlNode& node, Block* block) {
  const auto refuse = [&](std::string message, std::string hint = {}) {
    problems_->add(node.mark.source(), block->thing, std::move(message), std::move(hint));
    return false;
  };
  const std::string what = fmt::format("repeat {}", node.key);
  if (!is_name(node.key) || node.key == "t" || node.key == "pi")
    return refuse(fmt::format("{} cannot be the name of an index", quote(node.key)));
  if (formulas_->find_parameter && formulas_->find_parameter(node.key))
    return refuse(fmt::format("the index '{}' has the name of a parameter", node.key),
                  "give it another name");
  const std::size_t dots = node.text.find("..");
  if (!node.is_scalar() || dots == std::string::npos)
    return refuse(fmt::format("{}: expected a range, not {}", what, describe(node)), "write it as 1..n");
  const YamlNode low = make_part(node, 0, dots), high = make_part(node, dots + 2, std::string::npos);
  const std::optional<int> first = formulas_->calc_integer({low, {block->thing, ""}, what});
  const std::optional<int> last = formulas_->calc_integer({high, {block->thing, ""}, what});
  if (!first || !last) return false;
  block->ranges.push_back({node.key, *first, *last});
  return true;
}

bool Expander::read_repeat(Block* block) {
  const std::string& name = block->entry.key;
  if (!block->repeat) return true;
  const auto refuse = [&](std::string message, std::string hint = {}) {
    problems_->add(block->repeat->mark.source(), block->thing, std::move(message), std::move(hint));
    return false;
  };
  if (!block->repeat->is_map())
    return refuse(fmt::format("repeat: expected a map, not {}", describe(*block->repeat)),
                  "write it as repeat: {i: 1..n}");
  block->first = take_block("first", &*block->repeat);
  block->last = take_block("last", &*block->repeat);
  for (const YamlNode& range : block->repeat->children) {
    if (!read_range(range, block)) return false;
    if (name.find('{') == std::string::npos || name.find(range.key, name.find('{')) == std::string::npos)
      return refuse(fmt::format("the name does not contain the index {{{}}}", range.key),
                    fmt::format("call it {}{{{}}}", name, range.key));
  }
  if (block->ranges.empty() || block->ranges.size() > 2) return refuse("repeat takes one index or two");
  return true;
}

// -- mirror

bool Expander::read_mirror(Block* block) {
  if (!block->mirror) return true;
  const YamlNode& mirror = *block->mirror;
  const auto refuse = [&](const SourceMark& mark, std::string message, std::string hint = {}) {
    problems_->add(mark, block->thing, std::move(message), std::move(hint));
    return false;
  };
  const std::string usage = "write it as mirror: {plane: y, from: right, to: left}";
  if (!mirror.is_map())
    return refuse(mirror.mark.source(), fmt::format("mirror: expected a map, not {}", describe(mirror)),
                  usage);
  static const std::vector<std::string> keys{"plane", "from", "to", "with"};
  for (const YamlNode& child : mirror.children)
    if (std::find(keys.begin(), keys.end(), child.key) == keys.end())
      return refuse(child.key_source(), fmt::format("unknown key {} in mirror", quote(child.key)),
                    problems_->suggest(child.key, keys));
  const YamlNode* plane = mirror.find("plane");
  const YamlNode* from = mirror.find("from");
  const YamlNode* to = mirror.find("to");
  if (!plane || !from || !to || !from->is_scalar() || !to->is_scalar() || from->text.empty())
    return refuse(mirror.mark.source(), "mirror needs plane, from and to", usage);
  static constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
  block->normal = static_cast<int>(std::find(kAxes.begin(), kAxes.end(), plane->text) - kAxes.begin());
  if (block->normal == 3)
    return refuse(plane->mark.source(), fmt::format("plane is {}; must be x, y or z", describe(*plane)),
                  "the axis normal to the plane");
  block->from = from->text;
  block->to = to->text;
  if (const YamlNode* with = mirror.find("with")) block->with = *with;
  if (block->entry.key.find(block->from) == std::string::npos)
    return refuse(from->mark.source(), fmt::format("{} does not occur in the name", quote(block->from)));
  return true;
}

// -- copies

void Expander::add_copies(const Block& block, std::vector<YamlNode>* entries) {
  // an entry that is not repeated is one copy without index
  const Range one{"", 1, 1};
  const bool two = block.ranges.size() == 2;
  const Range& outer = two ? block.ranges[0] : one;
  const Range& inner = block.ranges.empty() ? one : block.ranges.back();
  const double n_outer = std::max(0.0, 1.0 + outer.last - outer.first);
  const double n_inner = std::max(0.0, 1.0 + inner.last - inner.first);
  const double n = n_outer * n_inner * (block.mirror ? 2 : 1);
  const double weight = n * calc_weight(block.entry);
  const bool too_many = static_cast<double>(n_entries_) + n > kMostEntries;
  if (too_many || copied_ + weight > kMostCopied) {
    if (!std::exchange(too_many_, true))
      problems_->add(
          block.entry.key_source(), block.thing,
          too_many ? fmt::format("{:.0f} copies make more than {} entries in the model", n, kMostEntries)
                   : fmt::format("{:.0f} copies of so long a block take more than 1 GiB", n),
          "use fewer");
    return;
  }
  n_entries_ += static_cast<long>(n);
  copied_ += weight;
  if (n_inner == 0) return;
  for (int i = outer.first; i <= outer.last; ++i)
    for (int j = inner.first; j <= inner.last; ++j) {
      Copy copy;
      if (two) copy.indices.push_back({outer.index, i});
      if (!block.ranges.empty()) copy.indices.push_back({inner.index, j});
      copies_->push_back(std::move(copy));
      add_copy(block, j == inner.first, j == inner.last, &copies_->back(), entries);
    }
}

void Expander::add_copy(const Block& block, bool is_first, bool is_last, const Copy* copy,
                        std::vector<YamlNode>* entries) {
  YamlNode entry = block.entry;
  for (const auto& [override, applies] :
       {std::pair{&block.first, is_first}, std::pair{&block.last, is_last}}) {
    if (!override->has_value() || !applies) continue;
    YamlNode over = **override;
    over.key = entry.key;
    merge_over(std::move(over), &entry);
  }
  bind(block.thing, copy, &entry);
  entries->push_back(std::move(entry));
  if (block.mirror) add_mirrored(block, YamlNode(entries->back()), copy, entries);
}

void Expander::add_mirrored(const Block& block, const YamlNode& original, const Copy* copy,
                            std::vector<YamlNode>* entries) {
  Copy mirrored = *copy;
  mirrored.from = block.from;
  mirrored.to = block.to;
  mirrored.normal = block.normal;
  copies_->push_back(std::move(mirrored));
  YamlNode image = original;
  set_copy(&copies_->back(), &image);
  image.key = copies_->back().mirror(image.key);
  if (block.with) {
    YamlNode with = *block.with;
    bind(block.thing, copy, &with);
    with.key = image.key;
    merge_over(std::move(with), &image);
  }
  entries->push_back(std::move(image));
}

}  // namespace haltere
