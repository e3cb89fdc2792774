#include "haltere/integrate/one_step.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace haltere {

namespace {

// part of a step: a rest of less is no step of its own, the step before it is stretched. A choice: a
// hundredth changes an error by order percent.
constexpr double kCrumb = 0.01;

}  // namespace

OneStep::OneStep(Integrand& integrand, const IntegratorOptions& options, int order, int error_order)
    : evaluator_(integrand),
      norm_(integrand, options.tolerance),
      controller_(error_order),
      options_(options),
      order_(order),
      adaptive_(error_order > 0),
      h_(options.step) {
  const int ny = integrand.sizes().ny();
  for (Eigen::VectorXd* vector : {&y0_, &y_, &ydot_, &y1_, &ydot1_, &scratch_}) vector->setZero(ny);
}

void OneStep::start(double t, ConstRef y) {
  t_start_ = t0_ = t_ = t;
  y_ = y;
  // an adaptive method looks afresh at what comes after an event; a fixed step stays as it is
  if (adaptive_) h_ = options_.step;
  begun_ = false;
  forget();
}

/// The first evaluation, at the first step: start() has no way to report that it failed.
bool OneStep::begin(double t_limit) {
  if (!evaluator_.begin(t_, y_, ydot_)) return false;
  y0_ = y_;
  norm_.start(y_, ydot_, std::max(options_.until, t_limit) - t_);
  controller_.start();
  stability_.start();
  if (h_ == 0) h_ = calc_first_step(evaluator_, norm_, order_, t_, y_, ydot_, y1_, ydot1_);
  begun_ = true;
  return true;
}

StepReport OneStep::step(double t_limit) {
  if (!(t_limit > t_)) return {StepReport::Outcome::kOk, t_, t_, {}};
  evaluator_.forget_failure();
  if (!begun_ && !begin(t_limit)) return fail("the motion cannot start", "", "");
  return adaptive_ ? step_adaptive(t_limit) : step_fixed(t_limit);
}

StepReport OneStep::step_fixed(double t_limit) {
  const double t1 = calc_grid_time(t_limit);
  Attempt result;
  if (attempt_until(t1, &result)) return accept(t1);
  return fail(fmt::format("the step of h = {:.4g} s failed", t1 - t_), "",
              "a smaller --step, or a method that chooses its steps (--integrator dop853)");
}

StepReport OneStep::step_adaptive(double t_limit) {
  const double smallest = calc_smallest_step(t_, norm_.horizon());
  double h = h_;
  for (int cuts = 0;; ++cuts) {
    const double t1 = calc_end_time(h, t_limit);
    Attempt result;
    const bool complete = attempt_until(t1, &result);
    if (result.is_hopeless)
      return fail("the method cannot choose its steps here", "", "--step, or a parameter that damps");
    Controller::Decision next{false, (t1 - t_) / 2};
    if (complete) next = controller_.decide(t1 - t_, result.error);
    if (next.accept) {
      // a step cut short by t_limit alone says nothing against the longer one
      h_ = t1 - t_ < (1 - kCrumb) * h ? std::max(next.h, h) : choose_step(h, next.h);
      stability_.add(t1 - t_, result.stability);
      h_ = stability_.limit(h_);
      return accept(t1);
    }
    ++rejected_;
    h = next.h;
    if (!(h >= smallest))
      return fail(
          complete ? fmt::format("the error is {:.3g} of the allowed one at h = {:.4g} s (smallest allowed)",
                                 result.error, t1 - t_)
                   : fmt::format("the step failed at h = {:.4g} s (smallest allowed)", t1 - t_),
          fmt::format("h cut {} times", cuts + 1),
          "--integrator cvode-bdf if something is very stiff, a larger --tolerance, or a look at the motion "
          "just before");
  }
}

/// The next multiple of the step after t_, by multiplication: no drift. t_limit is hit exactly.
double OneStep::calc_grid_time(double t_limit) const {
  const double k = std::floor((t_ - t_start_) / h_ + kCrumb) + 1;
  const double t1 = t_start_ + k * h_;
  return t1 < t_limit - kCrumb * h_ ? t1 : t_limit;
}

/// The end of a step of about h; t_limit is hit exactly, and the two steps before it share what is left.
double OneStep::calc_end_time(double h, double t_limit) const {
  const double left = t_limit - t_;
  if (h * (1 + kCrumb) >= left) return t_limit;
  return 2 * h > left ? t_ + left / 2 : t_ + h;
}

bool OneStep::attempt_until(double t1, Attempt* result) {
  evaluator_.integrand().begin_step(t_, t1 - t_, y_);
  *result = attempt(t1 - t_);
  if (result->status != Status::kOk) return false;
  if (y1_.allFinite() && ydot1_.allFinite() && std::isfinite(result->error)) return true;
  evaluator_.note_failure(Status::kNotFinite, t1, y1_);
  return false;
}

StepReport OneStep::accept(double t1) {
  // quaternion and rate are scaled alike: the rate stays that of the state, and the order is untouched
  const Status status = stabilize(t1, y1_, ydot1_);
  if (status != Status::kOk) {
    evaluator_.note_failure(status, t1, y1_);
    return fail(
        "the constraints cannot be met after this step", "",
        "a smaller --step or --tolerance, or a look whether the machine passes through a singular position");
  }
  norm_.accept(y1_);
  y0_.swap(y_);
  y_.swap(y1_);
  ydot_.swap(ydot1_);
  t0_ = t_;
  t_ = t1;
  ++steps_;
  evaluator_.integrand().end_step(t_, y_);
  return {StepReport::Outcome::kOk, t0_, t_, {}, stability_.is_stiff()};
}

StepReport OneStep::fail(const std::string& what, const std::string& tried, const std::string& advice) const {
  const std::string attempt = explain_attempt();
  const std::string why =
      (attempt.empty() ? evaluator_.explain_failure() : attempt) + evaluator_.explain_place(t_, y_, h_);
  return {StepReport::Outcome::kFailed, t_, t_, make_step_message(t_, what, why, tried, advice)};
}

void OneStep::interpolate(double t, Ref y) const {
  if (t >= t_) {
    y = y_;
  } else if (t <= t0_) {
    y = y0_;
  } else {
    calc_dense((t - t0_) / (t_ - t0_), y);
    evaluator_.integrand().normalize(y, scratch_);
  }
}

/// Between steps; what interpolate() needs of the last one is not part of it.
void OneStep::visit_state(Archive& archive) {
  archive(t_start_, t0_, t_, y_, ydot_, h_, begun_, steps_, rejected_);
  evaluator_.visit_state(archive);
  norm_.visit_state(archive);
  controller_.visit_state(archive);
  stability_.visit_state(archive);
  visit_memory(archive);
}

IntegratorCounters OneStep::counters() const {
  return {.steps = steps_, .rejected = rejected_, .evaluations = evaluator_.evaluations()};
}

}  // namespace haltere
