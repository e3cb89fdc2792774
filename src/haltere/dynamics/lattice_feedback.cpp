#include "haltere/dynamics/lattice_feedback.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "haltere/dynamics/sixes.h"

/// Free wings and the air, small motions.
namespace haltere {
namespace {

// of the smallest side of a panel, and of the speed of the air: central differences leave its square, 1e-10, and
// rounding 1e-11
constexpr double kTrialPart = 1e-5;
// part of the speed of the air: a wing whose corners differ by more turns, and its wake is not straight; rounding of an
// equilibrium, a choice
constexpr double kTurns = 1e-6;
// numbers that may be kept of a response: 2 GB; a choice
constexpr double kMostNumbers = 2.5e8;

double calc_least_side(const std::vector<Vector3<double>>& corners, int rows, int columns) {
  double least = std::numeric_limits<double>::infinity();
  const auto at = [&](int i, int j) -> const Vector3<double>& {
    return corners[static_cast<std::size_t>(i) * (columns + 1) + j];
  };
  const auto take = [&](double side) {
    if (side > 0) least = std::min(least, side);
  };
  for (int i = 0; i <= rows; ++i)
    for (int j = 0; j <= columns; ++j) {
      if (i < rows) take((at(i + 1, j) - at(i, j)).norm());
      if (j < columns) take((at(i, j + 1) - at(i, j)).norm());
    }
  return least;
}

}  // namespace

LatticeAir::Feedback::Feedback(const LatticeAir& air, const Scene<double>& base, int n_ways,
                               const MoveBy& move_by)
    : air_(air), base_(base), step_(air.step_), parts_(n_ways) {
  require_linear(base);
  std::vector<VortexAir::Motion> motions;
  air.calc_motions(base, true, &motions);
  const VortexLattice<double>& first = air.wings_.front().kind;
  const bool sheds = std::any_of(air.wings_.begin(), air.wings_.end(),
                                 [](const Wing& wing) { return wing.kind.shedding != Shedding::kNone; });
  // a row is given up when its younger end is older than that
  rows_ = sheds ? static_cast<int>(std::floor(first.wake_age / step_ * (1 + 1e-12))) + 1 : 0;
  if (AirResponse::count_numbers(air.now_->air, rows_, n_ways) > kMostNumbers)
    throw RunError(fmt::format(
        "small motions with wakes of {} rows: what they do at the wings takes {:.2g} GB\n  try: a shorter "
        "`wake_age`, a longer `step`, fewer panels",
        rows_, 8e-9 * AirResponse::count_numbers(air.now_->air, rows_, n_ways)));
  std::vector<AirResponse::Way> ways(n_ways);
  twists_.resize(six(air.slots_.size()), n_ways);
  for (int k = 0; k < n_ways; ++k) {
    parts_[k] = choose_part(base, k, move_by);
    plus_.push_back(move_by(k, parts_[k]));
    minus_.push_back(move_by(k, -parts_[k]));
    air.calc_motions(plus_.back(), true, &ways[k].plus);
    air.calc_motions(minus_.back(), true, &ways[k].minus);
    twists_.col(k) = (air.calc_twists(plus_.back()) - air.calc_twists(minus_.back())) / (2 * parts_[k]);
  }
  response_ = std::make_unique<AirResponse>(air.now_->air, base.t, step_, rows_, motions, std::move(ways));
  response_->show_base();
  K_ = air.calc_matrix(base, motions, &response_->air());
  const Eigen::VectorXd steady = calc_wrenches(base);
  added_.setZero(twists_.rows(), twists_.rows());
  turned_.setZero(twists_.rows(), n_ways);
  for (std::size_t s = 0; s < air.shares_.size(); ++s) {
    const int slot = air.coupling_->shares()[s].slot;
    if (slot < 0) continue;
    added_.middleRows<6>(six(slot)) += K_.middleRows<6>(six(s));
    for (int k = 0; k < n_ways; ++k) {
      const int body = air.slots_[slot];
      turned_.col(k).segment<6>(six(slot)) +=
          (turn_both(plus_[k].X_WB[body].R) - turn_both(minus_[k].X_WB[body].R)) / (2 * parts_[k]) *
          steady.segment<6>(six(s));
    }
  }
}

/// What has no small motions about straight wakes says why.
void LatticeAir::Feedback::require_linear(const Scene<double>& base) const {
  for (const Wing& wing : air_.wings_) {
    const Entry& entry = air_.model_.surfaces[wing.surface];
    const auto refuse = [&](const std::string& what, const std::string& hint) {
      throw InputError({Problem{entry.mark, fmt::format("surface '{}'", entry.name), what, hint}});
    };
    const VortexLattice<double>& kind = wing.kind;
    if (kind.is_closed)
      refuse("small motions with closed bodies in the air are not known yet", "leave the body away");
    if (kind.shedding == Shedding::kLeadingEdge)
      refuse("what a leading edge sheds is never steady: it has no small motions", "shedding: trailing-edge");
    if (kind.load != LatticeLoad::kQ && kind.load != LatticeLoad::kJ)
      refuse("small motions are known with the loads q and j", "load: q");
    if (kind.coupling != Coupling::kStrong)
      refuse("small motions are those of air and machine that agree, not of loads that lag",
             "coupling: strong");
    if (kind.shedding != Shedding::kNone && !std::isfinite(kind.wake_age))
      refuse("small motions need a wake that ends",
             "wake_age, some 40 chords over the speed; twice that should change nothing");
    for (const WingFlap<double>& flap : kind.flaps)
      if (flap.deflection.varies)
        refuse(
            fmt::format("flap '{}' moves: small motions with flaps that are led or that follow signals are "
                        "not known yet",
                        flap.name),
            "a deflection that is constant");
  }
  std::vector<VortexAir::Motion> motions;
  air_.calc_motions(base, true, &motions);
  VortexAir settled = air_.now_->air;
  settled.settle(base.t, motions);
  const double speed = settled.mean_stream().norm();
  const Vector3<double>& own = motions.front().velocities.front();
  for (const VortexAir::Motion& motion : motions)
    for (const Vector3<double>& velocity : motion.velocities)
      if ((velocity - own).norm() > kTurns * speed)
        throw RunError(
            "the wings turn: small motions with wakes are known about motions straight through the air "
            "alone");
  const bool sheds = std::any_of(air_.wings_.begin(), air_.wings_.end(),
                                 [](const Wing& wing) { return wing.kind.shedding != Shedding::kNone; });
  if (sheds && !(speed > 0))
    throw RunError("no air moves against the wings: there is no wake\n  try: a wind, or `shedding: none`");
}

/// So far that corners move by a small part of a panel, or as much faster than the air.
double LatticeAir::Feedback::choose_part(const Scene<double>& base, int way, const MoveBy& move_by) const {
  constexpr double kTrial = 1e-6;
  std::vector<VortexAir::Motion> here, there;
  air_.calc_motions(base, true, &here);
  air_.calc_motions(move_by(way, kTrial), true, &there);
  double far = 0, fast = 0, side = std::numeric_limits<double>::infinity();
  for (std::size_t w = 0; w < here.size(); ++w) {
    const PanelCount panels = count_panels(air_.wings_[w].kind);
    side = std::min(side, calc_least_side(here[w].corners, panels.rows, panels.columns));
    for (std::size_t c = 0; c < here[w].corners.size(); ++c) {
      far = std::max(far, (there[w].corners[c] - here[w].corners[c]).norm());
      fast = std::max(fast, (there[w].velocities[c] - here[w].velocities[c]).norm());
    }
  }
  double part = std::numeric_limits<double>::infinity();
  if (far > 0) part = kTrialPart * side / (far / kTrial);
  if (fast > 0) part = std::min(part, kTrialPart * side / step_ / (fast / kTrial));
  return std::isfinite(part) ? std::exp2(std::round(std::log2(part))) : kTrial;
}

/// On all shares, in the axes of the bodies, of the air that is shown.
Eigen::VectorXd LatticeAir::Feedback::calc_wrenches(const Scene<double>& scene) {
  Eigen::VectorXd F(six(air_.shares_.size()));
  std::vector<PointForce> forces;
  std::vector<Vector6<double>> wrenches;
  std::size_t share_of = 0;
  for (std::size_t w = 0; w < air_.wings_.size(); ++w) {
    const Wing& wing = air_.wings_[w];
    forces.clear();
    response_->air().add_forces(static_cast<int>(w), wing.kind.load, &forces);
    wrenches.resize(wing.carried.bodies.size());
    share(wing, forces, scene, &wrenches);
    for (const Vector6<double>& wrench : wrenches) F.segment<6>(six(share_of++)) = wrench;
  }
  return F;
}

/// theory.md (E49)
Eigen::MatrixXcd LatticeAir::Feedback::calc_loads(std::complex<double> z) {
  response_->update(z);
  Eigen::MatrixXcd loads = Eigen::MatrixXcd::Zero(twists_.rows(), twists_.cols());
  for (int k = 0; k < twists_.cols(); ++k) {
    Eigen::VectorXcd F(six(air_.shares_.size()));
    for (const AirResponse::Part part : {AirResponse::Part::kReal, AirResponse::Part::kImaginary}) {
      const bool is_real = part == AirResponse::Part::kReal;
      Eigen::VectorXd change = Eigen::VectorXd::Zero(F.size());
      for (const double side : {1., -1.}) {
        response_->show(k, part, side);
        change += side * calc_wrenches(!is_real ? base_ : side > 0 ? plus_[k] : minus_[k]);
      }
      change /= 2 * parts_[k];
      if (is_real)
        F.real() = change;
      else
        F.imag() = change;
    }
    for (std::size_t s = 0; s < air_.shares_.size(); ++s) {
      const int slot = air_.coupling_->shares()[s].slot;
      if (slot < 0) continue;
      const std::array<double, 3> weights =
          response_->air().calc_rate_weights(air_.wings_[air_.shares_[s].first].kind.load);
      const std::complex<double> rate = weights[0] + (weights[1] + weights[2] / z) / z;
      loads.col(k).segment<6>(six(slot)) +=
          F.segment<6>(six(s)) + rate * (K_.middleRows<6>(six(s)) * twists_.col(k));
    }
  }
  return loads;
}

}  // namespace haltere
