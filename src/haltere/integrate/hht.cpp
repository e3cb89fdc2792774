#include "haltere/integrate/alpha_method.h"

namespace haltere {

/// alpha_f = alpha: Newmark's damping without its loss of order.                   [hilber1977], [arnold2007]
std::unique_ptr<Integrator> make_hht(Integrand& integrand, const IntegratorOptions& options) {
  AlphaParameters p;
  p.alpha_f = options.parameter;
  p.gamma = 0.5 + p.alpha_f;
  p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
  return std::make_unique<AlphaMethod>(integrand, options, p);
}

}  // namespace haltere
