#pragma once

#include <filesystem>
#include <string>

#include "haltere/io/result/result.h"
#include "haltere/simulate/checkpoint.h"

namespace haltere {

inline constexpr const char* kResultFile = "result.h5";
inline constexpr const char* kSealFile = "result.h5.seal";  // of a run that has not ended
inline constexpr const char* kCheckpointFile = "checkpoint";

/// A run that was cut off, read from its folder. InputError where there is nothing to continue.
class Continuation {
 public:
  explicit Continuation(const std::filesystem::path& folder);
  Continuation(const Continuation&) = delete;  // past_ reads from result_
  Continuation& operator=(const Continuation&) = delete;

  const RunInfo& info() const { return result_.info(); }
  const std::vector<Channel>& channels() const { return result_.channels(); }
  const PastRun& past() const { return past_; }

  /// Settings that are not given are those of the past.
  void complete(Settings* settings) const;

 private:
  Result result_;
  PastRun past_;
};

}  // namespace haltere
