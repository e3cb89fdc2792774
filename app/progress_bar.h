#pragma once

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

 private:
  bool shown_ = false;
  bool drawn_ = false;
};

}  // namespace haltere
