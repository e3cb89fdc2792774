#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace haltere {
namespace {

using testing::HasSubstr;

class Validate : public ProgramTest {
 protected:
  Validate() {
    // free fall: z = -g t^2/2
    write("drop/model.yaml", R"(haltere: 1
gravity: [0, 0, -10]
bodies: {ball: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {fall: {kind: prismatic, child: ball, axis: z}}
)");
  }
  static std::string entry(const std::string& value, const std::string& more = "") {
    return "- {channel: joint.fall.position, at: {t: 1}, value: " + value +
           ", tolerance: {absolute: 1e-9, reason: solver}, source: {kind: analytic, place: Galilei}" + more +
           "}\n";
  }
};

TEST_F(Validate, SaysWhatAgreesAndWhatDiffersAsKnown) {
  write("drop/expected.yaml", entry("-5") + entry("-4", ", differs: \"taken on the moon\""));
  const Outcome o = haltere({"validate", "drop"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("agrees"));
  EXPECT_THAT(o.out, HasSubstr("differs: taken on the moon"));
  EXPECT_THAT(o.err, HasSubstr("2 values: 1 agree, 1 differ as known, 0 failed"));
}

// mean of -5 t^2 between 0.5 and 1 s: -35/12; the trapezoidal rule on 256 parts adds h^2/12 of the
// slopes, 3.2e-6 (source: analytic)
TEST_F(Validate, AMeasureIsHeldToItsValue) {
  write("drop/model.yaml",
        read("drop/model.yaml") + "measures: {low: {kind: mean, of: joint.fall.position, period: 0.5 s}}\n");
  const auto line = [](const std::string& name) {
    return "- {measure: " + name +
           ", at: {t: 1}, value: -2.9166666667, tolerance: {absolute: 4e-6, reason: samples}, "
           "source: {kind: analytic, place: Galilei}}\n";
  };
  write("drop/expected.yaml", line("low"));
  const Outcome o = haltere({"validate", "drop"});
  EXPECT_EQ(o.status, 0) << o.err << o.out;
  EXPECT_THAT(o.out, HasSubstr("measure low over the period before 1 s"));
  write("drop/expected.yaml", line("lowest"));
  const Outcome missing = haltere({"validate", "drop"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.out, HasSubstr("there is no measure 'lowest'"));
}

// it hangs where the spring of 4 N/m holds 10 N: 2.5 m below (source: analytic)
TEST_F(Validate, AnEquilibriumIsHeldToItsValue) {
  write("drop/model.yaml",
        read("drop/model.yaml") + "forces: {s: {kind: linear-spring, joint: fall, stiffness: 4 N/m}}\n");
  const auto line = [](const std::string& name, const std::string& more = "") {
    return "- {equilibrium: " + name + more +
           ", value: -2.5, tolerance: {absolute: 1e-9, reason: solver}, source: {kind: analytic, place: "
           "Hooke}}\n";
  };
  write("drop/expected.yaml", line("joint.fall.position"));
  const Outcome o = haltere({"validate", "drop"});
  EXPECT_EQ(o.status, 0) << o.err << o.out;
  EXPECT_THAT(o.out, HasSubstr("joint.fall.position of the equilibrium"));
  write("drop/expected.yaml", line("CL"));
  const Outcome missing = haltere({"validate", "drop"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.out, HasSubstr("FAILED: the equilibrium has no 'CL'"));
  write("drop/expected.yaml", line("joint.fall.position", ", at: {t: 1}"));
  const Outcome both = haltere({"validate", "drop"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("drop/expected.yaml:1:3: an equilibrium stands in place of a run"));
  write("drop/expected.yaml", line("joint.fall.velocity"));
  const Outcome other = haltere({"validate", "drop"});
  EXPECT_EQ(other.status, 1) << other.err;
  EXPECT_THAT(other.out, HasSubstr("FAILED"));
}

// a rod of 1 kg stands on a hinge, its middle at 1 m: a spring holds it from k = m g l = 10 N m/rad on; with twice the mass from 20
// (source: analytic)
TEST_F(Validate, ALimitOfStabilityIsHeldToItsValue) {
  write("rod/model.yaml", R"(haltere: 1
gravity: [0, 0, -10]
parameters: {m: 1 kg, k: 30 N*m/rad}
bodies: {rod: {mass: m, center_of_mass: [0, 0, 1 m], inertia: [1, 1, 1]}}
joints: {hinge: {kind: revolute, child: rod, axis: y}}
forces: {spring: {kind: rotary-spring, joint: hinge, stiffness: k}}
)");
  const auto line = [](const std::string& what, const std::string& value) {
    return "- {" + what + ", value: " + value +
           ", tolerance: {absolute: 1e-6, reason: solver}, source: {kind: analytic, place: Euler}}\n";
  };
  write("rod/expected.yaml", line("limit: k, between: [5, 25]", "10") +
                                 line("limit: k, set: {m: 2 kg}, between: [5, 25]", "20") +
                                 line("limit: k, of: frequency, between: [5, 25]", "0"));
  const Outcome o = haltere({"validate", "rod"});
  EXPECT_EQ(o.status, 0) << o.err << o.out;
  EXPECT_THAT(o.out, HasSubstr("limit of stability in k between 5 and 25 with m=2 kg"));
  EXPECT_THAT(o.out, HasSubstr("rad/s at the limit of stability in k between 5 and 25"));
  write("rod/expected.yaml", line("limit: k, between: [15, 25]", "10"));
  const Outcome none = haltere({"validate", "rod"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("0 limits of stability between k = 15 and 25 in place of one"));
  write("rod/expected.yaml", line("limit: stiff, between: [5, 25]", "10") +
                                 line("limit: k, set: {mm: 2 kg}, between: [5, 25]", "20") +
                                 line("case: fast, limit: k, between: [5, 25]", "20"));
  const Outcome unknown = haltere({"validate", "rod"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("rod/expected.yaml:1:3: the model has no parameter 'stiff'"));
  EXPECT_THAT(unknown.err,
              HasSubstr("rod/expected.yaml:2:3: the model does not take its case or its values"));
  EXPECT_THAT(unknown.err,
              HasSubstr("rod/expected.yaml:3:3: the model does not take its case or its values"));
  EXPECT_THAT(unknown.err, HasSubstr("unknown case 'fast'"));
  write("rod/expected.yaml", line("limit: k, at: {t: 1}, between: [25, 5]", "10") +
                                 line("limit: k, of: speed", "10") +
                                 line("channel: joint.hinge.angle, at: {t: 1}, set: 5, between: 3", "0"));
  const Outcome wrong = haltere({"validate", "rod"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("a limit stands in place of a run"));
  EXPECT_THAT(wrong.err, HasSubstr("the first value must be the smaller one"));
  EXPECT_THAT(wrong.err, HasSubstr("`of` is 'speed'; a limit has `parameter` and `frequency`"));
  EXPECT_THAT(wrong.err, HasSubstr("`between` is missing"));
  EXPECT_THAT(wrong.err, HasSubstr("`of` and `between` belong to a `limit`"));
  EXPECT_THAT(wrong.err, HasSubstr("write `set: {NAME: VALUE}`"));
}

TEST_F(Validate, AValueThatIsNotMetIsAFailure) {
  write("drop/expected.yaml", entry("-5.1"));
  const Outcome o = haltere({"validate", "drop", "--json", "-"});
  EXPECT_EQ(o.status, 1);
  const auto json = nlohmann::json::parse(o.out);
  EXPECT_EQ(json[0]["verdict"], "FAILED");
  EXPECT_NEAR(json[0]["ours"].get<double>(), -5, 1e-9);  // solver
}

TEST_F(Validate, MistakesAreNamedWithTheirPlace) {
  write("drop/expected.yaml",
        "- {channel: x, at: {t: one}, value: 1, tolerance: {absolute: 1}, source: {kind: self, place: x}}\n");
  const Outcome o = haltere({"validate", "drop"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("drop/expected.yaml:1:24: `t` is 'one'; expected a number"));
  EXPECT_THAT(o.err, HasSubstr("`reason` is missing"));
  EXPECT_THAT(o.err, HasSubstr("'self' is no source that validates"));
  write("drop/expected.yaml", "a: [");
  EXPECT_EQ(haltere({"validate", "drop"}).status, 2);
  EXPECT_EQ(haltere({"validate", "nothing"}).status, 2);
}

TEST_F(Validate, ExtremesMiddleAmplitudeAndPeriod) {
  // x = cos(2 t): period pi (rows every 10 ms, straight between them: error below (2 * 0.01)^2)
  write("spring/model.yaml", R"(haltere: 1
bodies: {b: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {j: {kind: prismatic, child: b, axis: x}}
forces: {s: {kind: linear-spring, joint: j, stiffness: 4 N/m, rest_position: 1 m}}
initial: {j: 2 m}
simulation: {until: 10 s, every: 0.01 s}
)");
  const auto line = [](const std::string& over, const std::string& value) {
    return "- {channel: joint.j.position, over: {" + over + ": 10}, value: " + value +
           ", tolerance: {absolute: 4e-4, reason: rows}, source: {kind: analytic, place: 1 + cos 2t}}\n";
  };
  write("spring/expected.yaml", line("max", "2") + line("min", "0") + line("middle", "1") +
                                    line("amplitude", "1") + line("period", "3.14159265"));
  const Outcome o = haltere({"validate", "spring"});
  EXPECT_EQ(o.status, 0) << o.out;
}

}  // namespace
}  // namespace haltere
