#include "haltere/formula/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

namespace haltere {
namespace {

constexpr std::size_t kLongestWord = 64;  // nobody mistypes longer words by a letter or two
constexpr std::size_t kLongestQuote = 40;

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// Length of the well-formed UTF-8 sequence of two or more bytes at the start of text; 0 if there is none.
std::size_t count_multibyte(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead >= 0xf5 || text.size() < length) return 0;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), continues) ? length
                                                                                                      : 0;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // rows of the usual table: two above, above, current
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> find_similar(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string lower = to_lower(word);
  int best = static_cast<int>(std::max<std::size_t>(1, word.size() / 3)) + 1;
  std::optional<std::string> nearest;
  for (const std::string& candidate : candidates) {
    const auto longer =
        static_cast<std::ptrdiff_t>(candidate.size()) - static_cast<std::ptrdiff_t>(word.size());
    if (candidate.empty() || std::abs(longer) > best) continue;
    const bool same_letters = to_lower(candidate) == lower;
    const int distance = same_letters ? 0 : edit_distance(word, candidate);
    // a distance as large as the word says nothing
    if (distance >= best || distance >= static_cast<int>(std::max(word.size(), candidate.size()))) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string quote(std::string_view text) {
  std::string out = "'";
  for (std::size_t i = 0; i < text.size();) {
    if (i >= kLongestQuote) return out + "...'";
    const auto byte = static_cast<unsigned char>(text[i]);
    std::size_t length = 1;
    if (byte >= 0x80) length = count_multibyte(text.substr(i));
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
      length = 1;
    } else {
      out += text.substr(i, length);
    }
    i += length;
  }
  return out + "'";
}

}  // namespace haltere
