#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haltere/simulate/recorder.h"

namespace haltere {

/// Where a run puts its results: -o DIR, --csv FILE|-, --json FILE|-; a run that continues another one stays
/// in its folder.
struct SinkArguments {
  std::string folder;
  std::string continued;
  std::string csv;
  std::string json;
};

/// The sinks of a run. Nothing is written before the run begins, and a place that cannot be written is an
/// InputError.
class RunSinks {
 public:
  /// `label`: name of the default folder below results/. `inputs`: files that must not be overwritten.
  RunSinks(const SinkArguments& arguments, const std::string& label, const std::vector<std::string>& inputs);

  std::vector<Sink*> all() const;
  const std::string& folder() const { return folder_; }
  std::string checkpoint_file() const;

 private:
  std::string folder_;
  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace haltere
