#include "haltere/integrate/one_step.h"

namespace haltere {
namespace {

/// The central difference of second order, in the form that keeps velocities at the times of the positions:
///                                                                                               [hairer2006]
///   v(1/2) = v0 + h/2 a0,    q1 = q0 + h N(q(1/2)) v(1/2),    v1 = v(1/2) + h/2 a1
/// Forces that depend on velocity see v0 + h a0 at the end of the step: one evaluation a step, and a1 is that
/// of v1 to second order. States of the model, work and turns go by the trapezoidal rule.
class CentralDifference final : public OneStep {
 public:
  CentralDifference(Integrand& integrand, const IntegratorOptions& options)
      : OneStep(integrand, options, 2, 0) {
    const Sizes sizes = integrand.sizes();
    nq_ = sizes.nq;
    nv_ = sizes.nv;
    rest_ = sizes.nx + sizes.nz + sizes.nt;
    for (Eigen::VectorXd* vector : {&middle_, &rate_}) vector->setZero(sizes.ny());
  }

 private:
  Attempt attempt(double h) override {
    Integrand& integrand = evaluator_.integrand();
    const auto a0 = ydot_.segment(nq_, nv_);
    middle_ = y_;
    middle_.head(nq_) += h / 2 * ydot_.head(nq_);
    middle_.segment(nq_, nv_) += h / 2 * a0;
    integrand.calc_qdot(t_ + h / 2, middle_, rate_);
    y1_ = y_;
    y1_.head(nq_) += h * rate_.head(nq_);
    y1_.segment(nq_, nv_) += h * a0;  // predicted, for the forces
    y1_.tail(rest_) += h * ydot_.tail(rest_);
    const Status status = evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
    if (status != Status::kOk) return {status, 0};
    y1_.segment(nq_, nv_) = middle_.segment(nq_, nv_) + h / 2 * ydot1_.segment(nq_, nv_);
    y1_.tail(rest_) = y_.tail(rest_) + h / 2 * (ydot_.tail(rest_) + ydot1_.tail(rest_));
    integrand.calc_qdot(t_ + h, y1_, rate_);
    ydot1_.head(nq_) = rate_.head(nq_);
    return {Status::kOk, 0};
  }

  /// Cubic through both ends and their rates.                               [hairer1993] eq. (II.6.7)
  void calc_dense(double theta, Ref y) const override {
    // the rate at the start of the last step was swapped into ydot1_ when the step was accepted
    const double h = t_ - t0_, rest = 1 - theta;
    y = rest * y0_ + theta * y_ +
        theta * rest * ((theta - rest) * (y_ - y0_) + h * (rest * ydot1_ - theta * ydot_));
  }

  int nq_ = 0, nv_ = 0, rest_ = 0;
  Eigen::VectorXd middle_, rate_;
};

}  // namespace

std::unique_ptr<Integrator> make_central_difference(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<CentralDifference>(integrand, options);
}

}  // namespace haltere
