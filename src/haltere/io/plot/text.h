#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Texts of a figure: nobody here asks a font, so widths are those of Helvetica (which Arial and Liberation Sans
/// share) with some slack for wider ones.
namespace haltere {

/// In units of the font size. The text is UTF-8.
double calc_text_width(std::string_view text);

/// At most so wide: what is longer loses its middle, where names differ least, to `…`.
std::string shorten(const std::string& text, double most);

/// Broken at spaces into lines of at most this width; a word that is longer is shortened.
std::vector<std::string> wrap(const std::string& text, double most);

}  // namespace haltere
