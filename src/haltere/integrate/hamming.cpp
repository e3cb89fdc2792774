#include "haltere/integrate/multistep.h"

namespace haltere {
namespace {

/// Hamming's predictor-modifier-corrector of fourth order: [hamming1959]
///   p1 = y(-3) + 4h/3 (2 f0 - f(-1) + 2 f(-2)),      m1 = p1 - 112/121 (p0 - c0)
///   c1 = (9 y0 - y(-2) + 3h (f(m1) + 2 f0 - f(-1)))/8,   y1 = c1 + 9/121 (p1 - c1)
class Hamming final : public Multistep {
 public:
  Hamming(Integrand& integrand, const IntegratorOptions& options) : Multistep(integrand, options, 4) {
    const int ny = integrand.sizes().ny();
    for (Eigen::VectorXd* vector : {&gap_, &predicted_, &corrected_}) vector->setZero(ny);
  }

 private:
  Status advance(double h) override {
    predicted_ = past_y(3) + 4 * h / 3 * (2 * past_f(0) - past_f(1) + 2 * past_f(2));
    y1_ = predicted_ - 112. / 121 * gap_;
    const Status status = evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
    if (status != Status::kOk) return status;
    corrected_ = (9 * past_y(0) - past_y(2) + 3 * h * (ydot1_ + 2 * past_f(0) - past_f(1))) / 8;
    gap_ = predicted_ - corrected_;
    y1_ = corrected_ + 9. / 121 * gap_;
    return evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
  }
  void forget_more() override { gap_.setZero(); }
  void visit_more(Archive& archive) override { archive(gap_); }

  Eigen::VectorXd gap_;  // predictor less corrector of the last step
  Eigen::VectorXd predicted_, corrected_;
};

}  // namespace

std::unique_ptr<Integrator> make_hamming(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<Hamming>(integrand, options);
}

}  // namespace haltere
