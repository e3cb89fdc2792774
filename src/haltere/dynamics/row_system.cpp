#include "haltere/dynamics/row_system.h"

#include <utility>

namespace haltere {

void RowSystem::resize(int n_rows, std::vector<int> position_rows) {
  Phi.setZero(n_rows, n_rows);
  sizes.setZero(n_rows);
  position_rows_ = std::move(position_rows);
}

void RowSystem::factor() {
  all_.factor(Phi, sizes);
  is_factored_ = false;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): a Ref is a view
void RowSystem::solve_positions(Ref x) {
  if (static_cast<Eigen::Index>(position_rows_.size()) == Phi.rows()) return all_.solve(x);
  if (!is_factored_) {
    position_Phi_ = Phi(position_rows_, position_rows_);
    position_sizes_ = sizes(position_rows_);
    positions_.factor(position_Phi_, position_sizes_);
    is_factored_ = true;
  }
  part_ = x(position_rows_);
  positions_.solve(part_);
  x.setZero();
  x(position_rows_) = part_;
}

}  // namespace haltere
