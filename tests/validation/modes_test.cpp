// Joints that lock, come free and break off, constraints that are removed, as a user runs them.
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formulations_of.h"
#include "shipped_models.h"
#include "tolerance.h"

#include "haltere/io/model/model_reader.h"
#include "haltere/model/kind_info.h"
#include "haltere/simulate/run.h"

namespace haltere {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = RunSummary::Outcome;

// method: both formulations and their restarts at 1e-11
constexpr double kSolver = 2e-9;

Model read(const std::string& text) {
  return read_model_text("haltere: 1\n" + text, "test.yaml", {});
}

MemorySink run_text(const std::string& text, const std::string& formulation, double until = 2,
                    const std::string& chart = "lie") {
  const Model model = read(text);
  Settings settings;
  settings.formulation = formulation;
  settings.chart = chart;
  settings.until = until;
  settings.every = until / 20;
  settings.tolerance = 1e-11;
  MemorySink sink;
  run(model, make_run_options(model, settings), {&sink});
  return sink;
}

long row_at(const MemorySink& sink, double t) {
  long best = 0;
  for (long i = 0; i < sink.rows(); ++i)
    if (std::abs(sink.value(i, "t") - t) < std::abs(sink.value(best, "t") - t)) best = i;
  return best;
}

void expect_equal(const MemorySink& a, const MemorySink& b, const std::vector<std::string>& channels,
                  double tolerance) {
  ASSERT_EQ(a.summary().outcome, Outcome::kFinished) << a.summary().message;
  ASSERT_EQ(b.summary().outcome, Outcome::kFinished) << b.summary().message;
  ASSERT_EQ(a.rows(), b.rows());
  for (const std::string& channel : channels)
    for (long i = 0; i < a.rows(); ++i)
      EXPECT_NEAR(a.value(i, channel), b.value(i, channel), tolerance * tolerance_scale())
          << channel << " at " << a.value(i, "t");
}

const std::string kArmBodies = R"(
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 2, center_of_mass: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}
  b: {mass: 1, center_of_mass: [0.3, 0, 0.1], inertia: [0.01, 0.05, 0.05]}
)";
const std::string kArm = kArmBodies + R"(
joints:
  shoulder: {kind: revolute, child: a, axis: y}
  elbow: {kind: revolute, parent: a, child: b, parent_frame: [1, 0, 0], axis: y}
forces:
  spring: {kind: rotary-spring, joint: elbow, stiffness: 5 N*m/rad}
initial:
  shoulder: {rate: 1}
  elbow: {angle: 0.3, rate: -4}
)";

/// Of both bodies of kArm at its start: moment of momentum about the shoulder (y), moment of inertia with the
/// elbow stiff, kinetic energy. By hand: plane motion, velocities perpendicular to radii.  (source: analytic)
struct ArmAtStart {
  double momentum, inertia, kinetic;
  ArmAtStart() {
    const double q = 0.3, w_a = 1, w_b = 1 - 4;
    // R_y(q) (0.3, 0, 0.1)
    const double cx = 0.3 * std::cos(q) + 0.1 * std::sin(q), cz = -0.3 * std::sin(q) + 0.1 * std::cos(q);
    const double x = 1 + cx, z = cz;
    // v = w e_y x r: (w z, 0, -w x)
    const double vx = w_b * cz, vz = -w_a * 1 - w_b * cx;
    inertia = 0.2 + 2 * 0.25 + 0.05 + (x * x + z * z);
    momentum = (0.2 + 2 * 0.25) * w_a + 0.05 * w_b + (z * vx - x * vz);
    kinetic = 0.5 * (0.2 + 2 * 0.25) * w_a * w_a + 0.5 * 0.05 * w_b * w_b + 0.5 * (vx * vx + vz * vz);
  }
};

// The impulse of a lock is inside the machine: the moment of momentum about the shoulder stays.
TEST(Lock, IsAnImpactThatKeepsTheMomentOfMomentum) {
  const ArmAtStart start;
  const double rate = start.momentum / start.inertia;
  const double lost = start.kinetic - 0.5 * start.inertia * rate * rate;
  ASSERT_GT(lost, 0.4);
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink sink =
        run_text(kArm + "events: {jam: {at: 0, lock: elbow}}", std::string(formulation.name));
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    EXPECT_NEAR(sink.value(0, "joint.shoulder.rate"), rate, 1e-13);
    EXPECT_NEAR(sink.value(0, "joint.elbow.rate"), 0, 1e-13);
    ASSERT_EQ(sink.events().size(), 1U);
    EXPECT_NEAR(sink.events()[0].energy_change, -lost, 1e-13);
    EXPECT_EQ(sink.events()[0].what, "joint 'elbow' locks");
    EXPECT_NEAR(sink.value(sink.rows() - 1, "joint.elbow.angle"), 0.3, 1e-13);
    EXPECT_LT(sink.summary().audit.relative_balance(), 1e-10 * tolerance_scale());
  }
}

// A machine with a stiff elbow is a physical pendulum.                        (source: analytic, weld)
TEST(Lock, LeavesTheMotionOfAWeldedMachine) {
  const ArmAtStart start;
  const std::string welded = kArmBodies + R"(
joints:
  shoulder: {kind: revolute, child: a, axis: y}
  elbow: {kind: weld, parent: a, child: b, parent_frame: {position: [1, 0, 0], rotation: {axis: y, angle: 0.3}}}
initial: {shoulder: {rate: )" +
                             fmt::format("{:.17g}", start.momentum / start.inertia) + "}}";
  const std::string locked = kArm + "events: {jam: {at: 0, lock: elbow}}";
  const MemorySink expected = run_text(welded, "recursive");
  for (const FormulationInfo& formulation : general_formulations()) {
    expect_equal(run_text(locked, std::string(formulation.name)), expected,
                 {"joint.shoulder.angle", "joint.shoulder.rate", "joint.shoulder.reaction.force.x",
                  "joint.elbow.reaction.force.z", "joint.elbow.reaction.torque.y", "body.b.position.z"},
                 100 * kSolver);
  }
}

// Held at its initial position until it is freed: the same motion, later.     (source: analytic)
TEST(Free, StartsFromWhereTheJointWasLocked) {
  const std::string machine = R"(
gravity: [0, 0, -9.81]
bodies: {a: {mass: 2, center_of_mass: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}}
)";
  const MemorySink free = run_text(
      machine + "joints: {j: {kind: revolute, child: a, axis: y}}\ninitial: {j: 0.4}", "recursive", 1);
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink late = run_text(machine + R"(
joints: {j: {kind: revolute, child: a, axis: y, locked: true}}
initial: {j: 0.4}
events: {open: {at: 0.5, free: j}})",
                                     std::string(formulation.name), 1.5);
    ASSERT_EQ(late.summary().outcome, Outcome::kFinished) << late.summary().message;
    EXPECT_NEAR(late.value(row_at(late, 0.45), "joint.j.angle"), 0.4, 1e-13);
    EXPECT_NEAR(late.value(row_at(late, 0.45), "joint.j.torque"), -2 * 9.81 * 0.5 * std::cos(0.4), 1e-12);
    const long last = late.rows() - 1;
    EXPECT_NEAR(late.value(last, "joint.j.angle"), free.value(free.rows() - 1, "joint.j.angle"), kSolver);
    EXPECT_NEAR(late.value(last, "joint.j.rate"), free.value(free.rows() - 1, "joint.j.rate"), 10 * kSolver);
  }
}

// A motor that turns steadily lets go: the joint keeps its rate where nothing acts.   (source: analytic)
TEST(Free, EndsAPrescribedMotion) {
  const std::string text = R"(
parameters: {w: 1 rad/s}
bodies: {a: {mass: 2, inertia: [1, 1, 1]}}
joints: {j: {kind: revolute, child: a, axis: y, prescribed: sin(w*t) + 3*w*t
}
}
events: {off: {at: 1, free: j}}
)";
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink sink = run_text(text, std::string(formulation.name), 2);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    const double rate = 3 + std::cos(1.0);
    EXPECT_NEAR(sink.value(sink.rows() - 1, "joint.j.angle"), 3 + std::sin(1.0) + rate, 1e-10);
    EXPECT_NEAR(sink.value(sink.rows() - 1, "joint.j.rate"), rate, 1e-10);
  }
}

// What breaks off flies on a parabola and keeps its spin; the rest swings on alone.
TEST(Break, LetsTheBodyFly) {
  const std::string text = kArm + "events: {snap: {at: 0.25, break: elbow}}";
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink sink = run_text(text, std::string(formulation.name), 1);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    const long snap = row_at(sink, 0.25), last = sink.rows() - 1;
    ASSERT_EQ(sink.value(snap, "t"), 0.25);
    const double dt = sink.value(last, "t") - 0.25;
    // velocity of the centre of mass, from that of the origin            (source: analytic)
    const double w = sink.value(snap, "body.b.angular_velocity.y");
    const double rx = sink.value(snap, "body.b.com.x") - sink.value(snap, "body.b.position.x");
    const double rz = sink.value(snap, "body.b.com.z") - sink.value(snap, "body.b.position.z");
    const double vx = sink.value(snap, "body.b.velocity.x") + w * rz;
    const double vz = sink.value(snap, "body.b.velocity.z") - w * rx;
    EXPECT_NEAR(sink.value(last, "body.b.com.x"), sink.value(snap, "body.b.com.x") + vx * dt, kSolver);
    EXPECT_NEAR(sink.value(last, "body.b.com.z"),
                sink.value(snap, "body.b.com.z") + vz * dt - 0.5 * 9.81 * dt * dt, kSolver);
    EXPECT_NEAR(sink.value(last, "body.b.angular_velocity.y"), w, kSolver);
    EXPECT_EQ(sink.value(last, "joint.elbow.reaction.force.z"), 0);
    EXPECT_EQ(sink.value(last, "force.spring.energy"), 0);
    EXPECT_NEAR(sink.value(last, "joint.elbow.angle"),
                sink.value(last, "body.b.angular_velocity.y") * dt + sink.value(snap, "joint.elbow.angle") +
                    sink.value(snap, "joint.shoulder.angle") - sink.value(last, "joint.shoulder.angle"),
                kSolver);
    // the spring took its energy along
    EXPECT_NEAR(sink.events()[0].energy_change, -0.5 * 5 * std::pow(sink.value(snap, "joint.elbow.angle"), 2),
                1e-12);
    EXPECT_LT(sink.summary().audit.relative_balance(), 1e-10 * tolerance_scale());
  }
}

const std::string kFourBar = R"(
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 1, center_of_mass: [0.25, 0, 0], inertia: [0.01, 0.03, 0.03]}
  coupler: {mass: 2, center_of_mass: [0.6, 0, 0], inertia: [0.01, 0.2, 0.2]}
  rocker: {mass: 1.5, center_of_mass: [0.4, 0, 0], inertia: [0.01, 0.1, 0.1]}
joints:
  a: {kind: revolute, child: crank, axis: y}
  b: {kind: revolute, parent: crank, child: coupler, parent_frame: [0.5, 0, 0], axis: y}
  c: {kind: revolute, child: rocker, parent_frame: [1, 0, 0], axis: y}
  d: {kind: revolute, parent: coupler, child: rocker, parent_frame: [1.2, 0, 0], child_frame: [0.8, 0, 0], axis: y}
initial: {a: -1, b: 0.7, c: -1.7}
)";

// Every joint of a loop, in and out of the tree: the two formulations agree, energy is accounted for.
TEST(Modes, OfALoopAreTheSameInBothFormulations) {
  for (const char* event : {"{at: 0.3, break: d}", "{at: 0.3, break: b}", "{at: 0.3, break: [a, c]}",
                            "{at: 0.3, lock: d}", "{at: 0.3, break: a, lock: b}"}) {
    SCOPED_TRACE(event);
    const std::string text = kFourBar + "events: {change: " + event + "}";
    const MemorySink a = run_text(text, "recursive", 0.8), b = run_text(text, "absolute", 0.8);
    expect_equal(a, b,
                 {"body.crank.position.x", "body.coupler.position.z", "body.rocker.position.z",
                  "joint.a.angle", "joint.b.angle", "joint.c.angle", "joint.d.angle", "joint.d.rate",
                  "energy.total", "body.rocker.acceleration.x", "event.change"},
                 1e-7);
    for (const MemorySink* sink : {&a, &b})
      EXPECT_LT(sink->summary().audit.relative_balance(), 1e-9 * tolerance_scale());
  }
}

// Joints of several coordinates lock in three dimensions; charts of their own.
TEST(Modes, OfEveryJointAreTheSameInBothFormulations) {
  for (const KindInfo& info : joint_kinds()) {
    const std::string kind(info.name);
    if (kind == "weld") continue;  // nothing to lock
    SCOPED_TRACE(kind);
    const std::string text = fmt::format(R"(
gravity: [0, 0, -9.81]
bodies:
  a: {{mass: 2, center_of_mass: [0.5, 0.1, 0], inertia: [0.1, 0.2, 0.25], chart: quaternion}}
  b: {{mass: 1, center_of_mass: [0.3, 0, 0.1], inertia: [0.02, 0.05, 0.06], chart: euler-zyx}}
joints:
  base: {{kind: spherical, child: a}}
  tip: {{kind: {}, parent: a, child: b, parent_frame: [1, 0, 0]}}
initial: {{base: {{angular_velocity: [1, 2, -1]}}}}
events:
  jam: {{at: 0.2, lock: tip}}
  open: {{at: 0.4, free: tip}}
  part: {{at: 0.6, {}}}
)",
                                         kind, kind == "free" ? "lock: tip" : "break: tip");
    const MemorySink a = run_text(text, "recursive", 0.8);
    for (const char* chart : {"lie", "quaternion"}) {
      const MemorySink b = run_text(text, "absolute", 0.8, chart);
      expect_equal(a, b,
                   {"body.a.position.x", "body.b.position.x", "body.b.position.y", "body.b.orientation.x",
                    "body.b.angular_velocity.z", "energy.kinetic"},
                   1e-7);
      EXPECT_LT(b.summary().audit.relative_balance(), 1e-9 * tolerance_scale());
    }
    EXPECT_LT(a.summary().audit.relative_balance(), 1e-9 * tolerance_scale());
    EXPECT_EQ(a.events().size(), 3U);
  }
}

// Two stones on a rod that is removed: each goes on straight.                 (source: analytic)
TEST(Remove, TakesARodAway) {
  const std::string text = R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: {ja: {kind: free, child: a}, jb: {kind: free, child: b}}
constraints: {rod: {kind: distance, from: a, to: b, distance: 2}}
initial:
  ja: {position: [-1, 0, 0], velocity: [0, -1, 0]}
  jb: {position: [1, 0, 0], velocity: [0, 1, 0]}
events: {cut: {at: 1, remove: rod}}
)";
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink sink = run_text(text, std::string(formulation.name), 2);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    // one rad/s about the middle, then along the tangent
    EXPECT_NEAR(sink.value(sink.rows() - 1, "body.b.position.x"), std::cos(1.0) - std::sin(1.0), kSolver);
    EXPECT_NEAR(sink.value(sink.rows() - 1, "body.b.position.y"), std::sin(1.0) + std::cos(1.0), kSolver);
    EXPECT_NEAR(sink.value(row_at(sink, 0.5), "constraint.rod.multiplier.distance"), 1, 1e-8);
    EXPECT_EQ(sink.value(sink.rows() - 1, "constraint.rod.multiplier.distance"), 0);
  }
}

TEST(Modes, WorkWithEveryIntegrator) {
  const Model model = read_model(shipped_model("trebuchet"));
  for (const IntegratorInfo& method : integrators()) {
    SCOPED_TRACE(method.name);
    Settings settings;
    settings.integrator = method.name;
    settings.tolerance = 1e-9;
    if (method.steps != StepChoice::kAdaptive) settings.step = method.order < 4 ? 1e-4 : 5e-4;
    MemorySink sink;
    run(model, make_run_options(model, settings), {&sink});
    ASSERT_EQ(sink.summary().outcome, Outcome::kStopped) << sink.summary().message;
    ASSERT_EQ(sink.events().size(), 3U);
    // where the stone lands (source: independent, tests/validation/independent/trebuchet.py)
    const double tolerance = method.order < 4 ? 0.1 : 1e-4;
    EXPECT_NEAR(sink.value(sink.rows() - 1, "body.stone.position.x"), 75.83250200915644, tolerance);
  }
}

TEST(Modes, TellWhichChannelsEnded) {
  const Model model = read_model(shipped_model("trebuchet"));
  Settings settings;
  settings.until = 2;
  RunOptions options = make_run_options(model, settings);
  options.channels = {"joint.pouch.reaction.force.x", "constraint.peg.drift", "joint.axle.angle"};
  MemorySink sink;
  run(model, options, {&sink});
  ASSERT_EQ(sink.events().size(), 2U);
  const auto ended = [&](int e) {
    std::vector<std::string> names;
    for (const int i : sink.events()[e].ended) names.push_back(sink.names()[i]);
    return names;
  };
  EXPECT_THAT(ended(0), ElementsAre("constraint.peg.drift"));
  EXPECT_THAT(ended(1), ElementsAre("joint.pouch.reaction.force.x"));
}

// A rod that jumps in length moves the machine, which is said.
TEST(Events, ThatBreakAConstraintAreSettled) {
  const std::string text = R"(
parameters: {length: 2 m}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints: {ja: {kind: free, child: a}, jb: {kind: free, child: b}}
constraints: {rod: {kind: distance, from: a, to: b, distance: length}}
initial: {jb: {position: [2, 0, 0]}}
events: {shrink: {at: 1, set: {length: 1 m}}}
)";
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink sink = run_text(text, std::string(formulation.name), 2);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    EXPECT_NEAR(sink.value(sink.rows() - 1, "body.a.position.x"), 0.5, 1e-12);
    EXPECT_NEAR(sink.value(sink.rows() - 1, "body.b.position.x"), 1.5, 1e-12);
    EXPECT_THAT(sink.summary().notes, testing::Contains(HasSubstr("at t = 1 s bodies were moved")));
  }
}

// A motor that starts at once throws what hangs on it: with the hinge one metre off and the centre of mass
// one metre further, the impact at the hinge gives w = -m r v/(I + m r^2) = -1/1.1.        (source: analytic)
TEST(Events, ThatMakeAPrescribedMotionJumpAreImpacts) {
  const std::string text = R"(
parameters: {w: 0 rad/s}
bodies:
  b: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}
  c: {mass: 1 kg, inertia: [0.1, 0.1, 0.1], center_of_mass: [1, 0, 0]}
joints:
  p: {kind: revolute, child: b, axis: z, prescribed: w*(t - 1 s)}
  h: {kind: revolute, parent: b, child: c, axis: z, parent_frame: [1, 0, 0]}
events: {e: {at: 1 s, set: {w: 1 rad/s}}}
)";
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink sink = run_text(text, std::string(formulation.name), 1);
    ASSERT_EQ(sink.summary().outcome, Outcome::kFinished) << sink.summary().message;
    EXPECT_NEAR(sink.value(sink.rows() - 1, "body.c.angular_velocity.z"), -1 / 1.1, 1e-14);
    EXPECT_THAT(sink.summary().notes, testing::Contains(HasSubstr("velocities jump by an impact")));
  }
}

// Whether a body can come off depends on the mass that it has then.
TEST(Break, LooksAtTheMassOfTheMoment) {
  const std::string machine = R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: m, inertia: [J, J, J]}}
joints: {ja: {kind: free, child: a}, jb: {kind: weld, parent: a, child: b}}
)";
  for (const FormulationInfo& formulation : general_formulations()) {
    const std::string name(formulation.name);
    EXPECT_EQ(run_text(machine + "parameters: {m: 0 kg, J: 0 kg*m^2}\n"
                                 "events: {e: {at: 1, set: {m: 1 kg, J: 1 kg*m^2}, break: jb}}",
                       name)
                  .summary()
                  .outcome,
              Outcome::kFinished);
    const MemorySink light = run_text(machine +
                                          "parameters: {m: 1 kg, J: 1 kg*m^2}\n"
                                          "events: {d: {at: 0.5, set: {m: 0 kg, J: 0 kg*m^2}}, e: {at: 1, "
                                          "break: jb}}",
                                      name);
    EXPECT_EQ(light.summary().outcome, Outcome::kFailed);
    EXPECT_THAT(light.summary().message, HasSubstr("t = 1 s: joint 'jb' breaks off"));
  }
}

// What comes off must have inertia of its own.
TEST(Break, SaysWhenAMasslessBodyComesLoose) {
  const std::string text = R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {}}
joints:
  ja: {kind: free, child: a}
  jb: {kind: weld, parent: a, child: b}
events: {snap: {at: 1, break: jb}}
)";
  for (const FormulationInfo& formulation : general_formulations()) {
    const MemorySink sink = run_text(text, std::string(formulation.name), 2);
    EXPECT_EQ(sink.summary().outcome, Outcome::kFailed);
    EXPECT_THAT(sink.summary().message, HasSubstr("event 'snap'"));
    EXPECT_EQ(sink.value(sink.rows() - 1, "t"), 1);
  }
}

}  // namespace
}  // namespace haltere
