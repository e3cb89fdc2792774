#pragma once

#include <string_view>

namespace haltere {

/// Version of haltere, as every result records it.
std::string_view version();

}  // namespace haltere
