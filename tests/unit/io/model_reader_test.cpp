#include "haltere/io/model/model_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/io/reading.h"

#include "haltere/model/forces.h"
#include "haltere/model/quantity.h"

namespace haltere {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kPi = EIGEN_PI;

/// A body on a joint of the given kind.
std::string make_joint(const std::string& joint, const std::string& rest = "") {
  return "haltere: 1\nbodies:\n  b: {mass: 1 kg, inertia: [1, 1, 1]}\njoints:\n  j: {child: b, " + joint +
         "}\n" + rest;
}

// -- parameters

TEST(Parameters, MayStandInAnyOrder) {
  const Model model = read(kPendulum + "parameters: {b: 2*a, a: 3 + c, c: 4}\n");
  const auto value = [&](const char* name) { return model.parameters[*model.find_parameter(name)].value; };
  EXPECT_EQ(value("a"), 7);
  EXPECT_EQ(value("b"), 14);
  // a formula reads smaller slots only
  EXPECT_LT(*model.find_parameter("c"), *model.find_parameter("a"));
  EXPECT_LT(*model.find_parameter("a"), *model.find_parameter("b"));
}

TEST(Parameters, FollowTheOnesTheyDependOn) {
  const Model model = read(kPendulum + "parameters: {b: 2*a, a: 3, c: b + 1}\n");
  const int a = *model.find_parameter("a"), b = *model.find_parameter("b"), c = *model.find_parameter("c");
  std::vector<double> table = model.calc_parameters();
  table[a] = 10;
  std::vector<bool> fixed(3, false);
  update_parameters(model, &table, fixed);
  EXPECT_EQ(table[b], 20);
  EXPECT_EQ(table[c], 21);
  // one that was set itself keeps its value
  table[b] = 5;
  fixed[b] = true;
  update_parameters(model, &table, fixed);
  EXPECT_EQ(table[b], 5);
  EXPECT_EQ(table[c], 6);
}

TEST(Parameters, AreSi) {
  const Model model = read(kPendulum + "parameters: {m: 2.5 mg, a: 30 deg, x: 3}\n");
  EXPECT_DOUBLE_EQ(model.parameters[0].value, 2.5e-6);
  EXPECT_DOUBLE_EQ(model.parameters[1].value, kPi / 6);
  EXPECT_EQ(model.parameters[1].measure.kind, Measure::Kind::kExact);
  EXPECT_EQ(model.parameters[2].measure.kind, Measure::Kind::kAny);
}

TEST(Parameters, MistakesHaveTheirPlace) {
  const auto parameters = [](const std::string& text) {
    return problem_of(kPendulum + "parameters:\n  " + text + "\n");
  };
  EXPECT_EQ(parameters("a: b\n  b: a"),
            "m.yaml:8:6: parameter 'b': parameters need each other: 'a' needs 'b' needs 'a'");
  EXPECT_THAT(parameters("a: a + 1"), HasSubstr("'a' needs 'a'"));
  EXPECT_THAT(parameters("t: 1"), HasSubstr("parameter 't': the name has a meaning in formulas already"));
  EXPECT_THAT(parameters("sin: 1"), HasSubstr("has a meaning in formulas already"));
  EXPECT_THAT(parameters("2a: 1"), HasSubstr("starts with a letter"));
  EXPECT_THAT(parameters("a: 0\n  b: 1/a"),
              HasSubstr("parameter 'b': value is not a finite number; look for a division by zero"));
  EXPECT_THAT(parameters("a: .nan"), HasSubstr("m.yaml:7:6: parameter 'a'"));
  EXPECT_THAT(parameters("a: t"), HasSubstr("'t' cannot be used here; only parameters can be used here"));
  EXPECT_THAT(parameters("a: [1]"), HasSubstr("expected a quantity or a formula, not a list"));
  EXPECT_THAT(parameters("a: "), "") << "an empty value removes the parameter";
}

TEST(Parameters, LongChainsAreAProblemNotACrash) {
  std::string text = kPendulum + "parameters:\n";
  for (int i = 0; i < 20000; ++i) text += "  p" + std::to_string(i) + ": p" + std::to_string(i + 1) + "\n";
  text += "  p20000: 1\n";
  EXPECT_THAT(problem_of(text), HasSubstr("depend on each other in a row"));
}

// -- bodies

TEST(Bodies, TakeInertiaInEveryForm) {
  const auto inertia = [](const std::string& form) {
    const Model model =
        read("haltere: 1\nbodies: {b: {mass: 2 kg, " + form + "}}\njoints: {j: {kind: free, child: b}}\n");
    const std::vector<double> parameters = model.calc_parameters();
    return calc_mass_properties(model.bodies[1], Resolver<double>{parameters.data()}).I_BBcm;
  };
  const Matrix3<double> diagonal = Vector3<double>(1, 2, 2.5).asDiagonal();
  EXPECT_EQ(inertia("inertia: [1, 2, 2.5 kg m2]"), diagonal);
  Matrix3<double> full;
  full << 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5;
  EXPECT_EQ(inertia("inertia: {xx: 1, yy: 2, zz: 2.5, xy: 0.1, xz: 0.2, yz: 0.3}"), full);
  EXPECT_EQ(inertia("inertia: [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]"), full);
  // a solid sphere: 2/5 m r^2, analytic
  EXPECT_DOUBLE_EQ(inertia("inertia: {kind: sphere, radius: 0.5 m}")(1, 1), 0.4 * 2 * 0.25);
  EXPECT_DOUBLE_EQ(inertia("shape: {kind: sphere, radius: 0.5 m}")(1, 1), 0.4 * 2 * 0.25)
      << "a shape gives it, too";
  EXPECT_EQ(inertia("inertia: [1, 2, 2.5], shape: {kind: sphere, radius: 0.5 m}"), diagonal);
}

TEST(Bodies, MistakesHaveTheirPlace) {
  const auto body = [](const std::string& text) {
    return problem_of("haltere: 1\nbodies: {b: " + text + "}\njoints: {j: {kind: weld, child: b}}\n");
  };
  EXPECT_EQ(body("{mass: -2 kg}"), "m.yaml:2:20: body 'b': mass is -2 kg; must not be negative");
  EXPECT_THAT(body("{mass: 2 m}"),
              HasSubstr("m.yaml:2:20: body 'b': mass: 2 m is measured in m; expected kg"));
  EXPECT_THAT(body("{mas: 2}"), HasSubstr("unknown key 'mas' in a body; did you mean 'mass'?"));
  EXPECT_THAT(body("{inertia: [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}"), HasSubstr("the tensor is not symmetric"));
  EXPECT_THAT(body("{inertia: [1, 2]}"), HasSubstr("expected a tensor or a primitive"));
  EXPECT_THAT(body("{inertia: {kind: bx, size: [1, 1, 1]}}"),
              HasSubstr("unknown kind 'bx'; did you mean 'box'?"));
  EXPECT_THAT(body("{inertia: {kind: box}}"), HasSubstr("size is missing"));
  EXPECT_THAT(body("{center_of_mass: [1, 2]}"),
              HasSubstr("expected a list of three components, not a list of 2"));
  EXPECT_THAT(body("{euler: zzy}"), HasSubstr("'zzy' is no sequence of three axes"));
  EXPECT_THAT(body("3"), HasSubstr("expected a map, not '3'"));
  EXPECT_THAT(problem_of("haltere: 1\nbodies: {world: {mass: 1}}\n"),
              HasSubstr("the world is there already"));
  EXPECT_THAT(problem_of("haltere: 1\nbodies: {a.b: {mass: 1}}\n"),
              HasSubstr("a name has letters, digits and _"));
}

TEST(Bodies, TonnesAreAUnit) {
  const Model model = read("haltere: 1\nbodies: {b: {mass: 10 t}}\njoints: {j: {kind: weld, child: b}}\n");
  EXPECT_DOUBLE_EQ(value_of(model.bodies[1].mass, model), 1e4);
}

// -- joints

TEST(Joints, HaveFrames) {
  const Model model =
      read(make_joint("kind: revolute, axis: -y, parent_frame: [1 cm, 0, 0], "
                      "child_frame: {position: [0, 2, 0], rotation: {axis: z, angle: 90 deg}}"));
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  EXPECT_DOUBLE_EQ(model.joints[0].parent_frame.calc_X<double>(resolver).p.x(), 0.01);
  const Transform<double> X = model.joints[0].child_frame.calc_X<double>(resolver);
  EXPECT_EQ(X.p.y(), 2);
  // a quarter turn about z carries x to y; rounding of cos(pi/2)
  EXPECT_LT((X.R.col(0) - Vector3<double>::UnitY()).norm(), 1e-15);
  const auto& axis = std::get<std::vector<Expression>>(model.joints[0].entry.values[0]);
  EXPECT_EQ(value_of(axis[1], model), -1);
}

TEST(Joints, RotationsInEveryForm) {
  const auto rotation = [](const std::string& form) {
    const Model model = read(make_joint("kind: weld, parent_frame: {rotation: " + form + "}"));
    const std::vector<double> parameters = model.calc_parameters();
    return model.joints[0].parent_frame.calc_X<double>(Resolver<double>{parameters.data()}).R;
  };
  const Matrix3<double> expected = rotation_about<double>(2, kPi / 2);
  EXPECT_LT((rotation("{sequence: zyx, angles: [90 deg, 0, 0]}") - expected).norm(), 1e-15);
  EXPECT_LT((rotation("{axis: [0, 0, 2], angle: 90 deg}") - expected).norm(), 1e-15);
  EXPECT_LT((rotation("{quaternion: [3, 0, 0, 3]}") - expected).norm(), 1e-15);
}

TEST(Joints, CoordinatesArePassiveDrivenOrPrescribed) {
  const Model model =
      read(make_joint("kind: planar, prescribed: [~, 2 m/s * t, ~], driven: [sin(t/(1 s)) * 1 N, ~, ~]"));
  EXPECT_EQ(model.joints[0].mode(0), CoordinateMode::kDriven);
  EXPECT_EQ(model.joints[0].mode(1), CoordinateMode::kPrescribed);
  EXPECT_EQ(model.joints[0].mode(2), CoordinateMode::kPassive);
}

TEST(Joints, FreeJointsTakeRotationAndTranslation) {
  const Model both =
      read(make_joint("kind: free, prescribed: {sequence: zyx, angles: [0, 0, 0], position: [~, 1, ~]}"));
  EXPECT_TRUE(both.joints[0].prescribed[0] && both.joints[0].prescribed[4]);
  EXPECT_FALSE(both.joints[0].prescribed[3]);
  const Model moved = read(make_joint("kind: free, prescribed: [~, ~, ~, 1, ~, ~]"));
  EXPECT_TRUE(moved.joints[0].prescribed[3]);
  EXPECT_FALSE(moved.joints[0].prescribed_sequence);
}

TEST(Joints, MistakesHaveTheirPlace) {
  const auto joint = [](const std::string& text) { return problem_of(make_joint(text)); };
  EXPECT_EQ(joint("kind: revolut"),
            "m.yaml:5:23: joint 'j': unknown kind 'revolut'; did you mean 'revolute'?");
  EXPECT_THAT(joint("axis: x"), HasSubstr("`kind` is missing; one of weld, revolute"));
  EXPECT_THAT(joint("kind: revolute, parent: bb"), HasSubstr("unknown parent body 'bb'; did you mean 'b'?"));
  EXPECT_THAT(joint("kind: revolute, axsi: x"),
              HasSubstr("unknown key 'axsi' in a revolute; did you mean 'axis'?"));
  EXPECT_THAT(joint("kind: revolute, axis: w"),
              HasSubstr("axis: expected a list of three components, not 'w'"));
  EXPECT_THAT(joint("kind: revolute, driven: 1, prescribed: 2"), HasSubstr("both driven and prescribed"));
  EXPECT_THAT(joint("kind: revolute, prescribed: 2 m"),
              HasSubstr("prescribed: 2 m is measured in m; expected rad"));
  EXPECT_THAT(joint("kind: prismatic, driven: 2 N m"), HasSubstr("expected N"));
  EXPECT_THAT(joint("kind: weld, driven: 2"), HasSubstr("driven: the joint has no coordinate"));
  EXPECT_THAT(joint("kind: planar, driven: [1, 2]"), HasSubstr("expected a list of 3 formulas"));
  EXPECT_THAT(joint("kind: spherical, prescribed: [1, 2, 3]"),
              HasSubstr("name them: {sequence: zyx, angles: [...]}"));
  EXPECT_THAT(joint("kind: revolute, prescribed: {sequence: zyx, angles: [1, 2, 3]}"),
              HasSubstr("only a joint with three rotations"));
  EXPECT_THAT(joint("kind: weld, parent_frame: {rotation: {angle: 3}}"),
              HasSubstr("a rotation needs `sequence`, `axis` or `quaternion`"));
  EXPECT_THAT(joint("kind: weld, parent_frame: {rotation: {quaternion: [0, 0, 0, 0]}}"),
              HasSubstr("the quaternion is zero"));
}

TEST(Joints, PrescribedMotionsReadNoSignals) {
  EXPECT_THAT(
      problem_of(make_joint("kind: revolute, prescribed: s", "signals: {s: 1}\n")),
      HasSubstr("prescribed: 's' cannot be used here; a prescribed motion needs a rate and an acceleration: "
                "only parameters, the time t and states of the kind filter2 can be used here"));
}

// -- forces

TEST(Forces, AreReadByTheirDescription) {
  const Model model = read(make_joint("kind: revolute", R"(forces:
  s: {kind: rotary-spring, joint: j, stiffness: 2 N m/rad, rest_angle: 90 deg}
  p: {kind: applied-force, body: b, force: [0, 0, 1 N], axes: body}
  d: {kind: spring-damper, to: b, from_point: [0, 0, 1 m + 0.1 m/s * t], stiffness: 3}
)"));
  ASSERT_EQ(model.forces.size(), 3u);
  const std::vector<double> parameters = model.calc_parameters();
  const Resolver<double> resolver{parameters.data()};
  const auto spring = std::get<RotarySpring<double>>(resolve<ForceKinds, double>(model.forces[0], resolver));
  EXPECT_EQ(spring.stiffness, 2);
  EXPECT_DOUBLE_EQ(spring.rest_angle, kPi / 2);
  EXPECT_EQ(spring.damping, 0);
  EXPECT_EQ(spring.joint.joint, 0);
  const auto push = std::get<AppliedForce<double>>(resolve<ForceKinds, double>(model.forces[1], resolver));
  EXPECT_EQ(push.axes, Axes::kBody);
  EXPECT_EQ(push.body.value, 1);
}

TEST(Forces, MistakesHaveTheirPlace) {
  const auto force = [](const std::string& text, const std::string& joint = "kind: revolute") {
    return problem_of(make_joint(joint, "signals: {s: 1}\nforces:\n  f: {" + text + "}\n"));
  };
  EXPECT_EQ(force("kind: rotary-spring, joint: j, stiffness: -120 N m/rad"),
            "m.yaml:8:49: force 'f': stiffness is -120 N m/rad; must not be negative");
  EXPECT_EQ(force("kind: rotary-spring, joint: j, stifness: 1"),
            "m.yaml:8:38: force 'f': unknown key 'stifness' in a rotary-spring; did you mean 'stiffness'?");
  EXPECT_THAT(force("kind: rotary-spring, joint: jj"), HasSubstr("unknown joint 'jj'; did you mean 'j'?"));
  EXPECT_THAT(force("kind: rotary-spring"), HasSubstr("joint is missing"));
  EXPECT_THAT(force("kind: rotary-spring, joint: j, stiffness: 100 N m"), HasSubstr("expected N m/rad"));
  EXPECT_THAT(
      force("kind: rotary-spring, joint: j", "kind: prismatic"),
      HasSubstr("a rotary-spring cannot act on 'j': the coordinate is a length; use a linear-spring"));
  EXPECT_THAT(force("kind: rotary-spring, joint: j.0", "kind: spherical"), HasSubstr("which has no angle"));
  EXPECT_THAT(force("kind: rotary-spring, joint: j", "kind: universal"), HasSubstr("write j.0 to j.1"));
  EXPECT_THAT(force("kind: rotary-spring, joint: j.5", "kind: universal"),
              HasSubstr("'j.5' does not name one of the 2"));
  EXPECT_THAT(force("kind: applied-force, body: c, force: [0, 0, 0]"), HasSubstr("unknown body 'c'"));
  EXPECT_THAT(force("kind: applied-force, body: b, force: [0, 0, 0], axes: wrld"),
              HasSubstr("axes is 'wrld'; must be one of world, body"));
  EXPECT_THAT(force("kind: spring-damper, to: b, from_point: [s, 0, 0]"),
              HasSubstr("only parameters and the time"));
  EXPECT_THAT(force("kind: feedback, joint: j, gains: {q: 1}"), HasSubstr("unknown signal 'q'"));
  EXPECT_THAT(force("kind: feedback, joint: j, gains: {joint.j.angle: 1 N/m}"),
              HasSubstr("the gain of 'joint.j.angle' is measured in N/m; expected N m/rad"));
  EXPECT_THAT(force("kind: feedback, joint: j, gains: {}, offset: 2 N"), HasSubstr("expected N m"));
  EXPECT_THAT(force("stiffness: 3"), HasSubstr("`kind` is missing; one of rotary-spring"));
}

TEST(Forces, UnitsFollowTheCoordinate) {
  const std::string force = "forces: {f: {kind: feedback, joint: j, gains: {}, offset: 2 N}}\n";
  EXPECT_EQ(problem_of(make_joint("kind: prismatic", force)), "");
  EXPECT_THAT(problem_of(make_joint("kind: revolute", force)), HasSubstr("expected N m"));
}

// -- signals and events

TEST(Signals, AreNumberedAfterTimeAndProbes) {
  const Model model =
      read(make_joint("kind: revolute, driven: -1 N m/rad * b2 - 1 N m s/rad * joint.j.rate", R"(signals:
  b2: 2*a
  a: joint.j.angle - body.b.position.x/(1 m)
)"));
  ASSERT_EQ(model.probes.size(), 3u);
  ASSERT_EQ(model.signals.size(), 2u);
  EXPECT_EQ(model.signals[0].name, "a") << "what is needed comes first";
  // locals: t, probes in the order they are met (driven first), signals
  EXPECT_EQ(model.probes[0].name, "joint.j.rate");
  EXPECT_EQ(model.probes[1].name, "joint.j.angle");
  EXPECT_EQ(model.probes[1].quantity, Probe::Quantity::kJointPosition);
  const std::vector<double> locals{0, 10, 3, 1, 5, 7};  // a = 5, b2 = 7
  EXPECT_EQ((model.signals[0].value.calc<double, double>(nullptr, locals.data())), 2);
  EXPECT_EQ((model.signals[1].value.calc<double, double>(nullptr, locals.data())), 10);
  EXPECT_EQ((model.joints[0].driven[0]->calc<double, double>(nullptr, locals.data())), -17);
}

TEST(Signals, ProbesCoverPositionAndVelocity) {
  const std::string text =
      "haltere: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], euler: zyx}}\njoints: {j: {kind: free, child: "
      "b}}\nsignals:\n";
  const Model model = read(text + R"(
  a: body.b.position.x/(1 m) + body.b.orientation.w + body.b.euler.2/(1 rad) + body.b.velocity.y/(1 m/s)
  b: body.b.angular_velocity.z/(1 rad/s) + body.b.com.x/(1 m) + system.com.z/(1 m)
  d: system.momentum.x/(1 kg m/s)
  c: joint.j.velocity.0/(1 rad/s) + joint.j.position.3/(1 m) + joint.j.velocity.5/(1 m/s)
)");
  ASSERT_EQ(model.probes.size(), 11u);
  EXPECT_EQ(model.probes[2].quantity, Probe::Quantity::kBodyEuler);
  EXPECT_EQ(model.probes[2].component, 2);
  EXPECT_EQ(model.probes[9].quantity, Probe::Quantity::kJointPosition);
  EXPECT_EQ(model.probes[9].component, 3);
  EXPECT_EQ(model.probes[10].quantity, Probe::Quantity::kJointVelocity);
}

TEST(Signals, MistakesHaveTheirPlace) {
  const auto signal = [](const std::string& text) {
    return problem_of(make_joint("kind: revolute", "signals:\n  " + text + "\n"));
  };
  EXPECT_THAT(signal("a: b\n  b: a"), HasSubstr("signals need each other: 'a' needs 'b' needs 'a'"));
  EXPECT_THAT(signal("a: joint.j.position"), HasSubstr("unknown name 'joint.j.position'"));
  EXPECT_THAT(signal("a: joint.jj.angle"), HasSubstr("did you mean 'joint.j.angle'?"));
  EXPECT_THAT(signal("a: joint.j.acceleration"), HasSubstr("unknown name"));
  EXPECT_THAT(signal("a: body.b.euler.0"),
              HasSubstr("needs a sequence of angles; give the body one: `euler: zyx`"));
  EXPECT_THAT(signal("a: {valu: 3}"), HasSubstr("unknown key 'valu' in a signal"));
  EXPECT_THAT(signal("a: joint.j.angle + t"), HasSubstr("differ in dimension: rad and s"));
}

TEST(Signals, OfAJointOfNoKnownKindAreNotBlamed) {
  EXPECT_THAT(problems_of(make_joint("kind: zzzzzz", "signals: {a: joint.j.angle + 1 rad}\n")),
              ElementsAre(HasSubstr("unknown kind 'zzzzzz'")));
}

TEST(Events, AtATimeOrWhenASignalPasses) {
  const Model model = read(make_joint("kind: revolute", R"(parameters: {k: 3 N m/rad}
events:
  snap: {at: 5 s, set: {k: k/2}}
  down: {when: joint.j.angle, crosses: 90 deg, direction: rising, stop: true}
)"));
  ASSERT_EQ(model.events.size(), 2u);
  EXPECT_EQ(value_of(*model.events[0].at, model), 5);
  EXPECT_EQ(value_of(model.events[0].set[0].second, model), 1.5);
  EXPECT_EQ(model.events[1].direction, EventSpec::Direction::kRising);
  EXPECT_TRUE(model.events[1].stop);
  const std::vector<double> locals{0, 2};
  const std::vector<double> parameters = model.calc_parameters();
  EXPECT_DOUBLE_EQ((model.events[1].when->calc<double, double>(parameters.data(), locals.data())),
                   2 - kPi / 2);
}

TEST(Events, MistakesHaveTheirPlace) {
  const auto event = [](const std::string& text) {
    return problem_of(
        make_joint("kind: revolute", "parameters: {k: 3 N m/rad}\nevents:\n  e: {" + text + "}\n"));
  };
  EXPECT_THAT(event("stop: true"), HasSubstr("neither `at` nor `when`"));
  EXPECT_THAT(event("at: 1 s, when: t - 1 s, stop: true"), HasSubstr("both `at` and `when`"));
  EXPECT_THAT(event("at: 1 m, stop: true"), HasSubstr("expected s"));
  EXPECT_THAT(event("at: -1 s, stop: true"), HasSubstr("at is -1 s; must not be negative"));
  EXPECT_THAT(event("at: 1 s, set: {kk: 1}"), HasSubstr("unknown parameter 'kk'; did you mean 'k'?"));
  EXPECT_THAT(event("at: 1 s, set: {k: 1 m}"), HasSubstr("expected N m/rad"));
  EXPECT_THAT(event("at: 1 s, stop: yes"), HasSubstr("stop is 'yes'; must be true or false"));
  EXPECT_THAT(event("when: joint.j.angle > 1 rad, stop: true"),
              HasSubstr("is 0 or 1 and does not pass zero"));
  EXPECT_THAT(event("when: joint.j.angle, crosses: 1 m, stop: true"), HasSubstr("differ in dimension"));
  EXPECT_THAT(event("when: joint.j.angle, direction: up, stop: true"),
              HasSubstr("must be rising, falling or both"));
}

TEST(Events, ChangeJointsAndConstraints) {
  const Model model = read(R"(haltere: 1
bodies:
  b: {mass: 1, inertia: [1, 1, 1]}
  a: {mass: 1, inertia: [1, 1, 1]}
joints:
  second: {kind: revolute, parent: a, child: b}
  first: {kind: revolute, child: a, locked: true}
constraints: {pin: {kind: coincident, to: b}}
initial: {first: 30 deg}
events:
  all: {at: 1 s, lock: second, free: [first], remove: pin}
  off: {at: 2 s, break: [first, second]}
)");
  // by their numbers in the tree
  EXPECT_THAT(model.events[0].lock, ElementsAre(*model.find_joint("second")));
  EXPECT_THAT(model.events[0].free, ElementsAre(*model.find_joint("first")));
  EXPECT_THAT(model.events[0].remove, ElementsAre(0));
  EXPECT_THAT(model.events[1].break_off,
              ElementsAre(*model.find_joint("first"), *model.find_joint("second")));
  const JointSpec& first = model.joints[*model.find_joint("first")];
  ASSERT_EQ(first.mode(0), CoordinateMode::kPrescribed);
  EXPECT_DOUBLE_EQ(value_of(*first.prescribed[0], model), kPi / 6);
}

TEST(Events, MistakesWithJointsHaveTheirPlace) {
  const auto event = [](const std::string& text, const std::string& kind = "kind: revolute") {
    return problem_of(make_joint(kind, "events:\n  e: {at: 1 s, " + text + "}\n"));
  };
  EXPECT_THAT(event("lock: jj"), HasSubstr("unknown joint 'jj'; did you mean 'j'?"));
  EXPECT_THAT(event("lock: {a: 1}"), HasSubstr("lock: expected the name of a joint or a list of names"));
  EXPECT_THAT(event("lock: []"), HasSubstr("expected the name of a joint"));
  EXPECT_THAT(event("remove: pin"), HasSubstr("unknown constraint 'pin'"));
  EXPECT_THAT(event("free: j"), HasSubstr("free: joint 'j' is free already"));
  EXPECT_THAT(event("lock: j, break: j"), HasSubstr("freed or broken by the same event"));
  EXPECT_THAT(event("lock: j", "kind: weld"), HasSubstr("has no coordinate to lock"));
  EXPECT_THAT(event("break: j", "kind: free"), HasSubstr("holds nothing that could break"));
}

TEST(Locked, MistakesHaveTheirPlace) {
  EXPECT_THAT(problem_of(make_joint("kind: weld, locked: true")), HasSubstr("the joint has no coordinate"));
  EXPECT_THAT(problem_of(make_joint("kind: revolute, locked: 3")), HasSubstr("must be true or false"));
  EXPECT_THAT(problem_of(make_joint("kind: revolute, locked: true, prescribed: 1 rad")),
              HasSubstr("its motion is prescribed"));
  EXPECT_THAT(problem_of(make_joint("kind: revolute, locked: true", "initial: {j: {rate: 1}}\n")),
              HasSubstr("rate: the joint is locked"));
  EXPECT_THAT(problem_of(make_joint("kind: revolute}\n  k: {child: b, kind: revolute, locked: true")),
              HasSubstr("this joint closes a loop"));
}

TEST(Locked, TurnsAreHeldToo) {
  const Model model =
      read(make_joint("kind: spherical, locked: true",
                      "initial: {j: {orientation: {sequence: xyz, angles: [10 deg, 20 deg, 30 deg]}}}\n"));
  const JointSpec& joint = model.joints[0];
  ASSERT_TRUE(joint.prescribed_sequence);
  Vector3<double> angles;
  for (int i = 0; i < 3; ++i) angles[i] = value_of(*joint.prescribed[i], model);
  const std::vector<double> parameters = model.calc_parameters();
  EXPECT_TRUE(joint.prescribed_sequence->calc_R<double>(angles).isApprox(
      joint.initial_orientation.calc_R<double>(Resolver<double>{parameters.data()}), 1e-14));
}

// -- initial state

TEST(Initial, EveryJointHasItsKeys) {
  const auto joint = [](const std::string& kind, const std::string& initial) {
    return read(make_joint("kind: " + kind, "initial: {j: " + initial + "}\n"));
  };
  const auto position = [](const Model& m, int k) { return value_of(*m.joints[0].initial_position[k], m); };
  const auto velocity = [](const Model& m, int k) { return value_of(*m.joints[0].initial_velocity[k], m); };
  EXPECT_DOUBLE_EQ(position(joint("revolute", "30 deg"), 0), kPi / 6);
  EXPECT_EQ(velocity(joint("revolute", "{angle: 1, rate: 2 rad/s}"), 0), 2);
  EXPECT_EQ(velocity(joint("prismatic", "{position: 1, velocity: 2 m/s}"), 0), 2);
  EXPECT_EQ(position(joint("universal", "{angle: [~, 2]}"), 1), 2);
  const Model cylindrical = joint("cylindrical", "{angle: 1, position: 2 m, velocity: 3}");
  EXPECT_EQ(position(cylindrical, 0), 1);
  EXPECT_EQ(position(cylindrical, 1), 2);
  EXPECT_EQ(velocity(cylindrical, 1), 3);
  EXPECT_EQ(position(joint("planar", "{angle: 1, position: [2, 3]}"), 2), 1);
  const Model free =
      joint("free", "{orientation: [1, 0, 0, 0], position: [1, 2, 3], body_angular_velocity: [4, 5, 6]}");
  EXPECT_EQ(position(free, 5), 3);
  EXPECT_EQ(velocity(free, 2), 6);
  EXPECT_TRUE(free.joints[0].initial_turn_in_child);
  EXPECT_FALSE(joint("spherical", "{angular_velocity: [4, 5, 6]}").joints[0].initial_turn_in_child);
}

TEST(Initial, MistakesHaveTheirPlace) {
  const auto initial = [](const std::string& kind, const std::string& text) {
    return problem_of(make_joint("kind: " + kind, "initial: {" + text + "}\n"));
  };
  EXPECT_THAT(initial("revolute", "jj: 1"), HasSubstr("unknown joint 'jj'; did you mean 'j'?"));
  EXPECT_THAT(initial("revolute", "j: {rate: 25 Hz}"), HasSubstr("25 Hz is not an angular rate"));
  EXPECT_THAT(initial("revolute", "j: {position: 1}"),
              HasSubstr("unknown key 'position' in the initial state of a revolute"));
  EXPECT_THAT(initial("universal", "j: 1"), HasSubstr("expected a map, not '1'; with the keys angle, rate"));
  EXPECT_THAT(initial("universal", "j: {angle: 1}"), HasSubstr("expected a list of 2"));
  EXPECT_THAT(initial("weld", "j: 1"), HasSubstr("the joint has no coordinate"));
  EXPECT_THAT(initial("revolute, prescribed: 0.1", "j: 1"),
              HasSubstr("the coordinate is prescribed, its motion"));
  EXPECT_THAT(initial("free", "j: {angular_velocity: [1, 0, 0], body_angular_velocity: [1, 0, 0]}"),
              HasSubstr("given twice"));
}

// -- the rest

TEST(Simulation, IsRead) {
  const Model model = read(kPendulum +
                           "simulation: {until: 2 min, step: 1 ms, every: 0.1, tolerance: 1e-8, integrator: "
                           "rk4, formulation: recursive}\noutputs: [\"joint.*\"]\n");
  EXPECT_EQ(model.settings.until, 120.0);
  EXPECT_EQ(model.settings.step, 1e-3);
  EXPECT_EQ(model.settings.every, 0.1);
  EXPECT_EQ(model.settings.tolerance, 1e-8);
  EXPECT_EQ(model.settings.integrator, "rk4");
  EXPECT_EQ(model.settings.formulation, "recursive");
  EXPECT_THAT(model.outputs, ElementsAre("joint.*"));
  EXPECT_THAT(problem_of(kPendulum + "simulation: {until: -2 s}\n"),
              HasSubstr("until is -2 s; must not be negative"));
}

TEST(ModelFile, NeedsItsVersion) {
  EXPECT_EQ(problem_of("bodies: {}\n"),
            "m.yaml:1:1: the key `haltere` is missing; start the file with `haltere: 1`");
  EXPECT_THAT(problem_of("haltere: 2\n"), HasSubstr("the format is '2'; this program reads version 1"));
}

/// A wing on the pendulum's body; `more` stands in its entry and may replace fields.
std::string wing_with(const std::string& more) {
  return kPendulum +
         "surfaces:\n  wing: {kind: blade-element, body: link, span_axis: x, chord_axis: -z, span: 1 m" +
         more + "}\n";
}

TEST(ModelFile, ReadsSurfaces) {
  const std::string whole = ", chord: 20 cm - 0.1*s, density: 1.2 kg/m^3";
  EXPECT_EQ(problem_of(wing_with(whole)), "");
  EXPECT_EQ(problem_of(
                wing_with(whole + ", lift: sin(2*alpha), wind: [1 m/s*x/(1 m), \"t > 1 s ? 2 m/s : 0\", 0]")),
            "");
  EXPECT_EQ(problem_of(kPendulum + "constraints: {}\nsurfaces:\n"), "");
}

TEST(ModelFile, SaysWhatIsWrongWithSurfaces) {
  const std::string whole = ", chord: 20 cm, density: 1.2 kg/m^3";
  EXPECT_THAT(problem_of(wing_with(", density: 1.2 kg/m^3")), HasSubstr("chord is missing"));
  EXPECT_THAT(problem_of(wing_with(", chord: 20 cm")), HasSubstr("density is missing"));
  EXPECT_THAT(problem_of(wing_with(", chord: 0.1*s^2, density: 1.2 kg/m^3")), HasSubstr("chord"));  // m2
  EXPECT_THAT(problem_of(wing_with(", chord: sin(t)*20 cm, density: 1.2 kg/m^3")),
              HasSubstr("only parameters and the distance s from the root, or the nose, can be used here"));
  EXPECT_THAT(problem_of(wing_with(", chord: 20 cm - s, density: 1.2 kg/m^3")),
              HasSubstr("must not be negative"));
  EXPECT_THAT(problem_of(wing_with(whole + ", lift: sin(t)")),
              HasSubstr("only parameters and the angle of attack alpha can be used here"));
  EXPECT_THAT(problem_of(wing_with(whole + ", wind: [1 m, 0, 0]")), HasSubstr("wind"));
  EXPECT_THAT(problem_of(wing_with(whole + ", points: 2.5")), HasSubstr("whole number"));
  EXPECT_THAT(problem_of(wing_with(whole + ", points: 0")), HasSubstr("must lie between 1 and"));
  EXPECT_THAT(problem_of(wing_with(whole + ", velocity: skewed")),
              HasSubstr("must be one of section, spatial"));
  EXPECT_THAT(problem_of(wing_with(whole + ", root: [0, 0]")), HasSubstr("three components"));
  EXPECT_THAT(
      problem_of(kPendulum + "surfaces: {s: {kind: blade-element, body: link, span_axis: x, chord_axis: "
                             "[0.1, 0, 1], span: 1 m, chord: 1 m, density: 1 kg/m^3}}\n"),
      HasSubstr("span_axis and chord_axis are not perpendicular"));
  EXPECT_THAT(problem_of(kPendulum + "surfaces: {s: {kind: blade}}\n"), HasSubstr("unknown kind 'blade'"));
  EXPECT_THAT(problem_of(kPendulum + "surfaces: {s: {}}\n"), HasSubstr("`kind` is missing"));
}

TEST(ModelFile, TenMistakesAreNamedAtOnce) {
  const std::vector<std::string> lines = problems_of(R"(haltere: 1
gravty: [0, 0, -9.81]
parameters:
  k: 100 N*m
  a: b + 1
  b: a
bodies:
  link1: {mass: -1 kg, inertia: [1, 1, 1]}
  link2: {mass: 1 kg, inertia: [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}
  loose: {mass: 1 kg}
joints:
  hinge1: {kind: revolut, child: link1}
  hinge2: {kind: revolute, parent: link1, child: link2, prescribed: 5 m}
forces:
  spring: {kind: rotary-spring, joint: hinge2, stiffness: k, stifness: 3}
initial:
  hinge1: {rate: 25 Hz}
  hinge3: 30 deg
)");
  EXPECT_THAT(
      lines,
      ElementsAre(
          "m.yaml:2:1: unknown key 'gravty' in a model file; did you mean 'gravity'?",
          HasSubstr("m.yaml:6:6: parameter 'b': parameters need each other: 'a' needs 'b' needs 'a'"),
          "m.yaml:8:17: body 'link1': mass is -1 kg; must not be negative",
          HasSubstr("m.yaml:9:47: body 'link2': inertia: the tensor is not symmetric"),
          HasSubstr("m.yaml:10:3: body 'loose': no joint has it as its child"),
          "m.yaml:12:18: joint 'hinge1': unknown kind 'revolut'; did you mean 'revolute'?",
          HasSubstr("m.yaml:13:69: joint 'hinge2': prescribed: 5 m is measured in m; expected rad"),
          HasSubstr("m.yaml:15:59: force 'spring': stiffness: 'k' is measured in N m; expected N m/rad"),
          HasSubstr("m.yaml:15:62: force 'spring': unknown key 'stifness' in a rotary-spring"),
          HasSubstr("m.yaml:17:18: initial 'hinge1': rate: 25 Hz is not an angular rate"),
          HasSubstr("m.yaml:18:3: initial 'hinge3': unknown joint 'hinge3'; did you mean 'hinge1'?")));
}

TEST(ModelFile, ForcesAndTheChannelsOfGravity) {
  const std::vector<std::string> lines =
      problems_of(kPendulum + "forces: {gravity: {kind: applied-force, body: link, force: [1, 0, 0]}}\n");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("force 'gravity': the channels force.gravity.* are those of the model's"));
}

// with a parameter m: the unit in a plain quantity is still a metre
TEST(ModelFile, AQuantityDoesNotNeedTheParameterThatHasTheNameOfItsUnit) {
  const Model model = read(kPendulum + "parameters: {L: 0.5 m, rho: 0.4 kg/m, m: rho*L}\n");
  EXPECT_DOUBLE_EQ(model.parameters[*model.find_parameter("m")].value, 0.2);
}

TEST(ModelFile, AnIndexHidesTheSignalOfItsName) {
  const Model model = read(R"(haltere: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
joints:
  j: {kind: prismatic, child: a, axis: x}
signals: {i: 100 N}
forces:
  one: {kind: applied-force, body: a, force: [i, 0, 0]}
  "many{i}": {repeat: {i: 1..2}, kind: applied-force, body: a, force: [i, 0, 0]}
)");
  std::vector<double> numbers;
  for (const Entry& force : model.forces)
    for (const Value& value : force.values)
      if (const auto* components = std::get_if<std::vector<Expression>>(&value))
        if (components->size() == 3 && (*components)[0].is_constant() && !(*components)[0].text().empty())
          numbers.push_back(value_of((*components)[0], model));
  EXPECT_THAT(numbers, testing::ElementsAre(1, 2));
}

TEST(ModelFile, NumbersThatAreNotFiniteAreNamed) {
  const std::vector<std::string> lines = problems_of(kPendulum + "parameters: {a: .nan, b: -.inf}\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("value is '.nan'; must be a finite number"));
  EXPECT_THAT(lines[1], HasSubstr("value is '-.inf'; must be a finite number"));
}

TEST(ModelFile, AKeyThatStandsTwiceIsReportedOnce) {
  const std::vector<std::string> lines =
      problems_of(kPendulum + "forces:\n  f: {kind: applied-force, body: link, force: [1, 0, 0]}\n" +
                  "  f: {kind: applied-force, body: link, force: [1, 0, 0]}\n");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("the key 'f' stands here and in line"));
}

TEST(ModelFile, ManyProblemsAreCutShort) {
  std::string text = kPendulum + "forces:\n";
  for (int i = 0; i < 250; ++i) text += "  f" + std::to_string(i) + ": {kind: no}\n";
  const std::vector<std::string> lines = problems_of(text);
  ASSERT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines.back(), "m.yaml: 150 more problems not shown");
}

TEST(ModelFile, WrongShapesNeverCrash) {
  // every section as a scalar, a list, a list of lists, and a map of nonsense
  const std::vector<std::string> sections{"parameters", "gravity", "bodies",      "joints",  "forces",
                                          "signals",    "events",  "initial",     "outputs", "simulation",
                                          "cases",      "name",    "constraints", "states"};
  for (const std::string& section : sections)
    for (const char* value :
         {"3", "[1, 2]", "[[1], {a: b}]", "{a: {b: {c: [1]}}}", "{a: [1], b: 3, c: ~}", "\"{\""}) {
      const std::string text = "haltere: 1\n" + section + ": " + value + "\n";
      EXPECT_NO_FATAL_FAILURE(problems_of(text)) << text;
    }
  EXPECT_THAT(problem_of("- a\n- b\n"), HasSubstr("expected a map of keys, not a list"));
  EXPECT_THAT(problem_of("hello\n"), HasSubstr("expected a map of keys, not 'hello'"));
}

TEST(ModelFile, WarningsDoNotStopTheReading) {
  // no rigid body has Izz > Ixx + Iyy
  const Model model = read_model_text(
      "haltere: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 3]}}\njoints: {j: {kind: free, child: b}}\n",
      "m.yaml");
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_TRUE(model.warnings[0].is_warning());
}

TEST(ModelFile, TextIsKeptForTheRecord) {
  EXPECT_EQ(read(kPendulum).text, kPendulum);
}

}  // namespace
}  // namespace haltere
