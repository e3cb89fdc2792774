#include "haltere/io/plot/text.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace haltere {
namespace {

constexpr double kSlack = 1.06;  // for fonts that are wider

/// Letters of about one width, in thousandths of the font size.
struct WidthClass {
  std::string_view letters;
  int width;
};
constexpr std::array<WidthClass, 6> kWidthClasses{{{"'ijl|", 220},
                                                   {" !,./:;I[]\\ft()-`r", 290},
                                                   {"Jckszvxy\"*^{}", 480},
                                                   {"ABEKPSVXY&", 667},
                                                   {"CDHNRUwGOQ", 740},
                                                   {"mMW%@", 890}}};
constexpr int kOther = 570, kSuperscript = 380, kWide = 1000;

bool continues_character(char c) {  // of a character: not its first byte
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

int calc_character_width(std::string_view character) {
  const unsigned char first = character[0];
  if (first < 0x80) {
    for (const auto& [letters, width] : kWidthClasses)
      if (letters.find(character[0]) != std::string_view::npos) return width;
    return kOther;
  }
  if (character == "²" || character == "³" || character == "¹" || character.starts_with("\xe2\x81"))
    return kSuperscript;
  return first >= 0xe3 ? kWide : kOther;  // scripts of East Asia and pictures
}

std::vector<std::string_view> split_characters(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && continues_character(text[end])) ++end;
    characters.push_back(text.substr(i, end - i));
    i = end;
  }
  return characters;
}

}  // namespace

double calc_text_width(std::string_view text) {
  double width = 0;
  for (const std::string_view character : split_characters(text)) width += calc_character_width(character);
  return kSlack * width / 1000;
}

std::string shorten(const std::string& text, double most) {
  if (calc_text_width(text) <= most) return text;
  const std::vector<std::string_view> characters = split_characters(text);
  double left = most - calc_text_width("…");
  std::string head, tail;
  for (std::size_t i = 0, j = characters.size(); i < j;) {
    const bool front = head.size() <= tail.size();
    const std::string_view next = front ? characters[i] : characters[j - 1];
    left -= calc_text_width(next);
    if (left < 0) break;
    if (front)
      head += characters[i++];
    else
      tail.insert(0, characters[--j]);
  }
  return head + "…" + tail;
}

std::vector<std::string> wrap(const std::string& text, double most) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    word = shorten(word, most);
    if (!lines.empty() && calc_text_width(lines.back() + ' ' + word) <= most)
      lines.back() += ' ' + word;
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace haltere
