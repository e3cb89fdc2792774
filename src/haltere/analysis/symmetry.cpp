#include "haltere/analysis/symmetry.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "haltere/math/dense.h"

namespace haltere {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// States that are looked at besides the given one, and how far they are from it, in radians and length
// scales. Choices: what a symmetry is does not depend on them, what chance hides in one state another shows.
constexpr int kStates = 4;
constexpr double kAround = 0.2;
// part of the largest change in its row that is rounding: exact tangents, with room
constexpr double kNoEffect = 1e-11;
// the same where the slopes of a settled air are differences: 1e-10 of its third derivatives, with room
constexpr double kNoEffectOfAir = 1e-7;

/// An arbitrary state with all that a residual needs, its derivatives there in the model's scales.
class Sample {
 public:
  Sample(const Layout& layout, const Vector& y, ImplicitForm* form)
      : layout_(layout), form_(*form), n_(form->n()), m_(form->m()), y_(y) {}

  bool evaluate(ImplicitForm::Point<double> point);
  /// Rows that feel a change of positions alone, turns in child axes; empty where there is none.
  const Matrix& by_position() const { return K_; }
  const Matrix& by_velocity() const { return C_; }
  /// What changes when everything turns about an axis.
  Vector calc_turned(const Vector3<double>& axis) const;
  bool depends_on_time() const { return depends_on_time_; }

 private:
  const Layout& layout_;
  ImplicitForm& form_;
  Eigen::Index n_, m_;
  const Vector& y_;
  ImplicitForm::Point<double> point_;
  Matrix D_, E_;  // changes of (r, g) by (dq, v, vdot, lambda), and how they are read
  Vector r_;      // the residual of motion
  Vector units_;  // of the rows of E D
  Matrix K_, C_;
  bool depends_on_time_ = false;
};

bool Sample::evaluate(ImplicitForm::Point<double> point) {
  point_ = std::move(point);
  form_.set_start(y_);
  ImplicitForm::Changes changes;
  if (form_.calc_changes(point_, Matrix::Identity(3 * n_ + m_, 3 * n_ + m_), &changes) != Status::kOk)
    return false;
  const Eigen::Index n_states = changes.xdot.rows();
  D_.resize(n_ + m_ + n_states, 3 * n_ + m_);
  D_ << changes.r, changes.g, changes.xdot;
  // loads of constraints may change as they like: only motions that the rows allow are looked at
  const Vector& scales = form_.scales();
  const Matrix loads =
      scales.asDiagonal() * changes.r.rightCols(m_) * form_.row_scales().cwiseInverse().asDiagonal();
  const Matrix allowed = calc_kernel(loads.transpose(), 1e-9);
  E_ = Matrix::Zero(allowed.cols() + m_ + n_states, n_ + m_ + n_states);
  E_.topLeftCorner(allowed.cols(), n_) = allowed.transpose() * scales.asDiagonal();
  E_.block(allowed.cols(), n_, m_, m_) = form_.row_scales().cwiseInverse().asDiagonal();
  E_.bottomRightCorner(n_states, n_states).setIdentity();
  const Matrix scaled =
      E_ * D_.leftCols(3 * n_) * (Vector(3 * n_) << scales, scales, scales).finished().asDiagonal();
  units_ = scaled.cwiseAbs().rowwise().maxCoeff();
  for (double& unit : units_) unit = unit > 0 ? unit : 1;
  const Matrix child = layout_.calc_child_axes(y_);
  K_ = units_.cwiseInverse().asDiagonal() * (E_ * D_.leftCols(n_) * child * scales.asDiagonal());
  C_ = units_.cwiseInverse().asDiagonal() * (E_ * D_.middleCols(n_, n_) * child * scales.asDiagonal());

  ImplicitForm::Residual<double> now{Vector(n_), Vector(m_)}, later = now;
  if (form_.calc(point_, &now) != Status::kOk) return false;
  point_.t += 0.73;
  if (form_.calc(point_, &later) != Status::kOk) return false;
  point_.t -= 0.73;
  r_ = now.r;
  Vector change = Vector::Zero(n_ + m_ + n_states);
  change.head(n_ + m_) << later.r - now.r, later.g - now.g;
  depends_on_time_ = (E_ * change).cwiseQuotient(units_).lpNorm<Eigen::Infinity>() > kNoEffect;
  return true;
}

Vector Sample::calc_turned(const Vector3<double>& axis) const {
  const Matrix rate = layout_.calc_rate(axis);
  Vector direction = Vector::Zero(3 * n_ + m_);
  direction.head(n_) = layout_.calc_turn(axis, y_);
  direction.segment(n_, n_) = rate * point_.v;
  direction.segment(2 * n_, n_) = rate * point_.vdot;
  Vector change = D_ * direction;
  change.head(n_) -= rate * r_;  // loads turn as well
  return (E_ * change).cwiseQuotient(units_);
}

/// The state with other positions, near by, that obey the constraints; and with arbitrary velocities.
bool move_away(double size, std::mt19937* random, Equations* equations, Vector* y) {
  const Sizes sizes = equations->sizes();
  const Vector scales = equations->calc_scales().segment(sizes.nq, sizes.nv);
  // the same numbers everywhere, unlike those of the standard distributions
  const auto number = [&] { return static_cast<double>((*random)()) / 2147483648. - 1; };
  Vector dq(sizes.nv), dv(sizes.nv);
  for (int i = 0; i < sizes.nv; ++i) {
    dq[i] = size * number() * scales[i];
    dv[i] = number() * scales[i];
  }
  equations->shift(dq, dv, *y);
  return sizes.na == 0 || Stabilizer(Stabilization{}).assemble(0, *y, equations) == Status::kOk;
}

/// Columns that are zero one by one, then what the others leave free together. Sparse, so that it has names.
Matrix find_drift(const Matrix& K, const Vector& scales, double nothing, std::vector<bool> drifts) {
  const Eigen::Index n = K.cols();
  std::vector<int> others, single;
  for (int i = 0; i < n; ++i) {
    const bool none = K.rows() == 0 || K.col(i).lpNorm<Eigen::Infinity>() < nothing;
    (none || drifts[i] ? single : others).push_back(i);
  }
  const Matrix together = calc_kernel(K(Eigen::all, others), nothing);
  Matrix drift = Matrix::Zero(n, static_cast<Eigen::Index>(single.size()) + together.cols());
  for (std::size_t i = 0; i < single.size(); ++i) drift(single[i], static_cast<Eigen::Index>(i)) = 1;
  for (std::size_t i = 0; i < others.size() && together.cols() > 0; ++i)
    drift.row(others[i]).tail(together.cols()) = together.row(static_cast<Eigen::Index>(i));
  return scales.asDiagonal() * drift;
}

/// Axes of the world where there are three, else what is left, without rounding beside the large components.
/// An axis that turns no vector is none: what it moves are coordinates, which drift by themselves.
std::vector<Vector3<double>> find_axes(const Matrix& T, const Layout& layout, double nothing) {
  const bool all = T.lpNorm<Eigen::Infinity>() < nothing;
  const Matrix found = all ? Matrix(Matrix::Identity(3, 3)) : calc_kernel(T, nothing);
  std::vector<Vector3<double>> axes;
  for (int i = 0; i < found.cols(); ++i) {
    Vector3<double> axis = found.col(i);
    Eigen::Index largest = 0;
    axis.cwiseAbs().maxCoeff(&largest);
    if (axis[largest] < 0) axis *= -1;
    for (double& x : axis) x = std::abs(x) < nothing ? 0 : x;
    axis.normalize();
    if (layout.calc_rate(axis).lpNorm<Eigen::Infinity>() > 0) axes.push_back(axis);
  }
  return axes;
}

Matrix stack(const std::vector<Matrix>& parts, Eigen::Index columns) {
  Eigen::Index rows = 0;
  for (const Matrix& part : parts) rows += part.rows();
  Matrix all(rows, columns);
  rows = 0;
  for (const Matrix& part : parts) {
    all.middleRows(rows, part.rows()) = part;
    rows += part.rows();
  }
  return all;
}

}  // namespace

bool has_differences(const Equations& equations) {
  const Environments& around = equations.environments();
  return std::any_of(around.begin(), around.end(), [](const auto& e) { return e->settled_size() > 0; });
}

Symmetry find_symmetry(const Layout& layout, ConstRef y, const std::vector<int>& told, Equations* equations,
                       ImplicitForm* form) {
  const int n = form->n(), m = form->m(), nq = equations->sizes().nq;
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<double>(random()) / 2147483648. - 1; };
  std::vector<Matrix> by_position, by_velocity, turned;
  Symmetry symmetry;
  for (int i = 0; i < kStates; ++i) {
    Vector state = y;
    if (!move_away(kAround, &random, equations, &state)) {
      state = y;  // near a singular position: nearer then
      if (!move_away(kAround / 100, &random, equations, &state)) continue;
    }
    ImplicitForm::Point<double> point{0, Vector::Zero(n), state.segment(nq, n), Vector(n), Vector(m)};
    for (int k = 0; k < n; ++k) point.vdot[k] = number() * form->scales()[k];
    double load = 0;  // of about the size of the others
    ImplicitForm::Residual<double> residual{Vector(n), Vector(m)};
    point.lambda.setZero();
    form->set_start(state);
    if (form->calc(point, &residual) == Status::kOk)
      load = residual.r.cwiseProduct(form->scales()).lpNorm<Eigen::Infinity>();
    for (int k = 0; k < m; ++k) point.lambda[k] = number() * load / form->row_scales()[k];
    Sample sample(layout, state, form);
    if (!sample.evaluate(point)) continue;
    by_position.push_back(sample.by_position());
    by_velocity.push_back(sample.by_velocity());
    Matrix turn(sample.by_position().rows(), 3);
    for (int k = 0; k < 3; ++k) turn.col(k) = sample.calc_turned(Vector3<double>::Unit(k));
    turned.push_back(turn);
    symmetry.depends_on_time |= sample.depends_on_time();
  }
  std::vector<bool> drifts(n, false);
  for (const int i : told) drifts[i] = true;
  if (by_position.empty()) return symmetry;
  const Matrix K = stack(by_position, n), C = stack(by_velocity, n);
  const Vector& scales = form->scales();
  const double nothing = has_differences(*equations) ? kNoEffectOfAir : kNoEffect;
  symmetry.drift = find_drift(K, scales, nothing, drifts);
  for (int i = 0; i < symmetry.n_drift(); ++i) {
    const Vector direction = symmetry.drift.col(i).cwiseQuotient(scales);
    if ((C * direction).lpNorm<Eigen::Infinity>() < nothing) symmetry.galilean.push_back(i);
  }
  symmetry.axes = find_axes(stack(turned, 3), layout, nothing);
  return symmetry;
}

}  // namespace haltere
