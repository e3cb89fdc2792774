#include "haltere/integrate/alpha_method.h"

namespace haltere {

/// rho: what is left of an infinitely fast oscillation after a step, 1 for none lost.
///                                                                                   [chung1993], [bruls2012]
std::unique_ptr<Integrator> make_generalized_alpha(Integrand& integrand, const IntegratorOptions& options) {
  AlphaParameters p;
  const double rho = options.parameter;
  p.alpha_m = (2 * rho - 1) / (rho + 1);
  p.alpha_f = rho / (rho + 1);
  p.gamma = 0.5 + p.alpha_f - p.alpha_m;
  p.beta = 0.25 * (p.gamma + 0.5) * (p.gamma + 0.5);
  return std::make_unique<AlphaMethod>(integrand, options, p);
}

}  // namespace haltere
