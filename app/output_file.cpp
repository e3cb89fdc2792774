#include "app/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "haltere/model/wrong_input.h"
#include "haltere/simulate/recorder.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

/// By device and inode; of files that are still to be made, by their place.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const bool exist = fs::exists(a, error) && fs::exists(b, error);
  if (exist) return fs::equivalent(a, b, error);
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

/// What is written to a device or a pipe goes over nothing.
bool is_kept(const std::string& file) {
  std::error_code error;
  return file != "-" && (!fs::exists(file, error) || fs::is_regular_file(file, error));
}

}  // namespace

void require_writable(const std::string& file) {
  if (file.empty() || file == "-") return;
  std::error_code ignored;
  const bool existed = fs::exists(file, ignored);
  if (existed && fs::is_fifo(file, ignored)) return;  // to open it is to wait for its reader
  std::FILE* out = std::fopen(file.c_str(), "a");
  if (out == nullptr) throw wrong_input(file, std::string("cannot be written: ") + std::strerror(errno));
  std::fclose(out);
  if (!existed) fs::remove(fs::canonical(file, ignored), ignored);  // not the link that leads there
}

void require_distinct(const std::vector<std::string>& files, const std::vector<std::string>& inputs) {
  std::vector<std::string> taken = inputs;
  bool has_stdout = false;
  for (const std::string& file : files) {
    if (file == "-" && has_stdout) throw wrong_input("-", "stdout is taken by another output", "name a file");
    has_stdout |= file == "-";
    if (file.empty() || !is_kept(file)) continue;
    for (const std::string& other : taken)
      if (is_same_file(file, other))
        throw wrong_input(file, "is a file that is read here, or another output", "choose another name");
    taken.push_back(file);
  }
}

void require_outputs(const std::vector<std::string>& files, const std::vector<std::string>& inputs) {
  require_distinct(files, inputs);
  for (const std::string& file : files) require_writable(file);
}

void write_output(const std::string& file, const std::string& text) {
  std::FILE* out = file == "-" ? stdout : std::fopen(file.c_str(), "w");
  bool good = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (out != nullptr) good = (out == stdout ? std::fflush(out) : std::fclose(out)) == 0 && good;
  if (good) return;
  if (out == stdout && errno == EPIPE) throw ReaderGone();
  throw RunError((file == "-" ? "stdout" : file) + ": cannot be written: " + std::strerror(errno));
}

}  // namespace haltere
