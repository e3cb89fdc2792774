#include "haltere/io/csv_sink.h"

#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace haltere {
namespace {

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

void CsvSink::fail() const {
  throw RunError(fmt::format("cannot write {}; is the disk full, or the reader gone?",
                             path_ == "-" ? "to standard output" : fmt::format("'{}'", path_)));
}

void CsvSink::write_line() {
  line_.back() = '\n';  // the comma after the last field
  if (std::fwrite(line_.data(), 1, line_.size(), file_.get()) != line_.size()) fail();
}

void CsvSink::flush() {
  if (std::fflush(file_.get()) != 0) fail();
}

void CsvSink::begin(const std::vector<Channel>& channels, const RunInfo&) {
  if (path_ == "-") {
    file_.reset(stdout);
  } else {
    std::error_code error;  // a folder that cannot be made is a file that cannot be written
    const std::filesystem::path path(path_);
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
    file_.reset(std::fopen(path_.c_str(), "w"));
    if (!file_) fail();
  }
  line_.clear();
  for (const Channel& channel : channels) line_ += quote_field(channel.name) + ',';
  write_line();
  flush();
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

void CsvSink::end(const RunSummary&) {
  if (!file_) return;  // begin() failed
  flush();
  file_.reset();
}

}  // namespace haltere
