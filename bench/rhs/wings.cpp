// Cost of one right-hand side of models/hawkmoth, with and without air, against the number of sections; and
// of one period of flapping at the step of its paper.
#include <memory>

#include <Eigen/LU>
#include <fmt/format.h>

#include "measure.h"
#include "rhs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere::bench {
namespace {

constexpr int kRounds = 300;

Model read_wings(int sections, bool air) {
  std::vector<std::string> set{fmt::format("parameters.M={}", sections)};
  if (!air) set.insert(set.end(), {"surfaces.right_blade{k+1}=~", "surfaces.left_blade{k+1}=~"});
  return read_model(HALTERE_SOURCE_DIR "/models/hawkmoth", {.case_name = "rest", .set = set});
}

struct Contender {
  Model model;
  std::unique_ptr<Equations> equations;
  Eigen::VectorXd y, ydot;

  Contender(int sections, bool air)
      : model(read_wings(sections, air)),
        equations(make_equations("recursive", model)),
        y(equations->calc_initial_state()),
        ydot(Eigen::VectorXd::Zero(y.size())) {
    // everything moves: a strip that rests is done sooner
    const Sizes sizes = equations->sizes();
    for (int i = 7; i < sizes.nq + sizes.nv; ++i) y[i] += 0.05 * ((7 * i) % 11 - 5);
  }
};

void add_machine(const std::string& name, Contender* m, std::vector<Contestant>* contestants) {
  contestants->push_back(
      {name, [m](long n) { return time_calls(n, [m] { m->equations->calc_ydot(1e-3, m->y, m->ydot); }); }});
}

void measure_sections() {
  constexpr int kSize = 22;  // coordinates of the paper: six of the thorax, sixteen joints
  Eigen::Matrix<double, kSize, kSize> matrix;
  Eigen::Matrix<double, kSize, 1> right, x;
  for (int i = 0; i < kSize; ++i) {
    right[i] = 1 + i % 3;
    for (int k = 0; k < kSize; ++k) matrix(i, k) = (i == k ? 10 : 0) + ((7 * i + 3 * k) % 11) / 11.0;
  }
  x.setZero();
  Eigen::PartialPivLU<Eigen::Matrix<double, kSize, kSize>> lu;
  std::vector<Contestant> contestants{{"dense 22 x 22 solution alone (Eigen)", [&](long n) {
                                         return time_calls(n, [&] {
                                           right[0] += 1e-9 * x[0];
                                           lu.compute(matrix);
                                           x = lu.solve(right);
                                         });
                                       }}};
  std::vector<std::unique_ptr<Contender>> machines;
  for (const int sections : {4, 16, 64})
    for (const bool air : {false, true}) {
      Contender* m = machines.emplace_back(std::make_unique<Contender>(sections, air)).get();
      add_machine(fmt::format("{} sections, {}", sections, air ? "with air" : "without"), m, &contestants);
    }
  measure(&contestants, kRounds);
  fmt::print("\nhawkmoth, one right-hand side\n");
  for (const Contestant& c : contestants)
    fmt::print("{:<40}{:>8.2f} us {:>7.2f}\n", c.name, c.best * 1e6, c.best / contestants[0].best);
}

/// 400 steps of 0.1 ms, for which the paper states 17 s: a whole run, and what a second period adds to it.
void measure_period() {
  constexpr double kPaper = 17, kPeriod = 0.04;
  Model model = read_wings(4, true);
  model.measures.clear();  // the paper's time is that of the motion alone
  std::vector<Contestant> contestants;
  for (const int periods : {1, 2}) {
    Settings settings;
    settings.integrator = "abm45";
    settings.step = 1e-4;
    settings.until = settings.every = periods * kPeriod;
    const RunOptions options = make_run_options(model, settings);
    contestants.push_back({fmt::format("{} periods", periods), [&model, options](long n) {
                             return time_calls(n, [&] {
                               MemorySink sink;
                               run(model, options, {&sink});
                             });
                           }});
  }
  measure(&contestants, kRounds);
  const double whole = contestants[0].best, steps = contestants[1].best - whole;
  for (const auto& [what, time] :
       {std::pair{"a run of one period, set-up included", whole}, {"400 steps", steps}})
    fmt::print(
        "hawkmoth, abm45, {}: {:.2f} ms, {:.0f} times faster than the 17 s of the paper, {:.1f} times real "
        "time\n",
        what, time * 1e3, kPaper / time, kPeriod / time);
}

}  // namespace

void measure_wings() {
  measure_sections();
  measure_period();
}

}  // namespace haltere::bench
