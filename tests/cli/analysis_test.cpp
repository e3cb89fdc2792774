#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Analysis : public ProgramTest {};

TEST_F(Analysis, AnEquilibriumReadsBackAsItself) {
  const Outcome first = haltere({"equilibrium", shipped("x-hale"), "--json", "e.json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, StartsWith("initial:\n"));
  EXPECT_LT(json::parse(read("e.json"))["residual"].get<double>(), 1e-12);
  std::string text = read_text(shipped("x-hale") + "/model.yaml");
  const std::size_t begin = text.find("initial:"), end = text.find("simulation:");
  text.replace(begin, end - begin, first.out);
  write("again.yaml", text);
  const Outcome again = haltere({"equilibrium", "again.yaml"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("at rest"));
}

TEST_F(Analysis, AWingThatIsHeldInWindHasCoefficients) {
  const Outcome o = haltere({"equilibrium", shipped("wing"), "--case", "elliptic", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  for (const char* word : {"settled air: 100 m/s", "CL", "d/dalpha", "Trefftz"})
    EXPECT_THAT(o.err, HasSubstr(word));
  const json air = json::parse(o.out)["air"];
  const double lift = air["total"]["CL"], drag = air["CD_far"],
               aspect = air["span"].get<double>() / air["chord"].get<double>();
  // analytic: the least drag, to the width of a column
  EXPECT_NEAR(drag, lift * lift / (3.14159265358979 * aspect), 0.05 * drag);
  EXPECT_NEAR(air["derivatives"]["alpha"]["CL"].get<double>() * 5 * 3.14159265358979 / 180, lift,
              0.01 * lift);
  EXPECT_EQ(air["surfaces"]["wing"]["strips"].size(), 40U);
  const Outcome modes = haltere({"modes", shipped("wing")});
  EXPECT_EQ(modes.status, 2);
  EXPECT_THAT(modes.err, HasSubstr("no linear model with wakes yet"));
}

TEST_F(Analysis, SettlingEndsWhereNothingGrows) {
  const Outcome o = haltere({"modes", shipped("double-pendulum"), "--settle", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(json::parse(o.out)["growing"], 0);
}

TEST_F(Analysis, WhatCannotRestSaysWhyAndWhatToTry) {
  write("block.yaml",
        "haltere: 1\nname: block\ngravity: [0, 0, -9.81]\nbodies: {block: {mass: 1}}\n"
        "joints: {a: {kind: prismatic, child: block, axis: z}}\n"
        "forces: {drag: {kind: linear-spring, joint: a, damping: 1 N*s/m}}\n");
  const Outcome falls = haltere({"equilibrium", "block.yaml", "--keep", "joint.a.velocity=1"});
  EXPECT_EQ(falls.status, 1);
  EXPECT_THAT(falls.err, HasSubstr("no equilibrium was found"));
  EXPECT_THAT(falls.err, HasSubstr("joint.a.position"));
  EXPECT_THAT(falls.err, HasSubstr("try"));
}

// m g = c v                                                                                (source: analytic)
TEST_F(Analysis, ADragGivesItsOwnSpeed) {
  write("block.yaml",
        "haltere: 1\nname: block\ngravity: [0, 0, -9.81]\nbodies: {block: {mass: 2}}\n"
        "joints: {a: {kind: prismatic, child: block, axis: z}}\n"
        "forces: {drag: {kind: linear-spring, joint: a, damping: 4 N*s/m}}\n");
  const Outcome o = haltere({"equilibrium", "block.yaml", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_NEAR(json::parse(o.out)["v"]["joint.a.velocity"].get<double>(), -2 * 9.81 / 4, 1e-13);
  EXPECT_THAT(o.err, HasSubstr("drifts"));
}

TEST_F(Analysis, NamesThatMeanNothingAreWrongInput) {
  for (const std::string option : {"--keep", "--drift"}) {
    const Outcome o = haltere({"equilibrium", shipped("pendulum"), option, "joint.pivto.angle"});
    EXPECT_EQ(o.status, 2) << option;
    EXPECT_THAT(o.err, HasSubstr("joint.pivot.angle")) << option;
    EXPECT_THAT(o.out, IsEmpty());
  }
  EXPECT_EQ(haltere({"modes", shipped("pendulum"), "--sweep", "l=1"}).status, 2);
  EXPECT_EQ(haltere({"modes", shipped("pendulum"), "--sweep", "nothing=1..2"}).status, 2);
  EXPECT_EQ(haltere({"modes", shipped("pendulum"), "--csv", "x.csv"}).status, 2);
  EXPECT_EQ(haltere({"lqr", shipped("pendulum")}).status, 2);
  EXPECT_EQ(haltere({"lqr", shipped("cart-pole"), "--input", "joint.track.force", "--q", "joint.x=1"}).status,
            2);
}

TEST_F(Analysis, ASweepWritesItsRootsAndItsPicture) {
  const Outcome o = haltere({"modes", shipped("pendulum"), "--settle", "--sweep", "l=0.5 m..2 m:4", "--csv",
                             "l.csv", "--plot", "l.svg"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::vector<std::string> lines = lines_of(read("l.csv"));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "l,re1,im1,re2,im2,growing,outcome");
  EXPECT_THAT(lines[1], StartsWith("0.5,"));
  EXPECT_THAT(lines[1], EndsWith(",0,found"));
  EXPECT_THAT(read("l.svg"), HasSubstr("<svg"));
  EXPECT_THAT(o.out, HasSubstr("no stability limit"));
}

constexpr const char* kArm = R"(haltere: 1
parameters: {tau: 0 N*m}
gravity: [0, 0, -9.81]
bodies: {arm: {mass: 1, center_of_mass: [0, 0, -1], inertia: [0.1, 0.1, 0.1]}}
joints: {a: {kind: revolute, child: arm, axis: y, driven: tau}}
)";

// tau = m g l sin(angle) has no solution above m g l = 9.81 N m                            (source: analytic)
TEST_F(Analysis, ASweepKeepsThePointsItFindsAndMarksTheOthers) {
  write("arm.yaml", kArm);
  const Outcome o =
      haltere({"modes", "arm.yaml", "--sweep", "tau=0..12:4", "--csv", "a.csv", "--plot", "a.svg"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("1 of 4 points failed; the others are kept"));
  EXPECT_THAT(o.err, HasSubstr("tau = 12 N m: no equilibrium was found"));
  EXPECT_THAT(o.out, HasSubstr("failed"));
  const std::vector<std::string> lines = lines_of(read("a.csv"));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[3], EndsWith(",0,found"));
  EXPECT_EQ(lines[4], "12,,,,,,failed");
  EXPECT_THAT(read("a.svg"), Not(HasSubstr("nan")));
  const Outcome pole = haltere({"modes", "arm.yaml", "--sweep", "tau=0..8:3", "--csv", "p.csv", "--set",
                                "bodies.arm.mass=1 kg + 1e-9 kg/abs(tau/(1 N*m) - 4)"});
  EXPECT_EQ(pole.status, 1);
  EXPECT_THAT(pole.err, HasSubstr("tau = 4 N m: "));
  EXPECT_THAT(lines_of(read("p.csv"))[3], EndsWith(",found"));
  const Outcome none = haltere({"modes", "arm.yaml", "--sweep", "tau=10..12:3", "--csv", "none.csv"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("no point of the sweep was found"));
  EXPECT_FALSE(exists("none.csv"));
}

/// A line of a CSV by the names above it; what has no number has no entry.
std::map<std::string, std::string> row_of(const std::string& csv, std::size_t line) {
  const auto cells_of = [](const std::string& text) {
    std::vector<std::string> cells(1);
    for (const char c : text)
      if (c == ',')
        cells.emplace_back();
      else
        cells.back() += c;
    return cells;
  };
  const std::vector<std::string> lines = lines_of(csv);
  std::map<std::string, std::string> row;
  if (line >= lines.size()) return row;
  const std::vector<std::string> names = cells_of(lines[0]), cells = cells_of(lines[line]);
  for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i)
    if (!cells[i].empty()) row[names[i]] = cells[i];
  return row;
}

// m g l sin(angle) = tau, at rest below the pivot                                          (source: analytic)
TEST_F(Analysis, EquilibriaOverAParameterFollowOneAnother) {
  write("arm.yaml", kArm);
  const Outcome o = haltere({"equilibrium", "arm.yaml", "--sweep", "tau=0..12:5", "--csv", "a.csv", "--json",
                             "a.json", "--plot", "a.svg"});
  EXPECT_EQ(o.status, 1);  // nothing holds it above 9.81 N m
  EXPECT_THAT(o.err, HasSubstr("1 of 5 points failed; the others are kept"));
  EXPECT_THAT(o.err, HasSubstr("tau = 12 N m: no equilibrium was found"));
  EXPECT_THAT(o.out, StartsWith("tau [N m]  joint.a.angle [rad]"));
  EXPECT_THAT(o.out, HasSubstr("failed"));
  const json found = json::parse(read("a.json"));
  EXPECT_EQ(found["parameter"], "tau");
  EXPECT_EQ(found["unit"], "N m");
  ASSERT_EQ(found["points"].size(), 5U);
  for (std::size_t k = 0; k < 4; ++k) {
    const double angle = std::asin(3. * static_cast<double>(k) / 9.81);
    const json& point = found["points"][k];
    EXPECT_EQ(point["outcome"], "found");
    EXPECT_NEAR(point["q"]["joint.a.angle"].get<double>(), angle,
                1e-9);  // solver: residual 1e-12 of 9.81 N m
    EXPECT_EQ(std::stod(row_of(read("a.csv"), k + 1)["joint.a.angle"]),
              point["q"]["joint.a.angle"].get<double>());
  }
  EXPECT_EQ(found["points"][4]["outcome"], "failed");
  EXPECT_THAT(found["points"][4]["message"].get<std::string>(), HasSubstr("no equilibrium was found"));
  EXPECT_EQ(lines_of(read("a.csv"))[5], "12,,,,failed");
  EXPECT_THAT(read("a.svg"), AllOf(HasSubstr("joint.a.angle"), Not(HasSubstr("nan"))));
  const Outcome none = haltere({"equilibrium", "arm.yaml", "--sweep", "tau=10..12:3", "--csv", "none.csv"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("no point of the sweep was found"));
  EXPECT_FALSE(exists("none.csv"));
}

/// Two wings in one air, the second one in the wake of the first.
constexpr const char* kTandem = R"(haltere: 1
parameters: {alpha: 2 deg, U: 20 m/s}
air: {density: 1.2 kg/m^3, wind: [U*cos(alpha), 0, U*sin(alpha)], step: 10 ms, core: 1 cm}
bodies:
  front: {mass: 1 kg, inertia: [1, 1, 1]}
  rear: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  front: {kind: prismatic, child: front, axis: z, prescribed: 0}
  rear: {kind: prismatic, child: rear, parent_frame: [1 m, 0, 0.1 m], axis: z, prescribed: 0}
surfaces:
  front: {kind: vortex-lattice, body: front, root: [0, -1 m, 0], span_axis: y, chord_axis: x, upper: z, span: 2 m,
    chord: 0.3 m, chord_panels: 2, span_panels: 6}
  rear: {kind: vortex-lattice, body: rear, root: [0, -0.5 m, 0], span_axis: y, chord_axis: x, upper: z, span: 1 m,
    chord: 0.2 m, chord_panels: 2, span_panels: 4}
)";

// Each point of a sweep is what the verb says of the model with that value, and the slopes between the points are the
// derivatives in them: the secants over +- 1 deg differ by the square of that, some thousandths.             (source: self, and analytic)
TEST_F(Analysis, APolarOfWingsInWindIsASweepOfItsAngleOfAttack) {
  write("tandem.yaml", kTandem);
  const Outcome o = haltere({"equilibrium", "tandem.yaml", "--sweep", "alpha=1 deg..3 deg:3", "--csv",
                             "p.csv", "--json", "p.json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(StartsWith("alpha [rad]"), HasSubstr("CL"), HasSubstr("CD_far")));
  const json points = json::parse(read("p.json"))["points"];
  ASSERT_EQ(points.size(), 3U);
  for (int k = 0; k < 3; ++k) {
    const Outcome one = haltere({"equilibrium", "tandem.yaml", "--set",
                                 fmt::format("alpha={}", points[k]["value"].get<double>()), "--json", "-"});
    ASSERT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(json::parse(one.out)["air"], points[k]["air"]) << k;
    std::map<std::string, std::string> row = row_of(read("p.csv"), k + 1);
    EXPECT_EQ(row["outcome"], "found");
    const json& total = points[k]["air"]["total"];
    for (const char* name : {"CL", "CD", "CY", "Cl", "Cm", "Cn"})
      EXPECT_EQ(std::stod(row[name]), total[name].get<double>()) << name;
    EXPECT_EQ(std::stod(row["surface.rear.Cm"]), points[k]["air"]["surfaces"]["rear"]["Cm"].get<double>());
    EXPECT_EQ(std::stod(row["CD_far"]), points[k]["air"]["CD_far"].get<double>());
  }
  const auto value = [&](int k, const char* name) { return std::stod(row_of(read("p.csv"), k + 1)[name]); };
  const double step = value(2, "alpha") - value(0, "alpha");
  for (const auto& [name, slope] : {std::pair{"CL", "CL_alpha"}, {"Cm", "Cm_alpha"}})
    EXPECT_NEAR((value(2, name) - value(0, name)) / step, value(1, slope), 5e-3 * std::abs(value(1, slope)))
        << name;
}

TEST_F(Analysis, ASweepHasNoCoefficientsWhereNoAirMoves) {
  write("tandem.yaml", kTandem);
  const Outcome o = haltere({"equilibrium", "tandem.yaml", "--sweep", "U=0..20:2", "--csv", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_FALSE(row_of(o.out, 1).contains("CL"));
  EXPECT_EQ(row_of(o.out, 1)["outcome"], "found");
  EXPECT_TRUE(row_of(o.out, 2).contains("CL"));
  EXPECT_EQ(lines_of(o.out).size(), 3U);
}

TEST_F(Analysis, ASweepOfEquilibriaThatMakesNoSenseIsWrongInput) {
  write("tandem.yaml", kTandem);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--sweep", "l=1"},
                                             {"--sweep", "nothing=1..2"},
                                             {"--sweep", "l=2..1"},
                                             {"--sweep", "l=1..2:3", "-o", "start.yaml"},
                                             {"--sweep", "l=1..2:3", "--keep", "joint.pivto.angle"},
                                             {"--sweep", "l=1..2:3", "--plot", "p.png"},
                                             {"--csv", "x.csv"},
                                             {"--plot", "x.svg"}}) {
    std::vector<std::string> arguments{"equilibrium", shipped("pendulum")};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Outcome o = haltere(arguments);
    EXPECT_EQ(o.status, 2) << fmt::format("{}", fmt::join(wrong, " ")) << "\n" << o.err;
    EXPECT_THAT(o.out, IsEmpty());
  }
  const Outcome sheds = haltere(
      {"equilibrium", "tandem.yaml", "--sweep", "U=1..2:3", "--set", "surfaces.rear.shedding=leading-edge"});
  EXPECT_EQ(sheds.status, 2);
  EXPECT_THAT(sheds.err, AllOf(HasSubstr("tandem.yaml:"), HasSubstr("no equilibrium with wakes yet")));
}

/// A model glider: wing, tailplane and fin as blade elements, symmetric sections. x forward, y left, z up.
constexpr const char* kGlider = R"(haltere: 1
parameters:
  {rho: 1.225 kg/m^3, b: 0.5 m, c: 0.12 m, dihedral: 5 deg, iw: 3 deg, lt: 0.45 m, bt: 0.15 m, ct: 0.07 m, xle: 0.035 m}
gravity: [0, 0, -9.81]
bodies:
  plane: {mass: 250 g, inertia: [0.009 kg m2, 0.006 kg m2, 0.014 kg m2], euler: zyx}
joints:
  fly: {kind: free, child: plane}
surfaces:
  wing_right:
    mirror: {plane: y, from: right, to: left}
    kind: blade-element
    body: plane
    root: [xle, 0, 0.02 m]
    span_axis: [0, -cos(dihedral), sin(dihedral)]
    chord_axis: [-cos(iw), -sin(iw)*sin(dihedral), -sin(iw)*cos(dihedral)]
    span: b
    chord: c
    density: rho
    added_mass: none
    lift: 2.4*sin(2*alpha)
    drag: 0.02 + 2.0*sin(alpha)^2
  tail_right:
    mirror: {plane: y, from: right, to: left}
    kind: blade-element
    body: plane
    root: [-lt, 0, 0.02 m]
    span_axis: -y
    chord_axis: -x
    span: bt
    chord: ct
    density: rho
    added_mass: none
    lift: 2.0*sin(2*alpha)
    drag: 0.02 + 2.0*sin(alpha)^2
  fin:
    kind: blade-element
    body: plane
    root: [-lt, 0, 0.02 m]
    span_axis: z
    chord_axis: -x
    span: 0.12 m
    chord: ct
    density: rho
    added_mass: none
    lift: 1.8*sin(2*alpha)
    drag: 0.02 + 2.0*sin(alpha)^2
initial:
  fly: {velocity: [8 m/s, 0, -0.8 m/s], position: [0, 0, 50 m]}
)";

// Where the spiral mode changes its sign, loads of rounding leave the bank undetermined: an equilibrium all
// the same. Neither point nor limit may be lost.
TEST_F(Analysis, ASweepPassesWhereTheSpiralModeChangesItsSign) {
  write("glider.yaml", kGlider);
  const Outcome o = haltere({"modes", "glider.yaml", "--sweep", "xle=0.0..0.08:9", "--csv", "g.csv"});
  ASSERT_EQ(o.status, 0) << o.err;
  const std::vector<std::string> lines = lines_of(read("g.csv"));
  ASSERT_EQ(lines.size(), 10U);
  for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_THAT(lines[i], EndsWith(",found"));
  EXPECT_THAT(o.out, HasSubstr("a slow motion"));
}

TEST_F(Analysis, ARegulatorHoldsThePoleItWasMadeFor) {
  const Outcome o =
      haltere({"lqr", shipped("cart-pole"), "--set", "initial.hinge=0", "--input", "joint.track.force"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("forces:\n  regulator1:\n    kind: feedback\n    joint: track\n"));
  std::string text = read_text(shipped("cart-pole") + "/model.yaml");
  write("held.yaml", text.substr(0, text.find("cases:")) + o.out);
  const Outcome modes = haltere({"modes", "held.yaml", "--set", "initial.hinge=0", "--json", "-"});
  ASSERT_EQ(modes.status, 0) << modes.err;
  EXPECT_TRUE(json::parse(modes.out)["stable"].get<bool>());
}

// The gains of the shipped controller are those that the program finds, rounded to five digits.
//                                                                                              (source: self)
TEST_F(Analysis, ARegulatorOfAVehicleReadsItsAngles) {
  const Outcome o =
      haltere({"lqr", shipped("kick-scooter"), "--set", "joints.rider.prescribed=~", "--input",
               "joint.steer.torque", "--input", "joint.rider.torque.*", "--q", "joint.base.turn.x=1e4", "--q",
               "joint.steer.angle=1e3", "--q", "joint.rider.angle.*=1e4"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, Not(HasSubstr("#")));         // turns of the deck are its Euler angles
  EXPECT_THAT(o.out, Not(HasSubstr("position")));  // nobody asked for a place
  const std::string model = read_text(shipped("kick-scooter") + "/model.yaml");
  int found = 0;
  for (const std::string& line : lines_of(o.out)) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || line.find('.') > colon) continue;
    std::string name = line.substr(6, colon - 6);
    if (name == "joint.base.velocity.0") name = "roll_rate";
    EXPECT_THAT(model, HasSubstr(fmt::format("{}: {:.5g}", name, std::stod(line.substr(colon + 2)))));
    ++found;
  }
  EXPECT_EQ(found, 19);
}

// What no input reaches and what does not grow by itself is left as it is: here speed, way and wheel angles.
TEST_F(Analysis, ARegulatorLeavesWhatItCannotReach) {
  const Outcome o = haltere({"lqr", shipped("kick-scooter"), "--set", "joints.rider.prescribed=~", "--input",
                             "joint.steer.torque", "--input", "joint.rider.torque.*"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("not reached"));
  const Outcome falls = haltere({"lqr", shipped("kick-scooter"), "--set", "joints.rider.prescribed=~",
                                 "--input", "joint.rider.torque.1"});
  EXPECT_EQ(falls.status, 1);
  EXPECT_THAT(falls.err, HasSubstr("grows by itself"));
}

// What rolls on has no place to be kept at, and what turns would need a feedback that turns with it.
TEST_F(Analysis, ARegulatorOfASteadyMotionKeepsWhatStays) {
  const Outcome o = haltere(
      {"lqr", shipped("bicycle"), "--input", "joint.steer.torque", "--input", "joint.rear_axle.torque"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, Not(HasSubstr("joint.base.position.3")));
  EXPECT_THAT(o.out, Not(HasSubstr("axle.angle")));
  const Outcome placed =
      haltere({"lqr", shipped("bicycle"), "--input", "joint.steer.torque", "--q", "joint.rear_axle.angle=1"});
  EXPECT_EQ(placed.status, 2);
  EXPECT_THAT(placed.err, HasSubstr("changes steadily"));
  const Outcome turns = haltere({"lqr", shipped("heavy-top"), "--case", "precession", "--input", "joint.*"});
  EXPECT_EQ(turns.status, 1);
  EXPECT_THAT(turns.err, HasSubstr("turns"));
}

/// A wheel that rolls, a frame on its axle, a reaction wheel for roll and a turntable for yaw, at 1 m/s. The
/// body that is free: the wheel, whose angle advances, or the frame.
std::string make_unicycle(bool wheel_is_free, const std::string& euler) {
  const std::string base = wheel_is_free ? R"(
  base: {kind: free, child: wheel}
  axle: {kind: revolute, parent: wheel, child: frame, axis: y})"
                                         : R"(
  base: {kind: free, child: frame}
  axle: {kind: revolute, parent: frame, child: wheel, axis: y})";
  const std::string start = wheel_is_free ? R"(, body_angular_velocity: [0, v/(R + r), 0]}
  axle: {rate: -v/(R + r)})"
                                          : R"(}
  axle: {rate: v/(R + r)})";
  return R"(haltere: 1
parameters: {R: 0.25 m, r: 2 cm, h: 0.5 m, v: 1 m/s, lean: 0 deg}
gravity: [0, 0, -9.81]
bodies:
  wheel: {mass: 2 kg, inertia: [0.06, 0.11, 0.06], euler: zxy}
  frame: {mass: 10 kg, center_of_mass: [0, 0, h], inertia: [0.8, 0.8, 0.2])" +
         euler + R"(}
  flywheel: {mass: 3 kg, inertia: [0.15, 0.08, 0.08]}
  table: {mass: 2 kg, inertia: [0.05, 0.05, 0.1]}
joints:)" +
         base + R"(
  spin: {kind: revolute, parent: frame, child: flywheel, parent_frame: [0, 0, h], axis: x}
  turn: {kind: revolute, parent: frame, child: table, parent_frame: [0, 0, 1.5*h], axis: z}
constraints:
  tyre: {kind: rolling, to: wheel, radius: R, tube_radius: r}
initial:
  base: {position: [0, 0, R + r], velocity: [v, 0, 0], orientation: {axis: x, angle: lean})" +
         start + R"(
events:
  fell: {when: abs(body.wheel.euler.1), crosses: 30 deg, direction: rising, stop: true}
simulation: {until: 10 s, every: 0.1 s}
)";
}

// Six turns of the wheel from a lean of 1 degree: the angle of the wheel passes pi, and nothing happens.
TEST_F(Analysis, ARegulatorReadsASpinningBodyOnOneThatDoesNotSpin) {
  for (const bool wheel_is_free : {true, false})
    for (const std::string euler : {"", ", euler: zyx"}) {
      SCOPED_TRACE(fmt::format("{} free{}", wheel_is_free ? "wheel" : "frame", euler));
      write("unicycle.yaml", make_unicycle(wheel_is_free, euler));
      const Outcome o = haltere({"lqr", "unicycle.yaml", "--input", "joint.axle.torque", "--input",
                                 "joint.spin.torque", "--input", "joint.turn.torque"});
      ASSERT_EQ(o.status, 0) << o.err;
      EXPECT_THAT(o.err, HasSubstr("read back: nothing grows; run for"));
      EXPECT_THAT(o.out, Not(HasSubstr("axle.angle")));
      EXPECT_THAT(o.out, Not(HasSubstr("body.wheel")));
      EXPECT_THAT(o.out, HasSubstr(euler.empty() ? "frame_turn_y: 2*body.frame.orientation.w*"
                                                   "body.frame.orientation.y\n"
                                                 : "body.frame.euler.1: "));
      write("held.yaml", make_unicycle(wheel_is_free, euler) + o.out);
      const Outcome run = haltere({"run", "held.yaml", "--set", "lean=1 deg", "--csv", "held.csv"});
      ASSERT_EQ(run.status, 0) << run.err;
      EXPECT_THAT(lines_of(read("held.csv")).back(), StartsWith("10,"));
    }
}

TEST_F(Analysis, ARegulatorWithoutABodyThatKeepsItsOrientationIsRefused) {
  write("disc.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies: {disc: {mass: 1, inertia: [0.25, 0.5, 0.25], euler: zxy}}
joints: {base: {kind: free, child: disc}}
constraints: {tyre: {kind: rolling, to: disc, radius: 1 m}}
initial: {base: {position: [0, 0, 1], velocity: [1, 0, 0], body_angular_velocity: [0, 1, 0]}}
)");
  const Outcome o = haltere({"lqr", "disc.yaml", "--input", "joint.base.torque.0", "--input",
                             "joint.base.torque.2", "-o", "disc-lqr.yaml"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("no body that turns with it keeps its orientation"));
  EXPECT_FALSE(exists("disc-lqr.yaml"));
}

// One of two poles costs nothing, and falls.
TEST_F(Analysis, ARegulatorThatLeavesAPoleToFallIsNotWritten) {
  write("poles.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, center_of_mass: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, center_of_mass: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}
joints:
  a: {kind: revolute, child: a, axis: y}
  b: {kind: revolute, child: b, axis: y}
)");
  const Outcome o =
      haltere({"lqr", "poles.yaml", "--input", "joint.*.torque", "--q", "joint.a.angle=1", "-o", "f.yaml"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("a motion grows by"));
  EXPECT_THAT(o.err, HasSubstr("joint.b.angle"));
  EXPECT_FALSE(exists("f.yaml"));
}

// A torque that small motions do not see (its slope is zero) throws the pole over from a thousandth of a
// radian on.
TEST_F(Analysis, ARegulatorThatOnlyWorksOnPaperIsNotWritten) {
  write("pole.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies: {a: {mass: 1, center_of_mass: [0, 0, 1], inertia: [0.1, 0.1, 0.1]}}
joints: {a: {kind: revolute, child: a, axis: y, driven: 1e10 N*m/rad^3*joint.a.angle^3}}
)");
  const Outcome o = haltere({"lqr", "pole.yaml", "-o", "f.yaml"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("the machine with this feedback does not"));
  EXPECT_FALSE(exists("f.yaml"));
}

// Signals may cost something, too: here the angle of the pole in degrees.  (source: analytic, 1 deg = pi/180)
TEST_F(Analysis, ARegulatorWeighsSignals) {
  const auto make = [&](const std::string& cost) {
    return haltere({"lqr", shipped("cart-pole"), "--set", "initial.hinge=0", "--set",
                    "signals.tilt=joint.hinge.angle*180/pi", "--input", "joint.track.force", "--q", cost,
                    "--q", "joint.track.position=1"});
  };
  const Outcome by_state = make("joint.hinge.angle=3282.806350011744"), by_signal = make("signal.tilt=1");
  ASSERT_EQ(by_signal.status, 0) << by_signal.err;
  const auto calc_gain = [](const Outcome& o) {
    return std::stod(o.out.substr(o.out.find("joint.hinge.angle: ") + 19));
  };
  // rounding of the weight, grown by the condition of the Riccati equation
  EXPECT_NEAR(calc_gain(by_signal) / calc_gain(by_state), 1, 1e-10);
}

TEST_F(Analysis, AMachineThatCannotMoveHasNoModes) {
  write("still.yaml",
        "haltere: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  p: {kind: revolute, child: a, "
        "axis: z, prescribed: 0.3}\n");
  EXPECT_EQ(haltere({"equilibrium", "still.yaml"}).status, 0);
  for (const char* verb : {"modes", "lqr"}) {
    const Outcome o = haltere({verb, "still.yaml"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("nothing in this machine is free to move"));
  }
}

// A small part on a large one: each counts in its own size.                (source: analytic, both hang down)
TEST_F(Analysis, AnEquilibriumOfPartsOfVeryDifferentSize) {
  write("two.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  crane: {mass: 10 t, center_of_mass: [0, 0, -5], inertia: [1e5, 1e5, 1e3]}
  fly: {mass: 1 g, center_of_mass: [0, 0, -0.01], inertia: [1e-8, 1e-8, 1e-9]}
joints:
  c: {kind: revolute, child: crane, axis: y}
  f: {kind: revolute, parent: crane, child: fly, parent_frame: [0, 0, -10], axis: y}
initial: {c: 0.4, f: -0.3}
)");
  const Outcome o = haltere({"equilibrium", "two.yaml", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json found = json::parse(o.out);
  EXPECT_NEAR(found["q"]["joint.c.angle"].get<double>(), 0, 1e-9);
  EXPECT_NEAR(found["q"]["joint.f.angle"].get<double>(), 0, 1e-9);
}

TEST_F(Analysis, OptionsThatDoNotFitAreRefused) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--sweep", "v=0..10:5x"},
                                             {"--sweep", "v=1..2:3", "--json", "m.json"},
                                             {"--sweep", "v=1..2:3", "--plot", "m.png"},
                                             {"--matrices", "-"},
                                             {"--chart", "quaternion"}}) {
    std::vector<std::string> arguments{"modes", shipped("bicycle")};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(haltere(arguments).status, 2) << wrong.front();
  }
  EXPECT_FALSE(exists("m.json"));
}

TEST_F(Analysis, AStartThatIsNotFiniteIsAFailureThatNamesItsSignal) {
  write("m.yaml", R"(haltere: 1
bodies: {rod: {mass: 1 kg, center_of_mass: [0, 0, -1 m]}}
joints: {pivot: {kind: revolute, child: rod, axis: y}}
signals: {a: 1/(joint.pivot.angle)}
forces: {s: {kind: applied-torque, body: rod, torque: [0, "1 N*m*a", 0]}}
)");
  for (const char* verb : {"equilibrium", "modes"}) {
    const Outcome o = haltere({verb, "m.yaml"});
    EXPECT_EQ(o.status, 1) << verb;
    EXPECT_THAT(o.err, HasSubstr("cannot be evaluated in its initial state")) << verb;
    EXPECT_THAT(o.err, HasSubstr("signal 'a'")) << verb;
  }
}

TEST_F(Analysis, MatricesGoToAFileForOtherPrograms) {
  const Outcome o =
      haltere({"modes", shipped("cart-pole"), "--input", "joint.track.force", "--matrices", "a.h5"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(exists("a.h5"));
}

}  // namespace
}  // namespace haltere
