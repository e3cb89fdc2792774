#pragma once

#include <string>
#include <vector>

#include "haltere/analysis/periodic_orbit.h"

namespace haltere {

/// Which motion is looked for, and how; names, formulas and quantities as on the command line. What is left
/// empty is that of the model's `trim:` and `simulation:`.
struct TrimOptions {
  std::string period;             // a time or a formula of parameters
  bool steady = false;            // a steady motion, whatever the model says
  std::vector<std::string> free;  // parameters that may change
  std::vector<std::string> mean;  // FORMULA=VALUE: means over the period
  std::string mirror;             // half a period and a mirror normal to x, y or z; none: a whole one
  std::vector<std::string> drift;
  std::string continue_in;  // PARAM=FROM: walk there from an easier value
  std::string formulation, chart, integrator, step, tolerance;
  bool insist = false;  // on absurdly many steps
};

/// InputError for what means nothing or makes no sense.
OrbitRequest make_orbit_request(const Model& model, const TrimOptions& options);

}  // namespace haltere
