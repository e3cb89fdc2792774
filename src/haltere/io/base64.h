#pragma once

#include <string>
#include <string_view>

namespace haltere {

/// Bytes as letters, four for three, in one line.
std::string encode_base64(std::string_view bytes);

}  // namespace haltere
