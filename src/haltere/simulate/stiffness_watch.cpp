#include "haltere/simulate/stiffness_watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "haltere/dynamics/misfits.h"

namespace haltere {

void StiffnessWatch::add(const StepReport& step) {
  ++all_;
  if (!step.is_stiff) return;
  const double h = step.t1 - step.t0;
  if (steps_++ == 0) t_first_ = step.t0;
  shortest_ = steps_ == 1 ? h : std::min(shortest_, h);
}

std::string StiffnessWatch::text(const std::string& method, const std::string& advice) const {
  return fmt::format(
      "stiff: from t = {:.6g} s on {} steps of {} were as long (down to {:.2g} s) as stability allows, not "
      "accuracy; accelerations and loads then ring with what the tolerance allows in velocities; try {}",
      t_first_, steps_, method, shortest_, advice);
}

std::string advise_stiff(const RunOptions& options, bool constrained) {
  std::string advice = has_implicit_form(options.formulation)
                           ? "--integrator ida-bdf, generalized-alpha or cvode-bdf"
                           : "--integrator cvode-bdf";
  if (constrained && options.stabilization.starts_with("baumgarte"))
    advice += ", or --stabilization projection if that of baumgarte is what is stiff";
  return advice;
}

}  // namespace haltere
