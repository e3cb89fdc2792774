#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "haltere/formula/text.h"
#include "haltere/io/model/document.h"

namespace haltere {
namespace {

namespace fs = std::filesystem;

/// Files beside a missing one, for "did you mean"; not more than a person could mean.
std::vector<std::string> list_neighbours(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator folder(path.has_parent_path() ? path.parent_path() : fs::path("."), error);
  for (; !error && folder != fs::directory_iterator() && names.size() < 1000; folder.increment(error))
    names.push_back(folder->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Why the path is no file that can be read, or "".
std::string find_obstacle(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return "there is no such file";
  if (error) return error.message();
  if (fs::is_directory(status)) return "it is a folder, not a file";
  if (!fs::is_regular_file(status)) return "it is no regular file";
  return "";
}

}  // namespace

std::optional<std::string> read_text_file(const fs::path& path, const SourceMark& mark,
                                          ProblemList* problems) {
  const std::string thing = "file " + quote(path.string());
  if (const std::string obstacle = find_obstacle(path); !obstacle.empty()) {
    problems->add(mark, thing, obstacle, problems->suggest(path.filename().string(), list_neighbours(path)));
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    problems->add(mark, thing, fmt::format("cannot be read: {}", std::strerror(errno)));
    return std::nullopt;
  }
  std::string text;
  std::array<char, 1 << 16> block{};
  // one block beyond the limit is enough to notice files that are too large
  while (stream && text.size() <= kLargestFile) {
    stream.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) {
    problems->add(mark, thing, fmt::format("cannot be read: {}", std::strerror(errno)));
    return std::nullopt;
  }
  return text;
}

}  // namespace haltere
