#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The seal of a result file: what each of its bytes must be, known before anybody trusts one.
namespace haltere {

/// Bytes for a place of a file.
struct FilePiece {
  std::uint64_t offset = 0;
  std::string bytes;
};

struct Seal {
  static constexpr std::uint64_t kBlock = 1U << 16U;  // bytes under one checksum

  std::uint64_t size = 0;                // of the file that is sealed                      [bytes]
  std::vector<std::uint64_t> checksums;  // of its blocks; the last one may be shorter
  std::vector<FilePiece> pieces;         // to be laid over the file, in this order: the writer may have died
                                         // before all of them were in it

  static std::uint64_t count_blocks(std::uint64_t size) { return (size + kBlock - 1) / kBlock; }
  friend bool operator==(const Seal& a, const Seal& b) {
    return a.size == b.size && a.checksums == b.checksums;
  }
};

/// As bytes, with a checksum of their own.
std::string encode(const Seal& seal);
/// Nothing for bytes that are no whole seal.
std::optional<Seal> decode_seal(std::string_view bytes);

/// Numbers of eight bytes, the lowest first.
void append_number(std::uint64_t number, std::string* bytes);
std::uint64_t read_number_at(std::string_view bytes, std::size_t offset);

}  // namespace haltere
