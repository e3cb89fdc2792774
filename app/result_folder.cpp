#include "app/result_folder.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/continuation.h"

#include "haltere/io/result/result.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

// of what --set adds to a name
constexpr std::size_t kLongestName = 80;

std::string trim_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// FNV-1a, 48 bits of it.
std::string calc_digest(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:012x}", (hash ^ (hash >> 48U)) & 0xffffffffffffU);
}

/// key=value in an order that does not depend on how it was typed, where the order has no meaning: of two
/// values for one key the later holds; a key within another one's value keeps its place.
std::vector<std::string> sort_settings(const std::vector<std::string>& set) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& text : set) {
    const std::size_t sign = std::min(text.find('='), text.size());
    std::pair<std::string, std::string> setting{trim_blanks(text.substr(0, sign)),
                                                trim_blanks(text.substr(std::min(sign + 1, text.size())))};
    std::erase_if(settings, [&](const auto& earlier) { return earlier.first == setting.first; });
    settings.push_back(std::move(setting));
  }
  const auto is_within = [](const auto& a, const auto& b) { return a.first.starts_with(b.first + "."); };
  bool has_order = false;
  for (const auto& a : settings)
    for (const auto& b : settings) has_order |= is_within(a, b);
  if (!has_order) std::sort(settings.begin(), settings.end());
  std::vector<std::string> sorted;
  for (const auto& [key, value] : settings) sorted.push_back(fmt::format("{}={}", key, value));
  return sorted;
}

/// What the holder of a lock has written there.
std::string read_holder(const fs::path& file) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "another process" : text;
}

std::string describe_process(const std::string& command) {
  char host[256] = "?";
  gethostname(host, sizeof host - 1);
  return fmt::format("process {} on {}: {}\n", getpid(), host, command);
}

/// The name of a file that is kept beside a new one.
fs::path aside(const fs::path& file) {
  return file.string() + ".before";
}

}  // namespace

std::string name_result(const std::string& label, const std::vector<std::string>& set) {
  if (set.empty()) return label;
  const std::string exact = fmt::format("{}", fmt::join(sort_settings(set), ","));
  std::string name = exact;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::strchr("._=,+-", c) == nullptr) c = '_';
  if (name.size() > kLongestName) name.resize(kLongestName);
  if (name != exact) name += "-" + calc_digest(exact);
  return label + "-" + name;
}

FolderLock::FolderLock(const fs::path& folder, const std::string& command) : file_(folder / kLockFile) {
  for (;;) {
    descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0)
      throw wrong_input(file_.string(), std::string("cannot be written: ") + std::strerror(errno));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(descriptor_);
      if (error == EWOULDBLOCK)
        throw wrong_input(folder.string(), "another run writes there: " + read_holder(file_),
                          "wait for it, or -o DIR puts this one elsewhere");
      throw wrong_input(file_.string(), std::string("cannot be locked: ") + std::strerror(error),
                        "-o DIR puts the result elsewhere");
    }
    // the holder before may have removed the file between the two calls: then this lock is on nothing
    struct stat own {
    }, there{};
    if (fstat(descriptor_, &own) == 0 && stat(file_.c_str(), &there) == 0 && own.st_ino == there.st_ino)
      break;
    close(descriptor_);
  }
  const std::string who = describe_process(command);
  if (ftruncate(descriptor_, 0) != 0 || write(descriptor_, who.data(), who.size()) < 0)
    throw wrong_input(file_.string(), std::string("cannot be written: ") + std::strerror(errno));
}

FolderLock::~FolderLock() {
  std::error_code ignored;
  fs::remove(file_, ignored);  // before it is given up: afterwards it may be another one's
  close(descriptor_);
}

EarlierResult::EarlierResult(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  const fs::path result = folder_ / kResultFile;
  // of a run that was killed before it replaced anything: all that was here still is, under one name or the
  // other
  if (fs::equivalent(result, aside(result), error)) put_back();
  if (!fs::exists(result, error)) return;
  try {
    const std::string command = Result(folder_).info().command;
    what_ = "the result of " + (command.empty() ? "another program" : command);
  } catch (const std::runtime_error&) {
    what_ = "a result that cannot be read";
  }
}

EarlierResult::~EarlierResult() {
  try {
    restore();  // the run has not even begun
  } catch (const RunError&) {
    // the error that led here is the one to report
  }
}

void EarlierResult::set_aside() {
  forget();  // of a run that was killed
  if (what_.empty()) return;
  // a second name: the result can be read under its own until the new one takes it
  const fs::path result = folder_ / kResultFile, seal = folder_ / kSealFile,
                 checkpoint = folder_ / kCheckpointFile;
  std::error_code error;
  if (fs::exists(seal, error)) fs::copy_file(seal, aside(seal), error);  // is written in place
  if (!error) fs::create_hard_link(result, aside(result), error);
  if (error)
    fs::copy_file(result, aside(result), fs::copy_options::overwrite_existing, error);  // no links here
  if (!error && fs::exists(checkpoint, error)) fs::rename(checkpoint, aside(checkpoint), error);
  is_aside_ = !error;
  if (error) throw RunError(result.string() + ": cannot be kept: " + error.message());
}

void EarlierResult::restore() {
  if (!std::exchange(is_aside_, false)) return;
  // what belongs to the new run alone
  std::error_code error;
  for (const char* name : {kSealFile, kCheckpointFile})
    if (!fs::exists(aside(folder_ / name), error)) fs::remove(folder_ / name, error);
  put_back();
}

void EarlierResult::put_back() {
  for (const char* name : {kSealFile, kCheckpointFile, kResultFile}) {
    const fs::path file = folder_ / name;
    std::error_code error;
    if (!fs::exists(aside(file), error)) continue;
    fs::rename(aside(file), file, error);
    if (!error) fs::remove(aside(file), error);  // two names of one file: rename() has left both
    if (error) throw RunError(file.string() + ": cannot be put back: " + error.message());
  }
}

void EarlierResult::forget() {
  is_aside_ = false;
  std::error_code error;
  for (const char* name : {kResultFile, kSealFile, kCheckpointFile}) {
    fs::remove(aside(folder_ / name), error);
    if (error) throw RunError(aside(folder_ / name).string() + ": cannot be removed: " + error.message());
  }
}

}  // namespace haltere
