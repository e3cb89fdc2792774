#pragma once

#include <string>
#include <string_view>

namespace haltere {

/// Text fit for XML and HTML, between tags and in quoted attributes; control characters become spaces.
std::string escape_markup(std::string_view text);

}  // namespace haltere
