#include "app/export_folder.h"

#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/output_file.h"

#include "haltere/model/wrong_input.h"

namespace haltere {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPart = ".haltere-export";

[[noreturn]] void fail_at(const fs::path& file, const std::error_code& error) {
  throw RunError(file.string() + ": cannot be written: " + error.message());
}

}  // namespace

ExportFolder::Place::Place(fs::path path) : folder(std::move(path)) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return;
  if (fs::exists(folder, error)) throw wrong_input(folder.string(), "is no folder");
  was_made = fs::create_directory(folder, error);
  if (!was_made)
    throw wrong_input(folder.string(), "cannot be made: " + error.message(),
                      "the folder that it is in must be there");
}

ExportFolder::Place::~Place() {
  std::error_code ignored;
  if (was_made) fs::remove(folder, ignored);  // only an empty one goes
}

ExportFolder::ExportFolder(fs::path folder, std::string index, const std::string& command)
    : place_(std::move(folder)),
      lock_(place_.folder, command),
      part_(place_.folder / kPart),
      index_(std::move(index)) {
  read_earlier();
  require_own(index_);
  std::error_code error;
  fs::remove_all(part_, error);  // of one that was killed
  fs::create_directory(part_, error);
  if (error) throw wrong_input(place_.folder.string(), "cannot be written: " + error.message());
}

ExportFolder::~ExportFolder() {
  std::error_code ignored;
  fs::remove_all(part_, ignored);
}

/// The files that an index of an export names, and the index.
void ExportFolder::read_earlier() {
  std::ifstream in(place_.folder / index_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.find(kMark) == std::string::npos) return;
  earlier_.insert(index_);
  constexpr std::string_view kFile = "file=\"";
  for (std::size_t at = text.find(kFile); at != std::string::npos; at = text.find(kFile, at)) {
    at += kFile.size();
    const std::string name = text.substr(at, text.find('"', at) - at);
    if (name.find('/') == std::string::npos && name.ends_with(".vtp")) earlier_.insert(name);
  }
}

void ExportFolder::require_own(const std::string& file) const {
  std::error_code error;
  const fs::path there = place_.folder / file;
  if (fs::exists(fs::symlink_status(there, error)) && !earlier_.contains(file))
    throw wrong_input(there.string(), "is there, and no export of haltere has made it",
                      "choose another folder");
}

void ExportFolder::write(const std::string& file, const std::string& text) {
  require_own(file);
  write_output((part_ / file).string(), text);
  written_.insert(file);
}

void ExportFolder::write_index(const std::string& text) {
  write_output((part_ / index_).string(), text);
}

/// The index comes last, and what only the one before named goes after it.
void ExportFolder::publish() {
  std::error_code error;
  for (const std::string& file : written_) {
    fs::rename(part_ / file, place_.folder / file, error);
    if (error) fail_at(place_.folder / file, error);
  }
  fs::rename(part_ / index_, place_.folder / index_, error);
  if (error) fail_at(place_.folder / index_, error);
  written_.insert(index_);
  for (const std::string& file : earlier_)
    if (!written_.contains(file)) fs::remove(place_.folder / file, error);
}

}  // namespace haltere
