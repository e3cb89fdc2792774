#include "haltere/integrate/sundials.h"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "haltere/model/problem.h"

namespace haltere {

void demand(bool success, const char* what) {
  if (!success) throw RunError(fmt::format("SUNDIALS: {} failed", what));
}

SundialsMethod::SundialsMethod(Integrand& integrand, const IntegratorOptions& options)
    : evaluator_(integrand),
      norm_(integrand, options.tolerance),
      options_(options),
      nx_(norm_.controlled()),
      nz_(integrand.sizes().ny() - nx_) {
  const int ny = integrand.sizes().ny();
  for (Eigen::VectorXd* vector : {&y0_, &y_, &y_eval_, &ydot_, &scratch_}) vector->setZero(ny);
  SUNContext context = nullptr;
  demand(SUNContext_Create(nullptr, &context) == 0, "SUNContext_Create");
  context_.reset(context);
}

void SundialsMethod::start(double t, ConstRef y) {
  t0_ = t_ = t;
  y_ = y;
  rejected_before_ = counters().rejected;
  begun_ = false;
}

/// The first evaluation, at the first step: start() has no way to report that it failed.
bool SundialsMethod::begin(double t_limit) {
  if (!evaluator_.begin(t_, y_, ydot_)) return false;
  y0_ = y_;
  norm_.start(y_, ydot_, std::max(options_.until, t_limit) - t_);
  begin_history(calc_smallest_step(t_, norm_.horizon()));
  begun_ = true;
  return true;
}

StepReport SundialsMethod::step(double t_limit) {
  if (!(t_limit > t_)) return {StepReport::Outcome::kOk, t_, t_, {}};
  evaluator_.forget_failure();
  message_.clear();
  if (!begun_ && !begin(t_limit)) return fail("the motion cannot start", "");
  if (t_limit - t_ < calc_smallest_step(t_, norm_.horizon())) return step_crumb(t_limit);
  double t1 = t_;
  evaluator_.integrand().begin_step(t_, t_limit - t_, y_);  // the length is the library's choice
  switch (advance(t_limit, &t1)) {
    case Outcome::kOk:
      return accept(t1);
    case Outcome::kHitLimit:
      return accept(t_limit);
    case Outcome::kErrorTooLarge:
      return fail("the error is too large at every step that was tried", "a larger --tolerance");
    case Outcome::kNoConvergence:
      return fail("the corrector did not converge at any step that was tried",
                  "--integrator cvode-bdf if something is very stiff, or a look at the motion just before");
    case Outcome::kBelowArithmetic:
      return fail("the tolerance is too small for this arithmetic", "a larger --tolerance");
    case Outcome::kOther:
      break;
  }
  return fail("the solver cannot go on", "another --integrator, or a look at the motion just before");
}

/// A rest so short that t hardly changes: SUNDIALS refuses it, and one Euler step is exact to rounding.
StepReport SundialsMethod::step_crumb(double t_limit) {
  if (evaluator_.calc_ydot(t_, y_, ydot_) != Status::kOk) return fail("the last step failed", "");
  y0_ = y_;
  evaluator_.integrand().begin_step(t_, t_limit - t_, y_);
  y_ += (t_limit - t_) * ydot_;
  evaluator_.integrand().normalize(y_, scratch_);
  t0_ = t_;
  rejected_before_ = counters().rejected;
  begun_ = false;
  t_ = t_limit;
  ++steps_;
  evaluator_.integrand().end_step(t_, y_);
  return {StepReport::Outcome::kOk, t0_, t_, {}};
}

StepReport SundialsMethod::accept(double t1) {
  read_state(t1, y_eval_);
  evaluator_.integrand().normalize(y_eval_, scratch_);
  if (!y_eval_.allFinite()) {
    evaluator_.note_failure(Status::kNotFinite, t1, y_eval_);
    return fail("the step gave a value that is not finite", "a smaller --tolerance");
  }
  norm_.accept(y_eval_);
  y0_.swap(y_);
  y_.swap(y_eval_);
  t0_ = t_;
  t_ = t1;
  ++steps_;
  evaluator_.integrand().end_step(t_, y_);
  return {StepReport::Outcome::kOk, t0_, t_, {}};
}

StepReport SundialsMethod::fail(const std::string& what, const std::string& advice) const {
  std::string why = evaluator_.explain_failure();
  if (why.empty()) why = explain_corrector();
  if (why.empty()) why = message_;
  why += evaluator_.explain_place(t_, y_, 0);
  return {StepReport::Outcome::kFailed, t_, t_, make_step_message(t_, what, why, "", advice)};
}

void SundialsMethod::interpolate(double t, Ref y) const {
  if (t >= t_) {
    y = y_;
  } else if (t <= t0_) {
    y = y0_;
  } else if (read_history(t, y)) {
    evaluator_.integrand().normalize(y, scratch_);
  } else {
    y.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

IntegratorCounters SundialsMethod::counters() const {
  return {.steps = steps_,
          .rejected = rejected_before_ + (begun_ ? count_rejected() : 0),
          .evaluations = evaluator_.evaluations()};
}

void SundialsMethod::visit_state(Archive& archive) {
  archive(t_, y_, steps_, rejected_before_);
  evaluator_.visit_state(archive);
  if (!archive.is_loading()) return;
  t0_ = t_;
  begun_ = false;
}

void SundialsMethod::note_message(int, const char*, const char*, char* text, void* self) {
  static_cast<SundialsMethod*>(self)->message_ = text;
}

}  // namespace haltere
