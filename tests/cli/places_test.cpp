// What a run may write, and events that break it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;

using Places = ProgramTest;

const std::string kSlider = R"(haltere: 1
parameters: {m: 1 kg, a: 1 N, L: 1 m}
bodies:
  b: {mass: m, inertia: {kind: rod, length: L, axis: z}}
joints:
  j: {kind: prismatic, child: b, axis: x}
forces:
  f: {kind: applied-force, body: b, force: [0 N*a/(1 N), 0, 0]}
initial: {j: {velocity: 1 m/s}}
)";

TEST_F(Places, NoOutputGoesOverTheModelOrAnotherOutput) {
  write("m.yaml", kSlider);
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--csv", "m.yaml"},
                                             {"--csv", "./r/../m.yaml"},
                                             {"--csv", "r/result.h5"},
                                             {"--csv", "x", "--json", "x"}}) {
    std::vector<std::string> arguments{"run", "m.yaml", "-o", "r"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome o = haltere(arguments);
    EXPECT_EQ(o.status, 2) << options[1];
    EXPECT_THAT(o.err, HasSubstr("is a file that is read here, or another output"));
    EXPECT_EQ(read("m.yaml"), kSlider);
    EXPECT_FALSE(exists("r/result.h5"));
  }
}

// x = t passes 0.5 where an `at` event falls: each happens once (analytic)
TEST_F(Places, EventsAtOneInstantHappenOnceEach) {
  write("m.yaml", kSlider + R"(events:
  crossing: {when: joint.j.position, crosses: 0.5 m, set: {a: 10*a}}
  clock: {at: 0.5 s, set: {a: a}}
)");
  for (const char* integrator : {"rk4", "dopri5", "dop853", "cvode-bdf", "cvode-adams"}) {
    const Outcome o = haltere({"run", "m.yaml", "-o", "r", "--until", "1", "--integrator", integrator});
    ASSERT_EQ(o.status, 0) << o.err;
    std::size_t count = 0;
    for (const std::string& line : lines_of(o.err)) count += line.starts_with("event crossing");
    EXPECT_EQ(count, 1u) << integrator << '\n' << o.err;
  }
}

TEST_F(Places, AnEventThatBreaksTheModelIsNamedAndWhatWasBeforeIsKept) {
  // x = t: the second trigger lies inside a step (analytic)
  for (const char* event : {"at: 0.25 s, set: {L: -1 m}", "at: 0.25 s, set: {m: -1 kg}",
                            "when: joint.j.position, crosses: 0.25 m, set: {m: -1 kg}"}) {
    write("m.yaml", kSlider + "events:\n  wreck: {" + event + "}\n");
    const Outcome o =
        haltere({"run", "m.yaml", "-o", "r", "--until", "1", "--every", "0.1", "--csv", "r.csv"});
    EXPECT_EQ(o.status, 1) << event;
    EXPECT_THAT(o.err, HasSubstr("event 'wreck': t = 0.25 s: it sets "));
    EXPECT_THAT(o.err, HasSubstr("must not be negative"));
    EXPECT_THAT(o.err, HasSubstr("failed at t = 0.25 s"));
    EXPECT_NEAR(std::stod(lines_of(read("r.csv")).back()), 0.25, 1e-12)
        << event;  // root: to rounding of the step
  }
}

TEST_F(Places, AnEventMayOnlyBeRecorded) {
  write("m.yaml", kSlider + "events:\n  passed: {when: joint.j.position, crosses: 0.3 m}\n");
  const Outcome o = haltere({"run", "m.yaml", "-o", "r", "--until", "1"});
  EXPECT_EQ(o.status, 0);
  EXPECT_THAT(o.err, HasSubstr("event passed t=0.3"));
}

TEST_F(Places, AMotionThatJumpsDoesNotPassTheAudit) {
  write("m.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  b: {mass: 1 kg, center_of_mass: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  j: {kind: revolute, child: b, axis: y, prescribed: 10 deg*step(t - 0.5 s)}
)");
  const Outcome o = haltere({"run", "m.yaml", "-o", "r", "--until", "1"});
  EXPECT_THAT(o.err, HasSubstr("energy balance does NOT close"));
  // weight times rise is all of the energy in play, and no work is done for it (analytic: sin 10 deg * 0.981
  // J)
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("the energy balance is off by 0.17 J, 1 of the 0.17 J in play"));
  EXPECT_THAT(o.err, HasSubstr("more than 0.01 is a failed run"));
  EXPECT_TRUE(exists("r/result.h5"));
}

TEST_F(Places, WhatABalanceMayMissIsSetByTheModelOrTheCommandLine) {
  const std::string jump = R"(haltere: 1
gravity: [0, 0, -9.81]
bodies:
  b: {mass: 1 kg, center_of_mass: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  j: {kind: revolute, child: b, axis: y, prescribed: 10 deg*step(t - 0.5 s)}
simulation: {until: 1 s, balance: LIMIT}
)";
  write("m.yaml", std::string(jump).replace(jump.find("LIMIT"), 5, "2"));
  const Outcome quiet = haltere({"run", "m.yaml", "--quiet"});
  EXPECT_EQ(quiet.status, 0) << quiet.err;
  EXPECT_THAT(quiet.err, HasSubstr("warning: energy balance does NOT close"));
  EXPECT_EQ(haltere({"run", "m.yaml", "--quiet", "--balance", "0.5"}).status, 1);
  EXPECT_EQ(haltere({"run", "m.yaml", "--balance", "0"}).status, 2);
  write("m.yaml", std::string(jump).replace(jump.find("LIMIT"), 5, "-1"));
  EXPECT_EQ(haltere({"run", "m.yaml"}).status, 2);
}

// the pendulum rests at the start and after a whole period, 2.36784... s (source: the model's expected.yaml):
// no row shows the energy that was in play between
TEST_F(Places, RowsThatMissTheMotionRaiseNoAlarm) {
  for (const std::string integrator : {"dop853", "rk4"}) {
    const Outcome o = haltere({"run", "pendulum", "--until", "2.36784", "--every", "2.36784", "--step",
                               "0.01", "--integrator", integrator});
    EXPECT_EQ(o.status, 0) << integrator << o.err;
    EXPECT_THAT(o.err, testing::Not(HasSubstr("NOT close"))) << integrator;
  }
}

// weight and torque, or weight and spring, balance each other: what the motion makes of it is rounding
TEST_F(Places, AMachineAtRestRaisesNoAlarm) {
  write("torque.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies: {a: {mass: 1 kg, center_of_mass: [0, 0, -0.3], inertia: [0.1, 0.1, 0.1]}}
joints: {j: {kind: revolute, child: a, axis: y}}
forces:
  hold: {kind: applied-torque, body: a, torque: [0, "9.81*0.3*sin(0.3)*1 N*m", 0]}
  damp: {kind: rotary-spring, joint: j, damping: 0.5}
initial: {j: 0.3 rad}
)");
  write("spring.yaml", R"(haltere: 1
gravity: [0, 0, -9.81]
bodies: {a: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}}
joints: {j: {kind: prismatic, child: a, axis: z}}
forces: {hold: {kind: linear-spring, joint: j, damping: 0.1, stiffness: 30}}
initial: {j: -0.327 m}
)");
  for (const std::string model : {"torque.yaml", "spring.yaml"})
    for (const std::string integrator : {"rk4", "cvode-bdf", "generalized-alpha"}) {
      const Outcome o = haltere({"run", model, "--integrator", integrator, "--formulation", "absolute"});
      EXPECT_EQ(o.status, 0) << integrator << o.err;
      EXPECT_THAT(o.err, testing::Not(HasSubstr("NOT close"))) << model << ' ' << integrator;
    }
}

}  // namespace
}  // namespace haltere
