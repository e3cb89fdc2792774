#include "haltere/dynamics/row_system.h"

#include <algorithm>

namespace haltere {

void RowSystem::resize(const std::vector<RowSet>& sets, const std::vector<std::pair<int, int>>& coupled,
                       std::vector<int> position_rows) {
  std::vector<Eigen::Triplet<double>> entries;
  int n_rows = 0;
  for (const RowSet& set : sets) n_rows += set.n;
  for (const auto& [s, t] : coupled)
    for (int i = 0; i < sets[s].n; ++i)
      for (int j = 0; j < sets[t].n; ++j) {
        entries.emplace_back(sets[s].start + i, sets[t].start + j, 0.0);
        entries.emplace_back(sets[t].start + j, sets[s].start + i, 0.0);
      }
  Phi_.resize(n_rows, n_rows);
  Phi_.setFromTriplets(entries.begin(), entries.end());
  Phi_.makeCompressed();
  const auto find = [&](const RowSet& rows, const RowSet& columns) {
    const int* first = Phi_.innerIndexPtr() + Phi_.outerIndexPtr()[columns.start];
    const int* last = Phi_.innerIndexPtr() + Phi_.outerIndexPtr()[columns.start + 1];
    return static_cast<int>(std::lower_bound(first, last, rows.start) - first);
  };
  pairs_.clear();
  for (const auto& [s, t] : coupled)
    pairs_.push_back({sets[s].start, sets[t].start, find(sets[s], sets[t]), find(sets[t], sets[s])});
  sizes.setZero(n_rows);
  all_.analyze(Phi_);
  position_rows_ = std::move(position_rows);
  if (static_cast<int>(position_rows_.size()) < n_rows) select_positions();
}

void RowSystem::select_positions() {
  std::vector<int> number(Phi_.rows(), -1);  // among the position rows
  for (std::size_t i = 0; i < position_rows_.size(); ++i) number[position_rows_[i]] = static_cast<int>(i);
  std::vector<Eigen::Triplet<double>> entries;
  position_places_.clear();
  for (const int column : position_rows_)
    for (int e = Phi_.outerIndexPtr()[column]; e < Phi_.outerIndexPtr()[column + 1]; ++e) {
      if (number[Phi_.innerIndexPtr()[e]] < 0) continue;
      entries.emplace_back(number[Phi_.innerIndexPtr()[e]], number[column], 0.0);
      position_places_.push_back(e);
    }
  const auto n = static_cast<Eigen::Index>(position_rows_.size());
  position_Phi_.resize(n, n);
  position_Phi_.setFromTriplets(entries.begin(), entries.end());
  position_Phi_.makeCompressed();
  position_sizes_.setZero(n);
  part_.setZero(n);
  positions_.analyze(position_Phi_);
  positions_.factor(position_Phi_, position_sizes_);  // sizes its workspace
  positions_.solve(part_);
}

void RowSystem::set_block(std::size_t k, const SmallMatrix& block) {
  const Pair& pair = pairs_[k];
  for (Eigen::Index j = 0; j < block.cols(); ++j)
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      if (pair.s == pair.t && i > j) continue;
      Phi_.valuePtr()[Phi_.outerIndexPtr()[pair.t + j] + pair.s_in_t + i] = block(i, j);
      Phi_.valuePtr()[Phi_.outerIndexPtr()[pair.s + i] + pair.t_in_s + j] = block(i, j);
    }
}

void RowSystem::set_column(int column, const Eigen::VectorXd& values) {
  for (int e = Phi_.outerIndexPtr()[column]; e < Phi_.outerIndexPtr()[column + 1]; ++e)
    Phi_.valuePtr()[e] = values[Phi_.innerIndexPtr()[e]];
}

void RowSystem::factor() {
  all_.factor(Phi_, sizes);
  is_factored_ = false;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void RowSystem::solve_positions(Ref x) {
  if (static_cast<Eigen::Index>(position_rows_.size()) == Phi_.rows()) return all_.solve(x);
  if (!is_factored_) {
    for (std::size_t e = 0; e < position_places_.size(); ++e)
      position_Phi_.valuePtr()[e] = Phi_.valuePtr()[position_places_[e]];
    gather(sizes, position_rows_, position_sizes_);
    positions_.factor(position_Phi_, position_sizes_);
    is_factored_ = true;
  }
  gather(x, position_rows_, part_);
  positions_.solve(part_);
  scatter(part_, position_rows_, x);
}

}  // namespace haltere
