#include "app/picture_file.h"

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/output_file.h"

#include "haltere/io/result/file_descriptor.h"
#include "haltere/model/wrong_input.h"
#include "haltere/simulate/recorder.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

constexpr const char* kConverter = "rsvg-convert";
constexpr double kMostPixels = 30000;  // more than 32767 cannot be drawn

/// A file without a name: however the program ends, nothing of it stays.
class NamelessFile {
 public:
  NamelessFile() : file_(std::tmpfile()) {
    if (file_ == nullptr) throw RunError(std::string("no temporary file: ") + std::strerror(errno));
  }
  int descriptor() const { return fileno(file_.get()); }
  void write(const std::string& bytes) {
    const bool good = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
                      std::fflush(file_.get()) == 0 && lseek(descriptor(), 0, SEEK_SET) == 0;
    if (!good) throw RunError(std::string("temporary file: cannot be written: ") + std::strerror(errno));
  }
  std::string read() {
    std::string bytes;
    std::rewind(file_.get());
    char part[1 << 16];
    for (std::size_t n = 1; n > 0; bytes.append(part, n)) n = std::fread(part, 1, sizeof part, file_.get());
    return bytes;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

/// The environment, and in it a date for PDFs: the same figure, the same bytes.
std::vector<std::string> make_environment() {
  std::vector<std::string> variables;
  bool has_date = false;
  for (char** v = environ; *v != nullptr; ++v) {
    variables.emplace_back(*v);
    has_date |= variables.back().starts_with("SOURCE_DATE_EPOCH=");
  }
  if (!has_date) variables.emplace_back("SOURCE_DATE_EPOCH=0");
  return variables;
}

std::vector<char*> to_pointers(std::vector<std::string>* words) {
  std::vector<char*> pointers;
  for (std::string& word : *words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Its wait status; -1 where there is no such program.
int run_converter(std::vector<std::string> words, int in, int out, int err) {
  std::vector<std::string> variables = make_environment();
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, err, 2);
  pid_t child = 0;
  const int error = posix_spawnp(&child, kConverter, &files, nullptr, to_pointers(&words).data(),
                                 to_pointers(&variables).data());
  posix_spawn_file_actions_destroy(&files);
  if (error == ENOENT) return -1;
  if (error != 0) throw RunError(fmt::format("{} cannot be started: {}", kConverter, std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw RunError(fmt::format("{}: {}", kConverter, std::strerror(errno)));
  return status;
}

std::string trim_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string to_bytes(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

/// The checksum of parts of a PNG (CRC-32 with the polynomial of Ethernet).
std::uint32_t calc_checksum(const std::string& bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char c : bytes) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~sum;
}

/// A PNG that says how large it is on paper: else programs take 72 or 96 pixels per inch.
std::string add_resolution(const std::string& png, double dpi) {
  constexpr std::size_t kHead = 8 + 25;  // signature, and the part with width and height
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / 0.0254));
  const std::string part = "pHYs" + to_bytes(per_metre) + to_bytes(per_metre) + '\1';
  if (png.size() < kHead) return png;
  return png.substr(0, kHead) + to_bytes(9) + part + to_bytes(calc_checksum(part)) + png.substr(kHead);
}

std::string convert(const std::string& file, const std::string& svg, const PictureSize& size) {
  std::vector<std::string> words{kConverter};
  const bool is_pdf = find_picture_format(file) == PictureFormat::kPdf;
  if (is_pdf) {
    words.insert(words.end(), {"--format=pdf"});
  } else {
    const double pixels = std::round(size.width / 25.4 * size.dpi);
    if (!(pixels >= 1 && pixels <= kMostPixels))
      throw wrong_input("--dpi", fmt::format("{:g} dpi make a picture {:.0f} pixels wide", size.dpi, pixels),
                        fmt::format("1 to {:.0f} can be drawn", kMostPixels));
    words.insert(words.end(),
                 {"--format=png", "--background-color=white", fmt::format("--width={:.0f}", pixels)});
  }
  NamelessFile in, out, err;
  in.write(svg);
  const int status = run_converter(words, in.descriptor(), out.descriptor(), err.descriptor());
  if (status == -1)
    throw wrong_input(file, fmt::format("the program {} that makes it is not installed", kConverter),
                      "install Debian's librsvg2-bin, or write an .svg");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return is_pdf ? out.read() : add_resolution(out.read(), size.dpi);
  const std::string message = trim_end(err.read());
  throw RunError(fmt::format("{}: {} failed{}", file, kConverter, message.empty() ? "" : ": " + message));
}

/// Replaces the file at once; devices and pipes are written to.
void write_whole(const std::string& file, const std::string& bytes) {
  std::error_code error;
  if (file == "-" || (fs::exists(file, error) && !fs::is_regular_file(file, error))) {
    write_output(file, bytes);
    return;
  }
  fs::path place = file;
  if (fs::is_symlink(place, error)) place = fs::weakly_canonical(place, error);
  if (replace_file(place, bytes)) return;
  const std::string why = std::strerror(errno);
  fs::remove(place.string() + ".part", error);
  throw RunError(file + ": cannot be written: " + why);
}

}  // namespace

PictureFormat find_picture_format(const std::string& file) {
  if (file == "-" || file.ends_with(".svg")) return PictureFormat::kSvg;
  if (file.ends_with(".pdf")) return PictureFormat::kPdf;
  return file.ends_with(".png") ? PictureFormat::kPng : PictureFormat::kNone;
}

void write_picture(const std::string& file, const std::string& svg, const PictureSize& size) {
  write_whole(file, find_picture_format(file) == PictureFormat::kSvg ? svg : convert(file, svg, size));
}

}  // namespace haltere
