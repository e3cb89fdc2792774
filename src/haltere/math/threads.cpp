#include "haltere/math/threads.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace haltere {
namespace {

std::atomic<int> threads_said{0};

int find_threads() {
  if (const char* wish = std::getenv("HALTERE_THREADS")) {
    const std::string_view text = wish;
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error == std::errc() && end == text.data() + text.size() && n > 0) return n;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int n_threads() {
  static const int found = find_threads();
  const int said = threads_said;
  return said > 0 ? said : found;
}

void set_n_threads(int n) {
  threads_said = n;
}

void call_for_each_part(int n_parts, int threads, const std::function<void(int part, int thread)>& work) {
  threads = std::min(threads, n_parts);
  std::atomic<int> next{0};
  const auto take = [&](int thread) {
    for (int part = next++; part < n_parts; part = next++) work(part, thread);
  };
  std::vector<std::thread> others;
  try {
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(take, thread);
  } catch (const std::system_error&) {
    // the system gives no more threads: those that there are do it all
  }
  take(0);
  for (std::thread& other : others) other.join();
}

}  // namespace haltere
