#include "app/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "app/wrong_input.h"

namespace haltere {

void require_writable(const std::string& file) {
  if (file == "-") return;
  std::error_code ignored;
  const bool existed = std::filesystem::exists(file, ignored);
  std::FILE* out = std::fopen(file.c_str(), "a");
  if (out == nullptr) throw wrong_input(file, std::string("cannot be written: ") + std::strerror(errno));
  std::fclose(out);
  if (!existed) std::filesystem::remove(file, ignored);
}

void write_output(const std::string& file, const std::string& text) {
  std::FILE* out = file == "-" ? stdout : std::fopen(file.c_str(), "w");
  bool good = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (out != nullptr) good = (out == stdout ? std::fflush(out) : std::fclose(out)) == 0 && good;
  if (!good) throw RunError((file == "-" ? "stdout" : file) + ": cannot be written: " + std::strerror(errno));
}

}  // namespace haltere
