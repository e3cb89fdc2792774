#include "haltere/math/sparse_lu.h"

#include <algorithm>
#include <cmath>

#include <klu.h>

namespace haltere {
namespace {

// of the reciprocal condition that the factors had when their pivots were chosen: below it they are chosen
// anew. Three digits, of the sixteen that there are; a choice (decision 0012).
constexpr double kWorn = 1e-3;
// of the scaled matrix, the root of rounding: rows that depend on others stay solvable with half of the
// digits, others converge by eight digits an iteration
constexpr double kRegular = 1e-8;
// of its units: below it a row of constraints, or what its multiplier does, is rounding; as in
// semidefinite.cpp
constexpr double kNoPivot = 1e-11;

}  // namespace

struct SparseLu::Factors {
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  double fresh = 0;  // reciprocal condition when the pivots were chosen
  double now = 0;

  ~Factors() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
};

SparseLu::SparseLu(const std::vector<std::vector<int>>& columns, int first_constraint)
    : n_(static_cast<int>(columns.size())),
      first_constraint_(first_constraint),
      factors_(std::make_unique<Factors>()) {
  starts_.push_back(0);
  for (const std::vector<int>& column : columns) {
    rows_.insert(rows_.end(), column.begin(), column.end());
    starts_.push_back(static_cast<int>(rows_.size()));
  }
  for (int j = first_constraint_; j < n_; ++j)
    for (int e = starts_[j]; e < starts_[j + 1]; ++e)
      if (rows_[e] == j) diagonal_.push_back(e);
  values_.assign(rows_.size(), 0);
  scaled_ = values_;
  row_scale_.setZero(n_);
  column_scale_.setZero(n_);
  unfelt_.setZero(n_);
  klu_defaults(&factors_->common);
  factors_->common.scale = 0;  // ours
  factors_->symbolic = klu_analyze(n_, starts_.data(), rows_.data(), &factors_->common);
}

SparseLu::~SparseLu() = default;

double& SparseLu::at(int row, int column) {
  const auto first = rows_.begin() + starts_[column], last = rows_.begin() + starts_[column + 1];
  return values_[std::lower_bound(first, last, row) - rows_.begin()];
}

/// What brings a largest entry to one; a constraint that is all rounding stays as it is.
double SparseLu::calc_scale(int i, double largest) const {
  const double least = i < first_constraint_ ? 0 : kNoPivot;
  return largest > least ? 1 / largest : 1;
}

/// Rows to a largest entry of one, then columns.
void SparseLu::scale(const Eigen::VectorXd& row_units, const Eigen::VectorXd& column_units) {
  row_scale_.setZero();
  for (int j = 0; j < n_; ++j)
    for (int e = starts_[j]; e < starts_[j + 1]; ++e) {
      scaled_[e] = row_units[rows_[e]] * values_[e] * column_units[j];
      row_scale_[rows_[e]] = std::max(row_scale_[rows_[e]], std::abs(scaled_[e]));
    }
  for (int i = 0; i < n_; ++i) row_scale_[i] = calc_scale(i, row_scale_[i]);
  for (int j = 0; j < n_; ++j) {
    double largest = 0;
    for (int e = starts_[j]; e < starts_[j + 1]; ++e) {
      scaled_[e] *= row_scale_[rows_[e]];
      largest = std::max(largest, std::abs(scaled_[e]));
    }
    column_scale_[j] = calc_scale(j, largest);
    for (int e = starts_[j]; e < starts_[j + 1]; ++e) scaled_[e] *= column_scale_[j];
    column_scale_[j] *= column_units[j];
  }
  row_scale_.array() *= row_units.array();
  for (const int e : diagonal_) scaled_[e] -= kRegular;
}

bool SparseLu::factor(const Eigen::VectorXd& row_units, const Eigen::VectorXd& column_units) {
  Factors& f = *factors_;
  if (n_ == 0) return true;
  if (f.symbolic == nullptr) return false;
  scale(row_units, column_units);
  chose_pivots_ = false;
  if (!std::all_of(scaled_.begin(), scaled_.end(), [](double x) { return std::isfinite(x); })) return false;
  if (f.numeric != nullptr &&
      klu_refactor(starts_.data(), rows_.data(), scaled_.data(), f.symbolic, f.numeric, &f.common) == 1) {
    klu_rcond(f.symbolic, f.numeric, &f.common);
    f.now = f.common.rcond;
    if (f.now > kWorn * f.fresh) return true;
  }
  chose_pivots_ = true;
  klu_free_numeric(&f.numeric, &f.common);
  f.numeric = klu_factor(starts_.data(), rows_.data(), scaled_.data(), f.symbolic, &f.common);
  if (f.numeric == nullptr) return false;
  klu_rcond(f.symbolic, f.numeric, &f.common);
  f.fresh = f.now = f.common.rcond;
  return f.now > 0;
}

void SparseLu::solve(Ref b) {
  b.array() *= row_scale_.array();
  klu_solve(factors_->symbolic, factors_->numeric, n_, 1, b.data(), &factors_->common);
  if (first_constraint_ < n_) take_out_unfelt(b);
  b.array() *= column_scale_.array();
}

/// Multipliers z that nothing feels have K z = -kRegular z, so that K^-1 (-kRegular z) gives them back; of
/// all others it gives next to nothing.
// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void SparseLu::take_out_unfelt(Ref x) {
  const int m = n_ - first_constraint_;
  unfelt_.head(first_constraint_).setZero();
  unfelt_.tail(m) = -kRegular * x.tail(m);
  klu_solve(factors_->symbolic, factors_->numeric, n_, 1, unfelt_.data(), &factors_->common);
  x.tail(m) -= unfelt_.tail(m);
}

double SparseLu::calc_condition() const {
  return factors_->now;
}

}  // namespace haltere
