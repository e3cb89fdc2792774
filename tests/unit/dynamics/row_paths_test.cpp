#include "haltere/dynamics/row_paths.h"

#include <gtest/gtest.h>

namespace haltere {
namespace {

/// N + 1 cranks on the ground, a coupler on each but the last, and a loop from each coupler to the next
/// crank.
RowPaths make_row_of_loops(int n) {
  std::vector<int> parents{0}, n_free{0};
  std::vector<RowSet> sets;
  for (int k = 0; k <= n; ++k) parents.push_back(0);
  for (int k = 0; k < n; ++k) parents.push_back(1 + k);
  n_free.resize(parents.size(), 1);
  for (int k = 0; k < n; ++k) sets.push_back({2 + k, 2 + n + k, 5 * k, 5});
  return {parents, n_free, sets};
}

// A loop and the next one stand on one crank, and no others do.                          (source: analytic)
TEST(RowPaths, CoupleNeighboursAndNoOthers) {
  for (const int n : {1, 10, 1000})
    EXPECT_EQ(make_row_of_loops(n).coupled().size(), static_cast<std::size_t>(2 * n - 1)) << n;
}

// Two loops on a free body feel each other; on a body that is welded to the ground they do not.
TEST(RowPaths, CoupleWhatStandsOnABodyThatMoves) {
  const std::vector<int> parents{0, 0, 1, 1, 1, 1};
  const std::vector<RowSet> sets{{2, 3, 0, 5}, {4, 5, 5, 5}};
  EXPECT_EQ(RowPaths(parents, {0, 6, 1, 1, 1, 1}, sets).coupled().size(), 3U);
  EXPECT_EQ(RowPaths(parents, {0, 0, 1, 1, 1, 1}, sets).coupled().size(), 2U);
}

// Loops that share an arm although they meet on a welded base.
TEST(RowPaths, CoupleWhatSharesAnArmOfAWeldedBase) {
  const std::vector<int> parents{0, 0, 1, 1, 1};
  const std::vector<RowSet> sets{{2, 3, 0, 5}, {3, 4, 5, 5}, {2, 4, 10, 5}};
  EXPECT_EQ(RowPaths(parents, {0, 0, 1, 1, 1}, sets).coupled().size(), 6U);
}

}  // namespace
}  // namespace haltere
