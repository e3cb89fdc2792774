#pragma once

#include "haltere/math/archive.h"
#include "haltere/simulate/recorder.h"

namespace haltere {

/// Follows a run from row to row and keeps the largest errors of its balances.
class Auditor {
 public:
  /// `length`: of the machine, for the size of rounding.                                                 [m]
  Auditor(const Model& model, const std::vector<double>& parameters, double length = 0);

  /// A row. `work_done`: sum of |work| over the sources of energy.                                       [J]
  void add(const Instant& instant, double work_done);
  /// A state between rows: what energy is in play there.
  void see(const Snapshot& s, double work_done);
  /// What an event changed at one instant is no error: the references move by it.
  void add_event(const Instant& before, const Instant& after, const std::vector<double>& parameters);

  const Audit& audit() const { return audit_; }
  void visit_state(Archive& archive);

 private:
  double calc_size(const Instant& instant) const;
  void add_momentum(const Instant& instant);
  void add_contacts(const Snapshot& s);

  const Model& model_;
  Audit audit_;
  struct Contact {
    int constraint;  // of the snapshot's
    ContactReading read;
  };
  std::vector<Contact> contacts_;
  std::vector<double> last_normal_;  // of each, in the row before [N] ...
  double last_time_ = 0;             // ... at this time
  bool started_ = false;
  double t_ = 0;
  double largest_kinetic_ = 0, least_potential_ = 0, largest_potential_ = 0, largest_work_ = 0;  // [J]
  const double length_;  // of the model                                                         [m]
  Vector3<double> gravity_ = Vector3<double>::Zero();   // [m/s2]
  Vector3<double> momentum_ = Vector3<double>::Zero();  // expected: that of the start + impulse of gravity
  Vector3<double> angular_momentum_ = Vector3<double>::Zero();      // expected: that of the start
  double momentum_error_ = 0, momentum_scale_ = 0;                  // [kg m/s]
  double angular_momentum_error_ = 0, angular_momentum_scale_ = 0;  // [kg m2/s]
};

/// True if no force element and no joint can load the machine from outside, whatever the state (gravity
/// aside).
bool is_isolated(const Model& model);

}  // namespace haltere
