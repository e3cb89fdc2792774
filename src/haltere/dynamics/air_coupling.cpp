#include "haltere/dynamics/air_coupling.h"

#include <algorithm>
#include <utility>

namespace haltere {

AirCoupling::AirCoupling(std::vector<Share> shares, int n_slots)
    : shares_(std::move(shares)), n_slots_(n_slots) {
  const auto n = static_cast<Eigen::Index>(6 * shares_.size());
  weights_.setOnes(n);
  for (std::size_t s = 0; s < shares_.size(); ++s)
    weights_.segment<3>(static_cast<Eigen::Index>(6 * s)).setConstant(1 / shares_[s].length);
  K_.setZero(n, Eigen::Index{6} * n_slots_);
  begin_.setZero(n);
  end_ = begin_;
  for (Instant& instant : past_) {
    instant.F.setZero(n);
    instant.V.setZero(Eigen::Index{6} * n_slots_);
    for (Eigen::VectorXd& rates : instant.V_rates) rates = instant.V;
  }
}

double AirCoupling::calc_size(const Eigen::VectorXd& loads) const {
  return loads.cwiseProduct(weights_).norm();
}

/// G = F + K dV/dt, theory.md (E44).
Eigen::VectorXd AirCoupling::calc_rest(const Instant& instant) const {
  Eigen::VectorXd rest = instant.F;
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    const auto row = static_cast<Eigen::Index>(6 * s);
    rest.segment<6>(row) += K_.middleRows<6>(row) * instant.V_rates[shares_[s].formula];
  }
  return rest;
}

AirCoupling::Instant AirCoupling::make_instant(const Rates& rates, const Eigen::VectorXd& V,
                                               const Eigen::VectorXd& F) const {
  Instant now{V, F, {}};
  for (std::size_t k = 0; k < rates.size(); ++k)
    now.V_rates[k] = rates[k][0] * V + rates[k][1] * past_[0].V + rates[k][2] * past_[1].V;
  return now;
}

void AirCoupling::start(double t, const Eigen::VectorXd& V, const Eigen::VectorXd& F) {
  for (Instant& instant : past_) {
    instant.V = V;
    instant.F = F;
    for (Eigen::VectorXd& rates : instant.V_rates) rates.setZero(V.size());
  }
  known_ = 1;
  t0_ = t1_ = t;
  guessed_ = false;
  begin_ = end_ = F;
  largest_ = calc_size(F);
  secants_ = {};
  iterations_ = 0;
  residual_ = 0;
}

/// Of the last three ends as many as are known.
void AirCoupling::guess(double t1, const Eigen::MatrixXd& K, Guess how) {
  t1_ = t1;
  iterations_ = 0;
  secants_.begin();
  if (std::exchange(guessed_, true)) return;  // an event in the step: what was found is the guess
  K_ = K;
  begin_ = calc_rest(past_[0]);
  end_ = begin_;
  if (how == Guess::kHold) return;
  if (known_ == 2) end_ = 2 * begin_ - calc_rest(past_[1]);
  if (known_ == 3) end_ = 3 * (begin_ - calc_rest(past_[1])) + calc_rest(past_[2]);
}

bool AirCoupling::agree(const Rates& rates, const Eigen::VectorXd& V, const Eigen::VectorXd& F,
                        double tolerance) {
  const Eigen::VectorXd rest = calc_rest(make_instant(rates, V, F));
  ++iterations_;
  const double off = calc_size(rest - end_), most = std::max(largest_, calc_size(F));
  residual_ = off == 0 ? 0 : off / most;
  if (residual_ <= tolerance) return true;
  end_ = secants_.calc_next(end_.cwiseProduct(weights_), rest.cwiseProduct(weights_)).cwiseQuotient(weights_);
  return false;
}

void AirCoupling::advance(double t, const Rates& rates, const Eigen::VectorXd& V, const Eigen::VectorXd& F) {
  Instant now = make_instant(rates, V, F);
  std::swap(past_[1], past_[2]);
  std::swap(past_[0], past_[1]);
  past_[0] = std::move(now);
  known_ = std::min(known_ + 1, 3);
  t0_ = t1_ = t;
  guessed_ = false;
  begin_ = end_ = calc_rest(past_[0]);
  largest_ = std::max(largest_, calc_size(F));
}

const Eigen::VectorXd& AirCoupling::calc_rest(double t) const {
  const double part = t1_ > t0_ ? std::clamp((t - t0_) / (t1_ - t0_), 0., 1.) : 0;
  rest_ = begin_ + part * (end_ - begin_);
  for (std::size_t s = 0; s < shares_.size(); ++s)
    if (shares_[s].is_of_middle)
      rest_.segment<6>(static_cast<Eigen::Index>(6 * s)) = end_.segment<6>(static_cast<Eigen::Index>(6 * s));
  return rest_;
}

void AirCoupling::visit_state(Archive& archive) {
  for (Instant& instant : past_) archive(instant.V, instant.F, instant.V_rates[0], instant.V_rates[1]);
  for (Eigen::Index j = 0; j < K_.cols(); ++j) {
    Eigen::VectorXd column = K_.col(j);
    archive(column);
    K_.col(j) = column;
  }
  int guessed = guessed_ ? 1 : 0;
  archive(known_, t0_, t1_, guessed, begin_, end_, largest_, iterations_, residual_);
  guessed_ = guessed != 0;
  secants_.visit_state(archive);
}

}  // namespace haltere
