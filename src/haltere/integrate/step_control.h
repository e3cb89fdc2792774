#pragma once

#include <algorithm>

#include "haltere/integrate/evaluator.h"

/// Step size: how an error is measured, what it says about the next step, and with which step a run begins.
/// Nothing here knows a method; nothing has a threshold in metres, kilograms or seconds.
namespace haltere {

/// Size of an error in units of what is allowed: 1 is just good enough.
///   |e|^2 = 1/n sum_i (e_i / (tolerance (|y_i| + scale_i)))^2  theory.md (E26), [hairer1993] eq. (II.4.11)
/// with the scale in the place of Atol/Rtol, over positions, velocities and states of the model. Work states take no part, so that
/// the motion does not depend on the audit (only where all motion is prescribed, and work is all there is, do
/// they count). The scale of a position comes from the equations. That of a velocity is the largest of what
/// it has been, of what it reaches from rest over the scale s of its position with its first acceleration,
/// and of s over the whole time; that of a state of the model the largest of what it has been and of what the
/// equations give.
class ErrorNorm {
 public:
  ErrorNorm(const Integrand& integrand, double tolerance);

  /// Begins at (y, ydot); horizon: how long the run takes [s].
  void start(ConstRef y, ConstRef ydot, double horizon);
  /// y is part of the solution: speeds seen so far set the scale.
  void accept(ConstRef y);

  double calc(ConstRef error, ConstRef y0, ConstRef y1) const;
  /// The error that is allowed in entry i of size |y|; 0 if there is nothing to measure it by yet.
  double calc_allowed(int i, double size) const { return tolerance_ * (size + scale_[i]); }
  double tolerance() const { return tolerance_; }
  double horizon() const { return horizon_; }
  int controlled() const { return controlled_; }  // entries that take part, from the first
  void visit_state(Archive& archive) { archive(horizon_, scale_); }

 private:
  double tolerance_;
  double horizon_ = 0;  // [s]
  int nq_, nv_, nx_;
  int controlled_;
  Eigen::VectorXd position_scale_;  // as the equations give it, also for velocities
  Eigen::VectorXd scale_;
};

/// Proportional-integral control of the step, for an estimate that goes with h^order.  [hairer1996] ch. IV.2
class Controller {
 public:
  struct Decision {
    bool accept;
    double h;  // of the next attempt [s]
  };
  explicit Controller(int order) : order_(order) {}
  void start();
  Decision decide(double h, double error);
  void visit_state(Archive& archive) { archive(last_error_, was_rejected_); }

 private:
  int order_;
  double last_error_ = 0;  // of the last accepted step
  bool was_rejected_ = false;
};

/// Notices that stability and not accuracy keeps the steps of an explicit method from being longer, and then
/// keeps them off the limit: at the limit fast parts of the motion ring with what the tolerance allows, a
/// fifth below it they die out. [hairer1996] ch. IV.2: fifteen steps at the limit, with fewer than six others
/// in a row between them, are stiffness; single ones are chance.
class CalmStep {
 public:
  void start() { *this = {}; }
  /// A step of h with this stability, in units of what the method bears.
  void add(double h, double stability);
  bool is_stiff() const { return longest_ > 0; }
  /// `proposed`, or the longest step that is calm.
  double limit(double proposed) const { return is_stiff() ? std::min(longest_, proposed) : proposed; }
  void visit_state(Archive& archive) { archive(suspects_, others_, longest_); }

 private:
  int suspects_ = 0, others_ = 0;  // steps at the limit, and others since the last of them
  double longest_ = 0;             // while steps are held back; 0: they are not [s]
};

/// The first step, from the first and second derivative at the start: [hairer1993] ch. II.4, but with a time
/// scale of the motion in place of the second. y1 and ydot1 are scratch.
double calc_first_step(Evaluator& evaluator, const ErrorNorm& norm, int order, double t, ConstRef y,
                       ConstRef ydot, Ref y1, Ref ydot1);

/// Below this a step is lost in the rounding of t.
double calc_smallest_step(double t, double horizon);

}  // namespace haltere
