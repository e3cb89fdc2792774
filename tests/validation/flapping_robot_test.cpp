// Lift of a flapping robot against what was measured, and what other lattices make of it.
#include <cctype>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shipped_models.h"
#include "source_folder.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

constexpr double kPeriod = 1 / 3.3;

/// Lift of both wings over a flap, at 100 phases (source: paper, pressures digitised).
std::vector<double> read_measured_lift() {
  std::ifstream file(source_path("models/flapping-robot/lift.csv"));
  std::vector<double> lift;
  std::string line;
  while (std::getline(file, line))
    if (!line.empty() && std::isdigit(static_cast<unsigned char>(line[0])))
      lift.push_back(std::stod(line.substr(line.find(',') + 1)));
  lift.resize(100);  // the last is the first of the next flap
  return lift;
}

struct Lift {
  std::vector<double> t, lift;
  double at(double time) const {
    std::size_t i = 1;
    while (i + 1 < t.size() && t[i] < time) ++i;
    const double part = (time - t[i - 1]) / (t[i] - t[i - 1]);
    return (1 - part) * lift[i - 1] + part * lift[i];
  }
};

MemorySink compute(const std::vector<std::string>& set = {}) {
  const Model model = read_model(shipped_model("flapping-robot"), {.case_name = "", .set = set});
  MemorySink sink;
  run(model, make_run_options(model, {}), {&sink});
  return sink;
}

Lift read_lift(const MemorySink& sink, const std::string& load) {
  Lift lift{sink.column("t"), sink.column("surface.left.load." + load + ".force.z")};
  const std::vector<double> right = sink.column("surface.right.load." + load + ".force.z");
  for (std::size_t i = 0; i < right.size(); ++i) lift.lift[i] += right[i];
  return lift;
}

/// Over the third flap. `late`: how long after its instant a load is recorded.
double calc_error(const Lift& computed, double late) {
  const std::vector<double> measured = read_measured_lift();
  double sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += std::abs(computed.at((2 + i / 100.) * kPeriod + late) - measured[i]) / 100;
  return sum;
}

TEST(FlappingRobot, LiftIsAsNearToTheMeasuredOneAsThatOfOtherLattices) {
  // peer: PteraSoftware publishes 0.0291 N; independent: another lattice of the same conventions and mesh has 0.0294 N (j),
  // 0.0272 (j-edge, half a step earlier) and 0.0302 (bernoulli), printed to 0.1 mN; its core and planform are read otherwise: 0.5 mN
  const double half_step = 3 * kPeriod / 224 / 2;
  const MemorySink sink = compute();
  EXPECT_NEAR(calc_error(read_lift(sink, "j"), 0), 0.0294, 5e-4);
  EXPECT_NEAR(calc_error(read_lift(sink, "j-edge"), half_step), 0.0272, 5e-4);
  EXPECT_NEAR(calc_error(read_lift(sink, "bernoulli"), 0), 0.0302, 5e-4);
  EXPECT_LT(calc_error(read_lift(sink, "q"), 0), 0.030);
}

// analytic: a choice of the mesh should not matter. 2 mN is what is asked of two good meshes; rings are joined from 20 ms on,
// which moves the lift by 0.2 mN (bench/README.md)
TEST(FlappingRobot, AFreeWakeAndTwiceThePanelsChangeLittle) {
  const std::string joined = "air.coarsen_after=20 ms";
  const double one = calc_error(read_lift(compute({joined}), "j"), 0);
  EXPECT_NEAR(one, calc_error(read_lift(compute(), "j"), 0), 2e-4);
  EXPECT_NEAR(
      calc_error(read_lift(compute({joined, "surfaces.left.wake=free", "surfaces.right.wake=free"}), "j"), 0),
      one, 2e-3);
  EXPECT_NEAR(calc_error(read_lift(compute({joined, "panels_span=36"}), "j"), 0), one, 2e-3);
}

}  // namespace
}  // namespace haltere
