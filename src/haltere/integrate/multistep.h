#pragma once

#include <array>

#include "haltere/integrate/one_step.h"

namespace haltere {

/// What predictor-corrector methods of fixed step share: the memory of the last four states and their rates.
/// Where it is not there yet (at the start, after an event, after a step cut short by a limit) steps are made
/// by the classical Runge-Kutta method with Richardson extrapolation, of order five. A method adds advance().
class Multistep : public OneStep {
 protected:
  Multistep(Integrand& integrand, const IntegratorOptions& options, int order);

  /// One step of h from the memory: fills y1_ and ydot1_.
  virtual Status advance(double h) = 0;
  /// Anything else that the method remembers: loses it, saves or loads it.
  virtual void forget_more() {}
  virtual void visit_more(Archive&) {}

  /// State and rate k steps ago; 0 is now.
  const Eigen::VectorXd& past_y(int k) const { return past(k).y; }
  const Eigen::VectorXd& past_f(int k) const { return past(k).f; }

 private:
  static constexpr int kDepth = 4;
  struct Moment {
    double t = 0;
    Eigen::VectorXd y, f;
  };

  Attempt attempt(double h) final;
  void calc_dense(double theta, Ref y) const final;
  void forget() final;
  void visit_memory(Archive& archive) final;

  const Moment& past(int k) const { return memory_[(newest_ - k + kDepth) % kDepth]; }
  void remember();
  bool is_complete(double h) const;
  Status make_start_step(double h);
  Status calc_rk4(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& f, double h,
                  Eigen::VectorXd* out);

  std::array<Moment, kDepth> memory_;
  int newest_ = 0, count_ = 0;
  Eigen::VectorXd k_, stage_, half_, whole_;  // scratch
};

}  // namespace haltere
