#include "haltere/io/model/text_checks.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "haltere/io/model/document.h"

namespace haltere {
namespace {

struct Finding {
  std::size_t offset = 0;
  std::string message;
  std::string hint;
};

/// Length of the UTF-8 sequence that starts the text; 0 where there is none (overlong forms and surrogates
/// too).
std::size_t calc_utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || beyond ? 0 : length;
}

std::optional<Finding> find_bad_byte(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return Finding{0, "the file is UTF-16", "save it as UTF-8"};
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = calc_utf8_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0)
      return Finding{i, fmt::format("the byte 0x{:02X} is not UTF-8", byte), "is this a text file?"};
    const bool space = byte == '\t' || byte == '\n' || byte == '\r';
    if ((byte < 0x20 && !space) || byte == 0x7F)
      return Finding{i, fmt::format("control character 0x{:02X}", byte), "is this a text file?"};
    i += length;
  }
  return std::nullopt;
}

/// A tab before the first word of a line; in lines that are empty or a comment it does no harm.
std::optional<Finding> find_tab(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    const std::size_t word = line.find_first_not_of(" \t\r");
    const std::size_t tab = line.substr(0, word).find('\t');
    if (word != std::string_view::npos && tab != std::string_view::npos && line[word] != '#')
      return Finding{start + tab, "a tab indents this line", "YAML is indented with spaces"};
    start = end + 1;
  }
  return std::nullopt;
}

SourceMark place_of(std::size_t offset, std::string_view text, const std::string& file) {
  SourceMark mark{file, 1, 1};
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++mark.line;
      mark.column = 1;
    } else {
      ++mark.column;
    }
  }
  return mark;
}

}  // namespace

bool check_text(std::string_view text, const std::string& file, ProblemList* problems) {
  if (text.size() > kLargestFile) {
    problems->add({file, 0, 0}, "", fmt::format("the file is larger than {} MiB", kLargestFile >> 20),
                  "use `repeat` for many equal parts");
    return false;
  }
  std::optional<Finding> finding = find_bad_byte(text);
  if (!finding) finding = find_tab(text);
  if (!finding) return true;
  problems->add(place_of(finding->offset, text, file), "", finding->message, finding->hint);
  return false;
}

void clear_idle_tabs(std::string* text) {
  for (std::size_t start = 0; start < text->size();) {
    const std::size_t end = std::min(text->find('\n', start), text->size());
    const std::size_t word = std::min(text->find_first_not_of(" \t\r", start), end);
    if (word == end || (*text)[word] == '#')
      std::replace(text->begin() + static_cast<std::ptrdiff_t>(start),
                   text->begin() + static_cast<std::ptrdiff_t>(word), '\t', ' ');
    start = end + 1;
  }
}

}  // namespace haltere
