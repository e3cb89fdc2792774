// Cost of one right-hand side against the number of wing plates of models/x-hale: both formulations side by
// side.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "measure.h"
#include "rhs.h"

#include "haltere/dynamics/equations.h"
#include "haltere/integrate/integrator.h"
#include "haltere/io/model/model_reader.h"

namespace haltere::bench {
namespace {

struct Variant {
  const char* name;
  const char* formulation;
  const char* chart;
};
constexpr Variant kVariants[]{{"recursive", "recursive", "lie"},
                              {"absolute", "absolute", "lie"},
                              {"absolute, quaternion", "absolute", "quaternion"}};

/// The equations of a model, at a state of its own motion.
class Contender {
 public:
  Contender(const Model& model, const Variant& variant)
      : equations_(
            make_equations(variant.formulation, model, {.chart = variant.chart, .stabilization = {}})) {
    constexpr double kStep = 1e-3;  // [s]
    constexpr int kSteps = 10;
    const auto rk4 = find_integrator("rk4")->make(*equations_, {.step = kStep, .until = kSteps * kStep});
    rk4->start(0, equations_->calc_initial_state());
    for (int i = 0; i < kSteps; ++i) rk4->step(kSteps * kStep);
    y_ = rk4->y();
    ydot_.resize(y_.size());
  }

  double run(long n) {
    return time_calls(n, [&] { equations_->calc_ydot(0, y_, ydot_); });
  }

 private:
  std::unique_ptr<Equations> equations_;
  Eigen::VectorXd y_, ydot_;
};

}  // namespace

void measure_segments() {
  constexpr int kRounds = 200;
  constexpr std::size_t kKinds = std::size(kVariants);
  fmt::print(
      "\nright-hand side of x-hale with n wing plates; of each formulation ns per plate (and of that of 7), "
      "ns "
      "per body\n{:>6} {:>7}",
      "plates", "bodies");
  for (const Variant& variant : kVariants) fmt::print(" {:>26}", variant.name);
  fmt::print("\n");
  double first[kKinds] = {};
  for (const int n : {7, 21, 63, 189, 701}) {
    const Model model = read_model(HALTERE_SOURCE_DIR "/models/x-hale",
                                   {.case_name = "free", .set = {"n=" + std::to_string(n)}});
    std::vector<std::unique_ptr<Contender>> machines;
    std::vector<Contestant> contestants;
    for (const Variant& variant : kVariants) {
      Contender* machine = machines.emplace_back(std::make_unique<Contender>(model, variant)).get();
      contestants.push_back({variant.name, [machine](long count) { return machine->run(count); }});
    }
    measure(&contestants, kRounds);
    fmt::print("{:>6} {:>7}", n, model.n_tree());
    for (std::size_t i = 0; i < kKinds; ++i) {
      const double own = contestants[i].best * 1e9;
      if (first[i] == 0) first[i] = own / n;
      fmt::print(" {:>9.0f} ({:4.2f}) {:>9.0f}", own / n, own / n / first[i], own / model.n_tree());
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace haltere::bench
