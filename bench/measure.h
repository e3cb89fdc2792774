#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

/// Times that can be compared: all contestants take turns in short batches, and the shortest batch of each
/// counts. What disturbs the machine for a while disturbs all of them, and only ever makes a batch longer.
namespace haltere::bench {

struct Contestant {
  std::string name;
  std::function<double(long)> run;  // evaluates so often; returns the time that it took [s]
  long batch = 1;                   // evaluations in a batch
  double best = 0;                  // shortest time of one evaluation [s]
};

/// The time that n calls of `evaluate` take [s].
template <class F>
double time_calls(long n, F&& evaluate) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (long i = 0; i < n; ++i) evaluate();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline void measure(std::vector<Contestant>* contestants, int rounds) {
  constexpr double kBatch =
      1e-3;  // [s]: shorter than a time slice of the system, long against reading a clock
  for (Contestant& c : *contestants) {
    double time = c.run(c.batch);
    for (; time < kBatch / 2; time = c.run(c.batch)) c.batch *= 2;  // also warms up
    c.best = time / static_cast<double>(c.batch);
  }
  for (int round = 0; round < rounds; ++round)
    for (Contestant& c : *contestants) {
      const double time = c.run(c.batch) / static_cast<double>(c.batch);
      if (time < c.best) c.best = time;
    }
}

}  // namespace haltere::bench
