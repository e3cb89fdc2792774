#include "haltere/io/result/file_descriptor.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace haltere {
namespace fs = std::filesystem;

FileDescriptor::FileDescriptor(const fs::path& path, int flags)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}

FileDescriptor::~FileDescriptor() {
  if (valid()) ::close(descriptor_);
}

bool FileDescriptor::is_regular() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
}

FileStamp FileDescriptor::stamp() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return {};
  return {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

bool FileDescriptor::read(std::uint64_t offset, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) {
      std::fill(bytes.begin(), bytes.end(), '\0');
      return true;
    }
    offset += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool FileDescriptor::write(std::uint64_t offset, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    offset += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool FileDescriptor::resize(std::uint64_t size) const {
  return ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0;
}

bool replace_file(const fs::path& path, std::string_view bytes) {
  const fs::path part = path.string() + ".part";
  std::error_code error;
  {
    const FileDescriptor file(part, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.valid()) return false;
    if (!file.write(0, bytes)) {
      const int reason = errno;
      fs::remove(part, error);
      errno = reason;
      return false;
    }
  }
  fs::rename(part, path, error);
  if (error) errno = error.value();
  return !error;
}

std::optional<std::string> read_regular_file(const fs::path& path, std::uint64_t most) {
  const FileDescriptor file(path, O_RDONLY | O_NONBLOCK);
  if (!file.valid() || !file.is_regular() || file.size() > most) return std::nullopt;
  std::string bytes(file.size(), '\0');
  if (!file.read(0, bytes)) return std::nullopt;
  return bytes;
}

}  // namespace haltere
