#pragma once

#include <compare>
#include <filesystem>
#include <string>
#include <vector>

#include "haltere/analysis/root_locus.h"

namespace haltere {

/// Where small motions of a model begin or cease to grow: the one limit between two values of a parameter.
struct LimitSearch {
  std::string case_name;
  std::vector<std::string> set;  // as on the command line
  std::string parameter;
  double low = 0, high = 0;  // SI

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler writes a 0 there
  auto operator<=>(const LimitSearch&) const = default;
};

/// InputError where there is no such parameter, RunError unless there is one limit.
StabilityLimit find_limit(const std::filesystem::path& model, const LimitSearch& search,
                          const std::string& formulation);

}  // namespace haltere
