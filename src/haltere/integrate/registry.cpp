#include <algorithm>

#include "haltere/integrate/integrator.h"

namespace haltere {

// each in the file of its method
using MakeIntegrator = std::unique_ptr<Integrator>(Equations&, const IntegratorOptions&);
MakeIntegrator make_rk4, make_dopri5, make_dop853, make_cvode_bdf, make_cvode_adams, make_hamming, make_abm45,
    make_central_difference;

const std::vector<IntegratorInfo>& integrators() {
  // a new method: its file, its name above, its row here
  static const std::vector<IntegratorInfo> list{
      {"rk4", "classical Runge-Kutta, fixed step", "hairer1993", 4, false, false, make_rk4},
      {"dopri5", "Dormand-Prince 5(4), adaptive; known as ode45", "dormand1980", 5, true, false, make_dopri5},
      {"dop853", "Dormand-Prince 8(5,3), adaptive; for accurate results", "hairer1993", 8, true, false,
       make_dop853},
      {"cvode-bdf", "CVODE, backward differences with Newton's method, adaptive; for stiff motion",
       "hindmarsh2005", 5, true, true, make_cvode_bdf},
      {"cvode-adams",
       "CVODE, Adams-Moulton with fixed-point iteration, adaptive; for costly right-hand sides",
       "hindmarsh2005", 12, true, true, make_cvode_adams},
      {"hamming", "Hamming's predictor-modifier-corrector, fixed step", "hamming1959", 4, false, false,
       make_hamming},
      {"abm45", "Adams-Bashforth 4 and Adams-Moulton 5, fixed step", "hairer1993", 5, false, false,
       make_abm45},
      {"central-difference", "central difference, fixed step; one evaluation a step", "hairer2006", 2, false,
       false, make_central_difference},
  };
  return list;
}

const IntegratorInfo* find_integrator(std::string_view name) {
  const auto& list = integrators();
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& info) { return info.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace haltere
