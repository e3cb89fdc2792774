#include "haltere/integrate/multistep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haltere {

Multistep::Multistep(Integrand& integrand, const IntegratorOptions& options, int order)
    : OneStep(integrand, options, order, 0) {
  const int ny = integrand.sizes().ny();
  for (Moment& moment : memory_)
    for (Eigen::VectorXd* vector : {&moment.y, &moment.f}) vector->setZero(ny);
  for (Eigen::VectorXd* vector : {&k_, &stage_, &half_, &whole_}) vector->setZero(ny);
}

OneStep::Attempt Multistep::attempt(double h) {
  remember();
  if (is_complete(h)) return {advance(h), 0};
  forget_more();
  return {make_start_step(h), 0};
}

/// The state at t_ becomes the newest one.
void Multistep::remember() {
  if (count_ > 0 && past(0).t == t_) return;
  newest_ = (newest_ + 1) % kDepth;
  memory_[newest_].t = t_;
  memory_[newest_].y = y_;
  memory_[newest_].f = ydot_;
  count_ = std::min(count_ + 1, kDepth);
}

/// Four moments, all of them h apart but for the rounding of t.
bool Multistep::is_complete(double h) const {
  if (count_ < kDepth) return false;
  const double rounding = 1e-9 * h + 8 * std::numeric_limits<double>::epsilon() * std::abs(t_);
  for (int k = 0; k + 1 < kDepth; ++k)
    if (std::abs(past(k).t - past(k + 1).t - h) > rounding) return false;
  return true;
}

void Multistep::forget() {
  count_ = 0;
  forget_more();
}

void Multistep::visit_memory(Archive& archive) {
  archive(newest_, count_);
  if (newest_ < 0 || newest_ >= kDepth || count_ < 0 || count_ > kDepth)
    throw ArchiveMismatch("its history has another length");
  for (Moment& moment : memory_) archive(moment.t, moment.y, moment.f);
  visit_more(archive);
}

// -- the start: y = two half steps + (two half steps - one whole step) / 15    [hairer1993] eq. (II.4.4)

Status Multistep::make_start_step(double h) {
  Status status = calc_rk4(t_, y_, ydot_, h, &whole_);
  if (status == Status::kOk) status = calc_rk4(t_, y_, ydot_, h / 2, &half_);
  if (status == Status::kOk) status = evaluator_.calc_ydot(t_ + h / 2, half_, ydot1_);
  if (status == Status::kOk) status = calc_rk4(t_ + h / 2, half_, ydot1_, h / 2, &y1_);
  if (status != Status::kOk) return status;
  y1_ += (y1_ - whole_) / 15;
  return evaluator_.calc_ydot(t_ + h, y1_, ydot1_);
}

Status Multistep::calc_rk4(double t, const Eigen::VectorXd& y, const Eigen::VectorXd& f, double h,
                           Eigen::VectorXd* out) {
  *out = y + h / 6 * f;
  stage_ = y + h / 2 * f;
  const std::array<double, 3> weights{1. / 3, 1. / 3, 1. / 6}, next{0.5, 1, 0}, times{0.5, 0.5, 1};
  for (int i = 0; i < 3; ++i) {
    const Status status = evaluator_.calc_ydot(t + times[i] * h, stage_, k_);
    if (status != Status::kOk) return status;
    *out += weights[i] * h * k_;
    stage_ = y + next[i] * h * k_;
  }
  return Status::kOk;
}

/// Cubic through both ends and their rates: of order four.                   [hairer1993] eq. (II.6.7)
void Multistep::calc_dense(double theta, Ref y) const {
  const double h = t_ - t0_, rest = 1 - theta;
  const Eigen::VectorXd& f0 = past(0).f;  // the memory does not know the end of the step yet
  y = rest * y0_ + theta * y_ +
      theta * rest * ((theta - rest) * (y_ - y0_) + h * (rest * f0 - theta * ydot_));
}

}  // namespace haltere
