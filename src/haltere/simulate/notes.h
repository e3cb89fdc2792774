#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace haltere {

/// One sentence, however many things it is about: "A is late", "A; B are late", "A; B; C; D and 36 more are
/// late".
std::string say_of_all(const std::vector<std::string>& things, std::string_view one, std::string_view many);

constexpr std::string_view kClosesLoop = "closes a loop: it is held by a constraint";
constexpr std::string_view kCloseLoops = "close loops: they are held by constraints";
constexpr std::string_view kIsRedundant = "is redundant: its load is not unique";
constexpr std::string_view kAreRedundant = "are redundant: their loads are not unique";

/// What was left to another method near singular positions, `times` times.
std::string say_passages(std::string_view integrator, long times);

}  // namespace haltere
