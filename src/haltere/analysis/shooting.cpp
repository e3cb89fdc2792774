#include "haltere/analysis/shooting.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "haltere/math/dense.h"
#include "haltere/simulate/measures.h"
#include "haltere/simulate/start.h"

namespace haltere {
namespace {

using Matrix = Shooting::Matrix;
using Vector = Shooting::Vector;

// central differences over this and twice as much, in scales; extrapolated, what is left of the
// curvature is 4e-16 of the fifth derivative, of rounding 1e-12
constexpr double kProbe = 1e-4;
// of the largest singular value: below it rows depend on each other; a choice, as in linearization.cpp
constexpr double kDependentStarts = 1e-9;
// of the largest acceleration: more is no rounding, but another period or no mirror image; a choice
constexpr double kSameRate = 1e-8;
// velocities that the equations are looked at with, in scales and rates: any that are not zero; a choice
constexpr double kArbitrary = 0.1;

std::vector<const MeasureSpec*> list_targets(const TrimSpec& trim) {
  std::vector<const MeasureSpec*> list;
  for (const TrimSpec::Target& target : trim.targets) list.push_back(&target.mean);
  return list;
}

/// The turn from one quaternion to another, in the axes of the parent.
Vector3<double> calc_turn(const Vector4<double>& from, const Vector4<double>& to) {
  return quaternion_log<double>(multiply<double>(to, {from[0], -from[1], -from[2], -from[3]}));
}

}  // namespace

Shooting::Shooting(const OrbitRequest& request, const Model& model)
    : request_(request),
      model_(model),
      flow_(model, request.method),
      coordinates_(list_coordinates(model)),
      sizes_(flow_.tree().sizes()),
      n_(sizes_.nv),
      freed_(model.parameters.size(), false),
      reader_(model, list_targets(request.trim)) {
  scales_ = flow_.tree().calc_scales().segment(sizes_.nq, n_);
  for (const int slot : request.trim.parameters) freed_[slot] = true;
  if (request.continue_in) freed_[request.continue_in->first] = true;
  if (request.trim.mirror)
    mirror_ = std::make_unique<Mirror>(model, flow_.parameters(), *request.trim.mirror);
}

double Shooting::calc_period(const Start& start) const {
  return is_periodic() ? request_.trim.period->calc<double, double>(start.parameters.data(), nullptr) : 0;
}

double Shooting::duration(const Start& start) const {
  return is_mirrored() ? calc_period(start) / 2 : calc_period(start);
}

void Shooting::set_parameters(const std::vector<double>& table) {
  if (table != flow_.parameters()) flow_.set_parameters(table);
}

// -- starts

Shooting::Start Shooting::make_start() {
  Start start{{}, flow_.parameters()};
  if (request_.continue_in)
    start.parameters =
        make_parameters(start.parameters, request_.continue_in->first, request_.continue_in->second);
  start.y = calc_start(model_, start.parameters).y;
  return start;
}

std::vector<double> Shooting::make_parameters(std::vector<double> table, int slot, double value) const {
  table[slot] = value;
  update_parameters(model_, &table, freed_);
  return table;
}

std::string Shooting::settle(Start* start) {
  set_parameters(start->parameters);
  start->y.tail(sizes_.nz + sizes_.nt).setZero();
  if (sizes_.na > 0 && Stabilizer(Stabilization{}).assemble(0, start->y, &flow_.tree()) != Status::kOk)
    return "the machine cannot be put together: " + flow_.tree().explain_failure(0, start->y);
  // angles that count their turns begin as in a run
  if (sizes_.nt > 0)
    if (const Instant* instant = flow_.observe(0, start->y))
      sizes_.turns(start->y) = flow_.tree().calc_state(instant->snapshot.scene).tail(sizes_.nt);
  return "";
}

std::string Shooting::prepare(const Start& start, bool choose_steps) {
  set_parameters(start.parameters);
  rate_ = is_periodic() ? 2 * std::numbers::pi / calc_period(start) : 1;
  Zx_ = Zv_ = Matrix::Identity(n_, n_);
  if (sizes_.na > 0) {
    Matrix A;
    Vector b;
    flow_.tree().calc_constraint_matrix(0, start.y, &A, &b);
    const Matrix rows = flow_.tree().row_scales().cwiseInverse().asDiagonal() * A * scales_.asDiagonal();
    Zx_ = calc_kernel(rows(flow_.tree().position_rows(), Eigen::all), kDependentStarts);
    Zv_ = calc_kernel(rows, kDependentStarts);
  }
  return choose_steps && is_periodic() ? this->choose_steps(start, {}) : "";
}

std::string Shooting::move(const Vector& x, Start* start) {
  const Eigen::Index nx = Zx_.cols(), nv = Zv_.cols();
  for (int k = 0; k < n_parameters(); ++k)
    start->parameters[request_.trim.parameters[k]] += x[nx + nv + k] * parameter_units_[k];
  if (n_parameters() > 0) update_parameters(model_, &start->parameters, freed_);
  const Vector dq = scales_.cwiseProduct(Zx_ * x.head(nx)),
               dv = rate_ * scales_.cwiseProduct(Zv_ * x.segment(nx, nv));
  flow_.tree().shift(dq, dv, start->y);
  return settle(start);
}

Vector Shooting::calc_difference(const Vector& from, const Vector& to) const {
  Vector difference(2 * n_);
  for (int i = 0; i < n_; ++i) {
    const StateCoordinate& c = coordinates_[i];
    if (c.motion == Motion::kTurn) {
      difference.segment<3>(i) = calc_turn(from.segment<4>(c.q), to.segment<4>(c.q));
      i += 2;
    } else {
      difference[i] = (to[c.q] - from[c.q]) / scales_[i];
    }
  }
  difference.tail(n_) =
      (to.segment(sizes_.nq, n_) - from.segment(sizes_.nq, n_)).cwiseQuotient(rate_ * scales_);
  return difference;
}

// -- what becomes of a start

std::string Shooting::choose_steps(const Start& start, const Part& part) {
  set_parameters(start.parameters);
  const double length = duration(start) / part.of;
  return flow_.choose_steps(part.k * length, start.y, length);
}

/// The end of the stretch, and the means of the targets' formulas over the whole period.
std::string Shooting::add_means(const Start& start, const Part& part, Vector* end, Vector* means) {
  const auto n_targets = static_cast<Eigen::Index>(request_.trim.targets.size());
  const int samples = kPeriodSamples / (is_mirrored() ? 2 : 1) / part.of;
  const double half = duration(start), length = half / part.of;
  *means = Vector::Zero(n_targets);
  std::string failure;
  Vector values(n_targets);
  int k = 0;
  const auto add = [&](double t, const Vector& y, double weight) {
    const Instant* instant = flow_.observe(t, y);
    if (instant == nullptr) {
      failure = "the motion cannot be evaluated: " + flow_.tree().explain_failure(t, y);
      return;
    }
    reader_.calc(*instant, start.parameters, {values.data(), static_cast<std::size_t>(n_targets)});
    *means += weight * values;
  };
  Flow::Look look;
  if (n_targets > 0) {
    look.samples = samples;
    look.take = [&](double t, const Vector& y) {
      const double weight = (k == 0 || k == samples ? 0.5 : 1.) / kPeriodSamples;
      add(t, y, weight);
      if (is_mirrored()) add(t + half, mirror_->reflect(y), weight);
      ++k;
    };
  }
  const std::string message = flow_.integrate(part.k * length, start.y, length, look, end);
  return message.empty() ? failure : message;
}

Shooting::Outcome Shooting::shoot(const Start& start, const Vector& from, const Part& part) {
  set_parameters(start.parameters);
  Outcome out;
  out.start = calc_difference(from, start.y);
  const auto n_targets = static_cast<Eigen::Index>(request_.trim.targets.size());
  out.targets.resize(n_targets);
  if (is_periodic()) {
    Vector end;
    out.failure = add_means(start, part, &end, &out.targets);
    if (!out.failure.empty()) return out;
    out.end = calc_difference(from, is_mirrored() && part.is_last() ? mirror_->reflect(end) : end);
  } else {
    const Instant* instant = flow_.observe(0, start.y);
    Vector ydot(start.y.size());
    if (instant == nullptr || flow_.tree().calc_ydot(0, start.y, ydot) != Status::kOk || !ydot.allFinite()) {
      out.failure = "the machine cannot be evaluated: " + flow_.tree().explain_failure(0, start.y);
      return out;
    }
    reader_.calc(*instant, start.parameters, {out.targets.data(), static_cast<std::size_t>(n_targets)});
    out.end.resize(Eigen::Index{2} * n_);
    out.end << start.y.segment(sizes_.nq, n_).cwiseQuotient(scales_),
        ydot.segment(sizes_.nq, n_).cwiseQuotient(scales_);
  }
  for (Eigen::Index i = 0; i < n_targets && part.k == 0; ++i)
    out.targets[i] -= request_.trim.targets[i].value.calc<double, double>(start.parameters.data(), nullptr);
  if (!out.end.allFinite() || !out.targets.allFinite()) out.failure = "the motion does not stay finite";
  return out;
}

/// (4 d(h) - d(2h))/3 with d(h) = (f(x + h) - f(x - h))/2h.
Shooting::Slope Shooting::differentiate(const Start& start, const Vector& from, const Part& part) {
  const int n_unknowns = n_state() + n_parameters();
  const auto n_targets = static_cast<Eigen::Index>(request_.trim.targets.size());
  const Matrix none = Matrix::Zero(Eigen::Index{2} * n_, n_unknowns);
  Slope slope{"", none, none, Matrix::Zero(n_targets, n_unknowns)};
  progress.of = n_unknowns;
  for (int j = 0; j < n_unknowns; ++j) {
    progress.done = j;
    if (request_.progress) request_.progress(progress);
    for (const double way : {1., -1., 2., -2.}) {
      Vector x = Vector::Zero(n_unknowns);
      x[j] = way * kProbe;
      Start near = start;
      slope.failure = move(x, &near);
      if (!slope.failure.empty()) return slope;
      const Outcome out = shoot(near, from, part);
      slope.failure = out.failure;
      if (!slope.failure.empty()) return slope;
      const double weight = (std::abs(way) == 1 ? 4. : -0.5) * (way > 0 ? 1 : -1) / (6 * kProbe);
      slope.start.col(j) += weight * out.start;
      slope.end.col(j) += weight * out.end;
      slope.targets.col(j) += weight * out.targets;
    }
  }
  return slope;
}

/// What a parameter is, or, where that is nothing, what changes the outcome about as much as a radian does.
void Shooting::set_parameter_units(const Start& start, const Part& part) {
  parameter_units_.assign(n_parameters(), 1);
  for (int k = 0; k < n_parameters(); ++k) {
    double& unit = parameter_units_[k];
    unit = std::abs(start.parameters[request_.trim.parameters[k]]);
    if (unit > 0) continue;
    unit = 1;
    if (is_periodic() && !choose_steps(start, part).empty()) continue;
    const Outcome base = shoot(start, start.y, part);
    Vector x = Vector::Zero(n_state() + n_parameters());
    x[n_state() + k] = kProbe;
    for (int i = 0; i < 20; ++i) {
      Start near = start;
      const bool moved = move(x, &near).empty();
      const Outcome out = moved ? shoot(near, start.y, part) : Outcome{"", {}, {}, {}};
      const bool complete = moved && out.failure.empty();
      const double change = complete ? (out.end - base.end).lpNorm<Eigen::Infinity>() : 1;
      if (change == 0) break;  // it has no effect
      if (complete && change > 0.1 * kProbe && change < 10 * kProbe) break;
      unit *= complete ? kProbe / change : 1e-3;
    }
  }
}

// -- time and mirror

Vector Shooting::calc_rates(double t, const Vector& y) {
  Vector ydot = Vector::Zero(y.size());
  if (flow_.tree().calc_ydot(t, y, ydot) != Status::kOk)
    throw RunError(fmt::format("t = {:.6g} s: the machine cannot be evaluated: {}", t,
                               flow_.tree().explain_failure(t, y)));
  return ydot.segment(sizes_.nq, n_);
}

double Shooting::calc_change(const Start& start) {
  set_parameters(start.parameters);
  const Vector rates = calc_rates(0, start.y).cwiseQuotient(rate_ * scales_);
  return duration(start) * rates.lpNorm<Eigen::Infinity>();
}

void Shooting::compare_rates(const Vector& a, const Vector& b, const std::string& what,
                             const std::string& hint) const {
  const Vector size = a.cwiseAbs().cwiseMax(b.cwiseAbs()).cwiseQuotient(scales_),
               difference = (a - b).cwiseAbs().cwiseQuotient(scales_);
  Eigen::Index worst = 0;
  if (n_ == 0 || !(difference.maxCoeff(&worst) > kSameRate * size.maxCoeff())) return;
  throw InputError({Problem{request_.trim.mark, "trim",
                            fmt::format("{}: the acceleration of {} differs by {:.2g} of the largest", what,
                                        coordinates_[worst].velocity, difference[worst] / size.maxCoeff()),
                            hint}});
}

/// With arbitrary velocities, so that what a machine at rest hides is seen; loops would need them to obey.
void Shooting::check_time(const Start& start) {
  set_parameters(start.parameters);
  const double period = calc_period(start), time = is_periodic() ? period : 1;
  Vector y = start.y;
  if (sizes_.na == 0)
    for (int i = 0; i < n_; ++i)
      y[sizes_.nq + i] += kArbitrary * scales_[i] * 2 * std::numbers::pi / time * std::sin(1 + 7. * i);
  for (const double part : {0., 0.37, 0.71}) {
    const Vector now = calc_rates(part * time, y);
    if (!is_periodic()) {
      compare_rates(calc_rates(0, y), now, "the equations depend on the time: nothing is steady",
                    "give the period of the drives, or ask `haltere equilibrium` for what holds at t = 0");
      continue;
    }
    compare_rates(now, calc_rates((part + 1) * period, y),
                  fmt::format("the equations do not repeat after the period of {:.6g} s", period),
                  "a motion can only come back where its drives do: is the period theirs?");
    if (is_mirrored())
      compare_rates(mirror_->reflect_rates(now), calc_rates((part + 0.5) * period, mirror_->reflect(y)),
                    "half a period later the machine does not move as its mirror image",
                    "leave the mirror out: a whole period needs none");
  }
}

/// What is steady is so everywhere; after a period an angle may have made whole turns.
void Shooting::check_drift(const Start& start, const Vector& end) {
  set_parameters(start.parameters);
  for (int i = 0; i < n_ && !request_.drift.empty(); ++i) {
    if (!request_.drift[i]) continue;
    Vector y = start.y;
    const double advance = is_periodic() ? end[i] : 1;
    flow_.tree().shift(advance * scales_[i] * Vector::Unit(n_, i), Vector::Zero(n_), y);
    compare_rates(
        calc_rates(0, start.y), calc_rates(0, y),
        fmt::format("{} cannot advance: the equations notice where it is", coordinates_[i].position),
        "let it come back, without a mean velocity as a target");
  }
}

}  // namespace haltere
