#pragma once

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "haltere/model/kind.h"
#include "haltere/model/problem.h"
#include "haltere/model/values.h"

namespace haltere {

/// One entry of a collection with kinds: which kind, and its fields in the order of K::fields().
struct Entry {
  std::string name;
  SourceMark mark;
  int kind = 0;               // position in the room's KindList
  std::vector<Value> values;  // one per field
  bool active = true;         // false: an event has broken or removed it (see Mode)
  bool mirrored = false;  // the image of another entry: what turns with a right hand turns with a left one
};

/// The kind of an entry with its fields resolved for one table of parameters.
template <class Kinds, class T>
typename Kinds::template Any<T> resolve(const Entry& entry, const Resolver<T>& resolver) {
  auto any = Kinds::template make<T>(entry.kind);
  std::visit(
      [&](auto& kind) {
        int i = 0;
        for_each_field<std::decay_t<decltype(kind)>>(
            [&](const auto& f) { resolver.resolve(entry.values[i++], &(kind.*f.member)); });
        if constexpr (requires { kind.mirrored; }) kind.mirrored = entry.mirrored;
      },
      any);
  return any;
}

}  // namespace haltere
