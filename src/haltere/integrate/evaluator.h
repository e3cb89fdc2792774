#pragma once

#include <string>

#include "haltere/dynamics/integrand.h"
#include "haltere/math/archive.h"

namespace haltere {

/// The right-hand side as methods call it: counts evaluations and remembers the last one that failed, so that
/// a failed step can say where and why.
class Evaluator {
 public:
  explicit Evaluator(Integrand& integrand) : integrand_(integrand), y_failed_(integrand.sizes().ny()) {}

  Status calc_ydot(double t, ConstRef y, Ref ydot);
  /// The first evaluation of a motion: makes quaternions unit, fills ydot; false if it failed.
  bool begin(double t, Ref y, Ref ydot);
  /// For a value that came out not finite although no evaluation said so.
  void note_failure(Status status, double t, ConstRef y);
  void forget_failure() { status_ = Status::kOk; }

  /// "the equations are singular at t = 1.5 s" and the explanation of the equations; empty if nothing failed.
  std::string explain_failure() const;
  /// A line more where the motion is near a singular position at t, or will be in `ahead` seconds.
  std::string explain_place(double t, ConstRef y, double ahead) const;

  void visit_state(Archive& archive) { archive(evaluations_); }

  Integrand& integrand() const { return integrand_; }
  Status status() const { return status_; }
  long evaluations() const { return evaluations_; }

 private:
  Integrand& integrand_;
  long evaluations_ = 0;
  Status status_ = Status::kOk;  // of the last failure
  double t_failed_ = 0;          // [s]
  Eigen::VectorXd y_failed_;
};

/// A message in the form of all run errors: when and what, then indented lines for the rest; empty ones are
/// left out.
std::string make_step_message(double t, const std::string& what, const std::string& why,
                              const std::string& tried, const std::string& advice);

}  // namespace haltere
