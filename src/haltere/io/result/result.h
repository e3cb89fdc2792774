#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "haltere/simulate/recorder.h"

namespace haltere {

inline constexpr std::string_view kResultFormat = "haltere result 2";

/// A run read back from its file, whether it finished or was cut off. Columns are read when asked for, so a
/// large file takes no more memory than what is looked at. No byte is believed that differs from what was
/// written, and nothing outside the file is opened: a damaged file is an InputError, of the constructor or of
/// what reads.
class Result {
 public:
  /// `path`: a result file, or the folder with a `result.h5`. InputError for what cannot be read as a result.
  explicit Result(const std::filesystem::path& path);
  Result(Result&&) noexcept;
  Result& operator=(Result&&) noexcept;
  ~Result();

  const RunInfo& info() const { return info_; }
  const std::vector<Channel>& channels() const { return channels_; }  // name, unit, meaning
  long rows() const { return summary_.rows; }
  /// All rows of one channel; InputError with a "did you mean" for an unknown one.
  std::vector<double> column(std::string_view channel) const;
  /// Rows first, first + 1, ..., which must be there, row after row.
  std::vector<double> read_rows(long first, long count) const;
  const std::vector<RunEvent>& events() const { return summary_.events; }
  /// Of all frames; none where nothing was drawn.                                                     [s]
  const std::vector<double>& frame_times() const { return frame_times_; }
  /// One of them, with poses of info().bodies.
  Frame read_frame(long index) const;
  const std::string& outcome() const { return outcome_; }  // `running` for a run that was killed
  const RunSummary& summary() const { return summary_; }   // without wall_seconds

 private:
  class File;
  std::unique_ptr<File> file_;
  RunInfo info_;
  std::vector<Channel> channels_;
  std::string outcome_;
  RunSummary summary_;
  std::vector<double> frame_times_;
};

/// It was killed, or goes on: nobody has summed it up.
inline bool is_cut_off(const Result& result) {
  return result.outcome() == "running";
}

}  // namespace haltere
