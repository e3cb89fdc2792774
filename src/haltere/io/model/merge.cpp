#include "haltere/io/model/merge.h"

#include <unordered_map>
#include <utility>

namespace haltere {
namespace {

bool has_other_kind(const YamlNode& over, const YamlNode& base) {
  const YamlNode* a = over.find("kind");
  const YamlNode* b = base.find("kind");
  return a && b && a->text != b->text;
}

}  // namespace

void merge_over(YamlNode over, YamlNode* base) {
  if (!over.is_map() || !base->is_map() || has_other_kind(over, *base)) {
    *base = std::move(over);
    return;
  }
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < base->children.size(); ++i) places.emplace(base->children[i].key, i);
  for (YamlNode& child : over.children) {
    const auto found = places.find(child.key);
    if (found == places.end()) {
      places.emplace(child.key, base->children.size());
      base->children.push_back(std::move(child));
    } else {
      merge_over(std::move(child), &base->children[found->second]);
    }
  }
}

}  // namespace haltere
