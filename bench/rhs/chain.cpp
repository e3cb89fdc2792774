// Cost of one right-hand side against the number of bodies: the counter `per body` must not grow.
#include <string>

#include <benchmark/benchmark.h>

#include "haltere/dynamics/equations.h"
#include "haltere/io/model_reader.h"

namespace haltere {
namespace {

void right_hand_side_of_a_chain(benchmark::State& state) {
  const Model model = read_model(HALTERE_SOURCE_DIR "/models/chain",
                                 {.case_name = {}, .set = {"n=" + std::to_string(state.range(0))}});
  const auto equations = make_equations("recursive", model);
  Eigen::VectorXd y = equations->calc_initial_state();
  y.setLinSpaced(0.1, 0.9);  // no coordinate or speed is zero: nothing is cheaper than usual
  Eigen::VectorXd ydot(y.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(equations->calc_ydot(0, y, ydot));
    benchmark::ClobberMemory();
  }
  state.counters["per body"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(state.range(0)),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(right_hand_side_of_a_chain)->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

}  // namespace
}  // namespace haltere
