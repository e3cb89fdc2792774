#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace haltere {

/// `*` is any run of characters, `?` one.
bool matches_glob(std::string_view glob, std::string_view name);

/// For a glob that matches none of the names: which was meant, or "".
std::string hint_for_glob(const std::string& glob, const std::vector<std::string>& names);

}  // namespace haltere
