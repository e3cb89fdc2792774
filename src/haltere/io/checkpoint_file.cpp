#include "haltere/io/checkpoint_file.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>

/// A checkpoint file: eight letters, then numbers of eight bytes: t, rows, events, the state, and a checksum.
namespace haltere {
namespace {

constexpr std::array<char, 8> kLetters{'h', 'a', 'l', 't', 'e', 'r', 'e', '1'};
constexpr std::size_t kHead = 3;  // t, rows, events

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// FNV-1a over the bytes: against files cut short or damaged, not against malice.
double calc_checksum(const std::vector<double>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double number : numbers) {
    std::array<unsigned char, sizeof(double)> bytes{};
    std::memcpy(bytes.data(), &number, sizeof(number));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3U;
  }
  return static_cast<double>(hash >> 11U);  // 53 bits: a whole number that a double holds
}

[[noreturn]] void refuse(const std::filesystem::path& path, std::string message) {
  throw InputError(
      {Problem{{path.string(), 0, 0}, "checkpoint", std::move(message), "run again from the start"}});
}

}  // namespace

void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  std::vector<double> numbers{checkpoint.t, static_cast<double>(checkpoint.rows),
                              static_cast<double>(checkpoint.events)};
  numbers.insert(numbers.end(), checkpoint.state.begin(), checkpoint.state.end());
  numbers.push_back(calc_checksum(numbers));

  const std::filesystem::path part = path.string() + ".part";
  File file(std::fopen(part.c_str(), "wb"));
  bool good = file && std::fwrite(kLetters.data(), 1, kLetters.size(), file.get()) == kLetters.size() &&
              std::fwrite(numbers.data(), sizeof(double), numbers.size(), file.get()) == numbers.size();
  good = file && std::fclose(file.release()) == 0 && good;
  std::error_code error;
  if (good) std::filesystem::rename(part, path, error);
  if (!good || error) throw RunError(fmt::format("cannot write '{}'; is the disk full?", path.string()));
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!file || error) refuse(path, "cannot be read");
  if (size < kLetters.size() + (kHead + 1) * sizeof(double) || size % sizeof(double) != 0)
    refuse(path, "is cut short, or no checkpoint");
  std::array<char, 8> letters{};
  std::vector<double> numbers(size / sizeof(double) - 1);
  if (std::fread(letters.data(), 1, letters.size(), file.get()) != letters.size() || letters != kLetters ||
      std::fread(numbers.data(), sizeof(double), numbers.size(), file.get()) != numbers.size())
    refuse(path, "is no checkpoint of this version");
  const double checksum = numbers.back();
  numbers.pop_back();
  if (checksum != calc_checksum(numbers)) refuse(path, "is damaged");
  return {numbers[0], static_cast<long>(numbers[1]), static_cast<long>(numbers[2]),
          std::vector<double>(numbers.begin() + kHead, numbers.end())};
}

}  // namespace haltere
