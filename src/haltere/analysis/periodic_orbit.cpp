#include "haltere/analysis/periodic_orbit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "haltere/analysis/layout.h"
#include "haltere/analysis/shooting.h"
#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Against searches without end, each step of which costs a map and its derivatives; choices.
constexpr int kMostOrbitSteps = 100, kMostOrbitCuts = 8, kMostDamped = 8, kMostLegs = 200;
// of the largest singular value: below it nothing is determined; differences are good to 1e-11
constexpr double kDependentMaps = 1e-9;
// longest step, in scales and in parts of parameters; a choice, as for equilibria
constexpr double kLongestChange = 0.5;
// parts of the period, where one is too long; a choice
constexpr int kParts = 8;
// step that is none (rounding); part of the best residual so far that counts as progress, and steps without
// it: choices
constexpr double kNoChange = 1e-15, kProgress = 0.95;
constexpr int kMostIdle = 20;
// part of the residual that a damped step must take away: Armijo's condition, with the constant that is
// customary
constexpr double kOrbitProgress = 1e-4;
// residual, in scales: none, which is rounding of a period; as small as is asked for; where steps of the
// method are kept. The last two are choices.
constexpr double kNoResidual = 1e-13, kPeriodic = 1e-10, kNear = 1e-5;
// part of what accelerations change velocities by in a period that may be left over (a choice), and changes
// that are rounding
constexpr double kReturned = 0.1, kMapRounding = 1e-14;
// of the way to the goal that a leg of a continuation may be at least; a choice
constexpr double kShortestLeg = 1e-4;
// part by which half the steps may change the map, and how often they are halved for it: as long as each time
// helps as much as methods of high order do; kinks of the forces leave less. Choices; 1e-10 is the error of
// differences, as in floquet.cpp.
constexpr double kSameMap = 1e-10;
constexpr int kMostHalvings = 4;
constexpr double kHelps = 0.05;
// how well a change of place or heading must come back, of its size, to be neutral; a choice far above the
// errors of differences
constexpr double kComesBack = 1e-6;

class Chain;

/// Newton's method on one Shooting.
class OrbitSolver {
 public:
  OrbitSolver(const OrbitRequest& request, const Model& model)
      : request_(request), model_(model), shooting_(request, model) {}
  PeriodicOrbit solve();

 private:
  using Start = Shooting::Start;

  bool search(Start* start);
  void check(const Start& start);
  bool walk();
  bool solve_from(Start* start);
  bool solve_by_parts(Start* start);
  bool join(Vector x, const Vector& units, double norm, Chain* chain);
  bool update(const Start& start, bool choose_steps);  // residual and slope
  Vector calc_residual(const Shooting::Outcome& outcome) const;
  Matrix calc_tangent(const Shooting::Slope& slope) const;
  bool take_step(Start* start);
  /// Takes the step where the residual that it leads to is good enough.
  bool try_step(const Vector& x, Start* start, const std::function<bool(const Vector&)>& is_nearer);
  Vector calc_damped(double damping) const;
  void set_target_units(const Matrix& rows);

  OrbitMap make_map(const Start& start, const Shooting::Slope& slope);
  void add_neutral(const Start& start, OrbitMap* map);
  void refine(const Start& start);
  bool returns_for_a_reason(const Start& start);
  void report(const Start& start);
  void explain(const Start& start);
  std::string name_row(Eigen::Index row) const;

  const OrbitRequest& request_;
  const Model& model_;
  Shooting shooting_;
  std::vector<int> rows_;   // of the outcome, that are to come back
  Vector target_units_;     // what a target changes by, over a scale
  bool has_units_ = false;  // of parameters: those of the first start
  Vector r_;                // the residual: rows, then targets
  Matrix J_;
  Shooting::Outcome outcome_;
  Shooting::Slope slope_;
  std::string trouble_;
  PeriodicOrbit result_;
};

PeriodicOrbit OrbitSolver::solve() {
  const int n = shooting_.n();
  for (int i = 0; i < 2 * n; ++i)
    if (i >= n || request_.drift.empty() || !request_.drift[i]) rows_.push_back(i);
  Start start = shooting_.make_start();
  result_.is_mirrored = shooting_.is_mirrored();
  result_.y = start.y;
  result_.parameters = start.parameters;
  result_.period = shooting_.calc_period(start);
  if (!model_.events.empty()) result_.notes.emplace_back("events of the model do not happen here");
  trouble_ = shooting_.settle(&start);
  if (trouble_.empty()) shooting_.check_time(start);
  const bool found = trouble_.empty() && search(&start);
  if (!request_.continue_in) {
    result_.y = start.y;
    result_.parameters = start.parameters;
  }
  start = {result_.y, result_.parameters};
  if (found)
    check(start);
  else
    explain(start);
  return std::move(result_);
}

bool OrbitSolver::search(Start* start) {
  try {
    return request_.continue_in ? walk() : solve_from(start) || solve_by_parts(start);
  } catch (const Interrupted& interrupted) {
    result_.is_interrupted = true;
    trouble_ = interrupted.what();
    return false;
  }
}

/// Whether it is one, then how motions beside it go on.
void OrbitSolver::check(const Start& start) {
  report(start);
  try {
    shooting_.check_time(start);  // with the parameters that were found
    shooting_.check_drift(start, outcome_.end);
    if (!returns_for_a_reason(start)) return;
    result_.map = make_map(start, slope_);
    if (shooting_.is_periodic()) refine(start);
  } catch (const InputError& error) {
    result_.failure = fmt::format("the motion that was found is none: {}", error.what());
  } catch (const Interrupted&) {
    result_.is_interrupted = true;
    result_.notes.emplace_back("interrupted before half the steps had checked the multipliers");
  }
}

/// In a period that is short against everything, velocities hardly change, and come back by that alone.
bool OrbitSolver::returns_for_a_reason(const Start& start) {
  if (!shooting_.is_periodic() || shooting_.n() == 0) return true;
  const double change = shooting_.calc_change(start),
               left = outcome_.end.tail(shooting_.n()).lpNorm<Eigen::Infinity>();
  if (!(left > kReturned * change && change > kMapRounding)) return true;
  result_.failure = fmt::format(
      "no periodic motion was found: in {:.3g} s velocities change by {:.2g} (in scales and rates of the "
      "period) and come "
      "back to {:.2g} only\n  try: the period of the drives",
      result_.period, change, left);
  return false;
}

// -- along a parameter

/// From the easy value to the model's. The next start is the straight line through the last two.
bool OrbitSolver::walk() {
  const auto [slot, from] = *request_.continue_in;
  const double goal = model_.calc_parameters()[slot];
  Start last = shooting_.make_start(), before;
  double part = 0, part_before = 0, leg = 0;
  trouble_ = shooting_.settle(&last);
  if (!trouble_.empty() || !solve_from(&last)) return false;
  result_.walked.push_back(from);
  result_.y = last.y;
  result_.parameters = last.parameters;
  leg = 0.25;
  for (int i = 0; part < 1 && i < kMostLegs; ++i) {
    const double next = std::min(1., part + leg);
    Start start = last;
    start.parameters = shooting_.make_parameters(last.parameters, slot, from + next * (goal - from));
    if (part > part_before) {
      const double ahead = (next - part) / (part - part_before);
      const Vector d = ahead * shooting_.calc_difference(before.y, last.y);
      const int n = shooting_.n();
      shooting_.flow().tree().shift(shooting_.scales().cwiseProduct(d.head(n)),
                                    shooting_.rate() * shooting_.scales().cwiseProduct(d.tail(n)), start.y);
      for (const int k : request_.trim.parameters)
        start.parameters[k] += ahead * (last.parameters[k] - before.parameters[k]);
      if (!request_.trim.parameters.empty())
        start.parameters = shooting_.make_parameters(start.parameters, slot, start.parameters[slot]);
    }
    const int iterations = result_.iterations;
    if (shooting_.settle(&start).empty() && solve_from(&start)) {
      before = std::exchange(last, start);
      part_before = std::exchange(part, next);
      result_.walked.push_back(from + next * (goal - from));
      result_.y = last.y;
      result_.parameters = last.parameters;
      if (result_.iterations - iterations <= 5) leg *= 2;
    } else {
      leg /= 2;
      if (leg < kShortestLeg) break;
    }
  }
  if (part >= 1) return true;
  trouble_ = fmt::format("the walk in {} from {:.6g} to {:.6g} ends at {:.6g}", model_.parameters[slot].name,
                         from, goal, from + part * (goal - from));
  return false;
}

// -- Newton's method

Vector OrbitSolver::calc_residual(const Shooting::Outcome& outcome) const {
  Vector r(static_cast<Eigen::Index>(rows_.size()) + outcome.targets.size());
  const Vector left = shooting_.is_periodic() ? Vector(outcome.end - outcome.start) : outcome.end;
  r << left(rows_), outcome.targets.cwiseQuotient(target_units_);
  return r;
}

Matrix OrbitSolver::calc_tangent(const Shooting::Slope& slope) const {
  const Matrix left = shooting_.is_periodic() ? Matrix(slope.end - slope.start) : slope.end;
  Matrix J(static_cast<Eigen::Index>(rows_.size()) + slope.targets.rows(), left.cols());
  J << left(rows_, Eigen::all), target_units_.cwiseInverse().asDiagonal() * slope.targets;
  return J;
}

/// A target counts by how far the unknowns would have to go for it.
void OrbitSolver::set_target_units(const Matrix& rows) {
  target_units_.resize(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double size = calc_row_norm(rows, i);
    target_units_[i] =
        size > 0 ? size : std::max(std::abs(outcome_.targets[i]), std::numeric_limits<double>::min());
  }
}

bool OrbitSolver::update(const Start& start, bool choose_steps) {
  trouble_ = shooting_.prepare(start, choose_steps);
  if (!trouble_.empty()) return false;
  if (!has_units_) shooting_.set_parameter_units(start);
  has_units_ = true;
  outcome_ = shooting_.shoot(start, start.y);
  trouble_ = outcome_.failure;
  if (!trouble_.empty()) return false;
  slope_ = shooting_.differentiate(start);
  trouble_ = slope_.failure;
  if (!trouble_.empty()) return false;
  set_target_units(slope_.targets);
  r_ = calc_residual(outcome_);
  J_ = calc_tangent(slope_);
  return true;
}

bool OrbitSolver::solve_from(Start* start) {
  double before = kNoLimit, best = kNoLimit;
  int idle = 0;
  for (int i = 0; i < kMostOrbitSteps; ++i) {
    if (!update(*start, !(before < kNear))) return false;
    const double size = r_.size() == 0 ? 0 : r_.lpNorm<Eigen::Infinity>();
    shooting_.progress = {result_.iterations, size};
    if (size <= kNoResidual || (size <= kPeriodic && size > 0.1 * before)) return true;
    idle = size < kProgress * best ? 0 : idle + 1;
    best = std::min(best, size);
    if (idle > kMostIdle) {
      trouble_ = fmt::format("{} steps led no nearer", kMostIdle);
      return false;
    }
    before = size;
    if (!take_step(start)) return size <= kPeriodic;
    ++result_.iterations;
  }
  trouble_ = fmt::format("not in {} steps", kMostOrbitSteps);
  return false;
}

/// The least x with J x = -r, bounded, and halved until the residual falls; else the step of Levenberg and
/// Marquardt, J^T J x + damping x = -J^T r [levenberg1944] [marquardt1963], which goes downhill for every
/// damping; else x again, halved until the correction that would follow with the same J is shorter
/// [deuflhard2004] ch. 3.3: an unstable motion makes large residuals of small errors.
bool OrbitSolver::take_step(Start* start) {
  const double norm = r_.norm();
  const Vector x = solve_least(J_, -r_, kDependentMaps);
  const double full = x.norm(), longest = x.size() == 0 ? 0 : x.lpNorm<Eigen::Infinity>();
  if (!(longest > kNoChange)) {
    trouble_ = "nothing that is free makes it smaller";
    return false;
  }
  const double most = std::min(1., kLongestChange / longest);
  const auto falls = [&](const Vector& r) { return r.norm() < (1 - kOrbitProgress) * norm; };
  double part = most;
  for (int cut = 0; cut < kMostOrbitCuts; ++cut, part /= 2)
    if (try_step(part * x, start, falls)) return true;
  double damping = 1e-4 * J_.squaredNorm();
  for (int i = 0; i < kMostDamped; ++i, damping *= 10)
    if (try_step(calc_damped(damping), start, falls)) return true;
  part = most;
  for (int cut = 0; cut < kMostOrbitCuts; ++cut, part /= 2)
    if (try_step(part * x, start, [&](const Vector& r) {
          return solve_least(J_, r, kDependentMaps).norm() < (1 - part / 4) * full;
        }))
      return true;
  trouble_ = "no step leads nearer";
  return false;
}

Vector OrbitSolver::calc_damped(double damping) const {
  const Eigen::Index m = J_.rows(), n = J_.cols();
  Matrix A(m + n, n);
  A << J_, std::sqrt(damping) * Matrix::Identity(n, n);
  Vector b = Vector::Zero(m + n);
  b.head(m) = -r_;
  Vector x = solve_least(A, b, kDependentMaps);
  return x * std::min(1., kLongestChange / std::max(x.lpNorm<Eigen::Infinity>(), kLongestChange));
}

bool OrbitSolver::try_step(const Vector& x, Start* start,
                           const std::function<bool(const Vector&)>& is_nearer) {
  Start trial = *start;
  if (!shooting_.move(x, &trial).empty()) return false;
  const Shooting::Outcome outcome = shooting_.shoot(trial, trial.y);
  if (!outcome.failure.empty() || !is_nearer(calc_residual(outcome))) return false;
  *start = std::move(trial);
  return true;
}

// -- multiple shooting

/// Starts of all parts of the period, and how they fit together.
class Chain {
 public:
  Chain(const std::vector<int>& rows, Shooting* shooting) : rows_(rows), shooting_(*shooting) {}

  std::vector<Vector> starts;
  std::vector<double> parameters;

  /// Residual of all joints of the chain, then the targets. False where it cannot be computed.
  bool calc(Vector* r, Matrix* J);
  bool move(const Vector& x);

 private:
  int size() const { return static_cast<int>(starts.size()); }
  const Vector& next(int k) const { return starts[(k + 1) % starts.size()]; }

  const std::vector<int>& rows_;  // that the last part must bring back
  Shooting& shooting_;
};

/// The residual and how it changes with starts and parameters. The end of a part is compared with the next
/// start, whose own change counts as it is.
bool Chain::calc(Vector* r, Matrix* J) {
  const Eigen::Index n = shooting_.n_state(), np = shooting_.n_parameters(), all = n * size() + np;
  Eigen::Index n_targets = 0;
  std::vector<Vector> left;
  std::vector<Matrix> slopes;
  for (int k = 0; k < size(); ++k) {
    const Shooting::Part part{k, size()};
    const Shooting::Start start{starts[k], parameters};
    if (!shooting_.choose_steps(start, part).empty()) return false;
    const Shooting::Outcome out = shooting_.shoot(start, next(k), part);
    if (!out.failure.empty()) return false;
    n_targets = out.targets.size();
    Vector both(out.end.size() + n_targets);
    both << out.end, out.targets;
    left.push_back(std::move(both));
    if (J == nullptr) continue;
    const Shooting::Slope slope = shooting_.differentiate(start, next(k), part);
    if (!slope.failure.empty()) return false;
    Matrix own(slope.end.rows() + n_targets, slope.end.cols());
    own << slope.end, slope.targets;
    slopes.push_back(std::move(own));
  }
  const Eigen::Index n_last = static_cast<Eigen::Index>(rows_.size()), n_rows = n * (size() - 1) + n_last;
  *r = Vector::Zero(n_rows + n_targets);
  if (J != nullptr) *J = Matrix::Zero(n_rows + n_targets, all);
  for (int k = 0; k < size(); ++k) {
    const bool last = k + 1 == size();
    std::vector<int> rows = rows_;
    if (!last)
      for (rows.clear(); static_cast<Eigen::Index>(rows.size()) < n;)
        rows.push_back(static_cast<int>(rows.size()));
    const auto count = static_cast<Eigen::Index>(rows.size());
    r->segment(n * k, count) = left[k](rows);
    r->tail(n_targets) += left[k].tail(n_targets);
    if (J == nullptr) continue;
    const Matrix own = slopes[k](rows, Eigen::all);
    J->block(n * k, n * k, count, n) = own.leftCols(n);
    J->block(n * k, n * size(), count, np) = own.rightCols(np);
    J->block(n * k, n * ((k + 1) % size()), count, n) -= Matrix(Matrix::Identity(n, n))(rows, Eigen::all);
    J->block(n_rows, n * k, n_targets, n) += slopes[k].bottomLeftCorner(n_targets, n);
    J->block(n_rows, n * size(), n_targets, np) += slopes[k].bottomRightCorner(n_targets, np);
  }
  return true;
}

bool Chain::move(const Vector& x) {
  const int n = shooting_.n_state(), np = shooting_.n_parameters();
  for (int k = 0; k < size(); ++k) {
    Vector own = Vector::Zero(n + np);
    own.head(n) = x.segment(Eigen::Index{n} * k, n);
    own.tail(np) = x.tail(np);
    Shooting::Start start{starts[k], parameters};
    if (!shooting_.move(own, &start).empty()) return false;
    starts[k] = start.y;
    if (k + 1 == size()) parameters = start.parameters;
  }
  return true;
}

/// An unstable motion forgets its start within a period, and no step from there helps. In parts each forgets
/// little; the parts begin all at the given start, need not fit together, and Newton's method joins them.
/// What comes out is a start for one part.
bool OrbitSolver::solve_by_parts(Start* start) {
  if (!shooting_.is_periodic() || shooting_.has_constraints()) return false;
  Chain chain(rows_, &shooting_);
  const Start first = shooting_.make_start();
  chain.starts.assign(kParts, first.y);
  chain.parameters = first.parameters;
  if (!shooting_.prepare(first, false).empty()) return false;
  if (!has_units_) shooting_.set_parameter_units(first, {0, kParts});
  has_units_ = true;
  Vector r;
  Matrix J;
  for (int i = 0; i < kMostOrbitSteps; ++i) {
    if (!chain.calc(&r, &J)) return false;
    const auto n_targets = static_cast<Eigen::Index>(request_.trim.targets.size());
    Vector units = Vector::Ones(r.size());
    for (Eigen::Index k = r.size() - n_targets; k < r.size(); ++k)
      units[k] = std::max(J.row(k).norm(), std::numeric_limits<double>::min());
    r = r.cwiseQuotient(units).eval();
    if (r.norm() < kNear) break;
    J = (units.cwiseInverse().asDiagonal() * J).eval();
    ++result_.iterations;
    if (!join(solve_least(J, -r, kDependentMaps), units, r.norm(), &chain)) return false;
  }
  Start joined{chain.starts[0], chain.parameters};
  if (!shooting_.settle(&joined).empty() || !solve_from(&joined)) return false;
  *start = joined;
  return true;
}

/// Bounded, and halved until the residual falls.
bool OrbitSolver::join(Vector x, const Vector& units, double norm, Chain* chain) {
  x *= std::min(1., kLongestChange / std::max(x.lpNorm<Eigen::Infinity>(), kNoChange));
  for (int cut = 0; cut < kMostOrbitCuts; ++cut, x /= 2) {
    Chain trial = *chain;
    Vector after;
    if (!trial.move(x) || !trial.calc(&after, nullptr)) continue;
    if (!(after.cwiseQuotient(units).norm() < (1 - kOrbitProgress) * norm)) continue;
    chain->starts = std::move(trial.starts);
    chain->parameters = std::move(trial.parameters);
    return true;
  }
  return false;
}

// -- what was found

std::string OrbitSolver::name_row(Eigen::Index row) const {
  if (row >= static_cast<Eigen::Index>(rows_.size()))
    return "the mean of " + request_.trim.targets[row - static_cast<Eigen::Index>(rows_.size())].mean.name;
  const int i = rows_[row], n = shooting_.n();
  return i < n ? shooting_.coordinates()[i].position : shooting_.coordinates()[i - n].velocity;
}

void OrbitSolver::report(const Start& start) {
  const auto n_rows = static_cast<Eigen::Index>(rows_.size());
  Eigen::Index worst = 0;
  result_.residual = n_rows == 0 || r_.size() == 0 ? 0 : r_.head(n_rows).cwiseAbs().maxCoeff(&worst);
  if (n_rows > 0) result_.worst = name_row(worst);
  result_.period = shooting_.calc_period(start);
  const int halves = shooting_.is_mirrored() ? 2 : 1;
  if (shooting_.is_periodic()) {
    result_.steps = halves * shooting_.flow().n_steps();
    if (shooting_.flow().has_equal_steps()) result_.step = result_.period / result_.steps;
  }
  for (std::size_t i = 0; i < request_.trim.targets.size(); ++i) {
    const TrimSpec::Target& target = request_.trim.targets[i];
    const auto k = static_cast<Eigen::Index>(i);
    PeriodicOrbit::Target reached{target.mean.name, unit_of_measure(target.mean), 0, 0, true};
    reached.wanted = target.value.calc<double, double>(start.parameters.data(), nullptr);
    reached.reached = reached.wanted + (outcome_.targets.size() > k ? outcome_.targets[k] : 0);
    reached.is_met = r_.size() > n_rows + k && std::abs(r_[n_rows + k]) <= kPeriodic;
    result_.targets.push_back(std::move(reached));
  }
  const std::vector<double> before = model_.calc_parameters();
  for (const int slot : request_.trim.parameters) {
    const ParameterSpec& parameter = model_.parameters[slot];
    const bool known = parameter.measure.kind == Measure::Kind::kExact;
    result_.changed.push_back({parameter.name, known ? to_string(parameter.measure.dimension) : "",
                               before[slot], start.parameters[slot]});
  }
}

void OrbitSolver::explain(const Start& start) {
  if (!trouble_.empty() && r_.size() == 0) {
    result_.failure = trouble_;
    return;
  }
  report(start);
  std::string text = shooting_.is_periodic() ? "no periodic motion was found" : "no steady motion was found";
  if (!trouble_.empty()) text += ": " + trouble_;
  text += fmt::format("\n  {} does not come back by {:.3g} (radians, length scales or their rates)",
                      result_.worst, result_.residual);
  for (std::size_t i = 0; i < result_.targets.size(); ++i) {
    const PeriodicOrbit::Target& target = result_.targets[i];
    if (target.is_met) continue;
    const bool fixed = !(calc_row_norm(slope_.targets, static_cast<Eigen::Index>(i)) > 0);
    text += fmt::format("\n  the mean of {} is {:.6g} {}, not {:.6g}{}", target.name, target.reached,
                        target.unit, target.wanted, fixed ? ": nothing that is free changes it" : "");
  }
  for (int k = 0; k < shooting_.n_parameters(); ++k)
    if (slope_.end.cols() > shooting_.n_state() + k && slope_.end.col(shooting_.n_state() + k).norm() == 0)
      text += fmt::format("\n  parameter '{}' changes nothing",
                          model_.parameters[request_.trim.parameters[k]].name);
  if (!result_.is_interrupted)
    text +=
        "\n  try: an initial state nearer to the motion, more free parameters (--free), a walk from "
        "an easier value (--continue-in), or positions that may advance (--drift)";
  result_.failure = text;
}

/// In the directions that the constraints allow: what a change of the start, and the change of the end, are
/// in the same coordinates.
OrbitMap OrbitSolver::make_map(const Start& start, const Shooting::Slope& slope) {
  const Matrix &Zx = shooting_.position_directions(), &Zv = shooting_.velocity_directions();
  const Eigen::Index n = shooting_.n(), nx = Zx.cols(), nv = Zv.cols();
  Matrix P = Matrix::Zero(2 * n, nx + nv);
  P.topLeftCorner(n, nx) = Zx;
  P.bottomRightCorner(n, nv) = Zv;
  OrbitMap map;
  const Matrix D = P.transpose() * slope.start.leftCols(nx + nv),
               M = P.transpose() * slope.end.leftCols(nx + nv);
  map.F = nx + nv == 0 ? M : divide_right(M, D);
  map.X = P.topRows(n);
  map.V = P.bottomRows(n);
  int turn = 0;
  for (const StateCoordinate& c : shooting_.coordinates()) {
    const std::string stem = c.position.substr(0, c.position.rfind('.'));
    map.positions.push_back(c.motion == Motion::kTurn ? fmt::format("{}.turn.{}", stem, "xyz"[turn++ % 3])
                                                      : c.position);
    map.velocities.push_back(c.velocity);
  }
  add_neutral(start, &map);
  return map;
}

/// Single coordinates and turns of the whole machine, where the map brings them back.
void OrbitSolver::add_neutral(const Start& start, OrbitMap* map) {
  const int n = shooting_.n();
  const Sizes sizes = shooting_.flow().tree().sizes();
  const Vector& scales = shooting_.scales();
  Matrix known(map->F.rows(), 0);
  const auto add = [&](const std::string& name, const Vector& dq, const Vector& dv) {
    Vector change(2 * n);
    change << dq.cwiseQuotient(scales), dv.cwiseQuotient(scales) / shooting_.rate();
    const double size = change.norm();
    if (!(size > 0)) return;
    const Vector z = map->X.transpose() * change.head(n) + map->V.transpose() * change.tail(n);
    const Vector back = map->F * z;
    // a heading that changes turns what advances: that is a change of place, which is taken out already
    const auto calc_size = [&](Vector x) {
      if (known.cols() > 0) x -= known * solve_least(known, x, kComesBack);
      return x.norm();
    };
    double away = calc_size(shooting_.is_periodic() ? Vector(back - z) : back);
    if (shooting_.is_mirrored()) away = std::min(away, calc_size(back + z));
    if (!(away <= kComesBack * size) || !((change.head(n) - map->X * z).norm() <= kComesBack * size)) return;
    Matrix more(known.rows(), known.cols() + 1);
    more << known, z / size;
    if (order_columns(more, kComesBack).rank < more.cols()) return;
    known = more;
    map->neutral.push_back({name, z / size});
  };
  const Vector none = Vector::Zero(n);
  for (int i = 0; i < n; ++i)
    if (shooting_.coordinates()[i].motion != Motion::kTurn)
      add(shooting_.coordinates()[i].position, scales[i] * Vector::Unit(n, i), none);
  const Layout layout(model_, start.parameters);
  std::vector<Vector3<double>> axes;
  Vector3<double> gravity = Vector3<double>::Zero();
  const Resolver<double> resolver{start.parameters.data()};
  for (int i = 0; i < 3; ++i) gravity[i] = resolver.calc(model_.gravity[i]);
  if (gravity.norm() > 0) axes.emplace_back(-gravity.normalized());
  for (int i = 0; i < 3; ++i) axes.emplace_back(Vector3<double>::Unit(i));
  for (const Vector3<double>& axis : axes)
    add(fmt::format("heading about ({:.4g}, {:.4g}, {:.4g})", axis[0] + 0., axis[1] + 0., axis[2] + 0.),
        layout.calc_turn(axis, start.y), layout.calc_rate(axis) * start.y.segment(sizes.nq, n));
}

/// The map of the same orbit with half the steps: how far multipliers move tells how good they are. Steps
/// that were chosen for a motion that hardly moves may be too long for those beside it; given ones stay.
void OrbitSolver::refine(const Start& start) {
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostHalvings; ++i) {
    shooting_.flow().halve_steps();
    const Shooting::Slope slope = shooting_.differentiate(start);
    if (!slope.failure.empty()) return;
    OrbitMap map = make_map(start, slope);
    const double change = (map.F - result_.map.F).norm() / map.F.norm();
    const bool done = change <= kSameMap || !(change < kHelps * before) || i + 1 == kMostHalvings;
    before = change;
    result_.refined = std::move(map);
    if (done || shooting_.flow().has_equal_steps()) return;
    result_.map = result_.refined;
    result_.steps *= 2;
  }
}

/// The position that `body.NAME.velocity.x` moves, of a body that is free in space and whose joint has the
/// axes of the world; "" where there is none.
std::string name_free_position(const Model& model, const std::string& channel) {
  for (const JointSpec& joint : model.joints) {
    const bool is_free = joint.parent.value == 0 && joint.nv() == 6 &&
                         joint.parent_frame.rotation.form == RotationSpec::Form::kNone;
    const std::string stem = fmt::format("body.{}.velocity.", model.bodies[joint.child.value].name);
    if (!is_free || !channel.starts_with(stem) || channel.size() != stem.size() + 1) continue;
    return fmt::format("joint.{}.position.{}", joint.name(), 3 + channel.back() - 'x');
  }
  return "";
}

}  // namespace

std::vector<bool> find_drifting(const Model& model, const std::vector<TrimSpec::Target>& targets) {
  const std::vector<StateCoordinate> coordinates = list_coordinates(model);
  std::vector<bool> drift(coordinates.size(), false);
  for (const TrimSpec::Target& target : targets) {
    if (target.mean.channels.size() != 1 || target.mean.of.text() != target.mean.channels[0]) continue;
    const std::string& channel = target.mean.channels[0];
    const std::string position = name_free_position(model, channel);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const StateCoordinate& c = coordinates[i];
      if (c.motion != Motion::kTurn && (c.velocity == channel || c.position == position)) drift[i] = true;
    }
  }
  return drift;
}

PeriodicOrbit find_orbit(const OrbitRequest& request, const Model& model) {
  require_no_memory(model, "periodic motion");
  require_no_states(model, "the search for a periodic motion");
  return OrbitSolver(request, model).solve();
}

}  // namespace haltere
