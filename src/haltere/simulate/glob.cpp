#include "haltere/simulate/glob.h"

#include <fmt/format.h>

#include "haltere/model/problem.h"

namespace haltere {

bool matches_glob(std::string_view glob, std::string_view name) {
  // greedy, with one point to return to: the last star
  std::size_t g = 0, n = 0, star = std::string_view::npos, after_star = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      after_star = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g;
      ++n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++after_star;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

std::string hint_for_glob(const std::string& glob, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (name.starts_with(glob + ".")) return fmt::format("did you mean '{}.*'?", glob);
  return did_you_mean(glob, names);
}

}  // namespace haltere
