#include "haltere/dynamics/row_paths.h"

#include <algorithm>

#include "haltere/dynamics/machine/machine.h"

namespace haltere {

std::vector<RowSet> list_row_sets(const Model& model, const ConstraintSet<double>& constraints,
                                  std::size_t first) {
  std::vector<BodyRows<double>> rows;
  constraints.update_rows(make_scene<double>(model), &rows);  // which bodies
  std::vector<RowSet> sets;
  for (std::size_t s = first; s < rows.size(); ++s)
    sets.push_back({rows[s].first.value, rows[s].second.value,
                    constraints.starts[s] - constraints.starts[first],
                    static_cast<int>(constraints.row_names[s].size())});
  return sets;
}

RowPaths::RowPaths(const std::vector<int>& parents, const std::vector<int>& n_free, std::vector<RowSet> sets)
    : sets_(std::move(sets)) {
  for (const RowSet& set : sets_) paths_.push_back(make_path(set, parents));
  find_coupled(n_free);
}

std::vector<RowPaths::Step> RowPaths::make_path(const RowSet& set, const std::vector<int>& parents) const {
  std::vector<Step> path;
  int first = set.first_body, second = set.second_body;
  while (first != 0 || second != 0) {
    const bool joins = first == second, of_second = second > first;
    path.push_back({std::max(first, second), of_second, joins, {}, {}});
    if (joins) second = 0;
    int& on = of_second ? second : first;
    on = parents[on];
  }
  return path;
}

/// Who shares a joint shares all that it stands on: the last joint of a way that moves tells.
void RowPaths::find_coupled(const std::vector<int>& n_free) {
  std::vector<std::vector<int>> sets_at(n_free.size());
  for (int s = 0; s < static_cast<int>(sets_.size()); ++s) {
    if (sets_[s].n == 0) continue;
    coupled_.emplace_back(s, s);
    int last[2] = {0, 0};  // on the ways of both bodies
    bool joined = false;
    for (const Step& step : paths_[s]) {
      joined |= step.joins;
      if (n_free[step.body] == 0) continue;
      last[step.of_second ? 1 : 0] = step.body;
      if (joined) last[1] = 0;
    }
    for (const int body : last)
      if (body != 0) sets_at[body].push_back(s);
  }
  for (const std::vector<int>& sets : sets_at)
    for (std::size_t i = 0; i < sets.size(); ++i)
      for (std::size_t j = i + 1; j < sets.size(); ++j) coupled_.emplace_back(sets[i], sets[j]);
  std::sort(coupled_.begin(), coupled_.end());
  coupled_.erase(std::unique(coupled_.begin(), coupled_.end()), coupled_.end());
}

void RowPaths::calc_block(int s, int t, SmallMatrix* block) const {
  block->setZero(sets_[s].n, sets_[t].n);
  const std::vector<Step>&a = paths_[s], &b = paths_[t];
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].body == b[j].body) {
      if (a[i].e.rows() > 0) block->noalias() += a[i].e.transpose() * b[j].h;
      ++i;
      ++j;
    } else if (a[i].body > b[j].body) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace haltere
