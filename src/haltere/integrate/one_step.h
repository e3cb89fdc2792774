#pragma once

#include "haltere/integrate/integrator.h"
#include "haltere/integrate/step_control.h"

namespace haltere {

/// What methods that go step by step share: the loop around an attempted step. Adaptive methods retry with a
/// shorter step until the controller accepts; fixed-step methods go from one multiple of the step to the next
/// and retry nothing. A method adds attempt() and calc_dense().
class OneStep : public Integrator {
 public:
  void start(double t, ConstRef y) final;
  StepReport step(double t_limit) final;
  void interpolate(double t, Ref y) const final;

  double t() const final { return t_; }
  const Eigen::VectorXd& y() const final { return y_; }
  IntegratorCounters counters() const override;
  void visit_state(Archive& archive) final;
  bool can_save() const final { return true; }

 protected:
  /// error_order: the estimate goes with h^error_order; 0: no estimate, steps are fixed.
  OneStep(Integrand& integrand, const IntegratorOptions& options, int order, int error_order);

  struct Attempt {
    Status status = Status::kOk;
    double error = 0;          // in units of what is allowed
    bool is_hopeless = false;  // no other step would do better
    /// h times the largest eigenvalue that an explicit method met, in units of what it bears; 0: unknown.
    double stability = 0;
  };
  /// From (t_, y_, ydot_) to t_ + h: fills y1_ and ydot1_.
  virtual Attempt attempt(double h) = 0;
  /// The solution between (t0_, y0_) and (t_, y_), for 0 < theta < 1.
  virtual void calc_dense(double theta, Ref y) const = 0;
  /// A method that remembers earlier steps: loses them at a start, saves or loads them.
  virtual void forget() {}
  virtual void visit_memory(Archive&) {}
  /// What is done to a state before it is accepted.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
  virtual Status stabilize(double t, Ref y, Ref ydot) { return evaluator_.integrand().stabilize(t, y, ydot); }
  /// The step after one of h, where the error would allow `proposed`.
  virtual double choose_step(double /*h*/, double proposed) const { return proposed; }
  /// Why the last attempt failed, where the equations do not know.
  virtual std::string explain_attempt() const { return ""; }

  bool is_adaptive() const { return adaptive_; }
  mutable Evaluator evaluator_;  // mutable: dense output may need evaluations of its own
  ErrorNorm norm_;

  // -- the last accepted step
  double t0_ = 0, t_ = 0;   // from, to [s]
  Eigen::VectorXd y0_, y_;  // states there
  Eigen::VectorXd ydot_;    // rate at t_
  // -- the step that is being attempted
  Eigen::VectorXd y1_, ydot1_;

 private:
  bool begin(double t_limit);
  StepReport step_fixed(double t_limit);
  StepReport step_adaptive(double t_limit);
  double calc_grid_time(double t_limit) const;
  double calc_end_time(double h, double t_limit) const;
  bool attempt_until(double t1, Attempt* result);
  StepReport accept(double t1);
  StepReport fail(const std::string& what, const std::string& tried, const std::string& advice) const;

  Controller controller_;
  CalmStep stability_;
  IntegratorOptions options_;
  int order_;
  bool adaptive_;
  bool begun_ = false;
  double t_start_ = 0;  // [s]
  double h_ = 0;        // the fixed step, or the next one to try [s]
  long steps_ = 0, rejected_ = 0;
  mutable Eigen::VectorXd scratch_;
};

}  // namespace haltere
