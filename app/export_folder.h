#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "app/result_folder.h"

namespace haltere {

/// Many files for a folder, with one that names them all (the index). They appear together, in place of those of an
/// earlier export; without publish() nothing has changed.
class ExportFolder {
 public:
  /// Stands in every index, so that a later export knows what it may replace.
  static constexpr const char* kMark = "made by haltere export";

  /// Makes the folder, unless it is there. InputError where it cannot be written, or has an index of somebody else.
  ExportFolder(std::filesystem::path folder, std::string index, const std::string& command);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  /// InputError where there is such a file that no export has made; RunError where it cannot be written.
  void write(const std::string& file, const std::string& text);
  void write_index(const std::string& text);
  void publish();

 private:
  /// Goes again, if it was made for nothing.
  struct Place {
    explicit Place(std::filesystem::path folder);
    ~Place();
    std::filesystem::path folder;
    bool was_made = false;
  };
  void read_earlier();
  void require_own(const std::string& file) const;

  Place place_;
  FolderLock lock_;
  std::filesystem::path part_;  // where files are until they are published
  std::string index_;
  std::set<std::string> earlier_, written_;  // names of files
};

}  // namespace haltere
