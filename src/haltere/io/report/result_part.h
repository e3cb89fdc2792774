#pragma once

#include <string>
#include <vector>

#include "haltere/io/report/blob.h"
#include "haltere/io/result/result.h"

namespace haltere {

/// How much of a result a page takes.
struct PageDetail {
  long points = 0;  // of a channel, about; of each part of the time its first, least, largest and last value
  long poses = 0;   // about
  int wake_stride = 1;  // every so many rows of a wake
  long frame_step = 1;  // every so many frames of lattices and wakes
};

/// What a page has of one run: a RESULT of docs/report-format.md, in three parts.
class ResultPart {
 public:
  /// The result must outlive it.
  ResultPart(const Result& result, std::string name);

  const std::string& name() const { return name_; }
  long rows() const { return result_.rows(); }
  long n_channels() const { return static_cast<long>(result_.channels().size()); }
  long n_frames() const { return static_cast<long>(result_.frame_times().size()); }

  /// Texts, and what the model knows.
  Json make_head() const;
  /// Channels and poses: one pass over the rows.
  PagePart make_rows(const PageDetail& detail) const;
  /// Lattices and wakes.
  PagePart make_sheets(const PageDetail& detail) const;

 private:
  void find_bodies();
  bool has_poses() const { return !pose_channels_.empty() || n_frames() > 0; }
  void add_frame_poses(const PageDetail& detail, PagePart* part) const;

  const Result& result_;
  std::string name_;
  Json scene_;  // of the result; null where there is none
  std::vector<std::string> bodies_;
  std::vector<std::size_t>
      pose_channels_;  // seven of each body: position, then w, x, y, z; empty: not recorded
  std::vector<std::string> notes_;
};

}  // namespace haltere
