#include "haltere/io/result/crc64.h"

#include <array>
#include <cstddef>

namespace haltere {
namespace {

constexpr std::uint64_t kPolynomial = 0xC96C5795D7870F42U;  // of ECMA-182, lowest power first
constexpr std::size_t kSlices = 8;                          // bytes taken at once
using Table = std::array<std::uint64_t, 256>;

/// tables[k][b]: what the byte b does to the checksum when k bytes follow it.
constexpr std::array<Table, kSlices> make_tables() {
  std::array<Table, kSlices> tables{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? kPolynomial : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < kSlices; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8U) ^ tables[0][tables[k - 1][byte] & 0xFFU];
  return tables;
}
constexpr std::array<Table, kSlices> kTables = make_tables();

}  // namespace

std::uint64_t calc_crc64(std::string_view bytes) {
  const auto byte_at = [&](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i]));
  };
  std::uint64_t sum = ~std::uint64_t{0};
  std::size_t i = 0;
  for (; i + kSlices <= bytes.size(); i += kSlices) {
    for (std::size_t k = 0; k < kSlices; ++k) sum ^= byte_at(i + k) << 8U * k;
    std::uint64_t next = 0;
    for (std::size_t k = 0; k < kSlices; ++k) next ^= kTables[kSlices - 1 - k][(sum >> 8U * k) & 0xFFU];
    sum = next;
  }
  for (; i < bytes.size(); ++i) sum = (sum >> 8U) ^ kTables[0][(sum ^ byte_at(i)) & 0xFFU];
  return ~sum;
}

}  // namespace haltere
