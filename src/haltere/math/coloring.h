#pragma once

#include <vector>

namespace haltere {

/// Groups of columns of a sparse matrix no two of which have an entry in the same row: derivatives in all
/// directions of a group come out of one evaluation [curtis1974]. Greedy, in order; `columns`: row numbers.
std::vector<std::vector<int>> group_columns(const std::vector<std::vector<int>>& columns);

}  // namespace haltere
