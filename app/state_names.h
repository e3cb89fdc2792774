#pragma once

#include <algorithm>

#include "haltere/simulate/state_names.h"

namespace haltere {

/// Width of a column of names.
inline int calc_width(const Names& names) {
  std::size_t width = 10;
  for (const std::string& name : names) width = std::max(width, name.size());
  return static_cast<int>(width);
}

}  // namespace haltere
