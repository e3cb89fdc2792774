#pragma once

#include <cstddef>
#include <string_view>

namespace haltere {

/// A text that is read from left to right. Knows bytes and names, no grammar.
struct Scanner {
  static constexpr std::string_view kSpace = " \t\n\r";

  std::string_view text;
  std::size_t position = 0;

  static bool is_space(char c) { return kSpace.find(c) != std::string_view::npos; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  bool is_at_end() const { return position >= text.size(); }
  std::string_view rest() const { return text.substr(position); }
  /// The byte some way ahead, '\0' behind the end.
  char peek(std::size_t ahead = 0) const {
    return position + ahead < text.size() ? text[position + ahead] : '\0';
  }
  void skip_space() {
    while (is_space(peek())) ++position;
  }
  /// Reads `sign`, after any space, if it stands here.
  bool accept(std::string_view sign) {
    skip_space();
    if (!rest().starts_with(sign)) return false;
    position += sign.size();
    return true;
  }
  /// The name that starts here: letters, digits, _ and dots between them. Empty if there is none.
  std::string_view peek_name() const {
    const auto is_inner = [](char c) { return is_letter(c) || is_digit(c); };
    std::size_t n = 0;
    if (is_letter(peek()))
      while (is_inner(peek(n)) || (peek(n) == '.' && is_inner(peek(n + 1)))) ++n;
    return text.substr(position, n);
  }
  /// The character here with all its bytes.
  std::string_view peek_character() const {
    std::size_t n = 1;
    while ((static_cast<unsigned char>(peek(n)) & 0xc0) == 0x80) ++n;
    return rest().substr(0, n);
  }
};

/// The text without space at both ends.
inline std::string_view trim(std::string_view text) {
  while (!text.empty() && Scanner::is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && Scanner::is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace haltere
