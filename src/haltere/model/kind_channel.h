#pragma once

#include <string>
#include <variant>
#include <vector>

#include "haltere/model/entry.h"

namespace haltere {

/// A number that a kind records besides those that all of its room record. A kind that has some lists them in
/// `channels()`; whoever records calls `read` and knows no kind. `Observed`: what it is read from.
template <class... Observed>
struct KindChannel {
  std::string name;  // after that of the entry: "strip.1.alpha"
  std::string unit;  // "" for pure numbers
  std::string meaning;
  double (*read)(const Observed&..., int part);
  int part = 0;  // which of several that are read alike: a strip, an axis
};

/// The channels that the kind of an entry lists; none where it lists none. They may depend on its counts and
/// words, not on its numbers.
template <class Kinds, class Channel>
std::vector<Channel> list_kind_channels(const Entry& entry) {
  return std::visit(
      [](const auto& kind) -> std::vector<Channel> {
        if constexpr (requires { kind.channels(); })
          return kind.channels();
        else
          return {};
      },
      resolve_structure<Kinds>(entry));
}

}  // namespace haltere
