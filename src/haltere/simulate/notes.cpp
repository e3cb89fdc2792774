#include "haltere/simulate/notes.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace haltere {

std::string say_of_all(const std::vector<std::string>& things, std::string_view one, std::string_view many) {
  constexpr std::size_t kMost = 4;  // that are named
  if (things.size() == 1) return fmt::format("{} {}", things[0], one);
  const auto last = things.begin() + static_cast<std::ptrdiff_t>(std::min(things.size(), kMost));
  std::string text = fmt::format("{}", fmt::join(things.begin(), last, "; "));
  if (things.size() > kMost) text += fmt::format(" and {} more", things.size() - kMost);
  return fmt::format("{} {}", text, many);
}

std::string say_passages(std::string_view integrator, long times) {
  return fmt::format(
      "near a singular position {} gave way to dop853, {} time{}: there the tangents of an implicit method "
      "do "
      "not know the branch of the motion",
      integrator, times, times == 1 ? "" : "s");
}

}  // namespace haltere
