#pragma once

#include <array>
#include <string_view>

namespace haltere {

/// Colours that people who see few of them can tell apart (after Okabe and Ito, without the yellow, which is faint on
/// white), then dashes for further rounds.
inline constexpr std::array<std::string_view, 7> kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                         "#e69f00", "#56b4e9", "#4d4d4d"};
/// Lengths of lines and gaps in turn, in widths of the line; the first is solid.
inline constexpr std::array<std::array<double, 4>, 4> kDashes{
    {{0, 0, 0, 0}, {4.5, 2.5, 4.5, 2.5}, {1.5, 1.8, 1.5, 1.8}, {6, 2, 1.5, 2}}};

}  // namespace haltere
