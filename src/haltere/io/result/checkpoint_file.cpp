#include "haltere/io/result/checkpoint_file.h"

#include <bit>
#include <system_error>

#include <fmt/format.h>

#include "haltere/io/result/crc64.h"
#include "haltere/io/result/file_descriptor.h"
#include "haltere/io/result/seal.h"

/// A checkpoint file: eight letters, then numbers of eight bytes: t, rows, events, the state, and a checksum
/// of all that stands before it.
namespace haltere {
namespace {

constexpr std::string_view kLetters = "haltere2";
constexpr std::size_t kWord = 8;                            // bytes
constexpr std::size_t kHead = kLetters.size() + 3 * kWord;  // letters, t, rows, events
constexpr std::uint64_t kLargestCheckpoint = 1U << 30U;     // bytes: a hundred million states

[[noreturn]] void refuse_checkpoint(const std::filesystem::path& path, std::string message) {
  throw InputError(
      {Problem{{path.string(), 0, 0}, "checkpoint", std::move(message), "run again from the start"}});
}

}  // namespace

void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  std::string bytes(kLetters);
  append_number(std::bit_cast<std::uint64_t>(checkpoint.t), &bytes);
  append_number(static_cast<std::uint64_t>(checkpoint.rows), &bytes);
  append_number(static_cast<std::uint64_t>(checkpoint.events), &bytes);
  for (const double number : checkpoint.state) append_number(std::bit_cast<std::uint64_t>(number), &bytes);
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
  const auto number_at = [&](std::size_t place) {
    return std::bit_cast<double>(read_number_at(bytes, place));
  };
  const auto count_at = [&](std::size_t place) { return static_cast<long>(read_number_at(bytes, place)); };
  const std::size_t head = kLetters.size();
  Checkpoint checkpoint{number_at(head), count_at(head + kWord), count_at(head + 2 * kWord), {}};
  for (std::size_t i = kHead; i < bytes.size(); i += kWord) checkpoint.state.push_back(number_at(i));
  return checkpoint;
}

}  // namespace haltere
