#include "haltere/dynamics/row_system.h"

#include <utility>

namespace haltere {

void RowSystem::resize(int n_rows, std::vector<int> position_rows) {
  Phi.setZero(n_rows, n_rows);
  sizes.setZero(n_rows);
  position_rows_ = std::move(position_rows);
  const auto n = static_cast<Eigen::Index>(position_rows_.size());
  position_Phi_.setZero(n, n);
  position_sizes_.setZero(n);
  part_ = position_sizes_;
  positions_.factor(position_Phi_, position_sizes_);  // sizes its workspace
  positions_.solve(part_);
}

void RowSystem::factor() {
  all_.factor(Phi, sizes);
  is_factored_ = false;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void RowSystem::solve_positions(Ref x) {
  if (static_cast<Eigen::Index>(position_rows_.size()) == Phi.rows()) return all_.solve(x);
  if (!is_factored_) {
    for (Eigen::Index j = 0; j < part_.size(); ++j)
      gather(Phi.col(position_rows_[j]), position_rows_, position_Phi_.col(j));
    gather(sizes, position_rows_, position_sizes_);
    positions_.factor(position_Phi_, position_sizes_);
    is_factored_ = true;
  }
  gather(x, position_rows_, part_);
  positions_.solve(part_);
  scatter(part_, position_rows_, x);
}

}  // namespace haltere
