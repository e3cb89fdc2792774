// The hawkmoth robot against a separate program for the same statement of it (source: independent, the
// numbers of tests/validation/independent/hawkmoth.json).
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "shipped_models.h"
#include "source_folder.h"
#include "tolerance.h"

#include "haltere/analysis/floquet.h"
#include "haltere/io/model/model_reader.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using Json = nlohmann::json;
using Outcome = RunSummary::Outcome;

const Json& reference() {
  static const Json json =
      Json::parse(std::ifstream(source_path("tests/validation/independent/hawkmoth.json")));
  return json;
}

Eigen::VectorXd vector_of(const Json& list) {
  const auto values = list.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// The variants of the reference in the words of the model file.
std::vector<std::string> make_settings(const Json& parameters) {
  std::vector<std::string> set;
  const auto set_blades = [&](const std::string& what) {
    for (const char* side : {"right", "left"})
      for (int k = 1; k <= 4; ++k) set.push_back(fmt::format("surfaces.{}_blade{}.{}", side, k, what));
  };
  for (const auto& [key, value] : parameters.items()) {
    const int variant = value.is_number_integer() ? value.get<int>() : 0;
    if (key == "lift") {
      set_blades(variant == 2 ? "velocity=section" : "velocity=spatial");
      set_blades(variant == 1 ? "lift_direction=projected" : "lift_direction=unit");
    } else if (key == "added") {
      set_blades(variant == 0   ? "added_mass=printed"
                 : variant == 1 ? "added_mass=kirchhoff"
                                : "added_mass=none");
    } else {
      set.push_back(fmt::format("parameters.{}={:.17g}", key, value.get<double>()));
    }
  }
  return set;
}

std::string joint_name(int j) {  // 0 .. 15
  return fmt::format("{}{}", j < 8 ? "right" : "left", j % 8 + 1);
}

Model read_vector_model(const Json& v) {
  std::vector<std::string> set = make_settings(v["parameters"]);
  for (const int side : {0, 1})
    set.push_back(
        fmt::format("joints.{}.prescribed=({:.17g} rad) + ({:.17g} rad/s)*t + ({:.17g} rad/s^2)*t^2/2",
                    joint_name(8 * side), v["r"][8 * side].get<double>(), v["rdot"][8 * side].get<double>(),
                    v["stroke"][side].get<double>()));
  return read_model(shipped_model("hawkmoth"), {.case_name = "", .set = set});
}

/// The state of a vector in the coordinates of `recursive`.
Eigen::VectorXd make_state(const Json& v, const Equations& equations) {
  std::map<std::string, double> values;
  Matrix3<double> R;
  for (int i = 0; i < 3; ++i) R.row(i) = vector_of(v["R"][i]).transpose();
  const Vector4<double> q = quaternion_of<double>(R);
  const char* const kParts[] = {"w", "x", "y", "z"};
  for (int i = 0; i < 4; ++i) values[fmt::format("joint.base.orientation.{}", kParts[i])] = q[i];
  for (int i = 0; i < 3; ++i) {
    values[fmt::format("joint.base.position.{}", 3 + i)] = v["p"][i];
    values[fmt::format("joint.base.velocity.{}", i)] = v["w"][i];
    values[fmt::format("joint.base.velocity.{}", 3 + i)] = v["v"][i];
  }
  for (int j = 0; j < 16; ++j) {
    values[fmt::format("joint.{}.angle", joint_name(j))] = v["r"][j];
    values[fmt::format("joint.{}.rate", joint_name(j))] = v["rdot"][j];
  }
  const std::vector<std::string> names = equations.coordinate_names();
  const Sizes sizes = equations.sizes();
  Eigen::VectorXd y = Eigen::VectorXd::Zero(sizes.ny());
  for (int i = 0; i < sizes.nq + sizes.nv; ++i) y[i] = values.at(names[i]);
  return y;
}

class HawkmothVector : public testing::TestWithParam<int> {
 protected:
  const Json& v = reference()["vectors"][GetParam()];
  const Model model = read_vector_model(v);
};

/// The statement: accelerations to 1e-11 of the largest of each vector, torques to 1e-11 of 10 mN m.
TEST_P(HawkmothVector, HasTheAccelerationsAndTorquesOfTheReference) {
  const auto recursive = make_equations("recursive", model);
  Snapshot start;
  ASSERT_EQ(recursive->observe(0, make_state(v, *recursive), &start), Status::kOk);
  for (const char* formulation : {"recursive", "absolute"}) {
    SCOPED_TRACE(formulation);
    const auto equations = make_equations(formulation, model);
    Snapshot s;
    ASSERT_EQ(equations->observe(0, equations->calc_state(start.scene), &s), Status::kOk);
    const int thorax = *model.find_body("thorax");
    Eigen::VectorXd found(22), expected(22);
    found << s.A_WB[thorax].tail<3>(), s.A_WB[thorax].head<3>(), Eigen::VectorXd::Zero(16);
    expected << vector_of(v["a"]), vector_of(v["alpha"]), vector_of(v["rddot"]);
    for (int j = 0; j < 16; ++j) found[6 + j] = s.vdot[s.scene.v_start[*model.find_joint(joint_name(j))]];
    const double size = expected.lpNorm<Eigen::Infinity>();
    for (int i = 0; i < 22; ++i) EXPECT_NEAR(found[i], expected[i], 1e-11 * size) << i;
    for (int j = 0; j < 16; ++j)
      EXPECT_NEAR(s.tau[s.scene.v_start[*model.find_joint(joint_name(j))]], v["tau"][j].get<double>(), 1e-13)
          << joint_name(j);
  }
}

/// Lift and drag of all blades; their sum is rounded against the sizes of the parts.
TEST_P(HawkmothVector, HasTheAirLoadsOfTheReference) {
  const auto equations = make_equations("recursive", model);
  Snapshot s;
  ASSERT_EQ(equations->observe(0, make_state(v, *equations), &s), Status::kOk);
  Vector3<double> force = Vector3<double>::Zero();
  double power = 0, size = 0, power_size = 0;
  for (std::size_t i = 0; i < s.surfaces.size(); ++i) {
    const SurfaceLoad& load = s.surfaces[i];
    const Vector3<double> own = load.total.terms[AirLoad::kLift] + load.total.terms[AirLoad::kDrag];
    force += own;
    size += own.norm();
    power += s.forces[model.forces.size() + i].input;
    power_size += std::abs(s.forces[model.forces.size() + i].input);
  }
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(force[i], v["force"][i].get<double>(), 1e-13 * size);
  EXPECT_NEAR(power, v["power"].get<double>(), 1e-13 * power_size);
}

INSTANTIATE_TEST_SUITE_P(Reference, HawkmothVector, testing::Range(0, 12),
                         [](const testing::TestParamInfo<int>& i) {
                           return reference()["vectors"][i.param]["name"].get<std::string>();
                         });

/// From rest over two periods, in steps of 1e-13. The reference states how far its own two resolutions are
/// apart: with kinks (`rest`) 4.3e-11 m, 2.4e-9 m/s, 2.4e-11 rad, 1.2e-8 rad/s, of which we allow four times
/// as much; without
/// (`rest-section`) it is exact to rounding, and the errors are ours.
struct HawkmothRun {
  const char* case_name;
  int index;
  double position, velocity, angle, rate;  // largest errors [m, m/s, rad, rad/s]
};
class HawkmothTrajectory : public testing::TestWithParam<HawkmothRun> {};

TEST_P(HawkmothTrajectory, IsThatOfTheReference) {
  const HawkmothRun& expected = GetParam();
  const Json& r = reference()["runs"][expected.index];
  const Model model = read_model(shipped_model("hawkmoth"), {.case_name = expected.case_name, .set = {}});
  Settings settings;
  settings.tolerance = 1e-13;
  settings.every = 0.008;
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, settings), {&sink});
  ASSERT_EQ(summary.outcome, Outcome::kFinished) << summary.message;
  ASSERT_EQ(sink.rows(), static_cast<int>(r["t"].size()));
  for (int row = 0; row < static_cast<int>(sink.rows()); ++row) {
    const Eigen::VectorXd y = vector_of(r["y"][row]);
    const auto value = [&](const std::string& channel) { return sink.value(row, channel); };
    const char* const kAxes[] = {"x", "y", "z"};
    Vector4<double> q(value("body.thorax.orientation.w"), value("body.thorax.orientation.x"),
                      value("body.thorax.orientation.y"), value("body.thorax.orientation.z"));
    const Vector4<double> q_expected = y.segment<4>(3);
    Vector3<double> w;
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(value(fmt::format("body.thorax.position.{}", kAxes[i])), y[i], expected.position);
      EXPECT_NEAR(value(fmt::format("body.thorax.velocity.{}", kAxes[i])), y[7 + i], expected.velocity);
      w[i] = value(fmt::format("body.thorax.angular_velocity.{}", kAxes[i]));
    }
    w = rotation_of<double>(q) * w;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(w[i], y[10 + i], expected.rate);
    EXPECT_NEAR(std::abs(q.dot(q_expected)), 1, expected.angle);
    for (int side = 0; side < 2; ++side)
      for (int j = 1; j < 8; ++j) {
        const std::string joint = "joint." + joint_name(8 * side + j);
        EXPECT_NEAR(value(joint + ".angle"), y[13 + 7 * side + j - 1], expected.angle)
            << joint << ", row " << row;
        EXPECT_NEAR(value(joint + ".rate"), y[27 + 7 * side + j - 1], expected.rate)
            << joint << ", row " << row;
      }
    // analytic: the stroke's torque is that of the first bending spring: one axis, and no mass between
    const double spring = -36e-3 * value("joint.right2.angle") - 1e-5 * value("joint.right2.rate");
    EXPECT_NEAR(value("joint.right1.torque"), spring, 1e-12 * 36e-3);  // rounding of sums over the wing
    EXPECT_NEAR(value("joint.right1.torque"), r["tau1"][row].get<double>(), 36e-3 * expected.angle * 2);
    EXPECT_NEAR(value("joint.left1.torque"), r["tau9"][row].get<double>(), 36e-3 * expected.angle * 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, HawkmothTrajectory,
                         testing::Values(HawkmothRun{"rest", 0, 2e-10, 1e-8, 1e-10, 5e-8},
                                         HawkmothRun{"rest-section", 1, 1e-12, 1e-10, 1e-11, 1e-9}),
                         [](const testing::TestParamInfo<HawkmothRun>& i) {
                           return i.param.index == 0 ? "rest" : "rest_section";
                         });

/// source: independent, `derived` of the same program: masses of thorax, wings and air-borne machine
TEST(Hawkmoth, WeighsWhatTableOneSays) {
  const Model model = read_model(shipped_model("hawkmoth"));
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  double total = 0;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) total += resolver.calc(model.bodies[b].mass);
  EXPECT_NEAR(resolver.calc(model.bodies[*model.find_body("thorax")].mass), 0.006779138067426297, 1e-16);
  EXPECT_NEAR(total, 0.0073187007620879084, 1e-16);
}

MemorySink run_hawkmoth(const std::string& case_name, const std::vector<std::string>& set, double until) {
  const Model model = read_model(shipped_model("hawkmoth"), {.case_name = case_name, .set = set});
  Settings settings;
  settings.until = until;
  MemorySink sink;
  const RunSummary summary = run(model, make_run_options(model, settings), {&sink});
  EXPECT_EQ(summary.outcome, Outcome::kFinished) << summary.message;
  return sink;
}

// analytic: what motors and air put in is kinetic and elastic energy of machine and air, whichever load the
// carried air has; to the tolerance of a step, 1e-10
TEST(Hawkmoth, BalancesEnergy) {
  for (const char* added : {"printed", "kirchhoff", "none"}) {
    std::vector<std::string> set;
    for (const char* side : {"right", "left"})
      for (int k = 1; k <= 4; ++k)
        set.push_back(fmt::format("surfaces.{}_blade{}.added_mass={}", side, k, added));
    const MemorySink sink = run_hawkmoth("rest", set, 0.08);
    double largest = 0, balance = 0;
    for (int row = 0; row < static_cast<int>(sink.rows()); ++row) {
      largest = std::max(largest, sink.value(row, "energy.kinetic"));
      balance = std::max(balance, std::abs(sink.value(row, "energy.balance")));
    }
    EXPECT_LT(balance, 1e-10 * largest) << added;
  }
}

// analytic: a machine with a plane of symmetry, started in it; two periods amplify rounding little
TEST(Hawkmoth, WingsStayMirrorImages) {
  const MemorySink sink = run_hawkmoth("rest", {}, 0.08);
  for (int row = 0; row < static_cast<int>(sink.rows()); ++row) {
    for (int j = 0; j < 8; ++j)
      EXPECT_NEAR(sink.value(row, fmt::format("joint.right{}.angle", j + 1)),
                  -sink.value(row, fmt::format("joint.left{}.angle", j + 1)), 1e-13);
    EXPECT_NEAR(sink.value(row, "body.thorax.position.x"), 0, 1e-15);
  }
}

TEST(Hawkmoth, HasAnyNumberOfSections) {
  for (const int sections : {1, 2, 16}) {
    const std::vector<std::string> set{fmt::format("parameters.M={}", sections)};
    const Model model = read_model(shipped_model("hawkmoth"), {.case_name = "", .set = set});
    EXPECT_EQ(static_cast<int>(model.bodies.size()), 2 + 4 * sections);
    EXPECT_EQ(static_cast<int>(model.surfaces.size()), 2 * sections);
    // analytic, whatever their number: the stroke's torque is that of the first spring, wings are mirror
    // images
    const MemorySink sink = run_hawkmoth("", set, 2e-3);
    const long last = sink.rows() - 1;
    const double angle = sink.value(last, "joint.right2.angle");
    EXPECT_GT(std::abs(angle), 1e-3);
    EXPECT_NEAR(sink.value(last, "joint.right1.torque"),
                -36e-3 * angle - 1e-5 * sink.value(last, "joint.right2.rate"), 1e-12 * 36e-3);
    for (int j = 2; j <= 2 * sections; ++j)
      EXPECT_NEAR(sink.value(last, fmt::format("joint.right{}.angle", j)),
                  -sink.value(last, fmt::format("joint.left{}.angle", j)), 1e-13);
    EXPECT_LT(std::abs(sink.value(last, "energy.balance")), 1e-9 * sink.value(last, "energy.kinetic"));
  }
}

// From wings that are straight and a body at rest. Two sections instead of four, so that the test is quick;
// velocities in the section, since kinks would need short steps.
TEST(Hawkmoth, HoverIsFoundFromACrudeGuess) {
  const Model model =
      read_model(shipped_model("hawkmoth"), {.case_name = "rest-section", .set = {"parameters.M=2"}});
  OrbitRequest request;
  request.trim = *model.trim;
  request.drift = find_drifting(model, request.trim.targets);
  request.method.tolerance = 1e-8;
  const PeriodicOrbit orbit = find_orbit(request, model);
  ASSERT_EQ(orbit.failure, "");
  EXPECT_LT(orbit.residual, 1e-10);
  EXPECT_TRUE(orbit.is_mirrored);
  const FloquetSet set = calc_floquet(orbit);
  EXPECT_EQ(set.neutral.size(), 4U);  // analytic: place and heading of a free flyer
  EXPECT_TRUE(set.is_unstable());
  // half the steps change nothing: the map is that of the motion, not of the method
  for (const FloquetMode& mode : set.modes) EXPECT_LT(mode.change, 1e-8);
}

/// source: independent, the statement: the trimmed stroke is a few per cent below Table I's 41.3 deg
TEST(Hawkmoth, HoversWithASmallerStroke) {
  const Model model = read_model(shipped_model("hawkmoth"), {.case_name = "hover", .set = {}});
  const double A = model.calc_parameters()[*model.find_parameter("A")],
               printed = 41.3 * std::numbers::pi / 180;
  EXPECT_LT(A, 0.98 * printed);
  EXPECT_GT(A, 0.90 * printed);
}

TEST(Hawkmoth, HoverComesBackForThreePeriods) {
  const MemorySink sink = run_hawkmoth("hover", {}, 0.12);
  const long last = sink.rows() - 1;
  const auto expect_back = [&](const std::string& channel, double tolerance) {
    EXPECT_NEAR(sink.value(last, channel), sink.value(0, channel), tolerance) << channel;
  };
  // steps of 1e-12 with kinks, whose errors three periods of an unstable motion multiply by 2.6
  for (const char* axis : {"x", "y", "z"}) {
    expect_back(fmt::format("body.thorax.position.{}", axis), 1e-9);
    expect_back(fmt::format("body.thorax.velocity.{}", axis), 1e-7);
  }
  for (int j = 0; j < 16; ++j) {
    expect_back(fmt::format("joint.{}.angle", joint_name(j)), 1e-8);
    expect_back(fmt::format("joint.{}.rate", joint_name(j)), 1e-6);
  }
}

}  // namespace
}  // namespace haltere
