#include "haltere/dynamics/stabilization.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/row_system.h"

namespace haltere {
namespace {

// Residuals are those of angles, and of lengths in length scales.
// what rounding leaves, some hundred eps: poses are sums over the way to the ground
constexpr double kMet = 1e-13;
// below it a residual that does not fall any more is rounding (long chains leave more than kMet), above it a
// machine that comes apart; the place between the two is a choice
constexpr double kSmall = 1e-9;
// a machine that is further apart than this after a step does not come back by two corrections; a choice
constexpr double kLost = 1e-3;
// Against loops without end: Newton's method from a step's error takes some three. An assembly may start
// anywhere; after 30 cuts a step is 1e-9 of itself, and does nothing.
constexpr int kMostIterations = 20;
constexpr int kMostAssembly = 200, kMostCuts = 30;
// part of the residual that a step of the assembly must take away: Armijo's condition, with the constant that
// is customary
constexpr double kEnough = 1e-4;

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Stabilization> Stabilization::parse(std::string_view text) {
  if (text == "none") return Stabilization{Kind::kNone};
  if (text == "projection") return Stabilization{Kind::kProjection};
  if (text == "s-both2") return Stabilization{Kind::kSBoth2};
  constexpr std::string_view kPrefix = "baumgarte:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto alpha = read_number(text.substr(0, comma)), beta = read_number(text.substr(comma + 1));
  if (!alpha || !beta) return std::nullopt;
  return Stabilization{Kind::kBaumgarte, *alpha, *beta};
}

void Stabilizer::resize(const Equations& equations) {
  const Sizes sizes = equations.sizes();
  g_.resize(sizes.ng);
  gdot_.resize(sizes.na);
  dq_.resize(equations.n_change());
  dv_.resize(equations.n_change());
  zero_.setZero(equations.n_change());
  y_.resize(sizes.ny());
  ydot_.resize(sizes.ny());
  scales_.resize(sizes.ng);
  gather(equations.row_scales(), equations.position_rows(), scales_);
}

double Stabilizer::calc_norm(const Equations& equations) {
  if (g_.size() == 0) return 0;
  int worst = 0;
  const double most = g_.cwiseQuotient(scales_).cwiseAbs().maxCoeff(&worst);
  worst_row_ = equations.position_rows()[worst];
  return most;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::apply(double t, Ref y, Equations* equations, bool* moved) {
  *moved = false;
  if (equations->sizes().na == 0) return Status::kOk;
  if (method_.kind == Stabilization::Kind::kNone || method_.kind == Stabilization::Kind::kBaumgarte)
    return Status::kOk;
  resize(*equations);
  *moved = true;
  return method_.kind == Stabilization::Kind::kProjection ? project(t, y, equations)
                                                          : apply_s_both2(t, y, equations);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::project(double t, Ref y, Equations* equations) {
  resize(*equations);  // before anybody takes a view of ydot_
  bool passed = false;
  return project_or_pass(t, y, ydot_, equations, &passed);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::calc_ydot(double t, Ref y, Ref ydot, Equations* equations) {
  bool passed = false;
  const Status status = project_or_pass(t, y, ydot, equations, &passed);
  return passed || status != Status::kOk ? status : equations->calc_met_ydot(t, y, ydot);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::project_or_pass(double t, Ref y, Ref ydot, Equations* equations, bool* passed) {
  resize(*equations);
  Status status = equations->calc_drift(t, y, g_, gdot_);
  if (status != Status::kOk) return status;
  const SingularPassage::Place place = passage_.find_place(t, y, this, equations);
  if (place == SingularPassage::Place::kElsewhere) return iterate(t, y, equations, false);
  *passed = place == SingularPassage::Place::kNear && passage_.pass(t, y, ydot, this, equations);
  return *passed ? Status::kOk : meet(t, y, equations, false);
}

bool Stabilizer::is_near_singular(double t, ConstRef y, double ahead, Equations* equations) {
  return passage_.is_near(t, y, ahead, this, equations);
}

bool Stabilizer::observe_passage(double t, ConstRef y, Equations* equations, Snapshot* out) {
  return passage_.observe(t, y, this, equations, out);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::meet(double t, Ref y, Equations* equations, bool polish) {
  resize(*equations);
  const Status status = equations->calc_drift(t, y, g_, gdot_);
  return status == Status::kOk ? iterate(t, y, equations, polish) : status;
}

/// Newton's method for the positions, q <- q o exp(-F g); the velocities are linear, v <- v - F (A v + b).
/// theory.md (E24), F of (E22)
// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::iterate(double t, Ref y, Equations* equations, bool polish) {
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0;; ++i) {
    const Status status = i > 0 ? equations->calc_drift(t, y, g_, gdot_) : Status::kOk;
    if (status != Status::kOk) return status;
    position_drift_ = calc_norm(*equations);
    // at the level of rounding it does not fall any more
    const bool met = position_drift_ <= kMet || (position_drift_ > 0.5 * before && before < kSmall);
    if (met && !std::exchange(polish, false)) break;
    if (i == kMostIterations || !std::isfinite(position_drift_)) return Status::kSingular;
    before = position_drift_;
    g_ = -g_;
    equations->calc_position_change(g_, dq_);
    equations->shift(dq_, zero_, y);
  }
  gdot_ = -gdot_;
  equations->calc_change(gdot_, dv_);
  equations->shift(zero_, dv_, y);
  return Status::kOk;
}

/// z <- z - F (g; A v + b), twice; F = M^-1 A^T (A M^-1 A^T)^-1 for both parts.
/// theory.md (E25), [ascher1995]
// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::apply_s_both2(double t, Ref y, Equations* equations) {
  for (int i = 0; i < 2; ++i) {
    const Status status = equations->calc_drift(t, y, g_, gdot_);
    if (status != Status::kOk) return status;
    position_drift_ = calc_norm(*equations);
    if (!(position_drift_ < kLost)) return Status::kSingular;
    g_ = -g_;
    equations->calc_position_change(g_, dq_);
    gdot_ = -gdot_;
    equations->calc_change(gdot_, dv_);
    equations->shift(dq_, dv_, y);
  }
  return Status::kOk;
}

/// Newton's method, damped: a step is halved until the sum of squares falls.         [deuflhard2004] ch. 3
// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status Stabilizer::assemble(double t, Ref y, Equations* equations) {
  resize(*equations);
  const auto calc_residual = [&](ConstRef state, double* size) {
    const Status status = equations->calc_drift(t, state, g_, gdot_);
    *size = g_.cwiseQuotient(scales_).norm();
    return status;
  };
  double before = 0;
  Status status = calc_residual(y, &before);
  if (status != Status::kOk) return status;
  if (!std::isfinite(before)) return Status::kNotFinite;
  for (int i = 0; i < kMostAssembly && before > kMet; ++i) {
    g_ = -g_;
    equations->calc_position_change(g_, dq_);
    double after = before;
    for (int cut = 0; cut < kMostCuts && !(after < (1 - kEnough) * before); ++cut) {
      y_ = y;
      equations->shift(dq_, zero_, y_);
      status = calc_residual(y_, &after);
      if (status != Status::kOk || !std::isfinite(after)) after = std::numeric_limits<double>::infinity();
      dq_ /= 2;
    }
    if (!(after < before)) break;
    y = y_;
    before = after;
  }
  status = equations->calc_drift(t, y, g_, gdot_);
  if (status != Status::kOk) return status;
  position_drift_ = calc_norm(*equations);
  if (!(position_drift_ < kSmall)) return Status::kSingular;
  if (!gdot_.allFinite()) return Status::kNotFinite;
  gdot_ = -gdot_;
  equations->calc_change(gdot_, dv_);
  equations->shift(zero_, dv_, y);
  return Status::kOk;
}

}  // namespace haltere
