#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

// A point mass of 2 kg on a massless arm of 0.5 m that lies along x, the axis along y: gravity pulls it down.
constexpr const char* kPendulum = R"(
haltere: 1
name: pendulum
gravity: [0, 0, -10]
bodies:
  bob: {mass: 2 kg, center_of_mass: [0.5, 0, 0], inertia: [0, 0, 0]}
joints:
  pivot: {kind: revolute, child: bob, axis: [0, 1, 0]}
)";

class Evaluate : public ProgramTest {
 protected:
  Evaluate() { write("pendulum.yaml", kPendulum); }
};

TEST_F(Evaluate, GivesMassMatrixForceAndAccelerationOfAPendulum) {
  const Outcome o = haltere({"evaluate", "pendulum.yaml", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json e = json::parse(o.out);
  // analytic: M = m l^2, torque about +y of a weight at +x is +m g l, acceleration g / l; tolerance: machine
  EXPECT_EQ(e["v_names"], json::array({"joint.pivot.rate"}));
  EXPECT_NEAR(e["M"][0][0].get<double>(), 0.5, 1e-15);
  EXPECT_NEAR(e["f"][0].get<double>(), 10, 1e-14);
  EXPECT_NEAR(e["vdot"][0].get<double>(), 20, 1e-14);
  // the mass falls freely at this instant: nothing holds it
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(e["joints"]["pivot"]["reaction"]["force"][i].get<double>(), 0, 1e-13);
  EXPECT_EQ(e["energy"]["kinetic"], 0);
}

TEST_F(Evaluate, TakesTheStateByNameOrAsAList) {
  write("named.json", R"({"q": {"joint.pivot.angle": 1.5707963267948966}, "v": {"joint.pivot.rate": 3}})");
  write("listed.json", R"({"t": 2, "q": [1.5707963267948966], "v": [3]})");
  for (const std::string file : {"named.json", "listed.json"}) {
    const Outcome o = haltere({"evaluate", "pendulum.yaml", "--state", file, "--json", "-"});
    ASSERT_EQ(o.status, 0) << o.err;
    const json e = json::parse(o.out);
    // analytic: hanging, so no torque; kinetic energy m (l w)^2 / 2; the arm holds weight and centripetal
    // force. Machine.
    EXPECT_NEAR(e["vdot"][0].get<double>(), 0, 1e-14);
    EXPECT_NEAR(e["energy"]["kinetic"].get<double>(), 2.25, 1e-14);
    EXPECT_NEAR(e["joints"]["pivot"]["reaction"]["force"][2].get<double>(), 2 * 10 + 2 * 0.5 * 9, 1e-13);
    EXPECT_NEAR(e["bodies"]["bob"]["angular_velocity"][1].get<double>(), 3, 1e-15);
  }
}

TEST_F(Evaluate, ReadsItsOwnOutputAsState) {
  write("state.json", R"({"q": [0.3], "v": [0.7]})");
  ASSERT_EQ(haltere({"evaluate", "pendulum.yaml", "--state", "state.json", "--json", "a.json"}).status, 0);
  const Outcome o = haltere({"evaluate", "pendulum.yaml", "--state", "a.json", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, read("a.json"));
}

TEST_F(Evaluate, PrintsTablesWithoutJson) {
  const Outcome o = haltere({"evaluate", "pendulum.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("joint.pivot.rate"));
  EXPECT_THAT(o.out, HasSubstr("rad/s"));
  EXPECT_THAT(o.err, IsEmpty());
}

TEST_F(Evaluate, NamesEveryMistakeOfAStateFile) {
  write("state.json", R"({"q": {"joint.pivto.angle": 1}, "v": [1, 2]})");
  const Outcome o = haltere({"evaluate", "pendulum.yaml", "--state", "state.json"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("did you mean 'joint.pivot.angle'?"));
  EXPECT_THAT(o.err, HasSubstr("'v' has 2 values; the model has 1"));
  EXPECT_THAT(o.err, HasSubstr("2 problems"));
}

TEST_F(Evaluate, RefusesStateFilesThatAreNone) {
  for (const std::string text : {"", "[1, 2]", "{\"q\": 3}", "{\"q\": [\"a\"]}", "\xff\xfe", "{\"x\": 1}"}) {
    write("state.json", text);
    const Outcome o = haltere({"evaluate", "pendulum.yaml", "--state", "state.json", "--json", "-"});
    EXPECT_EQ(o.status, 2) << text;
    EXPECT_THAT(o.out, IsEmpty()) << text;
    EXPECT_THAT(o.err, HasSubstr("state.json")) << text;
  }
  EXPECT_EQ(haltere({"evaluate", "pendulum.yaml", "--state", "nowhere.json"}).status, 2);
}

TEST_F(Evaluate, ShowsATreeWithPrescribedJoints) {
  const Outcome o = haltere({"evaluate", "falling-cat", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json e = json::parse(o.out);
  const std::size_t n = e["v"].size();
  ASSERT_GE(n, 6U);
  ASSERT_EQ(e["M"].size(), n);
  ASSERT_EQ(e["f"].size(), n);
  ASSERT_EQ(e["vdot"].size(), n);
  // M vdot = f, and M is symmetric; tolerance: machine, scaled by the largest term
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0, size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double term = e["M"][i][j].get<double>() * e["vdot"][j].get<double>();
      sum += term;
      size = std::max(size, std::abs(term));
      EXPECT_EQ(e["M"][i][j], e["M"][j][i]);
    }
    EXPECT_NEAR(sum, e["f"][i].get<double>(), 1e-12 * std::max(size, std::abs(e["f"][i].get<double>())));
  }
}

TEST_F(Evaluate, GivesTheLoadsOfConstraints) {
  for (const char* formulation : {"recursive", "absolute"}) {
    const Outcome o = haltere({"evaluate", shipped("four-bar"), "--formulation", formulation, "--json", "-"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("\"multipliers\""));
    EXPECT_THAT(o.out, HasSubstr("\"position.x\""));
  }
}

// M vdot = f - A^T lambda and A v + b = 0, as documented; tolerance: machine, numbers of size ten
TEST_F(Evaluate, GivesTheRowsOfConstraints) {
  for (const char* formulation : {"recursive", "absolute"}) {
    const Outcome o = haltere({"evaluate", shipped("four-bar"), "--formulation", formulation, "--json", "-"});
    ASSERT_EQ(o.status, 0) << o.err;
    const json e = json::parse(o.out);
    const std::size_t n = e["v"].size(), rows = e["row_names"].size();
    ASSERT_EQ(e["A"].size(), rows);
    ASSERT_EQ(e["multipliers"].size(), rows);
    for (std::size_t i = 0; i < rows; ++i) {
      double rate = e["b"][i];
      for (std::size_t j = 0; j < n; ++j) rate += e["A"][i][j].get<double>() * e["v"][j].get<double>();
      EXPECT_NEAR(rate, 0, 1e-13) << e["row_names"][i];
    }
    for (std::size_t j = 0; j < n; ++j) {
      double sum = -e["f"][j].get<double>();
      for (std::size_t i = 0; i < rows; ++i)
        sum += e["A"][i][j].get<double>() * e["multipliers"][i].get<double>();
      for (std::size_t k = 0; k < n; ++k) sum += e["M"][j][k].get<double>() * e["vdot"][k].get<double>();
      EXPECT_NEAR(sum, 0, 1e-11) << e["v_names"][j];
    }
  }
  const Outcome o = haltere({"evaluate", shipped("four-bar")});
  EXPECT_THAT(o.out, HasSubstr("A v + b = 0"));
  EXPECT_THAT(o.out, HasSubstr("joint 'right1', row position.x"));
}

}  // namespace
}  // namespace haltere
