#pragma once

#include "haltere/dynamics/implicit_form.h"
#include "haltere/integrate/one_step.h"

namespace haltere {

/// The family of Newmark's method for constrained motion, index 3: at the end of a step
///   r(q, v, vdot, lambda) = 0,   g(q) = 0,
///   q1 = q0 o exp(h v0 + h^2 ((1/2 - beta) a0 + beta a1)),    v1 = v0 + h ((1 - gamma) a0 + gamma a1),
///   (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) vdot1 + alpha_f vdot0.
/// theory.md (E27) to (E29), [arnold2007], [bruls2012]
struct AlphaParameters {
  double alpha_m = 0, alpha_f = 0;
  double beta = 0.25, gamma = 0.5;

  /// The algorithmic acceleration a belongs to t + shift h.                                 [arnold2007]
  double shift() const { return alpha_m - alpha_f; }
  /// Nothing damps what is infinitely fast: constraints ring.
  bool rings() const { return shift() == 0 && gamma == 0.5; }
};

/// Newton's method for x, the change of the position step: with exact tangents that are kept as long as they
/// help. Steps are fixed if one is asked for, else chosen by the tolerance.
class AlphaMethod final : public OneStep {
 public:
  AlphaMethod(Integrand& integrand, const IntegratorOptions& options, const AlphaParameters& parameters);

  const Eigen::VectorXd& lambda() const { return lambda_; }  // multipliers at t()
  IntegratorCounters counters() const override;

 private:
  Attempt attempt(double h) override;
  void calc_dense(double theta, Ref y) const override;
  void forget() override;
  void visit_memory(Archive& archive) override;
  Status stabilize(double t, Ref y, Ref ydot) override;
  double choose_step(double h, double proposed) const override;
  std::string explain_attempt() const override { return failure_; }

  void begin_motion(double h);
  double calc_error(double h) const;
  void predict(double h);
  /// Newton's iteration so far, sizes in radians or length scales.
  struct Corrections {
    int i = 0;
    double before = 0, last = 0;
    double residual = 0;  // what was left before the last one
    double enough = 0;    // a correction that is none
    bool exact = false;   // the one before had factors of its own
  };
  enum class Verdict { kMet, kGoOn, kLost };
  Verdict judge(const Corrections& c);
  bool refresh(double h);
  Status iterate(double h);
  Status solve_step(double h);
  double correct_states(double h);
  double apply_correction(double h);
  void update_state();  // y1_ but for its work and turns
  void name_worst(double correction, int iterations);

  const AlphaParameters p_;
  std::unique_ptr<ImplicitForm> form_;
  ImplicitForm::Point<double> point_;
  ImplicitForm::Residual<double> residual_;
  // -- of the last accepted step
  Eigen::VectorXd a_, vdot_, lambda_;
  Eigen::VectorXd jerk_;  // rate of vdot
  double h_last_ = 0;     // [s]
  // -- an earlier rate of the state (at the start, a little later one), for the error
  double t_other_ = 0;
  Eigen::VectorXd ydot_other_;
  // -- of the step being attempted
  Eigen::VectorXd a0_, a1_;
  // -- work space
  Eigen::VectorXd perturbed_;
  mutable Eigen::VectorXd error_;
  bool begun_ = false;
  /// Where factors were computed: what it takes to compute them again after a restart, bit by bit.
  struct Factored {
    double h = 0;  // 0: nowhere
    Eigen::VectorXd y0;
    ImplicitForm::Point<double> point;
    Eigen::VectorXd memory;
  };
  bool factor(const Factored& at);
  void visit(Archive& archive, Factored* at) const;
  Factored factored_, pivoted_;  // the last ones; those that chose the pivots
  bool wanted_ = true;           // new factors
  double floor_ = 0;             // corrections below it that do not fall are rounding
  long iterations_ = 0, factors_ = 0;
  std::string failure_;
  // -- states of the model at the end of the step, with what they are measured by
  Eigen::VectorXd memory_, x1_, x_scales_;
  Eigen::MatrixXd x_tangent_;
};

}  // namespace haltere
