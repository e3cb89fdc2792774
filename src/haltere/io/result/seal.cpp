#include "haltere/io/result/seal.h"

#include "haltere/io/result/crc64.h"

namespace haltere {
namespace {

constexpr std::size_t kNumber = 8;

/// Takes numbers and texts from the front; says once and for all where there are too few bytes.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : bytes_(bytes) {}

  std::string_view take(std::uint64_t count) {
    good_ = good_ && count <= bytes_.size();
    const std::string_view taken = bytes_.substr(0, good_ ? count : 0);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t take_number() {
    const std::string_view taken = take(kNumber);
    return good_ ? read_number_at(taken, 0) : 0;
  }
  /// A count of things that take at least `least` bytes each.
  std::uint64_t take_count(std::size_t least) {
    const std::uint64_t count = take_number();
    good_ = good_ && count <= bytes_.size() / least;
    return good_ ? count : 0;
  }
  bool is_whole() const { return good_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace

void append_number(std::uint64_t number, std::string* bytes) {
  for (std::size_t i = 0; i < kNumber; ++i) bytes->push_back(static_cast<char>(number >> 8U * i & 0xFFU));
}

std::uint64_t read_number_at(std::string_view bytes, std::size_t offset) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kNumber; ++i)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[offset + i])) << 8U * i;
  return number;
}

std::string encode(const Seal& seal) {
  std::string bytes;
  append_number(seal.size, &bytes);
  append_number(seal.checksums.size(), &bytes);
  for (const std::uint64_t checksum : seal.checksums) append_number(checksum, &bytes);
  append_number(seal.pieces.size(), &bytes);
  for (const FilePiece& piece : seal.pieces) {
    append_number(piece.offset, &bytes);
    append_number(piece.bytes.size(), &bytes);
    bytes += piece.bytes;
  }
  append_number(calc_crc64(bytes), &bytes);
  return bytes;
}

std::optional<Seal> decode_seal(std::string_view bytes) {
  if (bytes.size() < kNumber) return std::nullopt;
  const std::uint64_t checksum = read_number_at(bytes, bytes.size() - kNumber);
  bytes.remove_suffix(kNumber);
  if (calc_crc64(bytes) != checksum) return std::nullopt;
  Taker taker(bytes);
  Seal seal;
  seal.size = taker.take_number();
  seal.checksums.resize(taker.take_count(kNumber));
  for (std::uint64_t& block : seal.checksums) block = taker.take_number();
  seal.pieces.resize(taker.take_count(2 * kNumber));
  for (FilePiece& piece : seal.pieces) {
    piece.offset = taker.take_number();
    piece.bytes = taker.take(taker.take_number());
  }
  if (!taker.is_whole() || seal.checksums.size() != Seal::count_blocks(seal.size)) return std::nullopt;
  return seal;
}

}  // namespace haltere
