#include "app/report_page.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <stdlib.h>

#include "app/continuation.h"
#include "app/output_file.h"
#include "app/signals.h"

#include "haltere/io/report/viewer.h"
#include "haltere/io/result/file_descriptor.h"
#include "haltere/model/wrong_input.h"

namespace haltere {
namespace fs = std::filesystem;

std::string find_result_place(const std::string& result) {
  std::error_code error;
  const fs::path below = fs::path("results") / result;
  if (fs::exists(result, error) || !fs::exists(below / kResultFile, error)) return result;
  return below.string();
}

std::string find_result_file(const std::string& place) {
  std::error_code error;
  return (fs::is_directory(place, error) ? fs::path(place) / kResultFile : fs::path(place)).string();
}

std::string name_of_result(const std::string& place) {
  const fs::path file = fs::absolute(find_result_file(place)).lexically_normal();
  return file.filename() == kResultFile ? file.parent_path().filename().string() : file.stem().string();
}

double read_size(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  if (error == std::errc() && std::isfinite(value) && value > 0)
    for (const auto& [name, factor] : kUnits)
      if (unit == name) return value * factor;
  throw wrong_input("--size", fmt::format("'{}' is no size of a file", text),
                    "30MB for example; kB, MB or GB");
}

fs::path make_temporary_folder() {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "haltere-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr)
    throw RunError(fmt::format("a temporary folder, {}, cannot be made: {}; TMPDIR names where", folder,
                               error ? error.message() : std::strerror(errno)));
  return folder;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void require_page(const std::string& file, bool has_table) {
  if (has_table && file == "-")
    throw wrong_input("--report", "stdout has the table", "name a file for the page");
  const std::string part = file + ".part";
  std::error_code error;
  if (file != "-" && fs::exists(part, error))
    throw wrong_input(part, "is in the way: pages are written there first", "move or remove it");
  require_viewer();
}

void require_viewer() {
  if (viewer_page().empty())
    throw RunError(
        "this haltere was built without its viewer: build it with ./dev build, which makes "
        "report/dist/viewer.html");
}

namespace {

/// Where a link leads, also one to a file that is still to be made.
fs::path follow_link(const fs::path& file) {
  std::error_code error;
  if (!fs::is_symlink(file, error)) return file;
  const fs::path target = fs::canonical(file, error);
  return error ? file.parent_path() / fs::read_symlink(file) : target;
}

}  // namespace

void write_report(const std::string& file, const ReportContent& content, double size) {
  const Report report = make_report(viewer_page(), content, size);
  std::error_code error;
  if (file == "-" || (fs::exists(file, error) && !fs::is_regular_file(file, error))) {
    write_output(file, report.page);  // stdout, a pipe
  } else {
    catch_signals();  // what is begun is done: nothing is left beside the page
    if (!replace_file(follow_link(file), report.page))
      throw RunError(fmt::format("{}: cannot be written: {}", file, std::strerror(errno)));
  }
  for (const std::string& text : report.dropped)
    fmt::print(stderr, "to keep the page within {:.3g} MB: {}; --size takes more\n", size / 1e6, text);
  if (static_cast<double>(report.page.size()) > size)
    fmt::print(stderr, "the page cannot be made smaller: it takes {:.3g} MB, more than {:.3g} MB\n",
               static_cast<double>(report.page.size()) / 1e6, size / 1e6);
  for (const ReportContent::Part& part : content.results)
    if (is_cut_off(*part.result))
      fmt::print(stderr, "{}: the run was cut off, or goes on: no audit was made of it\n", part.name);
}

}  // namespace haltere
