// Cost of one right-hand side of models/kick-scooter, against the dense system of the thesis it comes from.
#include <memory>

#include <Eigen/LU>
#include <fmt/format.h>

#include "measure.h"
#include "rhs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"

namespace haltere::bench {

// 17 coordinates and 12 rows; any matrix costs the same. Neither the entries nor the forces are computed.
void measure_wheels() {
  constexpr int kRounds = 500, kSize = 29;
  const Model model =
      read_model(HALTERE_SOURCE_DIR "/models/kick-scooter", {.case_name = "straight", .set = {}});
  Eigen::Matrix<double, kSize, kSize> matrix;
  Eigen::Matrix<double, kSize, 1> right, x;
  for (int i = 0; i < kSize; ++i) {
    right[i] = 1 + i % 3;
    for (int k = 0; k < kSize; ++k) matrix(i, k) = (i == k ? 10 : 0) + ((7 * i + 3 * k) % 11) / 11.0;
  }
  Eigen::PartialPivLU<Eigen::Matrix<double, kSize, kSize>> lu;
  std::vector<Contestant> contestants{{"dense 29 x 29 solution alone (Eigen)", [&](long n) {
                                         return time_calls(n, [&] {
                                           right[0] += 1e-9 * x[0];
                                           lu.compute(matrix);
                                           x = lu.solve(right);
                                         });
                                       }}};
  x.setZero();
  struct Machine {
    std::unique_ptr<Equations> equations;
    Eigen::VectorXd y, ydot;
  };
  std::vector<std::unique_ptr<Machine>> machines;
  for (const char* formulation : {"recursive", "absolute"}) {
    Machine* m = machines.emplace_back(std::make_unique<Machine>()).get();
    m->equations = make_equations(formulation, model);
    m->y = m->equations->calc_initial_state();
    m->ydot.setZero(m->y.size());
    contestants.push_back({fmt::format("whole right-hand side, {}", formulation), [m](long n) {
                             return time_calls(n, [m] { m->equations->calc_ydot(0, m->y, m->ydot); });
                           }});
  }
  measure(&contestants, kRounds);
  fmt::print("\nkick-scooter, one right-hand side\n");
  for (const Contestant& c : contestants)
    fmt::print("{:<40}{:>8.2f} us {:>7.2f}\n", c.name, c.best * 1e6, c.best / contestants[0].best);
}

}  // namespace haltere::bench
