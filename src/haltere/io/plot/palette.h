#pragma once

#include <array>
#include <string_view>

namespace haltere {

/// Colours that people who see few of them can tell apart, then dashes for further rounds.
inline constexpr std::array<std::string_view, 7> kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                         "#e69f00", "#56b4e9", "#4d4d4d"};
inline constexpr std::array<std::string_view, 4> kDashes{"", "7 4", "2 3", "9 3 2 3"};

}  // namespace haltere
