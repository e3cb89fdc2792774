#include <charconv>
#include <cmath>
#include <limits>

#include "haltere/integrate/integrator.h"

namespace haltere {

// each in the file of its method
using MakeIntegrator = std::unique_ptr<Integrator>(Integrand&, const IntegratorOptions&);
MakeIntegrator make_rk4, make_dopri5, make_dop853, make_cvode_bdf, make_cvode_adams, make_hamming, make_abm45,
    make_central_difference, make_newmark, make_hht, make_generalized_alpha, make_ida_bdf;

const std::vector<IntegratorInfo>& integrators() {
  using enum StepChoice;
  // a new method: its file, its name above, its row here
  static const std::vector<IntegratorInfo> list{
      {"rk4", "classical Runge-Kutta, fixed step", "hairer1993", 4, kFixed, false, make_rk4},
      {"dopri5", "Dormand-Prince 5(4), adaptive; known as ode45", "dormand1980", 5, kAdaptive, false,
       make_dopri5},
      {"dop853", "Dormand-Prince 8(5,3), adaptive; for accurate results", "hairer1993", 8, kAdaptive, false,
       make_dop853},
      {"cvode-bdf", "CVODE, backward differences with Newton's method, adaptive; for stiff motion",
       "hindmarsh2005", 5, kAdaptive, true, make_cvode_bdf},
      {"cvode-adams",
       "CVODE, Adams-Moulton with fixed-point iteration, adaptive; for costly right-hand sides",
       "hindmarsh2005", 12, kAdaptive, true, make_cvode_adams},
      {"hamming", "Hamming's predictor-modifier-corrector, fixed step", "hamming1959", 4, kFixed, false,
       make_hamming},
      {"abm45", "Adams-Bashforth 4 and Adams-Moulton 5, fixed step", "hairer1993", 5, kFixed, false,
       make_abm45},
      {"central-difference", "central difference, fixed step; one evaluation a step", "hairer2006", 2, kFixed,
       false, make_central_difference},
      {"newmark",
       "Newmark's method on the index-3 equations; damping by alpha",
       "newmark1959",
       2,
       kEither,
       false,
       make_newmark,
       {"alpha", 0, 0, 1},
       true},
      {"hht",
       "Hilber, Hughes and Taylor's method on the index-3 equations",
       "hilber1977",
       2,
       kEither,
       false,
       make_hht,
       {"alpha", 0.05, 0, 1. / 3},
       true},
      {"generalized-alpha",
       "generalised-alpha on the Lie group, index 3; damps what is fast",
       "bruls2012",
       2,
       kEither,
       false,
       make_generalized_alpha,
       {"rho", 0.9, 0, 1},
       true},
      {"ida-bdf",
       "IDA, backward differences on the index-2 equations, adaptive; for stiff constrained motion",
       "gear1985",
       5,
       kAdaptive,
       true,
       make_ida_bdf,
       {},
       true},
  };
  return list;
}

const IntegratorInfo* find_integrator(std::string_view name) {
  const std::string_view word = name.substr(0, name.find(':'));
  for (const IntegratorInfo& info : integrators())
    if (info.name == word) return std::isnan(parse_parameter(name, info)) ? nullptr : &info;
  return nullptr;
}

double parse_parameter(std::string_view name, const IntegratorInfo& info) {
  constexpr double kWrong = std::numeric_limits<double>::quiet_NaN();
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return info.parameter.otherwise;
  double value = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + colon + 1, end, value);
  const bool fits = error == std::errc() && rest == end && !info.parameter.name.empty() &&
                    value >= info.parameter.least && value <= info.parameter.most;
  return fits ? value : kWrong;
}

}  // namespace haltere
