#include "haltere/math/coloring.h"

#include <algorithm>

namespace haltere {

std::vector<std::vector<int>> group_columns(const std::vector<std::vector<int>>& columns) {
  std::vector<std::vector<int>> groups;
  std::vector<std::vector<int>> groups_of_row;  // groups that have an entry in a row
  std::vector<int> seen;                        // group -> last column that it was forbidden for
  for (int j = 0; j < static_cast<int>(columns.size()); ++j) {
    for (const int row : columns[j]) {
      if (row >= static_cast<int>(groups_of_row.size())) groups_of_row.resize(row + 1);
      for (const int group : groups_of_row[row]) seen[group] = j;
    }
    int group = 0;
    while (group < static_cast<int>(groups.size()) && seen[group] == j) ++group;
    if (group == static_cast<int>(groups.size())) {
      groups.emplace_back();
      seen.push_back(-1);
    }
    groups[group].push_back(j);
    for (const int row : columns[j]) groups_of_row[row].push_back(group);
  }
  return groups;
}

}  // namespace haltere
