#pragma once

#include <algorithm>
#include <array>
#include <vector>

namespace haltere {

/// One channel of a table of rows.
struct StridedColumn {
  const double* values;
  long stride;
  double operator[](long row) const { return values[row * stride]; }
};

/// Of the rows `from` to `to` - 1: the first, those of the least and of the largest value, the last; in order, each once.
inline std::vector<long> find_extremes(const StridedColumn& column, long from, long to) {
  if (from >= to) return {};
  long least = from, most = from;
  for (long row = from; row < to; ++row) {
    if (column[row] < column[least]) least = row;
    if (column[row] > column[most]) most = row;
  }
  std::vector<long> rows{from, std::min(least, most), std::max(least, most), to - 1};
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace haltere
