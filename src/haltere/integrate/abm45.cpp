#include "haltere/integrate/multistep.h"

namespace haltere {
namespace {

/// Adams-Bashforth of fourth order to predict, Adams-Moulton of fifth order to correct, each followed by an
/// evaluation (PECE): of order five.                                 [hairer1993] eqs. (III.1.5'), (III.1.9')
class Abm45 final : public Multistep {
 public:
  Abm45(Integrand& integrand, const IntegratorOptions& options) : Multistep(integrand, options, 5) {}

 private:
  Status advance(double h) override {
    y1_ = past_y(0) + h / 24 * (55 * past_f(0) - 59 * past_f(1) + 37 * past_f(2) - 9 * past_f(3));
    const Status status = evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
    if (status != Status::kOk) return status;
    y1_ = past_y(0) +
          h / 720 * (251 * ydot1_ + 646 * past_f(0) - 264 * past_f(1) + 106 * past_f(2) - 19 * past_f(3));
    return evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
  }
};

}  // namespace

std::unique_ptr<Integrator> make_abm45(Integrand& integrand, const IntegratorOptions& options) {
  return std::make_unique<Abm45>(integrand, options);
}

}  // namespace haltere
