// Cost of one right-hand side against the number of bodies, and what AVX2 is worth: chains of 1 to 10,000
// links, the two copies of the recursion side by side.
#include <cstdlib>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "rhs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/math/instruction_set.h"

namespace haltere::bench {
namespace {

class Chain {
 public:
  explicit Chain(int n)
      : model_(read_model(HALTERE_SOURCE_DIR "/models/chain",
                          {.case_name = {}, .set = {"n=" + std::to_string(n)}})),
        equations_(make_equations("recursive", model_)),
        y_(equations_->calc_initial_state()),
        ydot_(y_.size()) {
    y_.setLinSpaced(0.1, 0.9);  // no coordinate or speed is zero: nothing is cheaper than usual
  }

  double run(long n) {
    return time_calls(n, [&] { equations_->calc_ydot(0, y_, ydot_); });
  }

 private:
  Model model_;
  std::unique_ptr<Equations> equations_;
  Eigen::VectorXd y_, ydot_;
};

/// The same chain in a process of its own, where HALTERE_INSTRUCTION_SET is what we like: a program chooses
/// its copy of the recursion once. The process waits for a number of evaluations and answers with their time.
class ChainProcess {
 public:
  ChainProcess(int n, const char* instruction_set) {
    int requests[2], answers[2];
    if (pipe(requests) != 0 || pipe(answers) != 0 || (child_ = fork()) < 0) std::abort();
    if (child_ == 0) {
      setenv("HALTERE_INSTRUCTION_SET", instruction_set, 1);
      Chain chain(n);
      long count = 0;
      while (read(requests[0], &count, sizeof(count)) == sizeof(count) && count > 0) {
        const double time = chain.run(count);
        if (write(answers[1], &time, sizeof(time)) != sizeof(time)) break;
      }
      _exit(0);
    }
    request_ = requests[1];
    answer_ = answers[0];
    close(requests[0]);
    close(answers[1]);
  }
  ChainProcess(const ChainProcess&) = delete;
  ChainProcess& operator=(const ChainProcess&) = delete;
  ~ChainProcess() {
    const long stop = 0;
    if (write(request_, &stop, sizeof(stop)) == sizeof(stop)) waitpid(child_, nullptr, 0);
    close(request_);
    close(answer_);
  }

  double run(long n) const {
    double time = 0;
    if (write(request_, &n, sizeof(n)) != sizeof(n) || read(answer_, &time, sizeof(time)) != sizeof(time))
      std::abort();
    return time;
  }

 private:
  pid_t child_ = 0;
  int request_ = 0, answer_ = 0;
};

}  // namespace

void measure_chain() {
  constexpr int kRounds = 200;
  fmt::print("right-hand side of a chain, ns per body\n{:>8} {:>12} {:>12} {:>8}\n", "bodies", "this machine",
             "baseline", "ratio");
  double least = 0, most = 0;  // from 10 bodies on
  for (const int n : {1, 10, 100, 1000, 10000}) {
    const ChainProcess fast(n, ""), baseline(n, "baseline");
    std::vector<Contestant> contestants{{"", [&](long count) { return fast.run(count); }},
                                        {"", [&](long count) { return baseline.run(count); }}};
    measure(&contestants, kRounds);
    const double here = contestants[0].best * 1e9 / n, there = contestants[1].best * 1e9 / n;
    fmt::print("{:>8} {:>12.1f} {:>12.1f} {:>8.2f}\n", n, here, there, there / here);
    std::fflush(stdout);
    if (n == 10) least = most = here;
    least = n > 10 ? std::min(least, here) : least;
    most = n > 10 ? std::max(most, here) : most;
  }
  fmt::print(
      "this machine: {}; from 10 to 10,000 bodies the largest cost per body is {:.2f} times the smallest\n",
      instruction_set(), most / least);
}

}  // namespace haltere::bench
