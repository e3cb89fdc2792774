#include "haltere/analysis/equilibrium.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Against loops without end; after 25 cuts a step is 3e-8 of itself. Sinking in honey takes short steps.
constexpr int kMostNewtonSteps = 60, kMostNewtonCuts = 25, kMostFalls = 2000;
// longest step, in radians and length scales: a machine knows little about itself farther away. Choices.
constexpr double kLongestStep = 0.5, kLongestFall = 0.2;
// part of the residual that a step must take away: Armijo's condition, with the constant that is customary
constexpr double kNewtonProgress = 1e-4;
// of the largest singular value: below it nothing is determined; a choice above the rounding of exact
// tangents
constexpr double kDependentLoads = 1e-10;
// the same where slopes are those of a settled air, differences that are good to 1e-10 of third derivatives
constexpr double kDependentAir = 1e-8;
// last step, in radians and length scales, and residual against the largest entries of its row: what may be
// left. Choices, which a step of Newton's method more would square.
constexpr double kAtRest = 1e-9, kBalanced = 1e-9;
// the same where it is all rounding: sums over some hundred loads. Near a limit of stability steps stay long
// although nothing but that is left.
constexpr double kRounded = 1e-13;
// part of the rate of the fastest small motion, or of the speed, that is rounding: none
constexpr double kNoSpeed = 1e-14;
// accelerations that may be left, of those that fast small motions have; a choice
constexpr double kSteady = 1e-6;
// ... and where there are none, in radians or length scales over s^2; a choice
constexpr double kNoAcceleration = 1e-9;
// share of a coordinate in what is not determined (unit vectors): less is rounding; a choice
constexpr double kLoadShare = 1e-6;

/// Positions, speeds along the symmetry, and loads.
struct Trial {
  Vector y;       // its velocities follow from the rest
  Vector rates;   // along symmetry.drift
  Vector turns;   // about symmetry.axes
  Vector push;    // accelerations along its galilean directions
  Vector lambda;  //
};

class Solver {
 public:
  Solver(const EquilibriumOptions& options, const Vector& guess, Equations* equations);
  Equilibrium solve();

 private:
  Eigen::Index n_unknowns() const { return n_ + n_drift_ + n_axes_ + n_states_ + n_push_ + m_; }
  Eigen::Index first_state() const { return n_ + n_drift_ + n_axes_; }
  void start(const Vector& guess, bool own_sizes);
  void set_units(bool own_sizes);
  void fit_speeds(Trial* trial) const;

  /// Velocities and accelerations of a trial; how they depend on its unknowns.
  void update_motion(Trial* trial);
  Matrix calc_directions(const Trial& trial) const;
  double update_residual(Trial* trial);  // into rho_; infinite where it cannot be evaluated
  bool update_tangent(Trial* trial);     // into J_
  Trial move(const Trial& trial, const Vector& x) const;

  bool solve_newton();
  bool is_balanced(double part = kBalanced) const;
  bool is_found() const;
  bool fall();
  bool step_down(double* delta);
  Vector calc_fall(double delta) const;
  void find_undetermined();
  void update_rate();
  Vector calc_unsteadiness(const Vector& y);
  double calc_unsteadiness_limit(double speed) const;
  bool is_steady();
  void check_steadiness();
  void explain();
  void finish();

  const EquilibriumOptions& options_;
  Equations& equations_;
  const std::vector<StateCoordinate> coordinates_;
  const Sizes sizes_;
  std::unique_ptr<ImplicitForm> form_;
  const Layout layout_;
  Symmetry symmetry_;
  const Eigen::Index n_, m_;
  Eigen::Index n_drift_ = 0, n_axes_ = 0, n_push_ = 0, n_keep_ = 0;
  const Eigen::Index n_states_;  // of the model; their rates are to be 0
  const double dependent_;       // part of the largest singular value that is nothing
  Vector scales_, state_scales_, row_units_, column_units_;
  Vector works_;     // largest entries of the rows of motion, as work over the scales of their coordinates
  double rate_ = 0;  // of the fastest small motion, about [1/s]
  ImplicitForm::Point<double> point_;
  ImplicitForm::Residual<double> residual_;
  Vector xdot_;
  Vector rho_;          // the scaled residual
  Matrix J_, tangent_;  // scaled; K, C, M and A^T as they come
  Vector row_sizes_;    // largest entries of the rows of motion, scaled
  Trial trial_;
  Equilibrium result_;
  double last_step_ = kInfinite;
};

Solver::Solver(const EquilibriumOptions& options, const Vector& guess, Equations* equations)
    : options_(options),
      equations_(*equations),
      coordinates_(list_coordinates(equations->model())),
      sizes_(equations->sizes()),
      form_(equations->make_implicit_form()),
      layout_(equations->model(), equations->parameters()),
      n_(form_->n()),
      m_(form_->m()),
      n_states_(sizes_.nx),
      dependent_(has_differences(*equations) ? kDependentAir : kDependentLoads) {
  const Vector all_scales = equations->calc_scales();
  state_scales_ = sizes_.x(all_scales);
  trial_.y = guess;
  scales_ = form_->scales();
  n_keep_ = static_cast<Eigen::Index>(options.positions.size() + options.velocities.size());
  point_ = {0, Vector::Zero(n_), Vector::Zero(n_), Vector::Zero(n_), Vector::Zero(m_)};
  residual_ = {Vector::Zero(n_), Vector::Zero(m_)};
}

Equilibrium Solver::solve() {
  const Vector guess = trial_.y;
  if (n_ == 0) {  // all motion is prescribed, or there is none
    result_.y = guess;
    result_.lambda = Vector::Zero(m_);
    result_.symmetry.drift.resize(0, 0);
    result_.notes.emplace_back("nothing in this machine is free to move");
    return std::move(result_);
  }
  bool found = false;
  std::optional<Trial> unsteady;  // balanced as far as the largest loads tell, and yet accelerated
  for (const bool own_sizes : {false, true}) {
    start(guess, own_sizes);
    if (!result_.failure.empty()) return std::move(result_);
    found = !options_.settle && solve_newton();
    if (options_.settle || (found && is_steady())) break;
    if (found && !own_sizes) unsteady = trial_;
  }
  if (!found && unsteady) {
    start(guess, false);
    trial_ = *unsteady;
    found = true;
  }
  if (!found) {
    start(guess, false);
    fall();
    result_.settled = true;
    found = solve_newton();
  }
  result_.y = trial_.y;
  if (!found) {
    explain();
    return std::move(result_);
  }
  finish();
  check_steadiness();
  Vector moved = (trial_.y - guess).head(sizes_.nq);
  result_.moved =
      moved.size() == 0
          ? 0
          : moved.cwiseQuotient(equations_.calc_scales().head(sizes_.nq)).lpNorm<Eigen::Infinity>();
  return std::move(result_);
}

/// The guess, put together; what drifts; speeds along it that are nearest to those of the guess.
void Solver::start(const Vector& guess, bool own_sizes) {
  trial_.y = guess;
  for (const auto& [i, value] : options_.positions) trial_.y[coordinates_[i].q] = value;
  for (const auto& [i, value] : options_.velocities) trial_.y[sizes_.nq + i] = value;
  if (sizes_.na > 0 && Stabilizer(Stabilization{}).assemble(0, trial_.y, &equations_) != Status::kOk) {
    const std::string why = equations_.explain_failure(0, trial_.y);
    result_.failure = "the machine cannot be put together from its initial state" +
                      (why.empty() ? "" : ": " + why) + "\n  try: haltere assemble, or other values";
    return;
  }
  Vector ydot(trial_.y.size());
  if (equations_.calc_ydot(0, trial_.y, ydot) != Status::kOk || !ydot.allFinite()) {
    result_.failure =
        "the machine cannot be evaluated in its initial state: " + equations_.explain_failure(0, trial_.y);
    return;
  }
  if (symmetry_.drift.size() == 0)
    symmetry_ = find_symmetry(layout_, trial_.y, options_.drift, &equations_, form_.get());
  if (symmetry_.drift.rows() == 0) symmetry_.drift.resize(n_, 0);
  n_drift_ = symmetry_.n_drift();
  n_axes_ = static_cast<Eigen::Index>(symmetry_.axes.size());
  n_push_ = static_cast<Eigen::Index>(symmetry_.galilean.size());
  fit_speeds(&trial_);
  trial_.push = Vector::Zero(n_push_);
  trial_.lambda = Vector::Zero(m_);
  set_units(own_sizes);
}

/// Of the motions along the symmetry that the constraints allow, the one nearest to the velocities of the
/// guess: a push to the side is no part of a steady run. Axes turn only where drifts alone do not come as
/// near (a top that stands upright spins, and nothing else).
void Solver::fit_speeds(Trial* trial) const {
  Matrix along(n_, n_drift_ + n_axes_);
  along.leftCols(n_drift_) = layout_.calc_child_axes(trial->y) * symmetry_.drift;
  for (int k = 0; k < n_axes_; ++k) along.col(n_drift_ + k) = layout_.calc_turn(symmetry_.axes[k], trial->y);
  Matrix A(0, n_);
  Vector b;
  if (m_ > 0) equations_.calc_constraint_matrix(0, trial->y, &A, &b);
  const Matrix rows = form_->row_scales().cwiseInverse().asDiagonal() * A * scales_.asDiagonal();
  const Vector wanted = trial->y.segment(sizes_.nq, n_).cwiseQuotient(scales_);
  double before = kInfinite;
  for (const Eigen::Index n : {n_drift_, n_drift_ + n_axes_}) {
    const Matrix directions = scales_.cwiseInverse().asDiagonal() * along.leftCols(n);
    const Matrix allowed = calc_kernel(rows * directions, kDependentLoads, rows.norm());
    const Vector speeds = allowed * solve_least(directions * allowed, wanted, kDependentLoads);
    const double left = (wanted - directions * speeds).norm();
    if (left >= before - kAtRest * wanted.norm()) return;
    before = left;
    trial->rates = speeds.head(n_drift_);
    trial->turns = Vector::Zero(n_axes_);
    trial->turns.head(n - n_drift_) = speeds.tail(n - n_drift_);
  }
}

/// Entries that are nothing become the largest of the others, or 1.
void set_empty(Vector* sizes) {
  const double largest = sizes->size() == 0 ? 0 : sizes->maxCoeff();
  for (double& size : *sizes) size = size > 0 ? size : largest > 0 ? largest : 1;
}

/// Loads become work, over the largest there is or (`own_sizes`) that of their row, multipliers what moves a
/// row by that: the numbers are the same in all units. The former is the natural measure; with the latter
/// small parts of a large machine count as much as large ones.
void Solver::set_units(bool own_sizes) {
  row_units_ = column_units_ = Vector();
  update_motion(&trial_);
  ImplicitForm::Changes changes;
  works_ = Vector::Zero(n_);
  Vector loads_of_rows = Vector::Zero(m_);
  Vector rates_of_states = Vector::Zero(n_states_);
  const Eigen::Index n_all = 3 * n_ + m_ + n_states_;
  if (form_->calc_changes(point_, Matrix::Identity(n_all, n_all), &changes) == Status::kOk) {
    if (n_states_ > 0) {
      Vector units(n_all);
      units << scales_, scales_, scales_, Vector::Zero(m_), state_scales_;
      rates_of_states = (changes.xdot * units.asDiagonal()).cwiseAbs().rowwise().maxCoeff();
    }
    const auto calc_part = [&](int part) {
      return Matrix(scales_.asDiagonal() * changes.r.middleCols(part * n_, n_) * scales_.asDiagonal())
          .cwiseAbs()
          .eval();
    };
    for (int part = 0; part < 3; ++part) works_ = works_.cwiseMax(calc_part(part).rowwise().maxCoeff());
    if (!own_sizes) works_.setConstant(works_.maxCoeff());
    set_empty(&works_);
    if (m_ > 0)
      loads_of_rows =
          Matrix(works_.cwiseInverse().cwiseProduct(scales_).asDiagonal() * changes.r.middleCols(3 * n_, m_))
              .cwiseAbs()
              .colwise()
              .maxCoeff()
              .transpose();
  }
  set_empty(&works_);
  set_empty(&loads_of_rows);
  set_empty(&rates_of_states);
  row_units_.resize(n_ + m_ + n_keep_ + n_states_);
  row_units_.tail(n_states_) = rates_of_states.cwiseInverse();
  row_units_.head(n_) = scales_.cwiseQuotient(works_);
  row_units_.segment(n_, m_) = form_->row_scales().cwiseInverse();
  Eigen::Index row = n_ + m_;
  for (const auto* list : {&options_.positions, &options_.velocities})
    for (const auto& [i, value] : *list) row_units_[row++] = 1 / scales_[i];
  column_units_.setOnes(n_unknowns());
  column_units_.head(n_) = scales_;
  column_units_.segment(first_state(), n_states_) = state_scales_;
  column_units_.tail(m_) = loads_of_rows.cwiseInverse();
  // accelerations and loads that come nearest to balance
  const Eigen::Index n_loads = n_push_ + m_;
  if (!(update_residual(&trial_) < kInfinite) || !update_tangent(&trial_)) return;
  const Vector loads = column_units_.tail(n_loads).cwiseProduct(
      solve_least(J_.topRightCorner(n_, n_loads), -rho_.head(n_), kDependentLoads).col(0));
  trial_.push = loads.head(n_push_);
  trial_.lambda = loads.tail(m_);
}

void Solver::update_motion(Trial* trial) {
  const Matrix child = layout_.calc_child_axes(trial->y);
  Vector v = child * symmetry_.drift * trial->rates, vdot = Vector::Zero(n_);
  Vector3<double> axis = Vector3<double>::Zero();
  for (int k = 0; k < n_axes_; ++k) axis += trial->turns[k] * symmetry_.axes[k];
  v += layout_.calc_turn(axis, trial->y);
  vdot = layout_.calc_rate(axis) * v;
  for (int k = 0; k < n_push_; ++k)
    vdot += trial->push[k] * (child * symmetry_.drift.col(symmetry_.galilean[k]));
  trial->y.segment(sizes_.nq, n_) = v;
  form_->set_start(trial->y);
  point_.v = v;
  point_.vdot = vdot;
  point_.lambda = trial->lambda.size() == m_ ? trial->lambda : Vector::Zero(m_);
}

/// Directions of (dq, v, vdot, lambda) for each unknown.
Matrix Solver::calc_directions(const Trial& trial) const {
  const Matrix child = layout_.calc_child_axes(trial.y), along = child * symmetry_.drift;
  Vector3<double> axis = Vector3<double>::Zero();
  for (int k = 0; k < n_axes_; ++k) axis += trial.turns[k] * symmetry_.axes[k];
  Matrix D = Matrix::Zero(3 * n_ + m_ + n_states_, n_unknowns());
  D.topLeftCorner(n_, n_).setIdentity();
  auto v = D.middleRows(n_, n_);
  auto vdot = D.middleRows(2 * n_, n_);
  // directions in child axes turn with the increments: x x (N s)
  v.leftCols(n_) = layout_.calc_turn_slope(axis) - layout_.calc_carry(along * trial.rates);
  v.middleCols(n_, n_drift_) = along;
  for (int k = 0; k < n_axes_; ++k) v.col(n_ + n_drift_ + k) = layout_.calc_turn(symmetry_.axes[k], trial.y);
  vdot = layout_.calc_rate(axis) * v;
  for (int k = 0; k < n_axes_; ++k)
    vdot.col(n_ + n_drift_ + k) += layout_.calc_rate(symmetry_.axes[k]) * point_.v;
  for (int k = 0; k < n_push_; ++k) {
    const Vector direction = along.col(symmetry_.galilean[k]);
    vdot.col(first_state() + n_states_ + k) = direction;
    vdot.leftCols(n_) -= trial.push[k] * layout_.calc_carry(direction);
  }
  D.block(3 * n_, n_unknowns() - m_, m_, m_).setIdentity();
  D.block(3 * n_ + m_, first_state(), n_states_, n_states_).setIdentity();
  return D;
}

double Solver::update_residual(Trial* trial) {
  update_motion(trial);
  if (form_->calc(point_, &residual_) != Status::kOk) return kInfinite;
  rho_.resize(n_ + m_ + n_keep_ + n_states_);
  rho_.head(n_) = residual_.r;
  rho_.segment(n_, m_) = residual_.g;
  Eigen::Index row = n_ + m_;
  for (const auto& [i, value] : options_.positions) rho_[row++] = trial->y[coordinates_[i].q] - value;
  for (const auto& [i, value] : options_.velocities) rho_[row++] = point_.v[i] - value;
  if (n_states_ > 0) {
    equations_.calc_state_rates(0, trial->y, &xdot_);
    rho_.tail(n_states_) = xdot_;
  }
  rho_ = rho_.cwiseProduct(row_units_).eval();
  return rho_.norm();
}

bool Solver::update_tangent(Trial* trial) {
  update_motion(trial);
  ImplicitForm::Changes changes;
  const Eigen::Index n_all = 3 * n_ + m_ + n_states_;
  if (form_->calc_changes(point_, Matrix::Identity(n_all, n_all), &changes) != Status::kOk) return false;
  tangent_ = changes.r;
  const Matrix D = calc_directions(*trial);
  J_.resize(n_ + m_ + n_keep_ + n_states_, n_unknowns());
  J_.topRows(n_) = changes.r * D;
  J_.middleRows(n_, m_) = changes.g * D;
  Eigen::Index row = n_ + m_;
  for (const auto& [i, value] : options_.positions) J_.row(row++) = D.row(i);
  for (const auto& [i, value] : options_.velocities) J_.row(row++) = D.row(n_ + i);
  J_.bottomRows(n_states_) = changes.xdot * D;
  J_ = (row_units_.asDiagonal() * J_ * column_units_.asDiagonal()).eval();
  row_sizes_ = Vector::Zero(n_);
  for (int part = 0; part < 3; ++part)
    row_sizes_ = row_sizes_.cwiseMax(
        (row_units_.head(n_).asDiagonal() * changes.r.middleCols(part * n_, n_) * scales_.asDiagonal())
            .cwiseAbs()
            .rowwise()
            .maxCoeff());
  return true;
}

Trial Solver::move(const Trial& trial, const Vector& x) const {
  Trial moved = trial;
  const Vector step = x.cwiseProduct(column_units_);
  form_->set_start(trial.y);
  form_->move(step.head(n_), moved.y);
  moved.rates += step.segment(n_, n_drift_);
  moved.turns += step.segment(n_ + n_drift_, n_axes_);
  if (n_states_ > 0) sizes_.x(moved.y) += step.segment(first_state(), n_states_);
  moved.push += step.segment(first_state() + n_states_, n_push_);
  moved.lambda += step.tail(m_);
  return moved;
}

/// J x = -rho with the least x, bounded, and halved until the residual falls.
bool Solver::solve_newton() {
  double before = update_residual(&trial_);
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    if (!update_tangent(&trial_)) return false;
    Vector x = solve_least(J_, -rho_, dependent_);
    const Eigen::Index n_motion = n_unknowns() - m_;
    last_step_ = n_motion == 0 ? 0 : x.head(n_motion).lpNorm<Eigen::Infinity>();
    // speeds and loads are almost linear: positions alone make a step too long
    const double longest = n_ == 0 ? 0 : x.head(n_).lpNorm<Eigen::Infinity>();
    if (longest > kLongestStep) x *= kLongestStep / longest;
    double after = before;
    Trial next;
    for (int cut = 0; cut < kMostNewtonCuts && !(after < (1 - kNewtonProgress) * before); ++cut, x /= 2) {
      next = move(trial_, x);
      after = update_residual(&next);
    }
    if (!(after < before)) {  // rounding, or the bottom of a valley
      update_residual(&trial_);
      return is_found();
    }
    ++result_.iterations;
    trial_ = next;
    before = after;
    if (before == 0) break;
  }
  return update_tangent(&trial_) && (is_found() || (before == 0 && is_balanced()));
}

bool Solver::is_balanced(double part) const {
  for (int i = 0; i < n_; ++i)
    if (!(std::abs(rho_[i]) <= part * row_sizes_[i])) return false;
  return rho_.size() == n_ || rho_.tail(m_ + n_keep_ + n_states_).lpNorm<Eigen::Infinity>() < part;
}

/// A last step is long where the tangent is almost singular (the limit of stability, a fold) and what it is
/// taken from is rounding: loads that are nothing but that are balanced.
bool Solver::is_found() const {
  return is_balanced(kRounded) || (last_step_ < kAtRest && is_balanced());
}

/// Pseudo-transient continuation: the machine moves as if in honey, M dx/dt = loads, by implicit Euler steps
/// that grow into Newton's; where that ends nothing pushes it away. Speeds stay as they are.
bool Solver::fall() {
  double delta = 1;
  for (int i = 0; i < kMostFalls; ++i) {
    const double size = update_residual(&trial_);
    if (!(size < kInfinite) || !update_tangent(&trial_)) return false;
    if (is_balanced() && last_step_ < kAtRest) return true;
    if (!step_down(&delta)) return false;
    ++result_.iterations;
  }
  return false;
}

bool Solver::step_down(double* delta) {
  for (int cut = 0; cut < 100; ++cut, *delta /= 4) {
    const Vector x = calc_fall(*delta);
    const double longest = x.head(n_).lpNorm<Eigen::Infinity>();
    if (!x.allFinite() || longest > kLongestFall) continue;
    // down is where the loads do work
    const double work = -rho_.head(n_).cwiseProduct(works_).dot(x.head(n_));
    if (work < 0 && longest > kAtRest) continue;
    Trial next = move(trial_, x);
    const Vector rho = rho_;
    if (!(update_residual(&next) < kInfinite)) {
      rho_ = rho;
      continue;
    }
    trial_ = next;
    last_step_ = longest;
    *delta *= 2;
    return true;
  }
  return false;
}

/// (M/delta + K) dx + A^T dlambda = -r,  A dx = -g, and what the other unknowns take; in scales.
Vector Solver::calc_fall(double delta) const {
  Matrix J = J_;
  J.middleCols(n_, n_drift_ + n_axes_).setZero();
  J.topLeftCorner(n_, n_) +=
      row_units_.head(n_).asDiagonal() * tangent_.middleCols(2 * n_, n_) * scales_.asDiagonal() / delta;
  return solve_least(J, -rho_, dependent_);
}

/// Directions of positions and speeds that the equations leave open.
void Solver::find_undetermined() {
  result_.undetermined_positions.assign(n_, false);
  result_.undetermined_velocities.assign(n_, false);
  const Eigen::Index n_motion = n_unknowns() - m_;
  const Matrix kernel = calc_kernel(J_, dependent_).topRows(n_motion);
  if (kernel.cols() == 0) return;
  const Matrix v =
      scales_.cwiseInverse().asDiagonal() * (calc_directions(trial_).middleRows(n_, n_).leftCols(n_motion) *
                                             column_units_.head(n_motion).asDiagonal() * kernel);
  for (int i = 0; i < n_; ++i) {
    result_.undetermined_positions[i] = kernel.row(i).norm() > kLoadShare;
    result_.undetermined_velocities[i] = v.row(i).norm() > kLoadShare;
  }
}

void Solver::update_rate() {
  if (!update_tangent(&trial_)) return;
  const auto calc_size = [&](int part) {
    return (scales_.asDiagonal() * tangent_.middleCols(part * n_, n_) * scales_.asDiagonal())
        .lpNorm<Eigen::Infinity>();
  };
  const double inertia = calc_size(2);
  if (inertia > 0) rate_ = std::sqrt(calc_size(0) / inertia);
}

void Solver::finish() {
  update_rate();
  update_residual(&trial_);
  find_undetermined();
  result_.residual = rho_.lpNorm<Eigen::Infinity>();
  result_.y = trial_.y;
  for (const StateCoordinate& c : coordinates_)
    if (c.motion == Motion::kTurn) result_.y.segment<4>(c.q).normalize();
  result_.lambda = trial_.lambda;
  result_.vdot = point_.vdot;
  result_.rates = trial_.rates;
  result_.push = trial_.push;
  result_.y_speed = point_.v.cwiseQuotient(scales_).lpNorm<Eigen::Infinity>();
  if (result_.y_speed < kNoSpeed * rate_) {  // at rest
    result_.y_speed = 0;
    result_.y.segment(sizes_.nq, n_).setZero();
    result_.rates.setZero();
    trial_.turns.setZero();
  }
  for (int k = 0; k < n_axes_; ++k) result_.turn += trial_.turns[k] * symmetry_.axes[k];
  if (result_.turn.norm() < kNoSpeed * result_.y_speed) result_.turn.setZero();
  result_.symmetry = symmetry_;
  if (!(last_step_ < kAtRest) && rho_.norm() > 0)
    result_.notes.push_back(fmt::format(
        "loads hardly change with the position here: it is known to about {:.1g} radians or length scales",
        last_step_));
  if (symmetry_.depends_on_time)
    result_.notes.emplace_back("the equations depend on time: what is found is for t = 0");
}

/// Accelerations that follow from the motion at y, less those that it has as a steady one; in scales. Empty where they
/// cannot be evaluated.
Vector Solver::calc_unsteadiness(const Vector& y) {
  Vector ydot(y.size());
  if (equations_.calc_ydot(0, y, ydot) != Status::kOk) return {};
  return (ydot.segment(sizes_.nq, n_) - point_.vdot).cwiseQuotient(scales_);
}

double Solver::calc_unsteadiness_limit(double speed) const {
  const double size = std::max(rate_, speed);
  return std::max(kSteady * size * size, kNoAcceleration);
}

bool Solver::is_steady() {
  update_rate();
  update_residual(&trial_);
  const Vector left = calc_unsteadiness(trial_.y);
  const double speed = point_.v.cwiseQuotient(scales_).lpNorm<Eigen::Infinity>();
  return left.size() == 0 || left.lpNorm<Eigen::Infinity>() <= calc_unsteadiness_limit(speed);
}

/// What balances with loads that are found must do so with those that follow from the motion.
void Solver::check_steadiness() {
  const Vector left = calc_unsteadiness(result_.y);
  if (left.size() == 0) {
    result_.failure = "the equilibrium cannot be evaluated: " + equations_.explain_failure(0, result_.y);
    return;
  }
  int worst = 0;
  if (left.cwiseAbs().maxCoeff(&worst) <= calc_unsteadiness_limit(result_.y_speed)) return;
  result_.failure = fmt::format(
      "no equilibrium and no steady motion: {} is still accelerated, by {:.3g} {}/s2{}\n"
      "  try: a motion that is steady at t = 0, another initial state, or --drift NAME for a coordinate that "
      "moves steadily",
      coordinates_[worst].velocity, left[worst] * scales_[worst],
      is_rotary(coordinates_[worst].motion) ? "rad" : "m",
      symmetry_.depends_on_time ? "; the equations depend on time" : "");
}

void Solver::explain() {
  double worst = 0;
  int row = 0;
  for (int i = 0; i < n_; ++i) {
    const double part = std::abs(rho_[i]) / (row_sizes_.size() == n_ ? std::max(row_sizes_[i], 1e-300) : 1);
    if (part > worst) {
      worst = part;
      row = i;
    }
  }
  const std::string place = n_ == 0                                     ? ""
                            : coordinates_[row].motion == Motion::kTurn ? coordinates_[row].velocity
                                                                        : coordinates_[row].position;
  const double load = n_ == 0 ? 0 : residual_.r[row];
  result_.failure = fmt::format(
      "no equilibrium was found near the initial state\n"
      "  largest load left over: {:.3g} {} at {}\n"
      "  tried: Newton's method from the initial state, then letting the machine sink as in honey\n"
      "  try: another initial state (--set initial.JOINT=...), --drift NAME for a coordinate that moves "
      "steadily, or fewer --keep",
      load, n_ > 0 && is_rotary(coordinates_[row].motion) ? "N m" : "N", place);
}

/// Neither constant nor of constant rate.
bool is_unsteady(const Expression& formula, const std::vector<double>& parameters) {
  if (!formula.uses_locals()) return false;
  for (const double t : {0., 0.013, 0.17, 1.1, 3.7, 29.}) {
    const Jet<double> x = Function<double>{&formula, parameters.data()}.calc_jet(t);
    if (std::abs(x.d2) > 0) return true;
  }
  return false;
}

}  // namespace

Model freeze_motions(const Model& model, std::vector<std::string>* notes) {
  Model frozen = model;
  const std::vector<double> parameters = model.calc_parameters();
  for (JointSpec& joint : frozen.joints) {
    bool changed = false;
    for (std::size_t k = 0; k < joint.prescribed.size(); ++k) {
      std::optional<Expression>& formula = joint.prescribed[k];
      if (!formula) continue;
      const bool is_angle_of_sequence = joint.prescribed_sequence && k < 3;
      if (!(is_angle_of_sequence ? formula->uses_locals() : is_unsteady(*formula, parameters))) continue;
      formula = Expression(Function<double>{&*formula, parameters.data()}.calc_jet(0.0).value);
      changed = true;
    }
    if (changed)
      notes->push_back(fmt::format(
          "the motion that is prescribed for joint '{}' is not steady: it stands still where it is at t = 0",
          joint.name()));
  }
  return frozen;
}

Equilibrium find_equilibrium(const EquilibriumOptions& options, const Vector& guess, Equations* equations) {
  return Solver(options, guess, equations).solve();
}

}  // namespace haltere
