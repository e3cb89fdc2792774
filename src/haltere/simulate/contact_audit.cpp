#include "haltere/simulate/contact_audit.h"

#include <algorithm>

#include <fmt/format.h>

namespace haltere {

void ContactAudit::add(const ContactForce& force, double before, double t, double step) {
  const double now = force.normal;
  if (now > 0 && force.friction_needed() > friction_needed) {
    friction_needed = force.friction_needed();
    friction_time = t;
  }
  if (!(before < 0 || now < 0)) return;
  const double part =
      before < 0 && now < 0 ? 1 : std::min(before, now) / (std::min(before, now) - std::max(before, now));
  if (strongest_pull == 0) first_pull = t - part * step;
  pulled += part * step;
  strongest_pull = std::max(strongest_pull, -std::min(before, now));
}

std::string ContactAudit::text() const {
  std::string text = fmt::format(
      "constraint '{}': rolling without slip needs a friction coefficient of {:.3g} (t = "
      "{:.4g} s)",
      name, friction_needed, friction_time);
  if (pulled > 0)
    text += fmt::format(
        "; its ground pulls for {:.3g} s, from t = {:.4g} s on, by up to {:.3g} N: a real wheel "
        "lifts off there",
        pulled, first_pull, strongest_pull);
  return text;
}

}  // namespace haltere
