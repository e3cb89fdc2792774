#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "haltere/io/report/report.h"

/// What verbs that write a report share.
namespace haltere {

/// The folder or file that RESULT stands for: as it is, or below results/.
std::string find_result_place(const std::string& result);
/// The file of a result that was named by its folder or by itself.
std::string find_result_file(const std::string& place);
/// What a result is called by whoever looks at several: its folder, or its file.
std::string name_of_result(const std::string& place);

/// `30MB`, `500 kB`, a number of bytes; InputError for what is none.
double read_size(const std::string& text);

/// A folder of one's own: nobody else can have put something there.
std::filesystem::path make_temporary_folder();
/// One that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder() : path_(make_temporary_folder()) {}
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// RunError where the program has no viewer: nothing should be computed before that is known.
void require_viewer();
/// The same, and that a page can be written there; InputError where it cannot. `has_table`: stdout is taken by what the verb
/// prints.
void require_page(const std::string& file, bool has_table = false);
/// The file stands there in one piece or not at all; `-` is stdout. Says on stderr what did not fit.
void write_report(const std::string& file, const ReportContent& content, double size = kReportSize);

}  // namespace haltere
