#include "haltere/io/result/checkpoint_file.h"

#include <bit>
#include <system_error>

#include <fmt/format.h>

#include "haltere/io/result/crc64.h"
#include "haltere/io/result/file_descriptor.h"
#include "haltere/io/result/seal.h"

/// A checkpoint file: eight letters, then numbers of eight bytes: t, rows, events; of each block of the state
/// the length of its name, the name filled up with zeros to eighths, how many numbers it has, and these; last a
/// checksum of all that stands before it.
namespace haltere {
namespace {

constexpr std::string_view kLetters = "haltere3";
constexpr std::size_t kWord = 8;                            // bytes
constexpr std::size_t kHead = kLetters.size() + 3 * kWord;  // letters, t, rows, events
constexpr std::uint64_t kLargestCheckpoint = 1U << 30U;     // bytes: a hundred million states

constexpr std::size_t kMostBlocks = 1000;  // a run has ten

[[noreturn]] void refuse_checkpoint(const std::filesystem::path& path, std::string message) {
  throw InputError(
      {Problem{{path.string(), 0, 0}, "checkpoint", std::move(message), "run again from the start"}});
}

std::size_t calc_padding(std::size_t length) {
  return (kWord - length % kWord) % kWord;
}

/// Takes numbers and names off the front; refuses what the file is too short for.
class BlockReader {
 public:
  BlockReader(const std::filesystem::path& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  std::uint64_t take_word() { return read_number_at(take(kWord), 0); }
  double take_number() { return std::bit_cast<double>(take_word()); }
  std::size_t take_count() {
    const std::uint64_t count = take_word();
    if (count > bytes_.size() / kWord) refuse_checkpoint(path_, "is cut short, or no checkpoint");
    return count;
  }
  std::string take_name() {
    const std::uint64_t length = take_word();
    if (length > bytes_.size()) refuse_checkpoint(path_, "is cut short, or no checkpoint");
    std::string name(take(length));
    for (const char letter : take(calc_padding(length)))
      if (letter != '\0') refuse_checkpoint(path_, "has a name that does not end");
    return name;
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) refuse_checkpoint(path_, "is cut short, or no checkpoint");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  const std::filesystem::path& path_;
  std::string_view bytes_;
};

}  // namespace

void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  std::string bytes(kLetters);
  append_number(std::bit_cast<std::uint64_t>(checkpoint.t), &bytes);
  append_number(static_cast<std::uint64_t>(checkpoint.rows), &bytes);
  append_number(static_cast<std::uint64_t>(checkpoint.events), &bytes);
  for (const StateBlock& block : checkpoint.state) {
    append_number(block.name.size(), &bytes);
    bytes += block.name;
    bytes.append(calc_padding(block.name.size()), '\0');
    append_number(block.numbers.size(), &bytes);
    for (const double number : block.numbers) append_number(std::bit_cast<std::uint64_t>(number), &bytes);
  }
  append_number(calc_crc64(bytes), &bytes);
  if (!replace_file(path, bytes))
    throw RunError(fmt::format("cannot write '{}'; is the disk full?", path.string()));
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const std::optional<std::string> file = read_regular_file(path, kLargestCheckpoint);
  if (!file) refuse_checkpoint(path, "cannot be read");
  std::string_view bytes = *file;
  if (bytes.size() < kHead + kWord || bytes.size() % kWord != 0)
    refuse_checkpoint(path, "is cut short, or no checkpoint");
  if (!bytes.starts_with(kLetters)) refuse_checkpoint(path, "is no checkpoint of this version");
  const std::uint64_t checksum = read_number_at(bytes, bytes.size() - kWord);
  bytes.remove_suffix(kWord);
  if (calc_crc64(bytes) != checksum) refuse_checkpoint(path, "is damaged");
  BlockReader reader(path, bytes.substr(kLetters.size()));
  Checkpoint checkpoint;
  checkpoint.t = reader.take_number();
  checkpoint.rows = static_cast<long>(reader.take_word());
  checkpoint.events = static_cast<long>(reader.take_word());
  while (!reader.is_empty()) {
    if (checkpoint.state.size() == kMostBlocks) refuse_checkpoint(path, "has too many parts");
    StateBlock& block = checkpoint.state.emplace_back();
    block.name = reader.take_name();
    block.numbers.resize(reader.take_count());
    for (double& number : block.numbers) number = reader.take_number();
  }
  return checkpoint;
}

}  // namespace haltere
