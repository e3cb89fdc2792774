#include "haltere/io/result/sealed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

#include "haltere/io/result/crc64.h"
#include "haltere/model/problem.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kHdf5Letters = "\x89HDF\r\n\x1a\n";  // the first bytes of an HDF5 file
constexpr std::string_view kSealLetters = "hltseal1";           // the last bytes of a finished file
constexpr std::size_t kTail = 16;                               // length of the seal, letters
constexpr std::uint64_t kLargestSeal = 1U << 30U;               // bytes: enough for terabytes
constexpr int kAttempts = 100;                                  // to read what a run is writing; a choice

fs::path seal_beside(const fs::path& file) {
  return file.string() + ".seal";
}

/// Lays the pieces over bytes that start at `offset`.
void overlay(const std::vector<FilePiece>& pieces, std::uint64_t offset, std::span<char> bytes) {
  const std::uint64_t end = offset + bytes.size();
  for (const FilePiece& piece : pieces) {
    const std::uint64_t from = std::max(offset, piece.offset);
    const std::uint64_t to = std::min<std::uint64_t>(end, piece.offset + piece.bytes.size());
    if (from < to)
      std::memcpy(bytes.data() + (from - offset), piece.bytes.data() + (from - piece.offset), to - from);
  }
}

/// The seal at the end of the file, if there is a whole one that fits it.
std::optional<Seal> read_seal_inside(const FileDescriptor& file) {
  const std::uint64_t size = file.size();
  std::string tail(kTail, '\0');
  if (size < kTail || !file.read(size - kTail, tail) || !tail.ends_with(kSealLetters)) return std::nullopt;
  const std::uint64_t length = read_number_at(tail, 0);
  if (length > std::min(size - kTail, kLargestSeal)) return std::nullopt;
  std::string bytes(length, '\0');
  if (!file.read(size - kTail - length, bytes)) return std::nullopt;
  std::optional<Seal> seal = decode_seal(bytes);
  if (!seal || seal->size != size - kTail - length) return std::nullopt;
  return seal;
}

std::optional<Seal> read_seal_beside(const fs::path& path) {
  const std::optional<std::string> bytes = read_regular_file(seal_beside(path), kLargestSeal);
  return bytes ? decode_seal(*bytes) : std::nullopt;
}

[[noreturn]] void refuse(const fs::path& path, std::string message, std::string hint = {}) {
  throw InputError({Problem{{path.string(), 0, 0}, "result", std::move(message), std::move(hint)}});
}

}  // namespace

// -- writing

SealedWriter::SealedWriter(fs::path path)
    : path_(std::move(path)),
      unpublished_(path_.string() + ".part"),
      file_(unpublished_, O_RDWR | O_CREAT | O_TRUNC) {}

SealedWriter::~SealedWriter() {
  std::error_code ignored;
  if (!is_published_ && file_.valid()) fs::remove(unpublished_, ignored);
}

bool SealedWriter::read(std::uint64_t offset, std::span<char> bytes) {
  const std::uint64_t there =
      std::min<std::uint64_t>(bytes.size(), disk_size_ - std::min(offset, disk_size_));
  if (!file_.read(offset, bytes.first(there))) return false;
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(there), bytes.end(), '\0');
  overlay(seal_.pieces, offset, bytes);
  return true;
}

bool SealedWriter::write(std::uint64_t offset, std::string_view bytes) {
  seal_.pieces.push_back({offset, std::string(bytes)});
  pending_ += bytes.size();
  size_ = std::max<std::uint64_t>(size_, offset + bytes.size());
  return true;
}

bool SealedWriter::resize(std::uint64_t size) {
  size_ = size;
  return true;
}

/// Of the blocks that the pieces touch, and of those at and behind the old end where it has moved.
bool SealedWriter::update_seal() {
  std::vector<bool> changed(Seal::count_blocks(size_), false);
  const auto mark = [&](std::uint64_t from, std::uint64_t to) {
    const std::uint64_t end = std::min<std::uint64_t>(Seal::count_blocks(to), changed.size());
    for (std::uint64_t i = from / Seal::kBlock; i < end; ++i) changed[i] = true;
  };
  for (const FilePiece& piece : seal_.pieces) mark(piece.offset, piece.offset + piece.bytes.size());
  if (size_ != seal_.size) mark(std::min(size_, seal_.size), size_);
  seal_.size = size_;
  seal_.checksums.resize(changed.size());
  std::string block;
  for (std::uint64_t i = 0; i < changed.size(); ++i) {
    if (!changed[i]) continue;
    block.resize(std::min(Seal::kBlock, size_ - i * Seal::kBlock));
    if (!read(i * Seal::kBlock, block)) return false;
    seal_.checksums[i] = calc_crc64(block);
  }
  return true;
}

/// Brings the pieces into the file, in the order in which HDF5 wrote them, on which its own readers rely.
bool SealedWriter::apply() {
  if (has_seal_ && !file_.resize(disk_size_)) return false;
  has_seal_ = false;
  for (const FilePiece& piece : seal_.pieces)
    if (!file_.write(piece.offset, piece.bytes)) return false;
  if (!file_.resize(size_)) return false;
  disk_size_ = size_;
  seal_.pieces.clear();
  pending_ = 0;
  return true;
}

bool SealedWriter::commit() {
  if (!file_.valid()) return false;
  if (seal_.pieces.empty() && size_ == disk_size_) return true;
  if (!update_seal()) return false;
  if (is_published_ && !replace_file(seal_beside(path_), encode(seal_))) return false;
  return apply();
}

bool SealedWriter::append_seal() {
  std::string bytes = encode(seal_);
  append_number(bytes.size(), &bytes);
  bytes += kSealLetters;
  has_seal_ = true;
  return file_.write(disk_size_, bytes);
}

bool SealedWriter::publish() {
  if (!commit() || !append_seal()) return false;
  std::error_code error;
  fs::rename(unpublished_, path_, error);
  is_published_ = !error;
  return is_published_;
}

bool SealedWriter::finish() {
  if (!commit() || !append_seal()) return false;
  std::error_code error;
  fs::remove(seal_beside(path_), error);
  return !error;
}

// -- reading

SealedReader::SealedReader(const fs::path& path) : path_(path), file_(path, O_RDONLY | O_NONBLOCK) {
  if (!file_.valid()) refuse(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  if (!file_.is_regular()) refuse(path, "is no regular file");
  std::string letters(kHdf5Letters.size(), '\0');
  if (!file_.read(0, letters)) refuse(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  if (letters != kHdf5Letters) refuse(path, "is not an HDF5 file");
  if (find_seal()) return;
  std::error_code ignored;
  if (fs::exists(seal_beside(path), ignored))
    refuse(path, fmt::format("its seal '{}' is damaged", seal_beside(path).string()),
           "run again from the start");
  refuse(path, "has no seal: it was cut short, changed by another program, or is no result of this version",
         fmt::format("a run that was cut off has its seal beside it, in '{}'",
                     seal_beside(path.filename()).string()));
}

/// At the end of the file, or beside it. A seal beside a file that has its own belongs to an older one.
bool SealedReader::find_seal() {
  std::optional<Seal> seal = read_seal_inside(file_);
  if (!seal) seal = read_seal_beside(path_);
  if (!seal) return false;
  seal_ = std::move(*seal);
  verified_.assign(seal_.checksums.size(), false);
  loaded_ = kNone;
  return true;
}

bool SealedReader::read(std::uint64_t offset, std::span<char> bytes) {
  while (!bytes.empty() && offset < seal_.size) {
    if (!load(offset / Seal::kBlock)) return false;
    const std::uint64_t within = offset % Seal::kBlock;
    if (within >= block_.size()) continue;  // the file has just become shorter
    const std::size_t n = std::min<std::size_t>(bytes.size(), block_.size() - within);
    std::memcpy(bytes.data(), block_.data() + within, n);
    offset += n;
    bytes = bytes.subspan(n);
  }
  std::fill(bytes.begin(), bytes.end(), '\0');
  return true;
}

bool SealedReader::verify() {
  for (std::uint64_t block = 0; block < seal_.checksums.size(); ++block)
    if (!load(block)) return false;
  return true;
}

/// Reads the block; where it is not what the seal says, a run may have written it after a newer seal.
bool SealedReader::load(std::uint64_t block) {
  if (block == loaded_) return true;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (read_block(block)) return true;
    const Seal before = std::exchange(seal_, {});
    const bool found = find_seal();
    if (!found || seal_ == before) break;
  }
  damage_ = fmt::format("it is damaged: bytes {} to {} are not those that were written", block * Seal::kBlock,
                        (block + 1) * Seal::kBlock - 1);
  return false;
}

bool SealedReader::read_block(std::uint64_t block) {
  const std::uint64_t offset = block * Seal::kBlock;
  loaded_ = kNone;
  if (const FileStamp stamp = file_.stamp(); stamp != stamp_) {  // a run is writing it
    verified_.assign(verified_.size(), false);
    stamp_ = stamp;
  }
  block_.resize(std::min(Seal::kBlock, seal_.size - std::min(seal_.size, offset)));
  if (!file_.read(offset, block_)) return false;
  overlay(seal_.pieces, offset, block_);
  if (block_.empty()) return true;
  if (!verified_[block] && calc_crc64(block_) != seal_.checksums[block]) return false;
  verified_[block] = true;
  loaded_ = block;
  return true;
}

}  // namespace haltere
