// Cost of one right-hand side of models/insect-hinge, a body with two wings, in all three formulations.
#include <memory>

#include <fmt/format.h>

#include "measure.h"
#include "rhs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/io/model/model_reader.h"

namespace haltere::bench {

void measure_insect() {
  constexpr int kRounds = 500;
  for (const char* name : {"force-on-body", "prescribed"}) {
    const Model model = read_model(HALTERE_SOURCE_DIR "/models/insect-hinge", {.case_name = name, .set = {}});
    struct Machine {
      std::unique_ptr<Equations> equations;
      Eigen::VectorXd y, ydot;
    };
    std::vector<std::unique_ptr<Machine>> machines;
    std::vector<Contestant> contestants;
    for (const FormulationInfo& formulation : formulations()) {
      Machine* m = machines.emplace_back(std::make_unique<Machine>()).get();
      m->equations = make_equations(formulation.name, model);
      m->y = m->equations->calc_initial_state();
      m->ydot.setZero(m->y.size());
      contestants.push_back({std::string(formulation.name), [m](long n) {
                               return time_calls(n, [m] { m->equations->calc_ydot(0, m->y, m->ydot); });
                             }});
    }
    measure(&contestants, kRounds);
    fmt::print("\ninsect-hinge, {}, one right-hand side\n", name);
    for (const Contestant& c : contestants)
      fmt::print("{:<40}{:>8.2f} us {:>7.2f}\n", c.name, c.best * 1e6, c.best / contestants[0].best);
  }
}

}  // namespace haltere::bench
