#pragma once

#include <string>

namespace haltere {

/// The SI value of what was typed behind an option: `2`, `500 ms`, `2*pi`. InputError where it is none, or
/// has another dimension than `unit`.
double read_quantity(const std::string& option, const std::string& text, const std::string& unit);

}  // namespace haltere
