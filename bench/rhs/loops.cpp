// Cost of one right-hand side of models/four-bar against the number of its loops, each with three rows too
// many.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "measure.h"
#include "rhs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"

namespace haltere::bench {

void measure_loops() {
  constexpr int kRounds = 20, kRowsOfALoop = 5;
  fmt::print("\nright-hand side of N four-bars in a row, us per row of the loops\n{:>8} {:>12} {:>12}\n", "N",
             "recursive", "absolute");
  for (const int n : {10, 20, 40, 200, 1000}) {
    const Model model = read_model(HALTERE_SOURCE_DIR "/models/four-bar",
                                   {.case_name = {}, .set = {"N=" + std::to_string(n)}});
    fmt::print("{:>8}", n);
    for (const char* formulation : {"recursive", "absolute"}) {
      const std::unique_ptr<Equations> equations = make_equations(formulation, model);
      const Eigen::VectorXd y = equations->calc_initial_state();
      Eigen::VectorXd ydot(y.size());
      std::vector<Contestant> one{
          {"", [&](long count) { return time_calls(count, [&] { equations->calc_ydot(0, y, ydot); }); }}};
      measure(&one, kRounds);
      fmt::print(" {:>12.2f}", one[0].best * 1e6 / (kRowsOfALoop * n));
    }
    fmt::print("\n");
  }
}

}  // namespace haltere::bench
