#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

/// For targets whose input is a file: a folder of the process, in memory where the system has such a place,
/// removed at its end.
namespace haltere {

class Scratch {
 public:
  Scratch() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code error;
    const bool has_memory = std::filesystem::is_directory(memory, error);
    folder_ = (has_memory ? memory : std::filesystem::temp_directory_path()) /
              ("haltere-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void require(bool good) {
  if (!good) std::abort();
}

/// Damage to a file: records of four bytes, a place (three) and what to change there; nothing means that the
/// file ends there.
inline std::string damage(std::string bytes, const std::uint8_t* data, std::size_t size) {
  for (; size >= 4 && !bytes.empty(); data += 4, size -= 4) {
    const std::size_t place = (data[0] + 256U * data[1] + 65536U * data[2]) % bytes.size();
    if (data[3] == 0)
      bytes.resize(place);
    else
      bytes[place] = static_cast<char>(bytes[place] ^ data[3]);
  }
  return bytes;
}

}  // namespace haltere
