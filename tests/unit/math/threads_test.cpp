#include "haltere/math/threads.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace haltere {
namespace {

TEST(Threads, EveryPartIsDoneOnce) {
  for (const int n : {0, 1, 7, 1000})
    for (const int threads : {1, 2, 3, 50}) {
      std::vector<std::atomic<int>> done(n);
      std::atomic<bool> is_thread{true};
      for_each_part(n, threads, [&](int part, int thread) {
        ++done[part];
        if (thread < 0 || thread >= std::min(threads, n)) is_thread = false;
      });
      EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](int count) { return count == 1; })) << n;
      EXPECT_TRUE(is_thread) << n << ' ' << threads;
    }
}

TEST(Threads, AreAsManyAsWasSaid) {
  const int all = n_threads();
  EXPECT_GE(all, 1);
  set_n_threads(3);
  EXPECT_EQ(n_threads(), 3);
  set_n_threads(0);
  EXPECT_EQ(n_threads(), all);
}

}  // namespace
}  // namespace haltere
