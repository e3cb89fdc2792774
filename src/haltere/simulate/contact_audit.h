#pragma once

#include <string>

#include "haltere/model/constraints/constraint.h"

namespace haltere {

/// What something that touches asked of its ground, as far as the rows of a run show it.
struct ContactAudit {
  std::string name;
  double pulled = 0;           // time during which the ground would have had to pull     [s]
  double first_pull = 0;       // when that began                                         [s]
  double strongest_pull = 0;   // [N]
  double friction_needed = 0;  // largest coefficient, where it pushed
  double friction_time = 0;    // when                                                    [s]

  /// A row at the time t. The normal force was `before` a `step` ago, and linear in time since.  [N, s]
  void add(const ContactForce& force, double before, double t, double step);
  std::string text() const;
};

}  // namespace haltere
