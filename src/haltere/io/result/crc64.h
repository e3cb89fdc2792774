#pragma once

#include <cstdint>
#include <string_view>

namespace haltere {

/// CRC-64/XZ of bytes: finds every damage within 64 neighbouring bits, and of any other kind all but one in
/// 2^64. Against accidents, not against malice.
std::uint64_t calc_crc64(std::string_view bytes);

}  // namespace haltere
