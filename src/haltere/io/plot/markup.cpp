#include "haltere/io/plot/markup.h"

#include <array>

#include <fmt/format.h>

namespace haltere {
namespace {

constexpr std::string_view kUnknown = "\xef\xbf\xbd";  // U+FFFD
constexpr std::array<std::pair<std::string_view, char>, 11> kRaised{{{"⁰", '0'},
                                                                     {"¹", '1'},
                                                                     {"²", '2'},
                                                                     {"³", '3'},
                                                                     {"⁴", '4'},
                                                                     {"⁵", '5'},
                                                                     {"⁶", '6'},
                                                                     {"⁷", '7'},
                                                                     {"⁸", '8'},
                                                                     {"⁹", '9'},
                                                                     {"⁻", '-'}}};

/// Bytes of the character that the text begins with; 0 where it is none that XML knows. Not ASCII.
std::size_t find_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const unsigned first = byte(0);
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  unsigned code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool forbidden = (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff;
  return too_long || forbidden || code > 0x10ffff ? 0 : length;
}

/// The raised character that the text begins with; 0: none.
char find_raised(std::string_view text) {
  for (const auto& [raised, plain] : kRaised)
    if (text.starts_with(raised)) return plain;
  return 0;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x80) {
      escaped += c < 0x20 || c == 0x7f ? ' ' : c;
    } else if (const std::size_t length = find_length(text.substr(i)); length > 0) {
      escaped += text.substr(i, length);
      i += length - 1;
    } else {
      escaped += kUnknown;
    }
  }
  return escaped;
}

std::string escape_svg_text(std::string_view text, double font_size) {
  const double rise = 0.36 * font_size;
  std::string svg, part;
  bool raised = false;
  const auto flush = [&] {
    if (!part.empty() && raised)
      svg +=
          fmt::format(R"(<tspan dy="{:.2f}" font-size="{:.2f}">{}</tspan>)", -rise, 0.72 * font_size, part);
    else if (!part.empty() && !svg.empty())  // programs differ in what they do with a space at its start
      svg += fmt::format(R"(<tspan dy="{:.2f}">{}{}</tspan>)", rise, part[0] == ' ' ? "\u00a0" : "",
                         escape_markup(part[0] == ' ' ? part.substr(1) : part));
    else
      svg += escape_markup(part);
    part.clear();
  };
  while (!text.empty()) {
    const char plain = find_raised(text);
    if ((plain != 0) != raised) flush();
    raised = plain != 0;
    if (plain == '-')
      part += "−";
    else
      part += raised ? plain : text[0];
    std::size_t length = 1;
    if (raised)
      while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) ++length;
    text.remove_prefix(length);
  }
  flush();
  return svg;
}

}  // namespace haltere
