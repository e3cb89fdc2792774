#pragma once

#include <memory>
#include <optional>

#include "haltere/dynamics/environment.h"
#include "haltere/simulate/frame.h"
#include "haltere/simulate/run.h"

namespace haltere {

/// The sheet with every `stride`-th row of a wake, counted from its oldest one, and the row at the edge: so the same
/// air is seen in every frame. Circulations are means of the rows that became one. Lattices stay whole.
VortexSheet thin(const VortexSheet& sheet, int stride);

/// Says when a run has a frame, at ends of steps of the air, and makes it. Where nothing in the air can be drawn and the
/// rows do not tell where the bodies are, frames have the bodies alone: at rows, ten times as often.
class FrameWatch {
 public:
  /// No frames without `are_wanted`.
  FrameWatch(const Environments& environments, const RunOptions& options, bool are_wanted,
             bool rows_have_poses = true);

  bool has_frames() const { return air_ != nullptr || has_bodies_alone_; }
  bool is_due(double t) const;
  bool is_due_at_row(double t) const;
  /// Bodies as in the scene; wakes thinned so that all frames of the run together stay within bounds, unless the
  /// user said how.
  Frame take(const Scene<double>& scene);
  /// Of a run that is continued.
  void pass(const Frame& frame);
  /// For the summary; "" where all rows of the wakes were kept.
  std::string note() const;

 private:
  int choose_stride(const Frame& whole) const;

  std::shared_ptr<Environment> air_;
  double until_, interval_;
  int stride_;  // 0: as the bounds ask
  bool has_bodies_alone_ = false;
  std::optional<double> last_;  // time of the last frame                                                  [s]
  int largest_stride_ = 1;
};

}  // namespace haltere
