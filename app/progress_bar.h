#pragma once

#include <chrono>
#include <string>

#include "haltere/simulate/run.h"

namespace haltere {

/// One line on stderr that is drawn over and over, on a terminal only; the destructor wipes it away.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool is_shown() const { return shown_; }
  void draw(const Progress& progress);
  /// Words, at most ten times a second.
  void say(const std::string& text);

 private:
  bool shown_ = false;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point said_{};
};

}  // namespace haltere
