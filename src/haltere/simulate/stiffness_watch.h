#pragma once

#include <string>

#include "haltere/integrate/integrator.h"
#include "haltere/simulate/run.h"

namespace haltere {

/// Counts the steps of an explicit method that stability keeps from being longer, not accuracy.
class StiffnessWatch {
 public:
  void add(const StepReport& step);
  /// A few of them at the end of a motion that dies away are nothing to act on.
  bool is_stiff() const { return steps_ * kShare > all_; }
  /// What a user should know and do about it; `advice`: the methods to take.
  std::string text(const std::string& method, const std::string& advice) const;
  void visit_state(Archive& archive) { archive(steps_, all_, t_first_, shortest_); }

 private:
  // more than one step in so many; a choice that leaves out the few of a motion that dies away
  static constexpr long kShare = 20;
  long steps_ = 0, all_ = 0;
  double t_first_ = 0;   // when the first of them began [s]
  double shortest_ = 0;  // of them                      [s]
};

/// The methods, or the stabilisation, to take instead.
std::string advise_stiff(const RunOptions& options, bool constrained);

}  // namespace haltere
