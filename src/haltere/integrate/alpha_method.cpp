#include "haltere/integrate/alpha_method.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>

namespace haltere {
namespace {

// Corrections are in radians or length scales.
// Enough for any step (some thousand eps); part of a step's own error that is enough, so that iterations do
// not show in the order; what rounding leaves of positions at best, a few eps.
constexpr double kMet = 1e-12, kMetPart = 1e-3, kLeast = 1e-15;
// below it a correction that does not fall any more, with new factors, is rounding: the root of eps, a
// choice
constexpr double kStalled = 1e-8;
// ... whatever factors there are: some dozen eps. More where rounding was found to leave more, as in long
// chains: with a constant those of 4,000 bodies took about five times as long.
constexpr double kFloor = 1e-14;
constexpr double kMargin = 4, kForget = 0.99;  // over what was found; a step. Choices.
constexpr int kMostIterations = 30;            // against a loop without end
// ratio of two corrections: one that falls by less may be rounding; one that grows by more has lost its way.
// Choices.
constexpr double kSlow = 0.3, kLost = 4;
// ... if it is no small matter: near singular positions small ones go up and down; a choice
constexpr double kSerious = 1e-3;
// more iterations than this, to come or done, want new factors: a tangent costs some ten (decision 0012)
constexpr int kMany = 8;
// of a step: steps that differ by rounding share their factors; a choice far above rounding of a time
constexpr double kSameStep = 1e-9;
// part of a step over which the rate of the accelerations is measured at the start: what curvature leaves is
// 1e-3 of a step's, what rounding does 1e-13
constexpr double kProbe = 1e-3;
// times the step: one that might grow by less stays, and its factors with it       [hairer1996] ch. IV.8
constexpr double kWorthwhile = 1.2;

}  // namespace

AlphaMethod::AlphaMethod(Integrand& integrand, const IntegratorOptions& options,
                         const AlphaParameters& parameters)
    : OneStep(integrand, options, 2, options.step > 0 ? 0 : 3), p_(parameters) {
  const Sizes sizes = integrand.sizes();
  for (Eigen::VectorXd* x :
       {&a_, &vdot_, &jerk_, &a0_, &a1_, &point_.dq, &point_.v, &point_.vdot, &residual_.r})
    x->setZero(sizes.nv);
  const Eigen::VectorXd scales = integrand.calc_scales();
  x_scales_ = sizes.x(scales);
  for (Eigen::VectorXd* x : {&perturbed_, &ydot_other_, &error_}) x->setZero(sizes.ny());
}

/// Accelerations and multipliers at the start, and the rate of the former: with a taken at t the multipliers
/// would be of first order for some steps. [arnold2007]
void AlphaMethod::begin_motion(double h) {
  const Sizes sizes = evaluator_.integrand().sizes();
  vdot_ = sizes.v(ydot_);
  form_ = evaluator_.integrand().make_implicit_form();
  residual_.g.setZero(form_->m());
  form_->read_multipliers(&lambda_);
  a_ = vdot_;
  factored_ = pivoted_ = {};
  wanted_ = true;
  floor_ = kFloor;
  begun_ = true;
  jerk_.setZero();
  h_last_ = 0;  // a_ belongs to t
  if (p_.shift() == 0 && !is_adaptive()) return;
  const double dt = kProbe * h;
  t_other_ = t_ + dt;
  perturbed_ = y_ + dt * ydot_;
  if (evaluator_.calc_ydot(t_other_, perturbed_, ydot_other_) != Status::kOk) ydot_other_ = ydot_;
  jerk_ = (sizes.v(ydot_other_) - vdot_) / dt;
}

void AlphaMethod::forget() {
  begun_ = false;
}

void AlphaMethod::visit(Archive& archive, Factored* at) const {
  archive(at->h);
  if (at->h == 0) return;
  if (archive.is_loading()) {
    at->y0.setZero(y_.size());
    for (Eigen::VectorXd* x : {&at->point.dq, &at->point.v, &at->point.vdot}) x->setZero(form_->n());
    at->point.lambda.setZero(form_->m());
    at->memory.setZero(memory_.size());
  }
  if (memory_.size() > 0) archive(at->memory);
  archive(at->point.t, at->y0, at->point.dq, at->point.v, at->point.vdot, at->point.lambda);
}

void AlphaMethod::visit_memory(Archive& archive) {
  archive(begun_, iterations_, factors_, wanted_, floor_);
  if (!begun_) return;
  if (archive.is_loading()) {
    form_ = evaluator_.integrand().make_implicit_form();
    residual_.g.setZero(form_->m());
    lambda_.setZero(form_->m());
    evaluator_.integrand().calc_memory(t_, y_, &memory_);  // its size
  }
  archive(a_, vdot_, lambda_, jerk_, h_last_, t_other_, ydot_other_);
  visit(archive, &pivoted_);
  visit(archive, &factored_);
  if (!archive.is_loading() || pivoted_.h == 0) return;
  factor(pivoted_);
  factor(factored_);
}

/// The tangent along dv/dx and dvdot/dx of theory.md (E30).
bool AlphaMethod::factor(const Factored& at) {
  form_->set_start(at.y0);
  form_->set_memory(at.memory);
  return form_->factor(at.point, p_.gamma / (at.h * p_.beta),
                       (1 - p_.alpha_m) / (1 - p_.alpha_f) / (at.h * at.h * p_.beta));
}

/// theory.md (E29) for a1, then (E28), from accelerations that go on as they did.
void AlphaMethod::predict(double h) {
  const Sizes sizes = evaluator_.integrand().sizes();
  const auto v0 = sizes.v(y_);
  form_->set_start(y_);
  point_.t = t_ + h;
  point_.vdot = vdot_ + h * jerk_;
  point_.lambda = lambda_;
  a0_ = a_ + p_.shift() * (h - h_last_) * jerk_;  // of another step: it belongs to another time
  a1_ = ((1 - p_.alpha_f) * point_.vdot + p_.alpha_f * vdot_ - p_.alpha_m * a0_) / (1 - p_.alpha_m);
  point_.dq = h * v0 + h * h * ((0.5 - p_.beta) * a0_ + p_.beta * a1_);
  point_.v = v0 + h * ((1 - p_.gamma) * a0_ + p_.gamma * a1_);
}

/// One iteration of Newton's method, theory.md (E30); returns the size of the correction.
double AlphaMethod::apply_correction(double h) {
  form_->solve(residual_.r, residual_.g);
  const Eigen::VectorXd& x = residual_.r;
  const double a_by_x = 1 / (h * h * p_.beta);
  point_.dq -= x;
  point_.v -= p_.gamma / (h * p_.beta) * x;
  a1_ -= a_by_x * x;
  point_.vdot -= (1 - p_.alpha_m) / (1 - p_.alpha_f) * a_by_x * x;
  point_.lambda -= residual_.g;
  return x.cwiseQuotient(form_->scales()).lpNorm<Eigen::Infinity>();
}

/// New factors, at the point of this iteration.
bool AlphaMethod::refresh(double h) {
  factored_.h = h;
  factored_.y0 = y_;
  factored_.point = point_;
  factored_.memory = memory_;
  if (!factor(factored_)) {
    failure_ = "the tangent of Newton's iteration is singular: a body without inertia is free to move";
    return false;
  }
  if (form_->matrix().chose_pivots()) pivoted_ = factored_;
  ++factors_;
  wanted_ = false;
  return true;
}

/// Whether to go on after a correction. Only factors of the iteration before (`exact`) tell rounding from
/// slow convergence. Near singular positions a residual of nothing but rounding still gives corrections of
/// some size.
AlphaMethod::Verdict AlphaMethod::judge(const Corrections& c) {
  if (c.i == 1) return c.last <= c.enough ? Verdict::kMet : Verdict::kGoOn;
  const double rate = c.last / c.before;
  const bool slow = rate > kSlow;
  const bool stalled =
      slow && (c.before < floor_ || (c.exact && (c.before < kStalled || c.residual < 10 * kMet)));
  if (slow && c.exact && c.before < kStalled) floor_ = std::max(floor_, kMargin * c.before);
  // ... or what the next correction would be, and those after it
  if (stalled || c.last <= c.enough || (!slow && rate / (1 - rate) * c.last <= c.enough)) {
    wanted_ = c.i > kMany;
    return Verdict::kMet;
  }
  if (c.exact && rate > kLost && c.last > kSerious) return Verdict::kLost;
  wanted_ = rate >= 1 || std::log(c.enough / c.last) < kMany * std::log(rate);
  return Verdict::kGoOn;
}

Status AlphaMethod::iterate(double h) {
  if (form_->n() == 0) return Status::kOk;  // all motion is prescribed
  floor_ = std::max(kFloor, kForget * floor_);
  // errors of short steps are many, and velocities feel them over h
  const double error = h * h * h / 12 * jerk_.cwiseQuotient(form_->scales()).lpNorm<Eigen::Infinity>();
  Corrections c;
  c.enough = std::clamp(kMetPart * error, kLeast, kMet);
  int factored_at = 0;  // iteration of this step
  for (c.i = 1; c.i <= kMostIterations; ++c.i) {
    Status status = form_->calc(point_, &residual_);
    if (status != Status::kOk) {
      update_state();
      evaluator_.note_failure(status, point_.t, y1_);
      return status;
    }
    ++iterations_;
    c.exact = c.i > 1 && factored_at == c.i - 1;
    if (wanted_ || std::abs(factored_.h - h) > kSameStep * h) {
      if (!refresh(h)) return Status::kSingular;
      factored_at = c.i;
    }
    c.before = c.last;
    c.residual = form_->calc_size(residual_);
    c.last = apply_correction(h);
    if (!std::isfinite(c.last)) {
      failure_ = "Newton's iteration does not converge: a correction is not finite";
      return Status::kNotFinite;
    }
    const Verdict verdict = judge(c);
    if (verdict == Verdict::kMet) return Status::kOk;
    if (verdict == Verdict::kLost) break;
  }
  name_worst(c.last, std::min(c.i, kMostIterations));
  return Status::kSingular;
}

void AlphaMethod::name_worst(double correction, int iterations) {
  const Sizes sizes = evaluator_.integrand().sizes();
  int worst = 0;
  residual_.r.cwiseQuotient(form_->scales()).cwiseAbs().maxCoeff(&worst);
  failure_ = fmt::format(
      "Newton's iteration does not converge: after {} iterations the correction of '{}' is still {:.3g} "
      "(radians, or length scales)",
      iterations, evaluator_.integrand().coordinate_name(sizes.nq + worst), correction);
  if (form_->m() == 0) return;
  int row = 0;
  if (form_->calc(point_, &residual_) != Status::kOk) return;
  const double off = residual_.g.cwiseQuotient(form_->residual_scales()).cwiseAbs().maxCoeff(&row);
  failure_ += fmt::format("; the worst row is {}, off by {:.3g}", form_->row_name(row), off);
}

void AlphaMethod::update_state() {
  const Sizes sizes = evaluator_.integrand().sizes();
  y1_ = y_;
  form_->move(point_.dq, y1_);
  sizes.v(y1_) = point_.v;
}

/// States of the model go by the trapezoidal rule, at the motion that was found: a step of Newton's method, with the motion
/// held, so that lags shorter than the step do no harm. Returns the size of the correction.
double AlphaMethod::correct_states(double h) {
  const Sizes sizes = evaluator_.integrand().sizes();
  if (evaluator_.integrand().calc_state_tangent(t_ + h, y1_, &x_tangent_) != Status::kOk)
    return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd left = sizes.x(y_) + h / 2 * (sizes.x(ydot_) + sizes.x(ydot1_)) - x1_;
  x_tangent_ = Eigen::MatrixXd::Identity(sizes.nx, sizes.nx) - h / 2 * x_tangent_;
  const Eigen::VectorXd correction = x_tangent_.partialPivLu().solve(left);
  x1_ += correction;
  return correction.cwiseQuotient(x_scales_.cwiseMax(x1_.cwiseAbs())).lpNorm<Eigen::Infinity>();
}

/// The motion at given states, states at that motion, and again until both stay.
Status AlphaMethod::solve_step(double h) {
  Integrand& integrand = evaluator_.integrand();
  const Sizes sizes = integrand.sizes();
  const int rest = sizes.nz + sizes.nt;
  x1_ = sizes.x(y_) + h * sizes.x(ydot_);
  double before = 0;
  for (int i = 1; i <= kMostIterations; ++i) {
    update_state();
    sizes.x(y1_) = x1_;
    integrand.calc_memory(t_ + h, y1_, &memory_);
    if (memory_.size() > 0) form_->set_memory(memory_);
    const Status status = iterate(h);
    if (status != Status::kOk) return status;
    update_state();
    sizes.x(y1_) = x1_;
    y1_.tail(rest) += h * ydot_.tail(rest);
    const Status rates = evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
    if (rates != Status::kOk || sizes.nx == 0) return rates;
    const double size = correct_states(h);
    sizes.x(y1_) = x1_;
    const bool stalled = i > 1 && size < kStalled && size > kSlow * before;
    if (size <= kMet || stalled) return Status::kOk;
    if (!std::isfinite(size)) break;
    before = size;
  }
  failure_ =
      "motion and states of the model do not settle within the step: a controller that is faster than it";
  return Status::kSingular;
}

OneStep::Attempt AlphaMethod::attempt(double h) {
  const Sizes sizes = evaluator_.integrand().sizes();
  const int rest = sizes.nz + sizes.nt;
  failure_.clear();
  if (!begun_) begin_motion(h);
  if (is_adaptive() && p_.rings() && form_->m() > 0) {
    failure_ =
        "without damping the loads of constraints ring, and no step is short enough for them; newmark:0.01 "
        "and "
        "generalized-alpha:0.9 damp";
    return {Status::kSingular, 0, true};
  }
  predict(h);
  const Status status = solve_step(h);
  if (status != Status::kOk) return {status, 0};
  y1_.tail(rest) = y_.tail(rest) + h / 2 * (ydot_.tail(rest) + ydot1_.tail(rest));
  return {Status::kOk, is_adaptive() ? calc_error(h) : 0};
}

/// Against the integral of the parabola through three rates: of third order, in all charts.
/// theory.md (E31), [hairer1993] ch. III.5. Constraints hold for positions; velocities obey them to second
/// order of the step before, which a shorter step does not mend: there positions alone count.
double AlphaMethod::calc_error(double h) const {
  const double s = (t_other_ - t_) / h;
  const double other = -1 / (6 * s * (s - 1)), last = (1. / 3 - s / 2) / (1 - s);
  error_ = y1_ - y_ - h * (other * ydot_other_ + (1 - other - last) * ydot_ + last * ydot1_);
  const Sizes sizes = evaluator_.integrand().sizes();
  if (form_->m() > 0) sizes.v(error_).setZero();
  return norm_.calc(error_, y_, y1_);
}

Status AlphaMethod::stabilize(double t, Ref, Ref) {
  h_last_ = t - t_;
  jerk_ = (point_.vdot - vdot_) / h_last_;
  t_other_ = t_;
  ydot_other_ = ydot_;
  a_ = a1_;
  vdot_ = point_.vdot;
  lambda_ = point_.lambda;
  return Status::kOk;
}

double AlphaMethod::choose_step(double h, double proposed) const {
  return proposed >= h && proposed <= kWorthwhile * h ? h : proposed;
}

/// Cubic through both ends and their rates.                               [hairer1993] eq. (II.6.7)
void AlphaMethod::calc_dense(double theta, Ref y) const {
  const double h = t_ - t0_, rest = 1 - theta;
  y = rest * y0_ + theta * y_ +
      theta * rest * ((theta - rest) * (y_ - y0_) + h * (rest * ydot1_ - theta * ydot_));
}

IntegratorCounters AlphaMethod::counters() const {
  IntegratorCounters counters = OneStep::counters();
  counters.iterations = iterations_;
  counters.factors = factors_;
  return counters;
}

}  // namespace haltere
