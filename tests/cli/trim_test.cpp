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
using testing::Not;

/// A pendulum that stands on its pivot, pushed to and fro; falls within a second, if nobody looks.
const char* const kUpright = R"(haltere: 1
name: upright
parameters: {push: 2 N*m, bias: 0.5 N*m, w: 4 rad/s}
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 1 kg, center_of_mass: [0, 0, 1]}}
joints: {pivot: {kind: revolute, child: bob, axis: y, driven: bias + push*cos(w*t)}}
initial: {pivot: 0.1}
measures: {swing: {kind: amplitude, of: joint.pivot.angle, period: 2*pi/w}}
trim: {period: 2*pi/w, parameters: bias, mean: {joint.pivot.angle: 0}}
cases: {harder: {parameters: {push: 4 N*m}}}
)";

class Trim : public ProgramTest {
 protected:
  Trim() { write("upright.yaml", kUpright); }
};

TEST_F(Trim, TheFileThatItWritesRunsAndStaysPeriodic) {
  const Outcome o =
      haltere({"trim", "upright.yaml", "--case", "harder", "-o", "sub.yaml", "--json", "o.json"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("residual"));
  EXPECT_THAT(o.err, HasSubstr("bias"));
  EXPECT_THAT(o.out, HasSubstr("unstable: 1 of 2 multipliers grows"));
  const json found = json::parse(read("o.json"));
  EXPECT_LT(found["residual"].get<double>(), 1e-10);
  EXPECT_TRUE(found["found"].get<bool>());
  EXPECT_EQ(found["growing"], 1);
  // by symmetry no bias is needed                                                        (source: analytic)
  EXPECT_NEAR(found["parameters"]["bias"]["after"].get<double>(), 0, 1e-9);
  EXPECT_THAT(read("sub.yaml"), HasSubstr("push: 4 N*m"));
  EXPECT_THAT(read("sub.yaml"), Not(HasSubstr("cases")));

  const Outcome run = haltere({"run", "sub.yaml", "--csv", "rows.csv", "--json", "run.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("measure swing (amplitude)"));
  const std::vector<std::string> rows = lines_of(read("rows.csv"));
  ASSERT_EQ(rows.size(), 302);
  const auto angle = [&](int period) {
    const std::string& head = rows[0];
    const auto column =
        std::count(head.begin(), head.begin() + static_cast<long>(head.find("joint.pivot.angle")), ',');
    std::string row = rows[1 + 100 * period];
    for (long i = 0; i < column; ++i) row = row.substr(row.find(',') + 1);
    return std::stod(row);
  };
  EXPECT_EQ(angle(0), found["q"]["joint.pivot.angle"].get<double>());  // the same bits
  // what is left grows by the multiplier in each of three periods: here by 140 cubed, from the tolerance
  // 1e-12
  const double multiplier = found["modes"][0]["modulus"].get<double>();
  EXPECT_NEAR(angle(3), angle(0), 1e-12 * std::pow(multiplier, 3) * 10);
  EXPECT_NEAR(angle(1), angle(0), 1e-10);
  EXPECT_EQ(json::parse(read("run.json"))["measures"]["swing"]["values"].size(), 3);
}

TEST_F(Trim, TheCommandLineSaysWhatAFileMay) {
  const Outcome by_file = haltere({"trim", "upright.yaml", "--json", "-"});
  ASSERT_EQ(by_file.status, 0) << by_file.err;
  std::string text = kUpright;
  text.erase(text.find("trim:"), text.find("cases:") - text.find("trim:"));
  write("plain.yaml", text);
  const Outcome by_hand = haltere({"trim", "plain.yaml", "--period", "2*pi/w", "--free", "bias", "--mean",
                                   "joint.pivot.angle=0", "--json", "-"});
  ASSERT_EQ(by_hand.status, 0) << by_hand.err;
  EXPECT_EQ(json::parse(by_file.out)["q"], json::parse(by_hand.out)["q"]);
  const Outcome mirrored = haltere(
      {"trim", "plain.yaml", "--period", "2*pi/w", "--set", "bias=0 N*m", "--mirror", "x", "--json", "-"});
  ASSERT_EQ(mirrored.status, 0) << mirrored.err;
  // what a whole period leaves, 1e-10, is what the two may differ by
  EXPECT_NEAR(json::parse(mirrored.out)["q"]["joint.pivot.angle"].get<double>(),
              json::parse(by_file.out)["q"]["joint.pivot.angle"].get<double>(), 1e-9);
}

// half a period cannot tell what breaks the mirror: the answer is looked at
TEST_F(Trim, AFreeParameterMayNotBreakTheMirror) {
  const Outcome o =
      haltere({"trim", "upright.yaml", "--set", "bias=0 N*m", "--mirror", "x", "-o", "no.yaml"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("does not move as its mirror image"));
  EXPECT_FALSE(exists("no.yaml"));
}

TEST_F(Trim, AMethodWithEqualStepsWritesItsStep) {
  const Outcome o =
      haltere({"trim", "upright.yaml", "--integrator", "rk4", "--step", "4 ms", "-o", "out.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(read("out.yaml"), HasSubstr("integrator: rk4"));
  EXPECT_THAT(read("out.yaml"), HasSubstr("step: 0.0039"));  // a period of pi/2 s in 393
  EXPECT_EQ(haltere({"check", "out.yaml"}).status, 0);
}

TEST_F(Trim, ASteadyMotionHasEigenvalues) {
  const Outcome o = haltere({"trim", "upright.yaml", "--steady", "--set", "push=0 N*m", "--json", "-"});
  ASSERT_EQ(o.status, 0) << o.err;
  const json found = json::parse(o.out);
  // sqrt(g/l)                                                                            (source: analytic)
  EXPECT_NEAR(found["modes"][0]["exponent"][0].get<double>(), std::sqrt(9.81), 1e-8);
}

TEST_F(Trim, WhatIsNotFoundIsNotWritten) {
  // a push that never ends in one direction, and nothing that is free to balance it
  const Outcome o = haltere(
      {"trim", "upright.yaml", "--set", "trim.parameters=[]", "--set", "bias=0.5 N*m", "-o", "no.yaml"});
  EXPECT_EQ(o.status, 1);
  EXPECT_FALSE(exists("no.yaml"));
  EXPECT_THAT(o.err, HasSubstr("NOT MET"));
  EXPECT_THAT(o.err, HasSubstr("nothing was written"));
}

TEST_F(Trim, WrongInputIsRefused) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> arguments{"trim", "upright.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome o = haltere(arguments);
    EXPECT_EQ(o.status, 2) << why;
    EXPECT_THAT(o.err, HasSubstr(why));
    EXPECT_THAT(o.out, IsEmpty());
  };
  refused({"--free", "bais"}, "did you mean 'bias'?");
  refused({"--mean", "joint.pivto.angle=0"}, "did you mean 'joint.pivot.angle'?");
  refused({"--mean", "joint.pivot.angle"}, "FORMULA=VALUE");
  refused({"--mean", "joint.pivot.angle=2 m"}, "--mean");
  refused({"--period", "t"}, "changes with time");
  refused({"--period", "-1"}, "must be greater than 0");
  refused({"--period", "1.1"}, "the equations do not repeat");
  refused({"--drift", "joint.pivto.angle"}, "joint.pivot.angle");
  refused({"--continue-in", "bias=0"}, "is free");
  refused({"--continue-in", "push"}, "PARAM=FROM");
  refused({"--integrator", "cvode-bdf"}, "chooses its steps anew");
  refused({"--mirror", "z"}, "mirror image");
  refused({"-o", "nowhere/x.yaml"}, "nowhere");
}

}  // namespace
}  // namespace haltere
