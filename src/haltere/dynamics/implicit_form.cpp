#include "haltere/dynamics/implicit_form.h"

#include "haltere/math/coloring.h"

namespace haltere {

void ImplicitForm::set_pattern(const Eigen::VectorXd& scales, const Eigen::VectorXd& row_scales,
                               std::vector<std::vector<int>> columns) {
  const int n = static_cast<int>(scales.size()), m = static_cast<int>(row_scales.size());
  scales_ = scales;
  row_scales_ = row_scales;
  n_ = n;
  m_ = m;
  groups_ = group_columns(columns);
  for (int j = n; j < n + m; ++j) columns[j].push_back(j);
  lu_ = std::make_unique<SparseLu>(columns, n);
  for (VectorX<Dual>* x : {&dual_.dq, &dual_.v, &dual_.vdot, &dual_out_.r}) x->resize(n);
  dual_.lambda.resize(m);
  dual_out_.g.resize(m);
  b_.setZero(n + m);
  row_units_ = column_units_ = b_;
}

void ImplicitForm::set_start(ConstRef y0) {
  q0_ = y0.head(sizes_.nq);
  turns_ = y0.tail(sizes_.nt);
}

Status ImplicitForm::calc(const Point<double>& point, Residual<double>* out) {
  const Status status = evaluate(point, out);
  if (status != Status::kOk) return status;
  return out->r.allFinite() && out->g.allFinite() ? Status::kOk : Status::kNotFinite;
}

void ImplicitForm::set_dual(const Point<double>& point) {
  dual_.t = point.t;
  for (int i = 0; i < n_; ++i) {
    dual_.dq[i] = point.dq[i];
    dual_.v[i] = point.v[i];
    dual_.vdot[i] = point.vdot[i];
  }
  for (int i = 0; i < m_; ++i) dual_.lambda[i] = point.lambda[i];
}

bool ImplicitForm::factor(const Point<double>& point, double v_by_x, double vdot_by_x) {
  set_dual(point);
  const auto seed = [&](std::size_t group, int direction, double size) {
    for (const int j : groups_[group]) {
      if (j >= n_) {
        dual_.lambda[j - n_].d[direction] = size;
        continue;
      }
      dual_.dq[j].d[direction] = size;
      dual_.v[j].d[direction] = size * v_by_x;
      dual_.vdot[j].d[direction] = size * vdot_by_x;
    }
  };
  for (std::size_t first = 0; first < groups_.size(); first += Dual::kDirections) {
    const int count = static_cast<int>(std::min<std::size_t>(Dual::kDirections, groups_.size() - first));
    for (int d = 0; d < count; ++d) seed(first + d, d, 1);
    if (evaluate(dual_, &dual_out_) != Status::kOk) return false;
    for (int d = 0; d < count; ++d) {
      seed(first + d, d, 0);
      for (const int j : groups_[first + d])
        for (int e = lu_->first(j); e < lu_->first(j + 1); ++e) {
          const int row = lu_->row(e);
          lu_->values()[e] = (row < n_ ? dual_out_.r[row] : dual_out_.g[row - n_]).d[d];
        }
    }
  }
  update_units();
  return lu_->factor(row_units_, column_units_);
}

Status ImplicitForm::calc_changes(const Point<double>& point, const Eigen::MatrixXd& directions,
                                  Changes* out) {
  set_dual(point);
  const Scene<Dual>& scene = dual_scene();
  const Eigen::Index n = n_, m = m_, columns = directions.cols();
  out->r.resize(n, columns);
  out->g.resize(m, columns);
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
    const Status status = evaluate(dual_, &dual_out_);
    if (status != Status::kOk) return status;
    for (int d = 0; d < count; ++d) {
      read(dual_out_.r, d, out->r.col(first + d));
      read(dual_out_.g, d, out->g.col(first + d));
      read(scene.q, d, out->q.col(first + d));
      read(scene.v, d, out->v.col(first + d));
      read(scene.locals, d, out->locals.col(first + d));
    }
  }
  set_dual(point);  // no direction is left
  return out->r.allFinite() && out->g.allFinite() ? Status::kOk : Status::kNotFinite;
}

/// All loads as work over the scale of their coordinate, multipliers as the largest such work over the scale
/// of their row: the numbers are then the same in all units.
void ImplicitForm::update_units() {
  row_units_ << scales_, row_scales().cwiseInverse();
  work_ = 0;
  for (int j = 0; j < n_; ++j)
    for (int e = lu_->first(j); e < lu_->first(j + 1); ++e)
      if (lu_->row(e) < n_)
        work_ = std::max(work_, std::abs(lu_->values()[e]) * scales_[j] * scales_[lu_->row(e)]);
  column_units_ << scales_, work_ * row_scales().cwiseInverse();
}

double ImplicitForm::calc_size(const Residual<double>& residual) const {
  const double load = residual.r.cwiseProduct(scales_).lpNorm<Eigen::Infinity>() / work_;
  return m_ == 0 ? load : std::max(load, residual.g.cwiseQuotient(row_scales()).lpNorm<Eigen::Infinity>());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void ImplicitForm::solve(Ref r, Ref g) {
  b_ << r, g;
  lu_->solve(b_);
  r = b_.head(n_);
  g = b_.tail(m_);
}

}  // namespace haltere
