#include "haltere/dynamics/implicit_form.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "haltere/dynamics/machine/memory.h"
#include "haltere/math/coloring.h"
#include "haltere/math/rotation.h"

namespace haltere {

void ImplicitForm::set_pattern(const Eigen::VectorXd& scales, const Eigen::VectorXd& row_scales,
                               std::vector<std::vector<int>> columns, std::vector<Link> links) {
  const int n = static_cast<int>(scales.size()), m = static_cast<int>(row_scales.size());
  scales_ = scales;
  row_scales_ = residual_scales_ = row_scales;
  n_ = n;
  m_ = m;
  links_ = std::move(links);
  columns_ = columns;
  groups_ = group_columns({columns.begin(), columns.begin() + n});
  for (int j = n; j < n + m; ++j) columns[j].push_back(j);
  lu_ = std::make_unique<SparseLu>(columns, n);
  for (VectorX<Dual>* x : {&dual_.dq, &dual_.v, &dual_.vdot, &dual_out_.r}) x->resize(n);
  dual_.lambda.resize(m);
  dual_out_.g.resize(m);
  plain_out_.r.setZero(n);
  plain_out_.g.setZero(m);
  b_.setZero(n + m);
  row_units_ = column_units_ = b_;
}

void ImplicitForm::set_start(ConstRef y0) {
  q0_ = sizes_.q(y0);
  turns_ = sizes_.turns(y0);
  const Scene<Dual>& scene = dual_scene();
  memory_.setZero(scene.states.size() + scene.delayed.size());
  memory_.head(scene.states.size()) = y0.segment(sizes_.nq + sizes_.nv, scene.states.size());
}

template <class T>
void ImplicitForm::put_memory(const Machine<T>& machine, double t, Scene<T>* scene) const {
  if (memory_.size() == 0) return;
  scene->states = memory_.head(scene->states.size()).template cast<T>();
  if constexpr (std::is_same_v<T, Dual>) {
    if (states_along_.size() > 0) scene->states = states_along_;
  }
  scene->delayed = memory_.tail(scene->delayed.size()).template cast<T>();
  if (machine.moves_by_states) update_jets<T>(machine, T(t), scene);
}
template void ImplicitForm::put_memory<double>(const Machine<double>&, double, Scene<double>*) const;
template void ImplicitForm::put_memory<Dual>(const Machine<Dual>&, double, Scene<Dual>*) const;

Status ImplicitForm::calc(const Point<double>& point, Residual<double>* out) {
  const Status status = evaluate(point, out);
  if (status != Status::kOk) return status;
  return out->r.allFinite() && out->g.allFinite() ? Status::kOk : Status::kNotFinite;
}

template <class T>
void ImplicitForm::move(const VectorX<T>& dq, VectorX<T>* q) const {
  *q = q0_.cast<T>();
  for (const Link& link : links_) {
    if (!link.turns) {
      (*q)[link.q] += dq[link.v];
      continue;
    }
    const Vector3<T> turn = dq.template segment<3>(link.v);
    const Vector4<T> before = q->template segment<4>(link.q);
    q->template segment<4>(link.q) = multiply<T>(quaternion_exp<T>(turn), before);
  }
}
template void ImplicitForm::move<double>(const VectorX<double>&, VectorX<double>*) const;
template void ImplicitForm::move<Dual>(const VectorX<Dual>&, VectorX<Dual>*) const;

void ImplicitForm::move(const Eigen::VectorXd& dq, Ref y) const {
  move<double>(dq, &q1_);
  y.head(q1_.size()) = q1_;
  for (const Link& link : links_)
    if (link.turns) y.segment<4>(link.q).normalize();
}

void ImplicitForm::set_dual(const Point<double>& point, bool with_rates) {
  dual_.t = point.t;
  for (int i = 0; i < n_; ++i) {
    dual_.dq[i] = point.dq[i];
    dual_.v[i] = point.v[i];
    dual_.vdot[i] = point.vdot[i];
  }
  for (int i = 0; i < m_; ++i) dual_.lambda[i] = point.lambda[i];
  dual_out_.gdot.resize(with_rates ? m_ : 0);
}

void ImplicitForm::seed(const std::vector<int>& group, int direction, const Direction& by, double size) {
  for (const int j : group) {
    dual_.dq[j].d[direction] = size * by.dq;
    dual_.v[j].d[direction] = size * by.v;
    dual_.vdot[j].d[direction] = size * by.vdot;
  }
}

bool ImplicitForm::differentiate(const Point<double>& point, const Direction& by, bool with_rates,
                                 const Take& take) {
  set_dual(point, with_rates);
  for (std::size_t first = 0; first < groups_.size(); first += Dual::kDirections) {
    const int count = static_cast<int>(std::min<std::size_t>(Dual::kDirections, groups_.size() - first));
    for (int d = 0; d < count; ++d) seed(groups_[first + d], d, by, 1);
    if (evaluate(dual_, &dual_out_) != Status::kOk) return false;
    for (int d = 0; d < count; ++d) {
      seed(groups_[first + d], d, by, 0);
      for (const int j : groups_[first + d])
        for (const int row : columns_[j]) {
          take(row, j, (row < n_ ? dual_out_.r[row] : dual_out_.g[row - n_]).d[d]);
          if (with_rates && row >= n_) take(row + m_, j, dual_out_.gdot[row - n_].d[d]);
        }
    }
  }
  return true;
}

bool ImplicitForm::factor(const Point<double>& point, double v_by_x, double vdot_by_x) {
  const auto put = [&](int row, int column, double value) { lu_->at(row, column) = value; };
  if (evaluate(point, &plain_out_) != Status::kOk) return false;
  take_row_forces([&](int velocity, int row, double value) { put(velocity, n_ + row, value); });
  if (!differentiate(point, {1, v_by_x, vdot_by_x}, false, put)) return false;
  for (int row = 0; row < m_; ++row)
    residual_scales_[row] = row_scales_[row] * (is_holonomic(row) ? 1 : v_by_x);
  update_units();
  return lu_->factor(row_units_, column_units_);
}

Status ImplicitForm::calc_changes(const Point<double>& point, const Eigen::MatrixXd& directions,
                                  Changes* out) {
  set_dual(point, false);
  const Scene<Dual>& scene = dual_scene();
  const Eigen::Index n = n_, m = m_, columns = directions.cols();
  out->r.resize(n, columns);
  out->g.resize(m, columns);
  const Eigen::Index n_states = scene.states.size();
  const bool along_states = directions.rows() > 3 * n + m;
  out->xdot.resize(n_states, columns);
  VectorX<Dual> xdot(n_states);
  out->q.resize(scene.q.size(), columns);
  out->v.resize(scene.v.size(), columns);
  out->locals.resize(static_cast<Eigen::Index>(scene.locals.size()), columns);
  const auto read = [](const auto& from, int d, auto column) {
    for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = from[i].d[d];
  };
  for (Eigen::Index first = 0; first < columns; first += Dual::kDirections) {
    const int count = static_cast<int>(std::min<Eigen::Index>(Dual::kDirections, columns - first));
    for (int d = 0; d < count; ++d) {
      for (Eigen::Index i = 0; i < n; ++i) {
        dual_.dq[i].d[d] = directions(i, first + d);
        dual_.v[i].d[d] = directions(n + i, first + d);
        dual_.vdot[i].d[d] = directions(2 * n + i, first + d);
      }
      for (Eigen::Index i = 0; i < m; ++i) dual_.lambda[i].d[d] = directions(3 * n + i, first + d);
    }
    if (along_states) {
      states_along_ = memory_.head(n_states).cast<Dual>();
      for (int d = 0; d < count; ++d)
        for (Eigen::Index i = 0; i < n_states; ++i)
          states_along_[i].d[d] = directions(3 * n + m + i, first + d);
    }
    const Status status = evaluate(dual_, &dual_out_);
    states_along_.resize(0);
    if (status != Status::kOk) return status;
    if (n_states > 0) calc_state_rates<Dual>(*dual_machine(), scene, xdot.data());
    for (int d = 0; d < count; ++d) {
      read(xdot, d, out->xdot.col(first + d));
      read(dual_out_.r, d, out->r.col(first + d));
      read(dual_out_.g, d, out->g.col(first + d));
      read(scene.q, d, out->q.col(first + d));
      read(scene.v, d, out->v.col(first + d));
      read(scene.locals, d, out->locals.col(first + d));
    }
  }
  set_dual(point, false);  // no direction is left
  return out->r.allFinite() && out->g.allFinite() ? Status::kOk : Status::kNotFinite;
}

/// All loads as work over the scale of their coordinate, multipliers as the largest such work over the scale
/// of their row: the numbers are then the same in all units.
void ImplicitForm::update_units() {
  row_units_ << scales_, residual_scales_.cwiseInverse();
  work_ = 0;
  for (int j = 0; j < n_; ++j)
    for (int e = lu_->first(j); e < lu_->first(j + 1); ++e)
      if (lu_->row(e) < n_)
        work_ = std::max(work_, std::abs(lu_->values()[e]) * scales_[j] * scales_[lu_->row(e)]);
  column_units_ << scales_, work_ * row_scales().cwiseInverse();
}

double ImplicitForm::calc_size(const Residual<double>& residual) const {
  const double load = residual.r.cwiseProduct(scales_).lpNorm<Eigen::Infinity>() / work_;
  return m_ == 0 ? load
                 : std::max(load, residual.g.cwiseQuotient(residual_scales_).lpNorm<Eigen::Infinity>());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void ImplicitForm::solve(Ref r, Ref g) {
  b_ << r, g;
  lu_->solve(b_);
  r = b_.head(n_);
  g = b_.tail(m_);
}

}  // namespace haltere
