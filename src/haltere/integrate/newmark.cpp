#include "haltere/integrate/alpha_method.h"

namespace haltere {

/// gamma = 1/2 + alpha, beta = (gamma + 1/2)^2/4: with alpha = 0 the trapezoidal rule, which rings on
/// constraints; with alpha > 0 damped, at the price of energy.        [geradin2001]
std::unique_ptr<Integrator> make_newmark(Integrand& integrand, const IntegratorOptions& options) {
  AlphaParameters p;
  p.gamma = 0.5 + options.parameter;
  p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
  return std::make_unique<AlphaMethod>(integrand, options, p);
}

}  // namespace haltere
