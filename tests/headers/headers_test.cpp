// Every header of the library in one file without optimisation, linked with the library as it is: where two
// headers mean different things by one name, this does not compile, or the linker mixes them and the runs
// fail.
#include <cmath>

#include <gtest/gtest.h>

#include "every_header.h"  // written by tests/CMakeLists.txt

namespace haltere {
namespace {

const std::string kArm = R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  upper: {mass: 1 kg, center_of_mass: [0, 0, -1 m]}
  lower: {mass: 1 kg, center_of_mass: [0, 0, -1 m]}
joints:
  shoulder: {kind: revolute, child: upper, axis: y}
  elbow: {kind: revolute, parent: upper, child: lower, axis: y, parent_frame: [0, 0, -1 m]}
)";

TEST(EveryHeader, RunsWithALock) {
  const Model model = read_model_text(
      kArm + "initial: {shoulder: {angle: 0.5}}\nevents: {jam: {at: 0.1 s, lock: elbow}}\n", "arm");
  MemorySink rows;
  const RunSummary summary = run(model, make_run_options(model, {}), {&rows});
  EXPECT_EQ(summary.outcome, RunSummary::Outcome::kFinished) << summary.message;
  ASSERT_EQ(rows.events().size(), 1U);
  EXPECT_EQ(rows.events()[0].what, "joint 'elbow' locks");
}

// Two equal rods without mass, with a point at the end of each: w2 = g/l (2 +- sqrt 2)    (source: analytic);
// tolerance: eigenvalues of a 4 by 4 matrix, with room.
TEST(EveryHeader, FindsSmallMotions) {
  const Model model = read_model_text(kArm, "arm");
  const std::unique_ptr<Equations> equations = make_equations("recursive", model);
  const Equilibrium equilibrium = find_equilibrium({}, equations->calc_initial_state(), equations.get());
  const ModeSet set = calc_modes(linearize({}, equilibrium, equations.get()));
  ASSERT_EQ(set.modes.size(), 2U);
  EXPECT_NEAR(set.modes[0].eigenvalue.imag(), std::sqrt(9.81 * (2 - std::sqrt(2))), 1e-10);
  EXPECT_NEAR(set.modes[1].eigenvalue.imag(), std::sqrt(9.81 * (2 + std::sqrt(2))), 1e-10);
}

}  // namespace
}  // namespace haltere
