#include "haltere/io/result/csv_sink.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace haltere {
namespace {

// bytes that are kept until the run has begun
constexpr std::size_t kMostWaiting = 1U << 20U;

/// Quoted where a plain comma-separated field would be misread.
std::string quote_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

CsvSink::CsvSink(std::string path) : path_(std::move(path)) {}

void CsvSink::fail() {
  const bool reader_gone = path_ == "-" && errno == EPIPE;
  file_.reset();
  has_failed_ = true;
  if (reader_gone) throw ReaderGone();
  throw RunError(fmt::format("cannot write {}; is the disk full?",
                             path_ == "-" ? "to standard output" : fmt::format("'{}'", path_)));
}

void CsvSink::open() {
  if (path_ == "-") {
    file_.reset(stdout);
  } else {
    std::error_code error;  // a folder that cannot be made is a file that cannot be written
    const std::filesystem::path path(path_);
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
    file_.reset(std::fopen(path_.c_str(), "w"));
    if (!file_) fail();
  }
}

void CsvSink::write_line() {
  line_.back() = '\n';  // the comma after the last field
  waiting_ += line_;
  if (file_ || waiting_.size() > kMostWaiting) write_waiting();
}

void CsvSink::write_waiting() {
  if (!file_) open();
  if (std::fwrite(waiting_.data(), 1, waiting_.size(), file_.get()) != waiting_.size()) fail();
  waiting_.clear();
}

void CsvSink::flush() {
  if (has_failed_) return;
  write_waiting();
  if (std::fflush(file_.get()) != 0) fail();
}

void CsvSink::begin(const std::vector<Channel>& channels, const RunInfo&) {
  line_.clear();
  for (const Channel& channel : channels) line_ += quote_field(channel.name) + ',';
  write_line();
}

void CsvSink::row(std::span<const double> values) {
  line_.clear();
  std::array<char, 32> digits{};
  for (const double value : values) {
    const auto result = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general, 17);
    line_.append(digits.begin(), result.ptr);
    line_ += ',';
  }
  write_line();
}

void CsvSink::end(const RunSummary& summary) {
  // a run that fails at its start leaves the file of an earlier one alone
  if (!file_ && summary.outcome == RunSummary::Outcome::kFailed) return;
  flush();
  file_.reset();
}

}  // namespace haltere
