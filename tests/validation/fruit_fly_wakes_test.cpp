// The fruit fly in the wakes of its wings: laws of a machine that is free in an air that remembers.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "source_folder.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/simulation.h"

namespace haltere {
namespace {

constexpr double kBeat = 1 / 218.;  // [s]
constexpr double kMass = 0.94219252e-6, kWingMass = 0.00535376e-6, kWeight = kMass * 9.81;

Model read_fly(const std::vector<std::string>& set = {}) {
  return read_model(source_path("models/fruit-fly"), {"free-flight", set});
}

RunOptions options_of(const Model& model, const std::string& formulation) {
  RunOptions options = make_run_options(model, {});
  options.formulation = formulation;
  return options;
}

/// Of the centre of mass of a body, from what is recorded.
Vector3<double> calc_acceleration(const Snapshot& now, int body, const Vector3<double>& place) {
  const Vector3<double> r = now.scene.X_WB[body].R * place, w = now.scene.V_WB[body].head<3>();
  return now.A_WB[body].tail<3>() + now.A_WB[body].head<3>().cross(r) + w.cross(w.cross(r));
}

// Newton: masses times accelerations are the loads of the air and the weight, at every end of a step; and the energy
// balance closes to the error of rk4, which in `absolute` has the work of the rows that lead the wings: sixteen times less
// with half the step was seen
TEST(FruitFlyInItsWakes, IsMovedByWhatIsRecorded) {
  const Model model = read_fly();
  for (const FormulationInfo& formulation : general_formulations()) {
    Simulation simulation(model, options_of(model, std::string(formulation.name)));
    while (simulation.t() < kBeat / 4) {
      simulation.step();
      const Snapshot& now = simulation.snapshot();
      Vector3<double> change = (kMass - 2 * kWingMass) * calc_acceleration(now, 1, Vector3<double>::Zero());
      for (const double side : {1., -1.})
        change += kWingMass * calc_acceleration(now, side > 0 ? 2 : 3, {-0.121e-3, side * 1.35e-3, 0});
      Vector3<double> load(0, 0, -kWeight);
      for (const SurfaceLoad& surface : now.surfaces) load += surface.total.force();
      EXPECT_NEAR((change - load).norm(), 0, 1e-10 * kWeight) << formulation.name << " " << now.scene.t;
    }
    EXPECT_TRUE(simulation.summary().audit.closes_to(formulation.name == "absolute" ? 1e-7 : 1e-8));
  }
}

Vector3<double> fly(const std::vector<std::string>& set, const std::string& formulation = "recursive") {
  const Model model = read_fly(set);
  Simulation simulation(model, options_of(model, formulation));
  simulation.step_until(kBeat / 2);
  const Transform<double>& X = simulation.snapshot().scene.X_WB[1];
  return {1e3 * X.p.x(), 1e3 * X.p.z(), std::asin(X.R(2, 0))};  // [mm], pitch [rad]
}

// to the tolerance of what air and machine agree on; 1e-12 mm and rad was seen
TEST(FruitFlyInItsWakes, FliesAlikeInBothFormulations) {
  EXPECT_NEAR((fly({}, "absolute") - fly({})).norm(), 0, 1e-8);
  EXPECT_NEAR((fly({"air.coupling_tolerance=5e-8"}) - fly({})).norm(), 0, 1e-6);
}

// explicit convection: first order. Half a beat, since wakes are chaotic from the second beat on
TEST(FruitFlyInItsWakes, ConvergesWithTheStepOfTheAir) {
  const Vector3<double> coarse = fly({}), fine = fly({"steps=120"}), finer = fly({"steps=240"});
  const double ratio = (fine - coarse).norm() / (finer - fine).norm();
  EXPECT_GT(ratio, 1.5);
  EXPECT_LT((finer - fine).norm(), 2e-3);
}

// what the wings weigh moves the body: the paper's point
TEST(FruitFlyInItsWakes, TheMassOfItsWingsMovesItsBody) {
  const double lighter = (fly({"m_wing=0 mg"}) - fly({})).norm();
  EXPECT_GT(lighter, 0.01);
  EXPECT_LT(lighter, 0.2);
}

}  // namespace
}  // namespace haltere
