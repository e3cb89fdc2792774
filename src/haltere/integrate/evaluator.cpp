#include "haltere/integrate/evaluator.h"

#include <fmt/core.h>

namespace haltere {

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Evaluator::calc_ydot(double t, ConstRef y, Ref ydot) {
  ++evaluations_;
  Status status = integrand_.calc_ydot(t, y, ydot);
  if (status == Status::kOk && !ydot.allFinite()) status = Status::kNotFinite;
  if (status != Status::kOk) note_failure(status, t, y);
  return status;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
bool Evaluator::begin(double t, Ref y, Ref ydot) {
  integrand_.normalize(y, ydot);
  return calc_ydot(t, y, ydot) == Status::kOk;
}

void Evaluator::note_failure(Status status, double t, ConstRef y) {
  status_ = status;
  t_failed_ = t;
  y_failed_ = y;
}

std::string Evaluator::explain_failure() const {
  if (status_ == Status::kOk) return {};
  const std::string_view what =
      status_ == Status::kSingular ? "are singular" : "give a value that is not finite";
  const std::string why = integrand_.explain_failure(t_failed_, y_failed_);
  return fmt::format("the equations {} at t = {:.9g} s{}{}", what, t_failed_, why.empty() ? "" : ": ", why);
}

std::string Evaluator::explain_place(double t, ConstRef y, double ahead) const {
  if (!integrand_.is_near_singular(t, y, 0) && !integrand_.is_near_singular(t, y, ahead)) return {};
  return "\n  a singular position is near, where rows of a loop lose their independence and the machine "
         "could "
         "go on in more than one way";
}

std::string make_step_message(double t, const std::string& what, const std::string& why,
                              const std::string& tried, const std::string& advice) {
  std::string message = fmt::format("t = {:.9g} s: {}", t, what);
  if (!why.empty()) message += "\n  " + why;
  if (!tried.empty()) message += "\n  tried: " + tried;
  if (!advice.empty()) message += "\n  try: " + advice;
  return message;
}

}  // namespace haltere
