#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Small helpers for messages about text that somebody typed.
namespace haltere {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn a into b, in bytes.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that somebody who typed `word` most likely meant (the first of the nearest), if one is near:
/// a third of the letters may be wrong, and words that differ only in upper and lower case are always near.
std::optional<std::string> find_similar(std::string_view word, const std::vector<std::string>& candidates);

/// The text in single quotes, fit for a message: cut after some forty bytes, odd bytes written as \xNN.
std::string quote(std::string_view text);

}  // namespace haltere
