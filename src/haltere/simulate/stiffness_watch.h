#pragma once

#include <string>

#include "haltere/integrate/integrator.h"

namespace haltere {

/// Counts the steps of an explicit method that stability keeps from being longer, not accuracy.
class StiffnessWatch {
 public:
  void add(const StepReport& step);
  bool is_stiff() const { return steps_ > 0; }
  /// What a user should know and do about it; `advice`: the methods to take.
  std::string text(const std::string& method, const std::string& advice) const;
  void visit_state(Archive& archive) { archive(steps_, t_first_, shortest_); }

 private:
  long steps_ = 0;
  double t_first_ = 0;   // when the first of them began [s]
  double shortest_ = 0;  // of them                      [s]
};

}  // namespace haltere
