#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/result_folder.h"

#include "haltere/simulate/recorder.h"

namespace haltere {

/// Where a run puts its results: -o DIR, --csv FILE|-, --json FILE|-, --report FILE|-; a run that continues another one stays
/// in its folder.
struct SinkArguments {
  std::string folder;
  std::string continued;
  std::string csv;
  std::string json;
  std::string report;  // written after the run, by whoever has the sinks
};

/// The folder of a run while it writes: the lock, and what stood there before.
struct ResultPlace {
  std::string folder;
  std::unique_ptr<FolderLock> lock;
  std::unique_ptr<EarlierResult> earlier;
  bool keeps_earlier = false;  // the run did not get beyond its start, or its reader has gone
};

/// The sinks of a run. Nothing is written before the run begins; a place that cannot be written, or that
/// another run writes to, is an InputError.
class RunSinks {
 public:
  /// `name`: of the default folder below results/. `command`: what others are told who find the folder
  /// locked. `inputs`: files that must not be overwritten. `lock`: of a run that is continued, else none.
  RunSinks(const SinkArguments& arguments, const std::string& name, const std::string& command,
           const std::vector<std::string>& inputs, std::unique_ptr<FolderLock> lock);

  std::vector<Sink*> all() const;
  const std::string& folder() const { return place_->folder; }
  std::string checkpoint_file() const;
  /// There is no new result: that of an earlier run stays.
  bool keeps_earlier() const { return place_->keeps_earlier; }
  /// The folder, and what became of what was there, after the run.
  std::string describe() const;

 private:
  std::unique_ptr<ResultPlace> place_;
  std::unique_ptr<FolderLock> source_lock_;  // of a run that is continued elsewhere
  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace haltere
