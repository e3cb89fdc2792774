#include "haltere/io/model/regulator_text.h"

#include <cmath>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haltere/analysis/regulator.h"
#include "haltere/io/model/model_reader.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// a mass of 1 kg that nothing holds
constexpr const char* kCart = R"(haltere: 1
bodies: {cart: {mass: 1 kg}}
joints: {track: {kind: prismatic, child: cart, axis: x}}
)";

struct Cart {
  Model model = read_model_text(kCart, "cart.yaml");
  std::unique_ptr<SteadyState> state = require_steady_state(model, {});
  Linearization linearization = linearize(*state, {.inputs = {"joint.track.force"}});
};

TEST(Regulator, OfAFreeMassIsThatOfTheDoubleIntegrator) {
  const Cart cart;
  const RegulatorProblem problem = pose_regulator(*cart.state, cart.linearization, {});
  EXPECT_THAT(problem.system.states, ElementsAre("joint.track.position", "joint.track.velocity"));
  const LinearRegulator regulator = calc_regulator(problem);
  ASSERT_EQ(regulator.failure, "");
  // analytic: for weights 1, 1 and 1 the gains are 1 and sqrt 3; rounding of the Riccati solver
  EXPECT_NEAR(regulator.K(0, 0), 1, 1e-12);
  EXPECT_NEAR(regulator.K(0, 1), std::sqrt(3.0), 1e-12);
  EXPECT_THAT(write_regulator(problem.system, regulator.K, cart.linearization, *cart.state),
              HasSubstr("kind: feedback\n    joint: track\n    gains:\n      joint.track.position: -"));
}

TEST(Regulator, WeightsAreTakenByName) {
  const Cart cart;
  const RegulatorProblem problem = pose_regulator(
      *cart.state, cart.linearization, {.q = {"joint.track.position=16"}, .r = {"joint.track.force=1"}});
  const LinearRegulator regulator = calc_regulator(problem);
  // analytic: k1 = sqrt(q/r) = 4, k2 = sqrt(2 k1)
  EXPECT_NEAR(regulator.K(0, 0), 4, 1e-11);
  EXPECT_NEAR(regulator.K(0, 1), std::sqrt(8.0), 1e-11);
}

TEST(Regulator, WeightsOfNothingAreRefused) {
  const Cart cart;
  const auto pose = [&](const RegulatorOptions& options) {
    return pose_regulator(*cart.state, cart.linearization, options);
  };
  EXPECT_THROW(pose({.q = {"joint.nix=1"}, .r = {}}), InputError);
  EXPECT_THROW(pose({.q = {"joint.track.position"}, .r = {}}), InputError);
  EXPECT_THROW(pose({.q = {"joint.track.position=-1"}, .r = {}}), InputError);
  EXPECT_THROW(calc_regulator(pose({.q = {"*=0"}, .r = {}})), InputError);
  EXPECT_THROW(calc_regulator(pose({.q = {}, .r = {"*=0"}})), InputError);
}

}  // namespace
}  // namespace haltere
