#include "haltere/integrate/step_control.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haltere {

namespace {

// Factors of the step, and the least error that counts as the last one. Safety, shrinking and least error are
// those of the code DOPRI5, growth that of DOP853 [hairer1993]; of safety 0.8 to 0.95 and beta 0 to 0.4 (over
// order) none did clearly better on eccentric orbits.
constexpr double kSafety = 0.9, kGrow = 6, kShrink = 0.2, kSmallError = 1e-4;

// steps at the limit of stability that are stiffness, and others in a row after which there is none: as in
// [hairer1996] ch. IV.2
constexpr int kSuspects = 15, kOthers = 6;
// Of what a method bears: there DOP853 leaves 0.04 of a fast part of the motion after a step, DOPRI5 0.28, at
// the limit both leave nearly all of it. Below half of it what was stiff has gone; the half is a choice.
constexpr double kCalm = 0.8, kStillStiff = 0.5;

}  // namespace

ErrorNorm::ErrorNorm(const Integrand& integrand, double tolerance)
    : tolerance_(tolerance),
      nq_(integrand.sizes().nq),
      nv_(integrand.sizes().nv),
      nx_(integrand.sizes().nx),
      controlled_(nq_ + nv_ + nx_ > 0 ? nq_ + nv_ + nx_ : integrand.sizes().ny()),
      position_scale_(integrand.calc_scales()),
      scale_(position_scale_) {}

void ErrorNorm::start(ConstRef y, ConstRef ydot, double horizon) {
  horizon_ = horizon;
  scale_ = position_scale_;
  for (int i = nq_; i < nq_ + nv_; ++i)
    scale_[i] = std::max(std::sqrt(std::abs(ydot[i]) * position_scale_[i]), position_scale_[i] / horizon);
  // work where nothing else is left begins at 0: as if its first power went on
  for (int i = nq_ + nv_; i < controlled_; ++i) scale_[i] = std::max(scale_[i], std::abs(ydot[i]) * horizon);
  accept(y);
}

void ErrorNorm::accept(ConstRef y) {
  for (int i = nq_; i < nq_ + nv_ + nx_; ++i) scale_[i] = std::max(scale_[i], std::abs(y[i]));
  if (controlled_ == nq_ + nv_ + nx_) return;
  // work where nothing else is left: one that has yet to begin is measured by the others
  double most = 0;
  for (int i = nq_ + nv_; i < controlled_; ++i) most = std::max({most, scale_[i], std::abs(y[i])});
  for (int i = nq_ + nv_; i < controlled_; ++i) scale_[i] = most;
}

double ErrorNorm::calc(ConstRef error, ConstRef y0, ConstRef y1) const {
  double sum = 0;
  for (int i = 0; i < controlled_; ++i) {
    const double allowed = calc_allowed(i, std::max(std::abs(y0[i]), std::abs(y1[i])));
    const double ratio = allowed == 0 ? 0 : error[i] / allowed;
    sum += ratio * ratio;
  }
  return std::sqrt(sum / std::max(controlled_, 1));
}

void Controller::start() {
  last_error_ = 0;
  was_rejected_ = false;
}

Controller::Decision Controller::decide(double h, double error) {
  // 0.2 / order: the 0.04 of DOPRI5
  const double beta = 0.2 / order_, alpha = 1. / order_ - 0.75 * beta;
  const bool accept = error <= 1;
  double factor = kSafety * std::pow(error, -alpha);
  if (accept) {
    factor *= std::pow(std::max(last_error_, kSmallError), beta);
    // a step that had to be cut is not lengthened at once
    factor = std::clamp(factor, kShrink, was_rejected_ ? 1 : kGrow);
    last_error_ = error;
  } else {
    factor = std::clamp(factor, kShrink, kSafety);
  }
  was_rejected_ = !accept;
  return {accept, h * factor};
}

void CalmStep::add(double h, double stability) {
  if (stability >= (is_stiff() ? kStillStiff : 1)) {
    others_ = 0;
    if (++suspects_ >= kSuspects) longest_ = kCalm * h / stability;
  } else if (++others_ == kOthers) {
    *this = {};
  }
}

double calc_first_step(Evaluator& evaluator, const ErrorNorm& norm, int order, double t, ConstRef y,
                       ConstRef ydot, Ref y1, Ref ydot1) {
  const double horizon = norm.horizon();
  // h0: an explicit Euler step that changes y by a hundredth of |y| + scale
  const double d1 = norm.calc(ydot, y, y);
  const double h0 = std::min(d1 > 0 ? 0.01 / (norm.tolerance() * d1) : 0.001 * horizon, horizon);
  y1 = y + h0 * ydot;
  if (evaluator.calc_ydot(t + h0, y1, ydot1) != Status::kOk) return h0;
  ydot1 -= ydot;
  const double d2 = norm.calc(ydot1, y, y) / h0;
  if (!std::isfinite(d2)) return h0;
  if (d2 == 0) return std::min(100 * h0, horizon);
  // the k-th derivative is about d1 / tau^(k-1): error = d1 tau (h / tau)^(order+1), to be 0.01 of what is
  // allowed
  const double tau = d1 > 0 ? d1 / d2 : h0;
  const double h1 = tau * std::pow(0.01 / (d2 * tau * tau), 1. / (order + 1));
  return std::min({100 * h0, h1, horizon});
}

double calc_smallest_step(double t, double horizon) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), horizon);
}

}  // namespace haltere
