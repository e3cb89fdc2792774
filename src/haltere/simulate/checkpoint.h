#pragma once

#include <functional>
#include <vector>

#include "haltere/math/archive.h"
#include "haltere/simulate/recorder.h"

namespace haltere {

/// A run at one moment, between two steps: from here it goes on with the same bits.
struct Checkpoint {
  double t = 0;     // [s]
  long rows = 0;    // written so far
  long events = 0;  // happened so far
  State state;
};

/// A run that was cut off, as far as its last checkpoint.
struct PastRun {
  Checkpoint checkpoint;
  std::vector<RunEvent> events;  // all that were recorded; those after the checkpoint are not used
  /// Values of rows first, first + 1, ..., row after row.
  std::function<std::vector<double>(long first, long count)> read_rows;
  std::vector<double> frame_times{};  // of all that were recorded                                 [s]
  std::function<Frame(long index)> read_frame{};
};

/// What makes a run another one than the one that `past` says it was: nothing, or an InputError that names
/// all differences. A later end is allowed.
void require_same_run(const RunInfo& past, const std::vector<Channel>& past_channels, const RunInfo& now,
                      const std::vector<Channel>& channels);

}  // namespace haltere
