#include "haltere/analysis/assembly.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "haltere/dynamics/equations.h"
#include "haltere/dynamics/recursive/recursive.h"
#include "haltere/integrate/evaluator.h"
#include "haltere/math/dense.h"
#include "haltere/simulate/notes.h"
#include "haltere/simulate/start.h"
#include "haltere/simulate/stated.h"

namespace haltere {
namespace {

// of angles, and of lengths in length scales: what rounding leaves, and what may be left, as kMet and kSmall
// of stabilization.cpp
constexpr double kMet = 1e-13, kAssembled = 1e-9;
// against loops without end; after 12 cuts a step is 2e-4 of itself, and another guess is worth more
constexpr int kMostAssemblySteps = 60, kMostAssemblyCuts = 12;
// in so many steps the residual must halve: else this is the bottom of a valley; a choice
constexpr int kPatience = 10;
// part of the residual that a step must take away: Armijo's condition, with the constant that is customary
constexpr double kAssemblyProgress = 1e-4;
// longest step, in radians and length scales: a linkage knows little about itself half a radian away; a
// choice
constexpr double kLongestMove = 0.5;
// of the largest singular value: below it rows depend on each other (the root of rounding), or nearly so (a
// choice, for a note)
constexpr double kDependentRows = 1e-8, kNearlyDependent = 1e-3;
// share of a coordinate in a motion that the rows leave free (unit vectors): less is rounding; a choice
constexpr double kRowShare = 1e-6;
// distance of two branches, in radians and length scales: nearer ones are the same; a choice
constexpr double kDistinct = 1e-4;
// along the motion, in radians and length scales, to see whether a position is singular; a choice
constexpr double kBeside = 1e-2;
// other guesses: at most so many, and fewer for large machines (rows times unknowns squared, of all); choices
// that bound the time
constexpr int kMostGuesses = 100;
constexpr double kMostWork = 2e7;
constexpr std::size_t kMostBranches = 8;
// of the worst row: rows that are named with it; a choice
constexpr double kAlsoUnmet = 0.1;
constexpr std::size_t kMostFreed = 24;  // kept coordinates that are tried as unknowns

std::vector<int> indices_of(const std::vector<bool>& flags, bool wanted) {
  std::vector<int> list;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] == wanted) list.push_back(static_cast<int>(i));
  return list;
}

/// Rank of a scaled matrix, and what its rows say of each column.
struct RankAnalysis {
  explicit RankAnalysis(const Eigen::MatrixXd& J) : share(Eigen::VectorXd::Ones(J.cols())) {
    if (J.size() == 0) return;
    const SingularValues seen = calc_singular_directions(J);
    const Eigen::VectorXd& s = seen.values;
    while (rank < s.size() && s[rank] > kDependentRows * s[0]) ++rank;
    if (rank == 0) return;
    V = seen.V.leftCols(rank);
    share = (share - V.cwiseAbs2().rowwise().sum()).cwiseMax(0).cwiseSqrt();
  }
  int rank = 0;
  Eigen::MatrixXd V;      // coordinates that the rows see, orthonormal
  Eigen::VectorXd share;  // of each coordinate in motions that they do not see
};

/// Smallest over largest singular value of a matrix of this rank, its columns of length one: small where it
/// almost has a smaller rank, however far the unknowns reach.
double calc_regularity(Eigen::MatrixXd J, int rank) {
  if (rank == 0) return 1;
  const double rounding = kDependentRows * J.colwise().norm().maxCoeff();
  for (auto column : J.colwise()) {
    const double size = column.norm();
    column *= size > rounding ? 1 / size : 0;
  }
  const Eigen::VectorXd s = calc_singular_values(J);
  return s[rank - 1] / s[0];
}

/// Part of r that the columns of J cannot produce.
Eigen::VectorXd calc_out_of_reach(const Eigen::MatrixXd& J, const Eigen::VectorXd& r) {
  if (J.cols() == 0) return r;
  return r - J * solve_least_vector(J, r, kDependentRows);
}

class Assembler {
 public:
  Assembler(const Partition& partition, Equations* equations);
  Assembly assemble(const Eigen::VectorXd& guess);

 private:
  using Vector = Eigen::VectorXd;
  bool is_partitioned() const { return !partition_.positions.empty(); }

  // -- rows and coordinates in radians and length scales
  double update_residual(const Vector& y);  // into r_; infinite where it cannot be evaluated
  Eigen::MatrixXd calc_J(const Vector& y, const std::vector<int>& rows, const std::vector<int>& columns);
  Eigen::MatrixXd calc_position_J(const Vector& y, const std::vector<int>& columns) {
    return calc_J(y, position_rows_, columns);
  }
  Eigen::MatrixXd calc_velocity_J(const Vector& y, const std::vector<int>& columns) {
    return calc_J(y, all_rows_, columns);
  }
  Vector calc_difference(const Vector& from, const Vector& to) const;  // angles within half a turn
  void shift(const std::vector<int>& columns, const Vector& x, Vector* y) const;

  // -- positions
  bool solve(Vector* y);
  bool solve_as_run(Vector* y);
  bool solve_least(Vector* y);
  bool solve_newton(const std::vector<int>& unknowns, Vector* y);
  void come_near(Vector* y);
  void settle_orientations(Vector* y) const;
  void look_around();
  std::vector<Vector> make_guesses() const;
  void add_branch(Vector y);
  bool find_singularity(const Vector& y, int rank);
  void analyse();

  // -- velocities
  void solve_velocities();
  void add_velocity_change(const std::vector<int>& unknowns, Vector* y);
  /// Residual of the rows, and how large its terms are.
  Vector calc_velocity_residual(const Vector& y, double* size);

  // -- words
  std::string name_all(const std::vector<int>& coordinates, bool of_velocities) const;
  std::string describe(const Branch& branch) const;
  /// Returns the residual of the worst.
  double name_unmet_rows(const std::vector<int>& rows, const Eigen::MatrixXd& J, const Vector& r);
  std::string name_rows() const;
  void explain_positions();
  std::vector<int> find_positions_to_free(bool* any_one);
  void explain_velocities(const Vector& r, double size);
  void add_notes();

  Equations& equations_;
  const std::vector<StateCoordinate> coordinates_;
  const Partition& partition_;
  const Sizes sizes_;
  Vector scales_, row_scales_;
  const std::vector<int> position_rows_;  // nonholonomic rows are about velocities only
  std::vector<int> all_rows_;
  std::vector<int> all_, unknowns_, kept_;  // of the positions
  Assembly result_;
  std::vector<Branch> found_;
  Vector nearest_miss_;  // least residual that was seen
  double least_ = std::numeric_limits<double>::infinity();
  Vector g_, gdot_, r_;
};

Assembler::Assembler(const Partition& partition, Equations* equations)
    : equations_(*equations),
      coordinates_(list_coordinates(equations->model())),
      partition_(partition),
      sizes_(equations->sizes()),
      position_rows_(equations->position_rows()) {
  scales_ = equations_.calc_scales().segment(sizes_.nq, sizes_.nv);
  row_scales_ = equations_.row_scales();
  for (int row = 0; row < sizes_.na; ++row) all_rows_.push_back(row);
  g_.setZero(sizes_.ng);
  gdot_.setZero(sizes_.na);
  for (int i = 0; i < sizes_.nv; ++i) all_.push_back(i);
  unknowns_ = is_partitioned() ? indices_of(partition_.positions, true) : all_;
  if (is_partitioned()) kept_ = indices_of(partition_.positions, false);
}

Assembly Assembler::assemble(const Vector& guess) {
  result_.guess = guess;
  settle_orientations(&result_.guess);
  result_.y = result_.guess;
  if (sizes_.na == 0) {
    result_.notes.emplace_back("nothing is constrained: every state obeys");
    return result_;
  }
  const bool met = (!is_partitioned() && solve_as_run(&result_.y)) || solve(&result_.y);
  if (met) add_branch(result_.y);
  const int rank = RankAnalysis(calc_position_J(result_.y, unknowns_)).rank;
  const bool is_determined =
      rank == static_cast<int>(unknowns_.size()) || (is_partitioned() && find_singularity(result_.y, rank));
  if (!met || is_determined) look_around();
  if (found_.empty()) {
    explain_positions();
    return result_;
  }
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Branch& a, const Branch& b) { return a.distance < b.distance; });
  result_.ran_away = !met || calc_difference(found_[0].y, result_.y).norm() > kDistinct;
  result_.y = found_[0].y;
  result_.distance = found_[0].distance;
  result_.others.assign(found_.begin() + 1, found_.end());
  settle_orientations(&result_.y);
  analyse();
  solve_velocities();
  if (result_.failure.empty()) add_notes();
  return result_;
}

// -- rows and coordinates

double Assembler::update_residual(const Vector& y) {
  const Status status = equations_.calc_drift(0, y, g_, gdot_);
  r_ = g_.cwiseQuotient(row_scales_(position_rows_));
  const double size = r_.norm();
  return status == Status::kOk && std::isfinite(size) ? size : std::numeric_limits<double>::infinity();
}

Eigen::MatrixXd Assembler::calc_J(const Vector& y, const std::vector<int>& rows,
                                  const std::vector<int>& columns) {
  Eigen::MatrixXd A;
  Vector b;
  equations_.calc_constraint_matrix(0, y, &A, &b);
  return row_scales_(rows).cwiseInverse().asDiagonal() * A(rows, columns) * scales_(columns).asDiagonal();
}

Eigen::VectorXd Assembler::calc_difference(const Vector& from, const Vector& to) const {
  Vector x(sizes_.nv);
  for (int i = 0; i < sizes_.nv; ++i) {
    const StateCoordinate& c = coordinates_[i];
    if (c.motion == Motion::kTurn) {
      Vector4<double> back = from.segment<4>(c.q);
      back.tail<3>() *= -1;
      x.segment<3>(i) = quaternion_log<double>(multiply<double>(to.segment<4>(c.q), back));
      i += 2;
    } else {
      x[i] = (to[c.q] - from[c.q]) / scales_[i];
      if (c.motion == Motion::kAngle) x[i] = std::remainder(x[i], 2 * std::numbers::pi);
    }
  }
  return x;
}

void Assembler::shift(const std::vector<int>& columns, const Vector& x, Vector* y) const {
  Vector dq = Vector::Zero(sizes_.nv);
  dq(columns) = x.cwiseProduct(scales_(columns));
  equations_.shift(dq, Vector::Zero(sizes_.nv), *y);
}

// -- positions

bool Assembler::solve(Vector* y) {
  const bool met = solve_newton(unknowns_, y);
  if (met) come_near(y);
  const double left = update_residual(*y);
  if (left < least_) {
    least_ = left;
    nearest_miss_ = *y;
  }
  return met;
}

/// As a run does it at its start.
bool Assembler::solve_as_run(Vector* y) {
  return settle_positions(list_stated(equations_.model()).positions, &equations_, y).status == Status::kOk;
}

bool Assembler::solve_least(Vector* y) {
  const Vector v = sizes_.v(*y);
  const Status status = Stabilizer(Stabilization{}).assemble(0, *y, &equations_);
  sizes_.v(*y) = v;
  return status == Status::kOk;
}

/// J x = -r with the least x where that is not unique, in steps that are bounded, and halved until the sum of
/// squares falls.
bool Assembler::solve_newton(const std::vector<int>& unknowns, Vector* y) {
  double before = update_residual(*y), milestone = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostAssemblySteps && before > kMet && !unknowns.empty(); ++i) {
    if (i % kPatience == 0 && !(before < std::exchange(milestone, before) / 2)) break;
    Vector x = solve_least_vector(calc_position_J(*y, unknowns), -r_, kDependentRows);
    const double longest = x.lpNorm<Eigen::Infinity>();
    if (longest > kLongestMove) x *= kLongestMove / longest;
    const Vector r = r_;
    double after = before;
    Vector trial;
    for (int cut = 0; cut < kMostAssemblyCuts && !(after < (1 - kAssemblyProgress) * before); ++cut, x /= 2) {
      trial = *y;
      shift(unknowns, x, &trial);
      after = update_residual(trial);
    }
    if (!(after < before)) {
      r_ = r;
      break;
    }
    *y = trial;
    before = after;
  }
  return before < kAssembled;
}

/// Angles that went through whole turns on the way come back by them.
void Assembler::come_near(Vector* y) {
  bool moved = false;
  for (const int i : unknowns_) {
    const StateCoordinate& c = coordinates_[i];
    if (c.motion != Motion::kAngle) continue;
    const double change = (*y)[c.q] - result_.guess[c.q];
    if (!(std::abs(change) > std::numbers::pi)) continue;
    (*y)[c.q] = result_.guess[c.q] + std::remainder(change, 2 * std::numbers::pi);
    moved = true;
  }
  if (moved) solve_newton(unknowns_, y);  // takes away the rounding of 2 pi
}

/// What an `initial:` block can give back with the same bits.
void Assembler::settle_orientations(Vector* y) const {
  for (const StateCoordinate& c : coordinates_)
    if (c.motion == Motion::kTurn) y->segment<4>(c.q) = settle_quaternion(y->segment<4>(c.q));
}

/// Of points of one motion the nearest stands for all.
void Assembler::add_branch(Vector y) {
  for (const Branch& other : found_)
    if (calc_difference(other.y, y).norm() < kDistinct) return;
  const double distance = calc_difference(result_.guess, y).norm();
  const bool is_isolated =
      RankAnalysis(calc_position_J(y, unknowns_)).rank == static_cast<int>(unknowns_.size());
  Branch branch{std::move(y), distance, is_isolated};
  const auto motion =
      std::find_if(found_.begin(), found_.end(), [](const Branch& other) { return !other.is_isolated; });
  if (is_isolated || motion == found_.end())
    found_.push_back(std::move(branch));
  else if (distance < motion->distance)
    *motion = std::move(branch);
}

void Assembler::look_around() {
  for (Vector& y : make_guesses()) {
    ++result_.n_guesses;
    if (solve(&y) && found_.size() <= kMostBranches) add_branch(y);
  }
}

/// One unknown after the other moved both ways, then all at once.
std::vector<Eigen::VectorXd> Assembler::make_guesses() const {
  const auto n = static_cast<double>(unknowns_.size());
  const double affordable = kMostWork / (1 + static_cast<double>(sizes_.ng) * n * n);
  const auto most = static_cast<std::size_t>(std::min<double>(kMostGuesses, affordable));
  std::vector<Vector> guesses;
  const auto add = [&](const Vector& x) {
    guesses.push_back(result_.guess);
    shift(unknowns_, x, &guesses.back());
  };
  Vector x = Vector::Zero(static_cast<Eigen::Index>(unknowns_.size()));
  for (const double step : {1., -1., 2., -2., 0.3, -0.3})
    for (Eigen::Index i = 0; i < x.size() && guesses.size() < 2 * most / 3; ++i) {
      x[i] = step;
      add(x);
      x[i] = 0;
    }
  std::mt19937 random(1);  // its numbers are the same everywhere
  while (guesses.size() < most && x.size() > 0) {
    for (double& value : x) value = std::numbers::pi * (2 * std::ldexp(random(), -32) - 1);
    add(x);
  }
  return guesses;
}

/// Where the machine can move, a step along the motion tells whether the rows are more independent beside
/// this position than in it.
bool Assembler::find_singularity(const Vector& y, int rank) {
  const RankAnalysis rows(calc_position_J(y, all_));
  Vector direction(sizes_.nv);
  for (int i = 0; i < sizes_.nv; ++i) direction[i] = std::cos(1 + i);  // anything
  if (rows.rank > 0) direction -= rows.V * (rows.V.transpose() * direction);
  const double size = direction.norm();
  if (!(size > kRowShare * std::sqrt(static_cast<double>(sizes_.nv)))) return false;
  for (const double step : {kBeside, -kBeside}) {
    Vector beside = y;
    shift(all_, step / size * direction, &beside);
    if (!solve_least(&beside)) continue;
    if (RankAnalysis(calc_position_J(beside, unknowns_)).rank > rank) return true;
  }
  return false;
}

void Assembler::analyse() {
  result_.drift = update_residual(result_.y);
  result_.redundant_rows = equations_.find_dependent_rows();
  const Eigen::MatrixXd J = calc_position_J(result_.y, unknowns_);
  const RankAnalysis rows(J);
  result_.regularity = calc_regularity(J, rows.rank);
  result_.is_singular = find_singularity(result_.y, rows.rank);
  if (rows.rank < static_cast<int>(unknowns_.size()))
    for (std::size_t i = 0; i < unknowns_.size(); ++i)
      if (rows.share[static_cast<Eigen::Index>(i)] > kRowShare)
        result_.free_positions.push_back(unknowns_[i]);
}

// -- velocities

Eigen::VectorXd Assembler::calc_velocity_residual(const Vector& y, double* size) {
  Eigen::MatrixXd A;
  Vector b;
  equations_.calc_constraint_matrix(0, y, &A, &b);
  const auto v = sizes_.v(y);
  const Vector terms = A.cwiseAbs() * v.cwiseAbs() + b.cwiseAbs();
  *size = terms.cwiseQuotient(row_scales_).maxCoeff();
  return (A * v + b).cwiseQuotient(row_scales_);
}

/// The least change of these velocities that takes the residual away, as far as they can.
void Assembler::add_velocity_change(const std::vector<int>& unknowns, Vector* y) {
  if (unknowns.empty()) return;
  const Eigen::MatrixXd J = calc_velocity_J(*y, unknowns);
  double size = 0;
  for (int i = 0; i < 2; ++i) {  // the second time for what rounding left
    const Vector x = solve_least_vector(J, -calc_velocity_residual(*y, &size), kDependentRows);
    for (std::size_t k = 0; k < unknowns.size(); ++k)
      (*y)[sizes_.nq + unknowns[k]] += scales_[unknowns[k]] * x[static_cast<Eigen::Index>(k)];
  }
}

void Assembler::solve_velocities() {
  if (partition_.velocities.empty()) {
    settle_velocities(list_stated(equations_.model()).velocities, &equations_, &result_.y);
    return;
  }
  const std::vector<int> unknowns = indices_of(partition_.velocities, true);
  double before = 0, after = 0;
  calc_velocity_residual(result_.y, &before);
  add_velocity_change(unknowns, &result_.y);
  const Vector r = calc_velocity_residual(result_.y, &after);
  const double size = std::max(before, after);
  if (r.lpNorm<Eigen::Infinity>() > kAssembled * size) return explain_velocities(r, size);
  const RankAnalysis rows(calc_velocity_J(result_.y, unknowns));
  if (rows.rank == static_cast<int>(unknowns.size())) return;
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (rows.share[static_cast<Eigen::Index>(i)] > kRowShare) result_.free_velocities.push_back(unknowns[i]);
}

// -- words

std::string Assembler::name_all(const std::vector<int>& coordinates, bool of_velocities) const {
  std::vector<std::string> names;
  for (const int i : coordinates) {
    const std::string& name = of_velocities ? coordinates_[i].velocity : coordinates_[i].position;
    if (names.empty() || names.back() != name) names.push_back(name);  // turns share one
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Assembler::describe(const Branch& branch) const {
  std::string text = fmt::format("another way to put it together, {:.3g} away (radians, or length scales){}",
                                 branch.distance, branch.is_isolated ? "" : ", singular or one of many");
  constexpr std::size_t kMost = 6;
  const char* mark = ": ";
  for (std::size_t k = 0; k < std::min(unknowns_.size(), kMost); ++k) {
    const StateCoordinate& c = coordinates_[unknowns_[k]];
    if (c.motion == Motion::kTurn) continue;
    text += fmt::format("{}{} = {:.6g} {}", mark, c.position, branch.y[c.q], c.position_unit);
    mark = ", ";
  }
  return unknowns_.size() > kMost ? text + ", ..." : text;
}

/// The worst and what is of its size, of what the unknowns cannot reach.
double Assembler::name_unmet_rows(const std::vector<int>& rows, const Eigen::MatrixXd& J, const Vector& r) {
  Vector unmet = calc_out_of_reach(J, r).cwiseAbs();
  if (unmet.norm() < r.norm() / 2) unmet = r.cwiseAbs();  // it stopped elsewhere
  std::vector<int> order;
  for (int i = 0; i < unmet.size(); ++i)
    if (unmet[i] >= kAlsoUnmet * unmet.maxCoeff()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return unmet[a] > unmet[b]; });
  for (const int i : order) result_.unmet_rows.push_back(rows[i]);
  return std::abs(r[order[0]]);
}

std::string Assembler::name_rows() const {
  std::string text;
  for (const int row : result_.unmet_rows) text += (text.empty() ? "" : "; ") + equations_.row_name(row);
  return text;
}

/// Kept positions without which it goes together: any one of them, or else all together.
std::vector<int> Assembler::find_positions_to_free(bool* any_one) {
  const auto try_with = [&](const std::vector<int>& more) {
    std::vector<int> unknowns = unknowns_;
    unknowns.insert(unknowns.end(), more.begin(), more.end());
    std::sort(unknowns.begin(), unknowns.end());
    Vector y = nearest_miss_;
    return solve_newton(unknowns, &y);
  };
  // a turn of a spherical joint does not come alone
  std::vector<std::vector<int>> groups;
  for (const int i : kept_)
    if (coordinates_[i].motion == Motion::kTurn && !groups.empty() &&
        coordinates_[groups.back()[0]].position == coordinates_[i].position)
      groups.back().push_back(i);
    else
      groups.push_back({i});
  std::vector<int> list;
  *any_one = true;
  for (std::size_t k = 0; k < std::min(groups.size(), kMostFreed); ++k)
    if (try_with(groups[k])) list.insert(list.end(), groups[k].begin(), groups[k].end());
  if (!list.empty()) return list;

  // the fewest that reach what the unknowns do not: pivots of their part outside of it
  *any_one = false;
  const Eigen::MatrixXd J = calc_position_J(nearest_miss_, unknowns_);
  Eigen::MatrixXd rest = calc_position_J(nearest_miss_, kept_);
  for (int k = 0; k < rest.cols(); ++k) rest.col(k) = calc_out_of_reach(J, rest.col(k));
  const ColumnOrder order = order_columns(rest, kDependentRows);
  for (int k = 0; k < order.rank; ++k) list.push_back(kept_[order.columns[k]]);
  std::sort(list.begin(), list.end());
  if (!try_with(list)) list.clear();
  return list;
}

void Assembler::explain_positions() {
  result_.y = nearest_miss_.size() == 0 ? result_.guess : nearest_miss_;
  if (!std::isfinite(least_)) {
    result_.failure = make_step_message(0, "the machine cannot be put together",
                                        equations_.explain_failure(0, result_.y), "", "");
    return;
  }
  update_residual(result_.y);
  const Vector r = r_;
  const double worst = name_unmet_rows(position_rows_, calc_position_J(result_.y, unknowns_), r);
  const std::string tried = fmt::format("{} guesses", result_.n_guesses);
  const std::string why =
      fmt::format("{}: off by {:.3g} at best (radians, or length scales)", name_rows(), worst);
  if (!is_partitioned()) {
    result_.failure = make_step_message(
        0, "the machine cannot be put together", why, tried,
        "other dimensions: nothing was found that all rows allow; or another initial state");
    return;
  }
  bool any_one = true;
  result_.to_free = find_positions_to_free(&any_one);
  const int excess = RankAnalysis(calc_position_J(result_.y, all_)).rank -
                     RankAnalysis(calc_position_J(result_.y, unknowns_)).rank;
  std::string advice = "other dimensions, or other values of what is kept: freeing it does not help either";
  if (!result_.to_free.empty())
    advice = fmt::format("without keeping {}{}", any_one && result_.to_free.size() > 1 ? "one of " : "",
                         name_all(result_.to_free, false));
  if (excess > 0 && !result_.to_free.empty())
    advice += fmt::format("; {} too many {} kept", excess, excess == 1 ? "is" : "are");
  result_.failure = make_step_message(
      0, fmt::format("the machine cannot be put together with {} kept", name_all(kept_, false)), why, tried,
      advice);
}

void Assembler::explain_velocities(const Vector& r, double size) {
  const std::vector<int> unknowns = indices_of(partition_.velocities, true),
                         kept = indices_of(partition_.velocities, false);
  const double worst = name_unmet_rows(all_rows_, calc_velocity_J(result_.y, unknowns), r);
  for (const int i : kept) {
    std::vector<int> more = unknowns;
    more.push_back(i);
    Vector y = result_.y;
    double unused = 0;
    add_velocity_change(more, &y);
    if (calc_velocity_residual(y, &unused).lpNorm<Eigen::Infinity>() <= kAssembled * size)
      result_.to_free.push_back(i);
  }
  result_.failure = make_step_message(
      0, fmt::format("no velocities obey the constraints with {} kept", name_all(kept, true)),
      fmt::format("{}: off by {:.3g} at best (in radians, or length scales, per second)", name_rows(), worst),
      "",
      result_.to_free.empty()
          ? "keeping fewer of them"
          : fmt::format("without keeping {}{}", result_.to_free.size() > 1 ? "one of " : "",
                        name_all(result_.to_free, true)));
}

void Assembler::add_notes() {
  std::vector<std::string>& notes = result_.notes;
  if (!is_partitioned()) notes = haltere::describe(list_start_changes(equations_, result_.guess, result_.y));
  if (result_.ran_away)
    notes.push_back(fmt::format(
        "Newton's method from the guess itself came to a farther position, or to none; this one was found "
        "from another guess ({} tried)",
        result_.n_guesses));
  for (const Branch& other : result_.others) notes.push_back(describe(other));
  std::vector<std::string> redundant;
  for (const int row : result_.redundant_rows) redundant.push_back(equations_.row_name(row));
  if (!redundant.empty()) notes.push_back(say_of_all(redundant, kIsRedundant, kAreRedundant));
  if (is_partitioned() && !result_.free_positions.empty())
    notes.push_back(fmt::format("not determined by the rows, and moved least: {}",
                                name_all(result_.free_positions, false)));
  if (!result_.free_velocities.empty())
    notes.push_back(fmt::format("not determined by the rows, and changed least: {}",
                                name_all(result_.free_velocities, true)));
  if (result_.is_singular)
    notes.emplace_back(
        "a singular position: beside it the rows are more independent; from here the machine can go on in "
        "more than one way");
  else if (result_.is_nearly_singular())
    notes.push_back(fmt::format("close to a singular position: singular values of the rows differ by {:.2g}",
                                result_.regularity));
}

}  // namespace

bool Assembly::is_nearly_singular() const {
  return regularity < kNearlyDependent;
}

Assembly assemble(const Partition& partition, const Eigen::VectorXd& guess, Equations* equations) {
  return Assembler(partition, equations).assemble(guess);
}

AssemblyRoles calc_roles(const Partition& partition, const Model& model) {
  const std::vector<StateCoordinate> coordinates = list_coordinates(model);
  const CoordinateSelection stated = list_stated(model);
  const auto choose = [](const std::vector<bool>& solved, const std::vector<bool>& given, std::size_t i) {
    if (!solved.empty()) return solved[i] ? AssemblyRole::kSolved : AssemblyRole::kKept;
    return given[i] ? AssemblyRole::kStated : AssemblyRole::kMoved;
  };
  AssemblyRoles roles;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    roles.v.push_back(choose(partition.velocities, stated.velocities, i));
    // the four numbers of a quaternion belong to the first of three velocities
    const std::size_t end = coordinates[i].q + (coordinates[i].motion == Motion::kTurn ? 4 : 1);
    if (roles.q.size() < end) roles.q.resize(end, choose(partition.positions, stated.positions, i));
  }
  return roles;
}

std::string_view to_word(AssemblyRole role) {
  switch (role) {
    case AssemblyRole::kStated:
      return "stated";
    case AssemblyRole::kSolved:
      return "solved";
    case AssemblyRole::kKept:
      return "kept";
    case AssemblyRole::kMoved:
      break;
  }
  return "moved";
}

}  // namespace haltere
