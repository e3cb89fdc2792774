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

/// What a parameter cannot change: bodies and coordinates, counts, words and switches.
template <class Member>
constexpr bool is_structural() {
  return std::is_integral_v<Member> || std::is_enum_v<Member> || std::is_same_v<Member, BodyIndex> ||
         std::is_same_v<Member, CoordinateIndex>;
}

/// The kind of an entry with those fields alone; its numbers are the defaults.
template <class Kinds>
typename Kinds::template Any<double> resolve_structure(const Entry& entry) {
  auto any = Kinds::template make<double>(entry.kind);
  std::visit(
      [&]<class Kind>(Kind& kind) {
        int i = 0;
        for_each_field<Kind>([&](const auto& f) {
          auto& member = kind.*f.member;
          if constexpr (is_structural<std::decay_t<decltype(member)>>())
            Resolver<double>{}.resolve(entry.values[i], &member);
          ++i;
        });
      },
      any);
  return any;
}

}  // namespace haltere
