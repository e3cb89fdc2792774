#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "haltere/dynamics/lattice_air.h"
#include "haltere/dynamics/sixes.h"
#include "haltere/dynamics/snapshot.h"
#include "haltere/math/dense.h"

/// The air and wings that are free.
namespace haltere {
namespace {

// of a step: three or four are usual, and what does not agree by then does not contract; a choice
constexpr int kMostPasses = 40;
// of the air to the machine, up to which loads of the step before may be held: a disturbance of one step's length is
// carried on by the ratio with loads of two points in time, and by twice the ratio with load q, so that at 1/2 it goes on
// for ever. Half of that
constexpr double kMostLoose = 0.25;

/// What the classical acceleration of a body has more than the rate of its twist in its own axes.
Vector6<double> calc_turning(const Vector6<double>& V) {
  Vector6<double> A = Vector6<double>::Zero();
  A.tail<3>() = V.head<3>().cross(V.tail<3>());
  return A;
}

}  // namespace

/// Of wings that are drawn.
void LatticeAir::make_coupling() {
  for (const BodyIndex body : bodies())
    if (body.value != 0 && std::find(slots_.begin(), slots_.end(), body.value) == slots_.end())
      slots_.push_back(body.value);
  std::vector<AirCoupling::Share> shares;
  for (std::size_t w = 0; w < wings_.size(); ++w) {
    const Wing& wing = wings_[w];
    const double length = (wing.carried.corners.back() - wing.carried.corners.front()).norm();
    for (std::size_t k = 0; k < wing.carried.bodies.size(); ++k) {
      const auto slot = std::find(slots_.begin(), slots_.end(), wing.carried.bodies[k]);
      shares_.emplace_back(static_cast<int>(w), static_cast<int>(k));
      shares.push_back({slot == slots_.end() ? -1 : static_cast<int>(slot - slots_.begin()), length,
                        wing.kind.load == LatticeLoad::kJEdge, wing.kind.load == LatticeLoad::kQ ? 1 : 0});
    }
  }
  coupling_ = std::make_unique<AirCoupling>(std::move(shares), static_cast<int>(slots_.size()));
  K_.setZero(six(shares_.size()), six(slots_.size()));
}

std::vector<BodyIndex> LatticeAir::coupled_bodies() const {
  return is_coupled() ? moving_bodies() : std::vector<BodyIndex>();
}

std::vector<BodyIndex> LatticeAir::moving_bodies() const {
  std::vector<BodyIndex> list;
  for (const int body : slots_) list.push_back({body});
  return list;
}

AirCoupling::Rates LatticeAir::calc_rates(const Moment& moment) const {
  return {moment.air.calc_rate_weights(LatticeLoad::kJ), moment.air.calc_rate_weights(LatticeLoad::kQ)};
}

/// In the axes of the bodies.
Eigen::VectorXd LatticeAir::calc_twists(const Scene<double>& scene) const {
  Eigen::VectorXd V(six(slots_.size()));
  for (std::size_t i = 0; i < slots_.size(); ++i)
    V.segment<6>(six(i)) = turn_both(scene.X_WB[slots_[i]].R).transpose() * scene.V_WB[slots_[i]];
  return V;
}

Eigen::VectorXd LatticeAir::gather_loads(const Moment& moment) const {
  Eigen::VectorXd F(six(shares_.size()));
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    const auto& [w, k] = shares_[s];
    F.segment<6>(six(s)) = moment.wrenches[w][static_cast<std::size_t>(wings_[w].kind.load)][k];
  }
  return F;
}

/// Of the corners that one body carries, where it alone moves by a unit twist along one of its axes; 0 for all others.
void LatticeAir::calc_unit_velocities(const Scene<double>& scene,
                                      const std::vector<VortexAir::Motion>& motions, int body, int axis,
                                      std::vector<std::vector<Vector3<double>>>* velocities) const {
  const Transform<double>& X = scene.X_WB[body];
  const Vector3<double> direction = X.R.col(axis % 3);
  for (std::size_t w = 0; w < wings_.size(); ++w) {
    const std::vector<Vector3<double>>& corners = motions[w].corners;
    (*velocities)[w].assign(corners.size(), Vector3<double>::Zero());
    for (std::size_t c = 0; c < corners.size(); ++c)
      if (wings_[w].carried.body_of(c) == body)
        (*velocities)[w][c] = axis < 3 ? Vector3<double>(direction.cross(corners[c] - X.p)) : direction;
  }
}

/// K: the loads against the rates of the twists, all in the axes of the bodies. Column by column: what circulation a
/// unit twist makes, and what load such a rate of circulation.                                  theory.md (E45)
Eigen::MatrixXd LatticeAir::calc_matrix(const Scene<double>& scene,
                                        const std::vector<VortexAir::Motion>& motions, VortexAir* air) const {
  Eigen::MatrixXd K(six(shares_.size()), six(slots_.size()));
  std::vector<std::vector<Vector3<double>>> velocities(wings_.size());
  std::vector<Vector6<double>> wrenches;
  Eigen::VectorXd gamma;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    for (int axis = 0; axis < 6; ++axis) {
      calc_unit_velocities(scene, motions, slots_[slot], axis, &velocities);
      air->respond(velocities, &gamma);
      std::size_t share_of = 0;
      for (std::size_t w = 0; w < wings_.size(); ++w) {
        forces_.clear();
        if (!wings_[w].kind.is_closed)
          air->add_rate_forces(static_cast<int>(w), wings_[w].kind.load, gamma, &forces_);
        wrenches.resize(wings_[w].carried.bodies.size());
        share(wings_[w], forces_, scene, &wrenches);
        for (const Vector6<double>& wrench : wrenches)
          K.block<6, 1>(six(share_of++), six(slot) + axis) = -wrench;
      }
    }
  }
  return K;
}

void LatticeAir::guess(const Scene<double>& now) {
  if (!coupling_->is_guessed()) K_ = calc_matrix(now, now_->motions, &now_->air);
  if (is_strong())
    coupling_->guess(next_, K_, AirCoupling::Guess::kParabola);
  else
    coupling_->guess(next_, Eigen::MatrixXd::Zero(K_.rows(), K_.cols()), AirCoupling::Guess::kHold);
}

/// The largest eigenvalue of M^-1 K. The response R of a machine that has the blocks D of single bodies of K among its
/// masses is (M + D)^-1, so that M^-1 = (1 - R D)^-1 R.
void LatticeAir::weigh(const Scene<double>& now, const Eigen::MatrixXd& response) {
  Eigen::MatrixXd own = Eigen::MatrixXd::Zero(six(slots_.size()), six(slots_.size()));
  Eigen::VectorXd units(six(slots_.size()));
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    const AirCoupling::Share& share = coupling_->shares()[s];
    if (share.slot < 0) continue;
    own.middleRows<6>(six(share.slot)) += K_.middleRows<6>(six(s));
    units.segment<3>(six(share.slot)).setConstant(share.length);
    units.segment<3>(six(share.slot) + 3).setOnes();
  }
  Eigen::MatrixXd answer(own.rows(), own.cols());
  for (std::size_t i = 0; i < slots_.size(); ++i)
    for (std::size_t j = 0; j < slots_.size(); ++j)
      answer.block<6, 6>(six(i), six(j)) = turn_both(now.X_WB[slots_[i]].R).transpose() *
                                           response.block<6, 6>(six(i), six(j)) *
                                           turn_both(now.X_WB[slots_[j]].R);
  // numbers without units
  Eigen::MatrixXd part = units.asDiagonal() * (answer * own) * units.cwiseInverse().asDiagonal();
  if (is_strong()) {
    Eigen::MatrixXd alone = Eigen::MatrixXd::Zero(own.rows(), own.cols());
    for (std::size_t i = 0; i < slots_.size(); ++i)
      alone.block<6, 6>(six(i), six(i)) = own.block<6, 6>(six(i), six(i));
    const Eigen::MatrixXd without = Eigen::MatrixXd::Identity(own.rows(), own.cols()) -
                                    units.asDiagonal() * (answer * alone) * units.cwiseInverse().asDiagonal();
    DenseLu factors;
    factors.factor(without);
    for (Eigen::Index j = 0; j < part.cols(); ++j) part.col(j) = factors.solve(Eigen::VectorXd(part.col(j)));
  }
  // a machine without any mass: as heavy as a number can tell
  mass_ratio_ =
      part.allFinite() ? calc_eigenvalues(part).cwiseAbs().maxCoeff() : std::numeric_limits<double>::max();
  if (is_strong() || mass_ratio_ <= kMostLoose) return;
  throw RunError(fmt::format(
      "t = {:.10g} s: coupling `loose`: the air weighs {:.3g} of what it moves, so that loads of the steps "
      "before would "
      "throw it off\n  try: `air: {{coupling: strong}}`, which holds at any ratio; up to {:g} loose will do",
      now.t, mass_ratio_, kMostLoose));
}

bool LatticeAir::agree(const Scene<double>& end) {
  if (!is_strong()) return true;
  calc_motions(end, false, &asked_);
  require_before_planes(end.t, asked_);
  const Moment& moment = find_moment(end);
  if (coupling_->agree(calc_rates(moment), calc_twists(end), gather_loads(moment),
                       wings_.front().kind.coupling_tolerance))
    return true;
  if (coupling_->iterations() < kMostPasses && std::isfinite(coupling_->residual())) return false;
  if (!std::isfinite(coupling_->residual()))
    throw RunError(
        fmt::format("t = {:.10g} s: what the air does to a motion that ends at {:.10g} s is not finite\n"
                    "  try: a look at the other loads of the machine, a shorter step",
                    now_->air.t(), end.t));
  throw RunError(fmt::format(
      "t = {:.10g} s: air and machine do not agree on the end of the step at {:.10g} s\n"
      "  after {} iterations their loads differ by {:.3g} of the largest so far; "
      "`coupling_tolerance` is {:.3g}\n"
      "  try: a larger `core`, where wings come near wakes; a `step` as long as the air takes over a "
      "row of panels; a larger `coupling_tolerance`",
      now_->air.t(), end.t, coupling_->iterations(), coupling_->residual(),
      wings_.front().kind.coupling_tolerance));
}

Account<double> LatticeAir::add_coupled_load(const Scene<double>& scene, Loads<double>* loads) const {
  const Eigen::VectorXd& rest = coupling_->calc_rest(scene.t);
  double power = 0;
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    const AirCoupling::Share& share = coupling_->shares()[s];
    if (share.slot < 0) continue;
    const int body = slots_[share.slot];
    const Matrix6<double> R = turn_both(scene.X_WB[body].R);
    Vector6<double> F = R * rest.segment<6>(six(s));
    for (std::size_t j = 0; j < slots_.size() && is_strong(); ++j) {
      const Matrix6<double> K =
          R * coupling_->K().block<6, 6>(six(s), six(j)) * turn_both(scene.X_WB[slots_[j]].R).transpose();
      F += K * calc_turning(scene.V_WB[slots_[j]]);
      if (slots_[j] == body)
        loads->added.push_back({{body}, K});
      else
        loads->coupled.push_back({{body}, {slots_[j]}, K});
    }
    loads->F_B_W[body] += F;
    power += F.dot(scene.V_WB[body]);
  }
  return {.potential = 0, .dissipation = 0, .input = power, .power = power};
}

/// What acts on each body of a wing, at its origin and in its axes: G - K dV/dt.
std::vector<Vector6<double>> LatticeAir::calc_acting(int wing, const Scene<double>& scene,
                                                     const Snapshot& out) const {
  const Eigen::VectorXd& rest = coupling_->calc_rest(scene.t);
  Eigen::VectorXd V_rates(six(slots_.size()));
  for (std::size_t i = 0; i < slots_.size(); ++i)
    V_rates.segment<6>(six(i)) = turn_both(scene.X_WB[slots_[i]].R).transpose() *
                                 (out.A_WB[slots_[i]] - calc_turning(scene.V_WB[slots_[i]]));
  std::vector<Vector6<double>> wrenches;
  for (std::size_t s = 0; s < shares_.size(); ++s)
    if (shares_[s].first == wing)
      wrenches.emplace_back(rest.segment<6>(six(s)) - coupling_->K().middleRows<6>(six(s)) * V_rates);
  return wrenches;
}

}  // namespace haltere
