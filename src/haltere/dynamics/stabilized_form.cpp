#include "haltere/dynamics/stabilized_form.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "haltere/math/rotation.h"

namespace haltere {

// Newton's unknowns are (x, dv, dlambda, dmu), q changing by N(q) x and, where it is a quaternion, by a part
// s of its length. With w the angular part of u = v - S^2 A^T mu,
//   d(N u)/dq N x = N (w x x) / 2 - (w . x) q / 4,      d(N u)/dq q = N u.
// The length is eliminated: c s + (w . x) / 4 = what its row asks for.

StabilizedForm::StabilizedForm(std::unique_ptr<ImplicitForm> form, const Sizes& sizes)
    : form_(std::move(form)), nq_(sizes.nq), n_(form_->n()), m_(form_->m()), position_row_(m_, -1) {
  for (int row = 0; row < m_; ++row)
    if (form_->is_holonomic(row)) position_row_[row] = mh_++;
  for (Eigen::VectorXd* x : {&point_.dq, &point_.v, &point_.vdot, &residual_.r, &forces_, &u_})
    x->setZero(n_);
  for (Eigen::VectorXd* x : {&point_.lambda, &residual_.g, &residual_.gdot, &mu_}) x->setZero(m_);
  y_.setZero(sizes.ny());
  b_.setZero(2 * n_ + m_ + mh_);
  row_units_ = column_units_ = b_;
  q_factored_.setZero(nq_);
  u_factored_ = u_;
  make_pattern();
}

/// Rows: motion (n), r (n), rates of rows (m), rows of positions (mh). Columns: x, dv, dlambda, dmu.
void StabilizedForm::make_pattern() {
  std::vector<std::set<int>> columns(2 * n_ + m_ + mh_);
  for (int j = 0; j < n_; ++j) {
    columns[j].insert(j);
    columns[n_ + j].insert(j);
    for (const int row : form_->columns()[j]) {
      const int own = row < n_ ? n_ + row : 2 * n_ + row - n_;
      columns[j].insert(own);
      columns[n_ + j].insert(own);
      if (row >= n_ && position_row_[row - n_] >= 0) columns[j].insert(2 * n_ + m_ + position_row_[row - n_]);
    }
  }
  for (const ImplicitForm::Link& link : form_->links())
    for (int i = 0; link.turns && i < 3; ++i)
      for (int k = 0; k < 3; ++k) columns[link.v + i].insert(link.v + k);
  for (int row = 0; row < m_; ++row) {
    const int lambda = 2 * n_ + row, mu = 2 * n_ + m_ + position_row_[row];
    columns[lambda].insert(lambda);
    if (position_row_[row] >= 0) columns[mu].insert(mu);
    for (const int i : form_->columns()[n_ + row]) {
      if (i >= n_) continue;
      columns[lambda].insert(n_ + i);
      if (position_row_[row] >= 0) columns[mu].insert(i);
    }
  }
  std::vector<std::vector<int>> lists;
  lists.reserve(columns.size());
  for (const std::set<int>& column : columns) lists.emplace_back(column.begin(), column.end());
  lu_ = std::make_unique<SparseLu>(lists, 2 * n_);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void StabilizedForm::read_multipliers(Ref lambda) const {
  Eigen::VectorXd values;
  form_->read_multipliers(&values);
  lambda = values;
}

void StabilizedForm::set_point(double t, ConstRef Y, ConstRef Ydot) {
  y_.head(nq_) = Y.head(nq_);
  form_->set_start(y_);
  if (memory_.size() > 0) form_->set_memory(memory_);
  point_.t = t;
  point_.v = Y.segment(nq_, n_);
  point_.vdot = Ydot.segment(nq_, n_);
  point_.lambda = Y.segment(nq_ + n_, m_);
  for (int row = 0; row < m_; ++row)
    mu_[row] = position_row_[row] < 0 ? 0 : Y[nq_ + n_ + m_ + position_row_[row]];
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
Status StabilizedForm::calc(double t, ConstRef Y, ConstRef Ydot, Ref F) {
  set_point(t, Y, Ydot);
  const Status status = form_->calc(point_, &residual_);
  if (status != Status::kOk) return status;
  form_->calc_row_forces(mu_, &forces_);
  u_ = point_.v - form_->scales().cwiseAbs2().cwiseProduct(forces_);
  for (const ImplicitForm::Link& link : form_->links()) {
    if (!link.turns) {
      F[link.q] = Ydot[link.q] - u_[link.v];
      continue;
    }
    const Vector4<double> q = Y.segment<4>(link.q);
    const Vector3<double> w = u_.segment<3>(link.v);
    F.segment<4>(link.q) = Ydot.segment<4>(link.q) - quaternion_rate<double>(q, w);
  }
  F.segment(nq_, n_) = residual_.r;
  for (int row = 0; row < m_; ++row) {
    F[nq_ + n_ + row] = residual_.gdot[row];
    if (position_row_[row] >= 0) F[nq_ + n_ + m_ + position_row_[row]] = residual_.g[row];
  }
  return F.allFinite() ? Status::kOk : Status::kNotFinite;
}

bool StabilizedForm::factor(double t, ConstRef Y, ConstRef Ydot, double c) {
  set_point(t, Y, Ydot);
  if (form_->calc(point_, &residual_) != Status::kOk) return false;
  form_->calc_row_forces(mu_, &forces_);
  u_factored_ = point_.v - form_->scales().cwiseAbs2().cwiseProduct(forces_);
  q_factored_ = Y.head(nq_);
  c_ = c;
  std::fill(lu_->values().begin(), lu_->values().end(), 0.0);
  const auto row_of = [&](int row) {  // of (r, g, gdot)
    if (row < n_) return n_ + row;
    if (row >= n_ + m_) return 2 * n_ + row - n_ - m_;
    return position_row_[row - n_] < 0 ? -1 : 2 * n_ + m_ + position_row_[row - n_];
  };
  form_->take_row_forces([&](int velocity, int row, double value) {
    lu_->at(n_ + velocity, 2 * n_ + row) = value;
    const double s = form_->scales()[velocity];
    if (position_row_[row] >= 0) lu_->at(velocity, 2 * n_ + m_ + position_row_[row]) = s * s * value;
  });
  const bool by_positions = form_->differentiate(point_, {1, 0, 0}, true, [&](int row, int j, double value) {
    if (row_of(row) >= 0) lu_->at(row_of(row), j) = value;
  });
  const bool by_velocities =
      by_positions && form_->differentiate(point_, {0, 1, c}, true, [&](int row, int j, double value) {
        const bool is_rate = row < n_ || row >= n_ + m_;
        if (is_rate && row_of(row) >= 0) lu_->at(row_of(row), n_ + j) = value;
      });
  if (!by_velocities) return false;
  add_motion(c);
  set_units(c);
  return lu_->factor(row_units_, column_units_);
}

/// c x - d(N u) - dv: the rows of motion, without those of mu.
void StabilizedForm::add_motion(double c) {
  for (int i = 0; i < n_; ++i) {
    lu_->at(i, i) += c;
    lu_->at(i, n_ + i) = -1;
  }
  for (const ImplicitForm::Link& link : form_->links()) {
    if (!link.turns) continue;
    const Vector3<double> w = u_factored_.segment<3>(link.v);
    const Matrix3<double> K = w * w.transpose() / (4 * c) - skew<double>(w) / 2;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) lu_->at(link.v + i, link.v + k) += K(i, k);
  }
}

/// Lengths in length scales, velocities in those and c, loads as work, multipliers as work over the scale of
/// their row: the numbers are then the same in all units.
void StabilizedForm::set_units(double c) {
  const Eigen::VectorXd &s = form_->scales(), &g = form_->row_scales();
  double work = 0;
  for (int j = 0; j < 2 * n_; ++j)
    for (int e = lu_->first(j); e < lu_->first(j + 1); ++e) {
      const int row = lu_->row(e) - n_;
      if (row < 0 || row >= n_) continue;
      work = std::max(work, std::abs(lu_->values()[e]) * s[row] * s[j % n_] * (j < n_ ? 1 : c));
    }
  for (int i = 0; i < n_; ++i) {
    row_units_[i] = 1 / (s[i] * c);
    row_units_[n_ + i] = s[i];
    column_units_[i] = s[i];
    column_units_[n_ + i] = s[i] * c;
  }
  for (int row = 0; row < m_; ++row) {
    row_units_[2 * n_ + row] = 1 / (g[row] * c);
    column_units_[2 * n_ + row] = work / g[row];
    if (position_row_[row] < 0) continue;
    row_units_[2 * n_ + m_ + position_row_[row]] = 1 / g[row];
    column_units_[2 * n_ + m_ + position_row_[row]] = c / g[row];
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void StabilizedForm::solve(Ref b) {
  b_.tail(n_ + m_ + mh_) = b.tail(n_ + m_ + mh_);
  for (const ImplicitForm::Link& link : form_->links()) {
    if (!link.turns) {
      b_[link.v] = b[link.q];
      continue;
    }
    // b = N (own) + (radial) q
    const Vector4<double> q = q_factored_.segment<4>(link.q), row = b.segment<4>(link.q);
    const double length2 = q.squaredNorm(), radial = row.dot(q) / length2;
    const Vector4<double> inverse(q[0] / length2, -q[1] / length2, -q[2] / length2, -q[3] / length2);
    const Vector3<double> own = 2 * multiply<double>(row, inverse).tail<3>();
    b_.segment<3>(link.v) = own + radial / c_ * u_factored_.segment<3>(link.v);
    b[link.q] = radial;  // kept for the way back
  }
  lu_->solve(b_);
  for (const ImplicitForm::Link& link : form_->links()) {
    if (!link.turns) {
      b[link.q] = b_[link.v];
      continue;
    }
    const Vector4<double> q = q_factored_.segment<4>(link.q);
    const Vector3<double> x = b_.segment<3>(link.v), w = u_factored_.segment<3>(link.v);
    const double stretch = (b[link.q] - w.dot(x) / 4) / c_;
    b.segment<4>(link.q) = quaternion_rate<double>(q, x) + stretch * q;
  }
  b.tail(n_ + m_ + mh_) = b_.tail(n_ + m_ + mh_);
}

std::string StabilizedForm::name_worst_row() const {
  double worst = 0;
  int at = -1;
  for (int row = 0; row < m_; ++row)
    if (std::abs(residual_.g[row]) > worst * form_->row_scales()[row]) {
      worst = std::abs(residual_.g[row]) / form_->row_scales()[row];
      at = row;
    }
  return at < 0 ? "" : fmt::format("the worst row is {}, off by {:.3g}", form_->row_name(at), worst);
}

}  // namespace haltere
