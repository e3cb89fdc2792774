#include "haltere/math/semidefinite.h"

#include <algorithm>
#include <cmath>

#include <Eigen/OrderingMethods>

#include "haltere/math/dense.h"

namespace haltere {
namespace {

// Added to the scaled matrix. With q = e / (x + e), e = kAdded, an eigenvalue x comes out as x / (1 - q^6)^2:
// to rounding down to x = 1e-3, to 1e-12 at 1e-4, and much smaller ones are passed over. A machine that goes
// through a singular position would otherwise be thrown by what its constraints are off: a deviation is
// amplified by about 1 / sqrt(e) at most. In return the motion lacks about e of its acceleration for the
// short time of the passage. 1e-6: of 1e-8 ... 1e-5 the only one with which the parallelogram of
// tests/validation keeps to 1e-7 in all formulations and methods tried.
constexpr double kAdded = 1e-6;
// q^6 is below rounding from x = 1e-3 on; each one more costs a solution and wins a factor q
constexpr int kRefinements = 5;
// of the unit diagonal, where the largest pivot is: below it a scaled row is a combination of others. Between
// rounding, 1e-16 times the number of rows, and rows that count, 1e-6; the place between is a choice.
constexpr double kDependent = 1e-9;
// added where such rows are looked for: far above rounding, far below kDependent
constexpr double kBarely = 1e-12;

// of what its row would give way by itself: a pivot below it makes the row a weak one, near which a singular
// position is passed (decision 0010). A choice: far above kAdded, so that states beside it are solved to
// rounding.
constexpr double kWeak = 1e-2;

// of the scaled matrix: differences of its triangles that are more than rounding; below it refinement takes
// them away, by kUnsymmetric/kAdded = 1e-3 each
constexpr double kUnsymmetric = 1e-9;

// of what was added up in a diagonal entry: below it, it is rounding; a choice, far above the eps of each
// term
constexpr double kNothing = 1e-11;

int find_entry(const Eigen::SparseMatrix<double>& P, int i, int j) {
  const int *first = P.innerIndexPtr() + P.outerIndexPtr()[j],
            *last = P.innerIndexPtr() + P.outerIndexPtr()[j + 1];
  return static_cast<int>(std::lower_bound(first, last, i) - P.innerIndexPtr());
}

}  // namespace

void SemidefiniteSolver::analyze(const Matrix& P) {
  P_ = P;
  P_.makeCompressed();
  const int n = static_cast<int>(P_.rows());
  scale_.setOnes(n);
  strength_.setOnes(n);
  pivots_.setOnes(n);
  for (Eigen::VectorXd* x : {&r_, &x_, &dx_, &other_}) x->setZero(n);
  diagonal_.clear();
  transposed_.clear();
  for (int j = 0; j < n; ++j) {
    diagonal_.push_back(find_entry(P_, j, j));
    for (int e = P_.outerIndexPtr()[j]; e < P_.outerIndexPtr()[j + 1]; ++e)
      transposed_.push_back(find_entry(P_, j, P_.innerIndexPtr()[e]));
  }
  if (n == 0 || is_full()) return;

  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> first;  // row at each place of the order
  Eigen::AMDOrdering<int>()(P_.selfadjointView<Eigen::Upper>(), first);
  order_.assign(first.indices().data(), first.indices().data() + n);
  std::vector<int> place(n);
  for (int i = 0; i < n; ++i) place[order_[i]] = i;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (int e = P_.outerIndexPtr()[j]; e < P_.outerIndexPtr()[j + 1]; ++e)
      if (const int i = P_.innerIndexPtr()[e]; place[i] <= place[j])
        entries.emplace_back(place[i], place[j], 0.0);
  upper_.resize(n, n);
  upper_.setFromTriplets(entries.begin(), entries.end());
  upper_.makeCompressed();
  places_.clear();
  upper_diagonal_.clear();
  for (int j = 0; j < n; ++j) {
    for (int e = upper_.outerIndexPtr()[j]; e < upper_.outerIndexPtr()[j + 1]; ++e)
      places_.push_back(find_entry(P_, order_[upper_.innerIndexPtr()[e]], order_[j]));
    upper_diagonal_.push_back(find_entry(upper_, j, j));
  }
  sparse_.analyzePattern(upper_);
}

void SemidefiniteSolver::calc_scale(const Matrix& P, const Eigen::VectorXd& sizes) {
  for (int i = 0; i < scale_.size(); ++i) {
    const double own = P.valuePtr()[diagonal_[i]];
    const double size = own > kNothing * sizes[i] ? own : sizes[i];
    strength_[i] = sizes[i] > 0 ? own / sizes[i] : 0;
    scale_[i] = size > 0 ? 1 / std::sqrt(size) : 1;
  }
}

bool SemidefiniteSolver::is_unsymmetric() const {
  const double* values = P_.valuePtr();
  for (std::size_t e = 0; e < transposed_.size(); ++e)
    if (std::abs(values[e] - values[transposed_[e]]) > kUnsymmetric) return true;
  return false;
}

void SemidefiniteSolver::factor(const Matrix& P, const Eigen::VectorXd& sizes) {
  if (P_.rows() == 0) return;
  calc_scale(P, sizes);
  for (int j = 0; j < P_.cols(); ++j)
    for (int e = P_.outerIndexPtr()[j]; e < P_.outerIndexPtr()[j + 1]; ++e)
      P_.valuePtr()[e] = scale_[j] * (scale_[P_.innerIndexPtr()[e]] * P.valuePtr()[e]);
  if (!is_full() && !is_unsymmetric() && factor_sparse(kAdded)) return;
  factor_dense();
}

bool SemidefiniteSolver::factor_sparse(double added) {
  factors_ = Factors::kSparse;
  for (std::size_t e = 0; e < places_.size(); ++e) upper_.valuePtr()[e] = P_.valuePtr()[places_[e]];
  for (const int e : upper_diagonal_) upper_.valuePtr()[e] += added;
  sparse_.refactor(upper_);
  return sparse_.info() == Eigen::Success && sparse_.pivots().minCoeff() > 0;
}

void SemidefiniteSolver::factor_dense() {
  dense_ = P_;
  dense_.diagonal().array() += kAdded;
  factors_ = Factors::kDense;
  if (!is_unsymmetric()) {
    cholesky_.compute(dense_);
    if (cholesky_.info() == Eigen::Success) return;
  }
  factors_ = Factors::kGeneral;
  general_.compute(dense_);
}

void SemidefiniteSolver::divide(Eigen::VectorXd* x) {
  switch (factors_) {
    case Factors::kSparse:
      for (std::size_t i = 0; i < order_.size(); ++i) other_[static_cast<Eigen::Index>(i)] = (*x)[order_[i]];
      *x = sparse_.solve(other_);
      other_ = *x;
      for (std::size_t i = 0; i < order_.size(); ++i) (*x)[order_[i]] = other_[static_cast<Eigen::Index>(i)];
      break;
    case Factors::kDense:
      cholesky_.solveInPlace(*x);
      break;
    case Factors::kGeneral:
      other_ = *x;
      *x = general_.solve(other_);
      break;
  }
}

void SemidefiniteSolver::multiply_add(double factor, const Eigen::VectorXd& x, Eigen::VectorXd* out) const {
  if (is_full()) {
    out->noalias() += factor * (Eigen::Map<const Eigen::MatrixXd>(P_.valuePtr(), P_.rows(), P_.cols()) * x);
    return;
  }
  for (int j = 0; j < P_.cols(); ++j)
    for (int e = P_.outerIndexPtr()[j]; e < P_.outerIndexPtr()[j + 1]; ++e)
      (*out)[P_.innerIndexPtr()[e]] += factor * P_.valuePtr()[e] * x[j];
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void SemidefiniteSolver::solve(Ref x) {
  if (x.size() == 0) return;
  r_ = scale_.cwiseProduct(x);
  x_.setZero();
  dx_ = r_;
  for (int i = 0;; ++i) {
    divide(&dx_);
    x_ += dx_;
    if (i == kRefinements) break;
    dx_ = r_;
    multiply_add(-1, x_, &dx_);
  }
  // e / (P + e), again and again, leaves of x_ what P does not feel, its part in the null space:
  // theory.md (E20)
  dx_ = x_;
  for (int i = 0; i <= kRefinements; ++i) {
    dx_ *= kAdded;
    divide(&dx_);
  }
  x_ -= dx_;
  x = scale_.cwiseProduct(x_);
}

int SemidefiniteSolver::count_weak() const {
  if (P_.rows() == 0) return 0;
  switch (factors_) {
    case Factors::kSparse:
      for (std::size_t i = 0; i < order_.size(); ++i)
        pivots_[order_[i]] = sparse_.pivots()[static_cast<Eigen::Index>(i)];
      break;
    case Factors::kDense:
      pivots_ = cholesky_.matrixLLT().diagonal().cwiseAbs2();
      break;
    case Factors::kGeneral:
      pivots_ = general_.matrixLU().diagonal().cwiseAbs();
      break;
  }
  return static_cast<int>((pivots_.array() * strength_.array() < kWeak).count());
}

std::vector<int> SemidefiniteSolver::find_dependent() {
  std::vector<int> dependent;
  if (P_.rows() == 0) return dependent;
  if (factors_ == Factors::kSparse) {
    factor_sparse(kBarely);
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (!(sparse_.pivots()[static_cast<Eigen::Index>(i)] > kDependent)) dependent.push_back(order_[i]);
  } else {
    const ColumnOrder order = order_columns(Eigen::MatrixXd(P_), kDependent);
    dependent.assign(order.columns.begin() + order.rank, order.columns.end());
  }
  std::sort(dependent.begin(), dependent.end());
  return dependent;
}

}  // namespace haltere
