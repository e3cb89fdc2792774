#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Files as the system sees them: bytes at places.
namespace haltere {

/// What changes with every change of a file.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  // of the last change
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// An open file, closed with the object.
class FileDescriptor {
 public:
  FileDescriptor(const std::filesystem::path& path, int flags);
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();
  bool valid() const { return descriptor_ >= 0; }
  bool is_regular() const;
  FileStamp stamp() const;
  std::uint64_t size() const { return stamp().size; }
  bool read(std::uint64_t offset, std::span<char> bytes) const;  // zeros behind the end
  bool write(std::uint64_t offset, std::string_view bytes) const;
  bool resize(std::uint64_t size) const;

 private:
  int descriptor_;
};

/// Writes beside and renames: at every moment there is the old file or the new one.
bool replace_file(const std::filesystem::path& path, std::string_view bytes);

/// All bytes of a regular file of at most `most`; nothing for what is none, and no waiting for pipes.
std::optional<std::string> read_regular_file(const std::filesystem::path& path, std::uint64_t most);

}  // namespace haltere
