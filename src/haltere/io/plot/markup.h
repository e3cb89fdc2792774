#pragma once

#include <string>
#include <string_view>

namespace haltere {

/// Text fit for XML and HTML, between tags and in quoted attributes; control characters become spaces, bytes that
/// are no UTF-8 or that XML forbids U+FFFD.
std::string escape_markup(std::string_view text);

/// The same for the text of an SVG element, with superscripts raised: many fonts lack some of the small digits.
std::string escape_svg_text(std::string_view text, double font_size);

}  // namespace haltere
